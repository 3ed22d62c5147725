package rules

import (
	"cmp"
	"slices"

	"ttdiag/ingest/timeline"
)

// headersTogether is how close the first event must be to the headers for the
// server to be one that sends them with the first token.
const headersTogether = 50_000

// finish derives from steps and intervals what is said of a row as a whole.
func (b *builder) finish() {
	t := &b.table
	slices.SortStableFunc(t.Intervals, func(a, b Interval) int { return cmp.Compare(a.At, b.At) })
	t.Outcome = b.outcome
	t.NonStreaming = not(b.streaming)
	t.HeadersProven = and(b.streaming, b.headersProven)
	t.SinceOrigin = choose(
		isNotNull(At(timeline.Start).value), literal(int64(OriginUpstream)),
		isNotNull(Local().value), literal(int64(OriginEstimated)),
		literal(int64(OriginReceipt)))
	t.Class = b.class()
	t.Terms = b.terms()
	apart := sub(b.sinceEvent.value, b.headers.value)
	near := literal(headersTogether)
	t.Remarks = []Remark{
		{NoteLooksNonStreaming, b.looksNonStreaming},
		{NoteHeadersWithFirstEvent, isTrue(and(isNotNull(At(timeline.Start).value), lessEqual(apart, near),
			lessEqual(sub(literal(0), apart), near)))},
		{NoteBufferedStream, b.buffered},
	}
	for s := range StageLocal {
		t.NotEvaluated[s] = b.notEvaluated(s)
	}
}

// class walks: an interval stands before the first stage in it.
func (b *builder) class() *Expr {
	args := []*Expr{}
	for c := range Class(NumSlow) {
		var open []*Expr
		for _, v := range b.table.Intervals {
			if v.At == c {
				open = append(open, v.Fires)
			}
		}
		if open != nil {
			args = append(args, or(open...), literal(int64(Undetermined)))
		}
		args = append(args, b.slow[c], literal(int64(c)))
	}
	return choose(append(args, literal(int64(NoSlowStage)))...)
}

// notEvaluated says that every step of the stage is absent or not applicable.
func (b *builder) notEvaluated(s Stage) *Expr {
	var all []*Expr
	for _, step := range b.table.Steps {
		if step.Stage == s {
			all = append(all, or(equal(step.Verdict, code(Absent)), equal(step.Verdict, code(NotApplicable))))
		}
	}
	return and(all...)
}

// terms are the conditions that the text of others names.
func (b *builder) terms() []Term {
	return []Term{
		{"streaming", "judged stage by stage", b.streaming},
		{"looks_non_streaming", "not said, but the body ended with the headers", b.looksNonStreaming},
		{"failed", "neither success nor unknown", b.failed},
		{"cut_off", "it failed while it waited for a mark that its source can record", b.bounded},
		{"headers_open", "the headers were not recorded, and no later mark proves them in time", b.headersOpen},
		{"headers_proven", "the headers were not recorded, but a later mark came within their limit", b.headersProven},
		{"no_event", "no event, response or text was recorded", b.noEvent},
		{"no_response", "no response and no text was recorded", b.noResponse},
		{"buffered_stream", "the whole stream fell together", b.buffered},
		{"no_speed", "no speed may be derived", b.noSpeed},
		{"effective_speed_used", "no text was recorded, and the speed of the whole output is known", b.useEffective},
		{"enough_text", "window and visible tokens, where known, are enough to speak of a speed", b.longVisible},
		{"enough_output", "window and tokens are enough to speak of a speed", b.longOutput},
		{"recorded_speed_fine", "a recorded speed is not below its limit", b.rateFine},
	}
}
