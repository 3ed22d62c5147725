package accesslog

import (
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

var (
	newAPIOrigin = "end of channel selection: after authentication and reading of the body"
	newAPIItems  = []timeline.Approx{
		{Column: "first_sse_event_ms", Origin: newAPIOrigin, Point: "first data line of the upstream that is not [DONE]", Bias: "low against t0"},
		{Column: "total_handler_ms", Origin: newAPIOrigin, Point: "bill written", Bias: "whole seconds, and low against t0", PlusMinusMs: 1000},
	}
	newAPIRetried = []timeline.Approx{
		{Column: "first_sse_event_ms", Origin: newAPIOrigin, Point: newAPIItems[0].Point, Bias: "failed attempts are in it; low against t0"},
		newAPIItems[1],
	}
	oneAPIItems = []timeline.Approx{
		{Column: "total_handler_ms", Origin: "start of the last attempt: after authentication and channel selection", Point: "bill written",
			Bias: "low against t0, and of the last attempt only"},
	}
)

func (j *joiner) add(e *joined, out *source.Out) {
	here := out.Pos()
	out.At(e.pos)
	defer out.At(here)
	row := out.Row()
	row.SetText(timeline.ColRequestID, []byte(e.id))
	if e.end != 0 {
		row.SetNum(timeline.ColTimestamp, e.end)
		row.TimestampIsEnd = true
	}
	if e.code != 0 {
		row.SetNum(timeline.ColStatus, e.code)
	}
	row.SetText(timeline.ColChannel, []byte(e.channel))
	row.SetText(timeline.ColModel, []byte(e.model))
	row.SetText(timeline.ColGroup, []byte(e.group))
	if e.stream != 0 {
		row.SetFlag(timeline.ColStream, e.stream > 0)
	}
	setKnown(row, timeline.ColInputTokens, e.input)
	setKnown(row, timeline.ColOutputTokens, e.output)
	setKnown(row, timeline.ColCachedInputTokens, e.cached)
	if e.attempt > 0 {
		row.SetNum(timeline.ColAttempt, e.attempt)
	}
	items, approx, marks := e.times(row)
	j.approx.settle(row, items, approx, marks)
	out.Add()
}

func setKnown(row *timeline.Row, c timeline.Column, n int64) {
	if n >= 0 {
		row.SetNum(c, n)
	}
}

// times sets the marks, and returns how they miss.
func (e *joined) times(row *timeline.Row) (items []timeline.Approx, approx, marks timeline.Mask) {
	items = newAPIItems
	if e.spentBy == 2 {
		items = oneAPIItems
	} else if e.attempt > 1 || e.retried {
		items = newAPIRetried
	}
	switch {
	case e.hasTotal:
		row.SetNum(timeline.ColTotalHandler, e.total)
		marks = marks.With(timeline.ColTotalHandler)
	case e.spent > 0: // 0 says only that it was less than a second
		row.SetNum(timeline.ColTotalHandler, e.spent)
		approx = approx.With(timeline.ColTotalHandler)
		marks = marks.With(timeline.ColTotalHandler)
		if e.spentBy == 1 {
			row.Notes.Add(timeline.BoundedTotal)
		}
	}
	if e.first > 0 && e.stream >= 0 {
		row.SetNum(timeline.ColFirstSSEEvent, e.first)
		approx = approx.With(timeline.ColFirstSSEEvent)
	}
	if e.spentBy == 1 && e.stream > 0 {
		marks = marks.With(timeline.ColFirstSSEEvent)
	}
	if e.attempt > 1 {
		row.Notes.Add(timeline.RetriesInside)
	}
	return items, approx, marks
}
