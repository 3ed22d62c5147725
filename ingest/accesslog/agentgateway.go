package accesslog

import (
	"bytes"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// agentgateway reads the request log of agentgateway, text or JSON, which may
// stand in one file.
type agentgateway struct {
	filler *filler
	fields agentFields
}

// agentFields are what is read of a line beside the slots of the record.
type agentFields struct {
	request   bool // scope request
	timestamp []byte
	path      []byte
	reason    []byte
	duration  []byte
	upstream  []byte
	before    []byte // t1 - t0 of the first attempt
	first     []byte
}

// Parse reads one line.
func (p *agentgateway) Parse(line []byte, out *source.Out) source.Rejection {
	f := p.filler
	f.record.set = 0
	p.fields = agentFields{}
	if !p.takeApart(line) {
		return source.Reject(source.NotThisFormat, 0)
	}
	if !p.fields.request {
		return source.Reject(source.NotARequest, 0)
	}
	row := out.Row()
	us, ok := unpadded(p.fields.timestamp)
	if !ok {
		return source.Rejection{Reason: source.NotThisFormat, Field: "timestamp"}
	}
	row.SetNum(timeline.ColTimestamp, us)
	row.TimestampIsEnd = true
	f.marks = timeline.MaskOf(timeline.ColTotalHandler)
	if why := f.fill(row); why.Reason != source.OK {
		return why
	}
	p.times(row)
	f.approx.settle(row, nil, 0, f.marks)
	out.Add()
	return source.Rejection{}
}

func (p *agentgateway) takeApart(line []byte) bool {
	if len(line) > 0 && line[0] == '{' {
		return members(line, func(key, value []byte) { p.field(key, plainValue(value)) })
	}
	stamp, rest, ok := bytes.Cut(line, []byte{'\t'})
	level, rest, ok2 := bytes.Cut(rest, []byte{'\t'})
	if !ok || !ok2 || len(stamp) < 20 || stamp[4] != '-' || len(level) > 8 {
		return false
	}
	p.fields.timestamp = stamp
	rest, p.fields.request = bytes.CutPrefix(rest, []byte("request "))
	if p.fields.request {
		pairs(rest, p.field)
	}
	return true
}

// pairs calls yield for each name=value of b, quotes taken off.
func pairs(b []byte, yield func(key, value []byte)) {
	for len(b) > 0 {
		b = bytes.TrimLeft(b, " \t\r")
		n := bytes.IndexAny(b, "= ")
		if n < 0 {
			return
		}
		if b[n] == ' ' {
			b = b[n:]
			continue
		}
		key := b[:n]
		b = b[n+1:]
		if len(b) > 0 && b[0] == '"' {
			quote := closingQuote(b[1:])
			if quote < 0 {
				return
			}
			yield(key, b[1:quote+1])
			b = b[quote+2:]
			continue
		}
		value, rest, _ := bytes.Cut(b, []byte{' '})
		yield(key, bytes.TrimRight(value, "\r"))
		b = rest
	}
}

func (p *agentgateway) field(key, v []byte) {
	r := &p.filler.record
	switch string(key) {
	case "scope":
		p.fields.request = string(v) == "request"
	case "time":
		p.fields.timestamp = v
	case "route":
		r.put(slotGroup, v)
	case "endpoint":
		r.put(slotChannel, v)
	case "http.path":
		p.fields.path = v
	case "http.status":
		r.put(slotStatus, v)
	case "gen_ai.request.model":
		r.put(slotModel, v)
	case "gen_ai.provider.name":
		r.put(slotProvider, v)
	case "gen_ai.usage.input_tokens":
		r.put(slotInputTokens, v)
	case "gen_ai.usage.cache_read.input_tokens":
		r.put(slotCachedTokens, v)
	case "gen_ai.usage.output_tokens":
		r.put(slotOutputTokens, v)
	case "gen_ai.usage.reasoning_tokens":
		r.put(slotReasoningTokens, v)
	case "agw.ai.time_to_first_token":
		p.fields.first = v
	case "retry.attempt":
		r.put(slotRetries, v)
	case "reason":
		p.fields.reason = v
	case "duration":
		p.fields.duration = v
	case "pre":
		p.fields.before = v
	case "upstream_duration":
		p.fields.upstream = v
	}
}

func (p *agentgateway) times(row *timeline.Row) {
	if us, ok := goDuration(p.fields.duration); ok {
		row.SetNum(timeline.ColTotalHandler, us)
	}
	if us, ok := goDuration(p.fields.upstream); ok {
		row.SetNum(timeline.ColUpstreamHeaders, us)
		p.filler.marks = p.filler.marks.With(timeline.ColUpstreamHeaders)
	}
	if us, ok := goDuration(p.fields.before); ok && !p.filler.record.set.has(slotRetries) {
		row.SetNum(timeline.ColUpstreamStart, us)
	}
	if string(p.fields.reason) == "Timeout" {
		row.SetText(timeline.ColOutcome, outcomeTimeout)
	}
	if p.fields.first == nil {
		return
	}
	row.SetFlag(timeline.ColStream, true) // it is written for streams only
	if c, basis, ok := agentFirst(p.fields.path); ok {
		us, parsed := number(p.fields.first, timeline.Second)
		if setParsed(row, c, us, parsed) {
			row.SetText(timeline.ColFirstTokenBasis, basis)
		}
	}
}

var (
	basisChunk   = []byte("first parsed chunk of any kind")
	basisContent = []byte("first content block delta")
	basisText    = []byte("first output text delta")
)

// agentFirst says which mark the first-token time of a route is. Routes that
// are not known have none: the time is of some chunk, nobody says of which.
func agentFirst(path []byte) (c timeline.Column, basis []byte, ok bool) {
	if query := bytes.IndexByte(path, '?'); query >= 0 {
		path = path[:query]
	}
	switch {
	case bytes.HasSuffix(path, []byte("/completions")):
		return timeline.ColFirstSSEEvent, basisChunk, true
	case bytes.HasSuffix(path, []byte("/messages")):
		return timeline.ColFirstResponse, basisContent, true
	case bytes.HasSuffix(path, []byte("/responses")):
		return timeline.ColFirstTextDelta, basisText, true
	}
	return 0, nil, false
}

// unpadded reads a timestamp whose fraction is a whole number of microseconds
// without its leading zeros: .5123Z is 5123 µs.
func unpadded(v []byte) (us int64, ok bool) {
	dot := bytes.IndexByte(v, '.')
	if dot < 0 {
		return timeline.ParseTimestamp(v, nil)
	}
	end := dot + 1
	for end < len(v) && v[end]-'0' < 10 {
		us = us*10 + int64(v[end]-'0')
		end++
	}
	if end == dot+1 || end > dot+7 {
		return 0, false
	}
	whole := append(append(make([]byte, 0, 32), v[:dot]...), v[end:]...)
	base, ok := timeline.ParseTimestamp(whole, nil)
	return base + us, ok
}

func agentgatewayText() *source.Format {
	columns := []source.Capability{
		{Column: timeline.ColUpstreamStart, Quality: source.Sometimes, Field: "pre", Unit: "duration string", Origin: "receipt", Point: "upstream start"},
		{Column: timeline.ColUpstreamHeaders, Quality: source.Sometimes, Field: "upstream_duration", Unit: "duration string",
			Origin: "upstream start", Point: "upstream response headers"},
		{Column: timeline.ColFirstSSEEvent, Quality: source.Sometimes, Field: "agw.ai.time_to_first_token on …/completions", Unit: "s",
			Origin: "receipt", Point: "first parsed chunk of any kind"},
		{Column: timeline.ColFirstResponse, Quality: source.Sometimes, Field: "agw.ai.time_to_first_token on …/messages", Unit: "s",
			Origin: "receipt", Point: "first content block delta"},
		{Column: timeline.ColFirstTextDelta, Quality: source.Sometimes, Field: "agw.ai.time_to_first_token on …/responses", Unit: "s",
			Origin: "receipt", Point: "first output text delta"},
		{Column: timeline.ColTotalHandler, Quality: source.Exact, Field: "duration", Unit: "duration string", Origin: "receipt", Point: "end"},
		{Column: timeline.ColTimestamp, Quality: source.Exact, Field: "the time of the line", Point: "end; its fraction is not padded"},
		{Column: timeline.ColStatus, Quality: source.Exact, Field: "http.status"},
		{Column: timeline.ColAttempt, Quality: source.Sometimes, Field: "retry.attempt"},
		{Column: timeline.ColStream, Quality: source.Sometimes, Field: "agw.ai.time_to_first_token"},
		{Column: timeline.ColGroup, Quality: source.Sometimes, Field: "route"},
		{Column: timeline.ColChannel, Quality: source.Sometimes, Field: "endpoint"},
		{Column: timeline.ColProvider, Quality: source.Sometimes, Field: "gen_ai.provider.name"},
		{Column: timeline.ColModel, Quality: source.Sometimes, Field: "gen_ai.request.model"},
		{Column: timeline.ColInputTokens, Quality: source.Sometimes, Field: "gen_ai.usage.input_tokens"},
		{Column: timeline.ColCachedInputTokens, Quality: source.Sometimes, Field: "gen_ai.usage.cache_read.input_tokens"},
		{Column: timeline.ColOutputTokens, Quality: source.Sometimes, Field: "gen_ai.usage.output_tokens"},
		{Column: timeline.ColReasoningTokens, Quality: source.Sometimes, Field: "gen_ai.usage.reasoning_tokens"},
		{Column: timeline.ColOutcome, Quality: source.Sometimes, Field: "reason"},
	}
	l := &layout{pivot: -1, wanted: 1 << slotTotal}
	return &source.Format{
		Name: "agentgateway", Family: "agentgateway", Title: "agentgateway request log, text or JSON", Vantage: "gateway", Columns: source.Fixed(columns),
		FirstToken: "of chat completions the first chunk of any kind, of messages the first content block delta, of responses the first text delta",
		More:       "fields to add to the access log, in CEL: upstream_duration: proxy.upstreamDuration, pre: proxy.requestProcessingDuration",
		Detect: func(w *source.Window) source.Confidence {
			if w.Share(isAgentText) == 0 {
				return min(shareOf(w, isAgentLine), source.Maybe) // JSON alone has a table of its own
			}
			return shareOf(w, isAgentLine)
		},
		Lines: func(opt source.Options) source.LineParser { return &agentgateway{filler: newFiller(l, opt, nil)} },
	}
}

// isAgentLine asks for what only agentgateway writes.
func isAgentLine(line []byte) bool {
	if len(line) > 0 && line[0] == '{' {
		return bytes.Contains(line, []byte(`"scope":"request"`)) && bytes.Contains(line, []byte(`"gateway":`)) &&
			bytes.Contains(line, []byte(`"http.status":`))
	}
	return isAgentText(line)
}

// isAgentText asks for a line that begins with its time: before a wrapped one
// stands something else.
func isAgentText(line []byte) bool {
	at, _, _ := bytes.Cut(line, []byte{'\t'})
	if _, ok := unpadded(at); !ok {
		return false
	}
	return bytes.Contains(line, []byte("\trequest gateway=")) && bytes.Contains(line, []byte(" duration="))
}
