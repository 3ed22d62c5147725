package observe

import (
	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const (
	heID = iota
	heStart
	heEnd
	heLatency
	heFirst
	heStatus
	heModel
	heProvider
	heInput
	heOutput
	heCached
)

var heliconePaths = document.NewPaths([]string{
	heID:       "request_id",
	heStart:    "request_created_at",
	heEnd:      "response_created_at",
	heLatency:  "latency delay_ms",
	heFirst:    "time_to_first_token",
	heStatus:   "status response_status",
	heModel:    "model response_model request_model",
	heProvider: "provider",
	heInput:    "prompt_tokens",
	heOutput:   "completion_tokens",
	heCached:   "prompt_cache_read_tokens",
}...)

const heliconeOrigin = "the request is noted at the proxy"

var heliconeApprox = []timeline.Approx{
	{Column: timeline.ColFirstSSEEvent.String(), Origin: heliconeOrigin, Point: "first chunk of the body, comments included", Bias: "low"},
	{Column: timeline.ColTotalHandler.String(), Origin: heliconeOrigin, Point: "the response is noted", Bias: "low: what came before t0 of the proxy's note is missing"},
}

// helicone reads the forms of Helicone's exports that are not one object a line:
// CSV, and the answers of its API, which wrap the requests.
func helicone() *Table {
	var labels timeline.Labels
	t := &Table{
		Paths: heliconePaths, Latest: -1,
		Marks: [][]string{{"request_created_at", "time_to_first_token", "request_id"}},
		Fill:  func(row *timeline.Row, v []document.Value) source.Reason { return fillHelicone(row, v, &labels) },
	}
	t.format(source.Format{
		Name:  "helicone_export",
		Title: "Helicone requests as CSV, or in the answer of its API",
		Columns: source.Fixed([]source.Capability{
			{Column: timeline.ColFirstSSEEvent, Quality: source.Sometimes, Field: "time_to_first_token", Unit: "ms", Origin: heliconeOrigin, Point: heliconeApprox[0].Point, Bias: heliconeApprox[0].Bias},
			{Column: timeline.ColTotalHandler, Quality: source.Approx, Field: "response_created_at - request_created_at, else latency or delay_ms", Unit: "ms", Origin: heliconeOrigin, Point: heliconeApprox[1].Point, Bias: heliconeApprox[1].Bias},
			known(timeline.ColTimestamp, "request_created_at, UTC where it names no zone"),
			known(timeline.ColRequestID, "request_id"),
			sometimes(timeline.ColStatus, "status of 100 and above; those below are Helicone's own"),
			known(timeline.ColModel, "model, else response_model, request_model"),
			known(timeline.ColChannel, "provider"),
			known(timeline.ColProvider, "provider"),
			sometimes(timeline.ColStream, "told by time_to_first_token"),
			known(timeline.ColInputTokens, "prompt_tokens"),
			known(timeline.ColOutputTokens, "completion_tokens"),
			sometimes(timeline.ColCachedInputTokens, "prompt_cache_read_tokens"),
			sometimes(timeline.ColOutcome, "status of -3"),
		}),
		FirstToken: "time_to_first_token is the first chunk of the body at the proxy, comments included (t3); 0 and null are unknown",
		More:       "nothing that Helicone stores",
	})
	t.Format.Vantage = "gateway"
	t.Format.Detect = func(w *source.Window) source.Confidence {
		o := w.Outline()
		if o.Has("request_created_at") || o.Has("[].request_created_at") {
			return source.No // one object after the other: the format helicone
		}
		return t.detect(w)
	}
	return t
}

func fillHelicone(row *timeline.Row, v []document.Value, labels *timeline.Labels) source.Reason {
	if _, ok := span(row, v[heStart], v[heEnd], 0); !ok {
		return source.NotARecord
	}
	row.SetText(timeline.ColRequestID, v[heID].Label())
	row.SetText(timeline.ColModel, v[heModel].Label())
	row.SetText(timeline.ColChannel, v[heProvider].Label())
	row.SetText(timeline.ColProvider, v[heProvider].Label())
	if us, ok := v[heLatency].Micros(timeline.Millisecond); ok && us > 0 && !row.Has(timeline.ColTotalHandler) {
		row.SetNum(timeline.ColTotalHandler, us)
	}
	if us, ok := v[heFirst].Micros(timeline.Millisecond); ok && us > 0 {
		row.SetNum(timeline.ColFirstSSEEvent, us)
		row.SetFlag(timeline.ColStream, true)
		label(row, timeline.ColFirstTokenBasis, anyChunk)
	}
	switch status, ok := v[heStatus].Int(); {
	case ok && status >= 100:
		row.SetNum(timeline.ColStatus, status)
	case ok && status == -3:
		label(row, timeline.ColOutcome, cancelled)
		row.Notes.Add(timeline.ToolReportedCode)
	}
	count(row, timeline.ColInputTokens, v[heInput])
	count(row, timeline.ColOutputTokens, v[heOutput])
	tally(row, timeline.ColCachedInputTokens, v[heCached])
	row.Label = labels.Of(heliconeApprox, row.Present())
	return source.OK
}
