package accesslog

import (
	"bytes"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// envoyDefault is the text format of Envoy where none is configured, and
// istioDefault that of Istio's proxies.
const (
	envoyDefault = `[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% ` +
		`%RESPONSE_FLAGS% %BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% ` +
		`"%REQ(X-FORWARDED-FOR)%" "%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%" "%REQ(:AUTHORITY)%" "%UPSTREAM_HOST%"`
	istioDefault = `[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% ` +
		`%RESPONSE_FLAGS% %RESPONSE_CODE_DETAILS% %CONNECTION_TERMINATION_DETAILS% "%UPSTREAM_TRANSPORT_FAILURE_REASON%" ` +
		`%BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% "%REQ(X-FORWARDED-FOR)%" ` +
		`"%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%" "%REQ(:AUTHORITY)%" "%UPSTREAM_HOST%" %UPSTREAM_CLUSTER% ` +
		`%UPSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_REMOTE_ADDRESS% %REQUESTED_SERVER_NAME% %ROUTE_NAME%`
	envoyMore = `%COMMON_DURATION(DS_RX_BEG:US_TX_BEG:ms)% %COMMON_DURATION(US_TX_BEG:US_RX_BEG:ms)% ` +
		`%COMMON_DURATION(DS_RX_BEG:US_RX_BODY_BEG:ms)% %COMMON_DURATION(DS_RX_BEG:US_RX_END:ms)% %UPSTREAM_REQUEST_ATTEMPT_COUNT%`
)

var envoyItems = []timeline.Approx{
	{Column: "body_read_ms", Origin: "receipt", Point: "last byte of the request read", Bias: "high: the headers are in it, and filters may run meanwhile"},
	{Column: "upstream_headers_ms", Origin: "end of the request at the router, before pool wait, connect and any earlier attempt",
		Point: "upstream response headers", Bias: "high"},
	{Column: "first_sse_event_ms", Origin: "receipt", Point: "first byte of the upstream body", Bias: "low: a comment or part of an event counts too"},
}

// envoyRetried is envoyItems where the flags say that attempts were used up.
var envoyRetried = []timeline.Approx{envoyItems[0],
	{Column: "upstream_headers_ms", Origin: envoyItems[1].Origin, Point: envoyItems[1].Point, Bias: "high: every retry is in it"},
	envoyItems[2]}

// envoyChunk is envoyItems where the first mark is that of the AI gateway.
var envoyChunk = []timeline.Approx{envoyItems[0], envoyItems[1],
	{Column: "first_sse_event_ms", Origin: "start of the last attempt, about t1", Point: "first chunk of the response body",
		Bias: "low: t1 - t0 is missing"}}

func finishEnvoy(f *filler, row *timeline.Row) (approx timeline.Mask) {
	f.items = envoyItems
	if f.record.set.has(slotFirstChunk) {
		f.items = envoyChunk
	}
	f.envoyFlags(row)
	switch {
	case f.duration(row, slotHeaders, timeline.ColUpstreamHeaders):
	case f.envoyHeadersAt(row):
	case f.seen.has(slotHeaders), f.seen.has(slotHeadersAt) && f.seen.has(slotStart):
		// Logged exactly, and not reached: the service time is no better.
	case f.duration(row, slotServiceTime, timeline.ColUpstreamHeaders):
		approx = approx.With(timeline.ColUpstreamHeaders)
	}
	if f.duration(row, slotBodyRead, timeline.ColBodyRead) {
		approx = approx.With(timeline.ColBodyRead)
	}
	if f.duration(row, slotFirstBody, timeline.ColFirstSSEEvent) {
		approx = approx.With(timeline.ColFirstSSEEvent)
	} else if f.duration(row, slotFirstChunk, timeline.ColFirstSSEEvent) {
		row.SetFlag(timeline.ColStream, true) // it is written for streams only
		approx = approx.With(timeline.ColFirstSSEEvent)
	}
	return approx
}

// envoyHeadersAt sets t2 from two spans that both count from t0.
func (f *filler) envoyHeadersAt(row *timeline.Row) bool {
	at, start := f.record.get(slotHeadersAt), f.record.get(slotStart)
	if at == nil || start == nil {
		return false
	}
	t2, p2 := number(at, f.layout.unit[slotHeadersAt])
	t1, p1 := number(start, f.layout.unit[slotStart])
	if p1 != timeline.ParsedOK || p2 != timeline.ParsedOK {
		row.Refuse(timeline.ColUpstreamHeaders, timeline.BadValue)
		return true
	}
	row.SetNum(timeline.ColUpstreamHeaders, t2-t1)
	return true
}

// envoyFlags reads the response flags, which may be several with commas.
func (f *filler) envoyFlags(row *timeline.Row) {
	flags := f.record.get(slotResponseFlags)
	for len(flags) > 0 {
		flag, rest, _ := bytes.Cut(flags, []byte(","))
		flags = rest
		switch string(flag) {
		case "DC", "DR":
			row.SetText(timeline.ColOutcome, outcomeCancelled)
		case "UT", "SI", "DT", "UMSDR":
			row.SetText(timeline.ColOutcome, outcomeTimeout)
		case "RL":
			row.SetText(timeline.ColOutcome, outcomeLimited)
		case "UC", "UR", "LR", "UPE":
			row.SetText(timeline.ColOutcome, f.brokenOff(row))
		case "UF", "UH", "UO", "NC":
			row.SetText(timeline.ColOutcome, outcomeUpstream)
		case "URX":
			f.items = envoyRetried
			row.Notes.Add(timeline.RetriesInside)
		}
	}
}

// The outcomes that a log's own flag tells.
var (
	outcomeCancelled  = []byte("client_cancelled")
	outcomeTimeout    = []byte("timeout")
	outcomeLimited    = []byte("rate_limited")
	outcomeUpstream   = []byte("upstream_error")
	outcomeIncomplete = []byte("incomplete")
)

// brokenOff is the outcome of an upstream that went away: with a 2xx before it
// the client holds part of the answer.
func (f *filler) brokenOff(row *timeline.Row) []byte {
	if code, ok := row.Num(timeline.ColStatus); ok && code/100 == 2 {
		return outcomeIncomplete
	}
	return outcomeUpstream
}

func envoyText() *source.Format {
	return envoyFormat("envoy_text_default", "Envoy access log in the default text format", envoyDefault)
}

func istioText() *source.Format {
	return envoyFormat("istio_text", "Istio proxy access log in the default text format", istioDefault)
}

func envoyFormat(name, title, format string) *source.Format {
	l := mustLayout(compileEnvoy(format))
	return &source.Format{
		Name: name, Family: "Envoy", Title: title, Vantage: "gateway",
		Columns: source.Fixed([]source.Capability{
			{Column: timeline.ColUpstreamHeaders, Quality: source.Approx, Field: "%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%", Unit: "ms",
				Origin: envoyItems[1].Origin, Point: envoyItems[1].Point, Bias: envoyItems[1].Bias},
			{Column: timeline.ColTotalHandler, Quality: source.Exact, Field: "%DURATION%", Unit: "ms", Origin: "receipt", Point: "last byte to the client"},
			{Column: timeline.ColTimestamp, Quality: source.Exact, Field: "%START_TIME%", Point: "start"},
			{Column: timeline.ColRequestID, Quality: source.Exact, Field: "%REQ(X-REQUEST-ID)%"},
			{Column: timeline.ColStatus, Quality: source.Exact, Field: "%RESPONSE_CODE%"},
			{Column: timeline.ColChannel, Quality: source.Sometimes, Field: "%UPSTREAM_HOST%"},
			{Column: timeline.ColOutcome, Quality: source.Sometimes, Field: "%RESPONSE_FLAGS%"},
		}),
		FirstToken: "Envoy has none: the service time ends at the response headers",
		More:       "operators to add to the log format: " + envoyMore,
		Detect: func(w *source.Window) source.Confidence {
			return shareOf(w, func(line []byte) bool { return len(line) > 0 && line[0] == '[' && l.matches(line) })
		},
		Lines: func(opt source.Options) source.LineParser {
			f := newFiller(l, opt, envoyItems)
			f.finish = finishEnvoy
			return f
		},
	}
}
