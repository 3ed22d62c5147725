package otlp

import (
	"strings"

	"ttdiag/ingest/timeline"
)

// The values of first_token_basis that spans need.
const (
	anyChunk      = "any_chunk"
	outputOnly    = "content_or_reasoning"
	serverArrival = "server_arrival"
)

// fill fills an empty row from a span of a call.
func (s *span) fill(row *timeline.Row) {
	set := func(c timeline.Column, text string) { row.SetText(c, []byte(text)) }
	set(timeline.ColRequestID, firstOf(s.texts[atResponse], s.texts[atRequest], s.id))
	set(timeline.ColModel, firstOf(s.texts[atModel], s.texts[atAsked]))
	set(timeline.ColChannel, s.texts[atProvider])
	set(timeline.ColProvider, s.texts[atProvider])
	set(timeline.ColFinishReason, s.texts[atReason])
	set(timeline.ColErrorClass, firstOf(s.texts[atError], s.class))
	if s.from != nil {
		set(timeline.ColRegion, s.from.region)
	}
	row.SetNum(timeline.ColTimestamp, s.start/1000)
	if s.end > 0 {
		row.SetNum(timeline.ColTotalHandler, micros(s.end-s.start))
	}
	s.fillMarks(row)
	s.fillNumbers(row)
	s.fillEnding(row)
	if s.merged {
		row.Notes.Add(timeline.MergedSpans)
	}
	if s.role == server {
		s.fillServer(row)
	}
}

// fillServer says whose clock it is. A server knows no mark of the client.
func (s *span) fillServer(row *timeline.Row) {
	if s.engine {
		row.SetText(timeline.ColVantage, []byte("engine"))
		row.SetText(timeline.ColFirstTokenBasis, []byte(serverArrival))
		row.SetText(timeline.ColRecordable, []byte(timeline.Recordable(timeline.MaskOf(timeline.ColTotalHandler))))
		return
	}
	row.SetText(timeline.ColVantage, []byte("gateway"))
}

// fillMarks sets the marks: what dialects call first token goes where it can be
// proved to belong.
func (s *span) fillMarks(row *timeline.Row) {
	seconds := func(a attribute) (int64, bool) { return s.numbers[a].micro, s.numbers[a].ok }
	millis := func(a attribute) (int64, bool) { return micros(s.numbers[a].micro), s.numbers[a].ok }
	total, ended := row.Num(timeline.ColTotalHandler)
	if us, ok := seconds(atFirstChunk); ok {
		row.SetNum(timeline.ColFirstSSEEvent, us)
	} else if s.first > 0 {
		row.SetNum(timeline.ColFirstSSEEvent, micros(s.first-s.start))
	} else if us, ok := seconds(atFirstToken); ok && !(ended && near(us, total)) {
		row.SetNum(timeline.ColFirstSSEEvent, us)
	} else if us, ok := millis(atOldChunk); ok {
		row.SetNum(timeline.ColFirstSSEEvent, us)
	}
	if us, ok := millis(atFirstOutput); ok {
		row.SetNum(timeline.ColFirstResponse, us)
	}
	if us, ok := millis(atFinish); ok {
		row.SetNum(timeline.ColUpstreamDone, us)
	}
	t3, has3 := row.Num(timeline.ColFirstSSEEvent)
	t4, has4 := row.Num(timeline.ColFirstResponse)
	switch {
	case has3 && t3 > 0:
		row.SetText(timeline.ColFirstTokenBasis, []byte(anyChunk))
	case has4 && t4 > 0:
		row.SetText(timeline.ColFirstTokenBasis, []byte(outputOnly))
	}
	switch strings.ToLower(s.texts[atStream]) {
	case "true":
		row.SetFlag(timeline.ColStream, true)
	case "false":
		row.SetFlag(timeline.ColStream, false)
	default:
		if has3 || has4 {
			row.SetFlag(timeline.ColStream, true)
		}
	}
	if s.chunks > 0 {
		row.SetNum(timeline.ColEventCount, s.chunks)
	}
}

// near reports whether a first token equals the length of its span, which is
// what is written for a call that was not streamed.
func near(a, b int64) bool { return max(a-b, b-a) <= 1000 }

func (s *span) fillNumbers(row *timeline.Row) {
	for _, f := range []struct {
		column timeline.Column
		from   attribute
		least  int64
	}{
		{timeline.ColInputTokens, atInput, 1},
		{timeline.ColOutputTokens, atOutput, 1},
		{timeline.ColCachedInputTokens, atCached, 0},
		{timeline.ColReasoningTokens, atReasoning, 0},
		{timeline.ColStatus, atHTTP, 1},
		{timeline.ColMaxOutputTokens, atMaxTokens, 1},
	} {
		if n, ok := s.numbers[f.from].whole(); ok && n >= f.least {
			row.SetNum(f.column, n)
		}
	}
	if t := s.numbers[atTemperature]; t.ok {
		row.SetNum(timeline.ColTemperature, t.micro)
	}
}

// fillEnding sets the outcome where no HTTP status tells it. A number in
// error.type is not known to come from HTTP: it makes an outcome and no status.
func (s *span) fillEnding(row *timeline.Row) {
	if row.Has(timeline.ColStatus) {
		return
	}
	outcome := ""
	switch {
	case s.texts[atError] != "" || s.state == 2:
		outcome = failure(s.texts[atError], s.class)
		if _, isCode := s.numbers[atError].whole(); isCode {
			row.Notes.Add(timeline.ToolReportedCode)
		}
	case s.state == 1, s.numbers[atOutput].ok, s.texts[atReason] != "":
		outcome = "success"
	}
	row.SetText(timeline.ColOutcome, []byte(outcome))
}

func failure(kind, class string) string {
	switch {
	case kind == "429":
		return "rate_limited"
	case kind == "408" || kind == "504":
		return "timeout"
	case kind == "499":
		return "client_cancelled"
	case len(kind) == 3 && kind[0] == '4':
		return "rejected"
	}
	text := strings.ToLower(kind + " " + class)
	switch {
	case strings.Contains(text, "timeout"), strings.Contains(text, "deadline"):
		return "timeout"
	case strings.Contains(text, "cancel"):
		return "client_cancelled"
	case strings.Contains(text, "ratelimit"):
		return "rate_limited"
	}
	return "upstream_error"
}

// micros rounds thousandths to whole numbers, half away from zero.
func micros(v int64) int64 {
	if v < 0 {
		return -micros(-v)
	}
	return v/1000 + (v%1000+500)/1000
}

// merge takes what the span of a server knows and s does not.
func (s *span) merge(from *span) {
	s.merged = true
	for _, a := range []attribute{atInput, atOutput, atCached, atReasoning, atMaxTokens, atTemperature, atRequest, atReason} {
		if s.texts[a] == "" {
			s.texts[a], s.numbers[a] = from.texts[a], from.numbers[a]
		}
	}
}
