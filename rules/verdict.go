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
