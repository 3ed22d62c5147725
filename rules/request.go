package rules

import "ttdiag/ingest/timeline"

type (
	receipt  = timeline.Receipt
	upstream = timeline.UpstreamStart
)

// request holds the expressions for one request on which the table is built:
// its marks, how it ended, how it is judged, and where a failed one waited.
type request struct {
	headers                Instant[upstream]
	event, response, text  Instant[receipt]
	done, total            Instant[receipt]
	final, end             Instant[receipt] // t6 else t7; t7 else t6
	sinceEvent             Instant[upstream]
	sinceResponse          Instant[upstream]
	sinceText              Instant[upstream]
	sinceFinal, sinceEnd   Instant[upstream]
	output, reasoning      *Expr // tokens
	tokensKnown, rateKnown *Expr
	rate                   *Expr // recorded speed, millionths of a token per second

	outcome, failed     *Expr
	looksNonStreaming   *Expr
	streaming           *Expr
	noEvent, noResponse *Expr // the mark and all later ones are absent
	noText, noMarks     *Expr
	wait                waits
	bounded             *Expr // the end of a failed request bounds a stage or an interval
}

// waits says after which mark a failed request waited, and which mark that its
// source can record never came.
type waits struct {
	headers                                *Expr // no mark came
	event, response, text                  *Expr // headers came
	firstOpen, responseOpen, textOpen      *Expr // no mark came, and headers are not recordable
	responseAfterEvent, textAfterEvent     *Expr
	textAfterResponse                      *Expr
	sinceEventEnd, sinceRespEnd, sinceText *Expr // which steps take the end for their mark
}

func newRequest() *request {
	r := &request{
		headers:  At(timeline.UpstreamHeaders),
		event:    At(timeline.FirstSSEEvent),
		response: At(timeline.FirstResponse),
		text:     At(timeline.FirstTextDelta),
		done:     At(timeline.UpstreamDone),
		total:    At(timeline.TotalHandler),
		rate:     column(timeline.ColVisibleOutputTPS),
	}
	r.final, r.end = First(r.done, r.total), First(r.total, r.done)
	r.sinceEvent, r.sinceResponse = SinceUpstream(r.event), SinceUpstream(r.response)
	r.sinceText, r.sinceFinal, r.sinceEnd = SinceUpstream(r.text), SinceUpstream(r.final), SinceUpstream(r.end)
	r.output, r.reasoning = count(timeline.ColOutputTokens), count(timeline.ColReasoningTokens)
	r.tokensKnown, r.rateKnown = isNotNull(column(timeline.ColOutputTokens)), isNotNull(r.rate)
	r.outcome = outcome()
	r.failed = failed(r.outcome)
	r.noText = isNull(r.text.value)
	r.noResponse = and(isNull(r.response.value), r.noText)
	r.noEvent = and(isNull(r.event.value), r.noResponse)
	r.noMarks = and(isNull(r.headers.value), r.noEvent)
	r.judgeStream()
	r.judgeWaits()
	return r
}

// judgeStream tells streaming requests from others. A request that does not say
// looks non-streaming where its body ended within 5 % of its headers.
func (r *request) judgeStream() {
	stream := column(timeline.ColStream)
	together := lessEqual(mul(r.sinceFinal.value, literal(20)), mul(r.headers.value, literal(21)))
	r.looksNonStreaming = isTrue(and(isNull(stream), r.noEvent, together))
	r.streaming = not(or(isTrue(equal(stream, literal(0))), r.looksNonStreaming))
}

// canRecord says that the source records the mark when it happens, so that its
// absence means that it did not.
func canRecord(c timeline.Column) *Expr {
	return or(isNull(textColumn(timeline.ColRecordable)), textHas(timeline.ColRecordable, c.String()))
}

// judgeWaits finds the stage in which a failed request waited: the one after its
// last mark, up to the next mark that the source can record.
func (r *request) judgeWaits() {
	canHeaders, canEvent := canRecord(timeline.ColUpstreamHeaders), canRecord(timeline.ColFirstSSEEvent)
	canResponse, canText := canRecord(timeline.ColFirstResponse), canRecord(timeline.ColFirstTextDelta)
	cut := and(r.failed, r.streaming)
	nothing := and(cut, r.noMarks)
	headers := and(cut, r.noEvent, isNotNull(r.headers.value))
	event := and(cut, r.noResponse, isNotNull(r.event.value))
	response := and(cut, r.noText, isNotNull(r.response.value))
	next := func(after *Expr, can *Expr, cannot ...*Expr) *Expr {
		args := []*Expr{after, can}
		for _, c := range cannot {
			args = append(args, not(c))
		}
		return isTrue(and(args...))
	}
	w := &r.wait
	w.headers = next(nothing, canHeaders)
	w.firstOpen = next(nothing, canEvent, canHeaders)
	w.responseOpen = next(nothing, canResponse, canHeaders, canEvent)
	w.textOpen = next(nothing, canText, canHeaders, canEvent, canResponse)
	w.event = next(headers, canEvent)
	w.response = next(headers, canResponse, canEvent)
	w.text = next(headers, canText, canEvent, canResponse)
	w.responseAfterEvent = next(event, canResponse)
	w.textAfterEvent = next(event, canText, canResponse)
	w.textAfterResponse = next(response, canText)
	w.sinceEventEnd = or(w.event, w.firstOpen)
	w.sinceRespEnd = or(w.responseAfterEvent, w.response, w.responseOpen)
	w.sinceText = or(w.text, w.textOpen)
	r.bounded = or(w.headers, w.sinceEventEnd, w.sinceRespEnd, w.sinceText, w.textAfterEvent, w.textAfterResponse)
}
