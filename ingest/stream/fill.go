package stream

import (
	"strconv"

	"ttdiag/ingest/timeline"
)

// Fill sets the columns that the stream tells. status is the HTTP status of the
// response, 0 where it is not known. Columns that were not told stay as they
// are.
func (r *Result) Fill(row *timeline.Row, status int64) {
	r.fillMarks(row)
	r.fillTokens(row)
	r.fillNotes(&row.Notes)
	r.fillEnding(row, status)
	if r.Model != "" {
		row.SetText(timeline.ColModel, []byte(r.Model))
	}
	if r.Finish != "" {
		row.SetText(timeline.ColFinishReason, []byte(r.Finish))
	}
}

func (r *Result) fillMarks(row *timeline.Row) {
	timeline.SetMark(row, timeline.UpstreamDone, r.Done)
	if r.Whole {
		if r.Ending != Failed { // a plain error answers a streaming request, too
			row.SetFlag(timeline.ColStream, false)
		}
		return
	}
	timeline.SetMark(row, timeline.FirstSSEEvent, r.FirstEvent)
	timeline.SetMark(row, timeline.FirstResponse, r.FirstResponse)
	timeline.SetMark(row, timeline.FirstTextDelta, r.FirstText)
	if r.frames() == 0 {
		return
	}
	row.SetFlag(timeline.ColStream, true)
	row.SetNum(timeline.ColEventCount, int64(r.Events))
	row.SetNum(timeline.ColHeartbeatCount, int64(r.Counts[Heartbeat]))
	if us, ok := r.Gap.Length.Micros(); ok {
		row.SetNum(timeline.ColLongestGap, us)
	}
	if us, ok := r.Gap.From.Micros(); ok {
		row.SetNum(timeline.ColLongestGapAt, us)
	}
	if micro, ok := r.VisibleRate.Value(); ok {
		row.SetNum(timeline.ColVisibleOutputTPS, micro)
	}
}

// frames is the number of events, heartbeats included.
func (r *Result) frames() uint32 { return r.Events + r.Counts[Heartbeat] }

func (r *Result) fillTokens(row *timeline.Row) {
	for _, c := range []struct {
		column timeline.Column
		count  Count
	}{
		{timeline.ColInputTokens, r.Tokens.Input}, {timeline.ColCachedInputTokens, r.Tokens.Cached},
		{timeline.ColOutputTokens, r.Tokens.Output}, {timeline.ColReasoningTokens, r.Tokens.Reasoning},
	} {
		if n, ok := c.count.Value(); ok {
			row.SetNum(c.column, n)
		}
	}
}

// Notes returns the doubts about the stream.
func (r *Result) Notes() []timeline.Note {
	var list []timeline.Note
	for _, n := range []struct {
		on   bool
		note timeline.Note
	}{
		{r.ActionStart, timeline.ActionStartBasis}, {r.Replayed, timeline.ReplayedStream}, {r.Empty, timeline.EmptyStream},
		{r.Stalled, timeline.MidStreamStall}, {r.Buffered, timeline.BufferedStream}, {r.Truncated, timeline.TruncatedStream},
		{r.Ending == Refused || r.Counts[Refusal] > 0, timeline.Refusal}, {r.Ending == Filtered, timeline.ContentFilter},
		{len(r.Unknown) > 0, timeline.SawUnknownEvents}, {r.Unterminated, timeline.UnterminatedEvent},
		{r.untoldReasoning(), timeline.UntoldReasoning},
	} {
		if n.on {
			list = append(list, n.note)
		}
	}
	return list
}

// untoldReasoning reports whether the output tokens hold reasoning that came as
// events but has no count of its own: tokens and window of the text do not match.
func (r *Result) untoldReasoning() bool {
	return r.Counts[Reasoning] > 0 && r.Tokens.Output.ok && !r.Tokens.Reasoning.ok
}

func (r *Result) fillNotes(notes *timeline.Notes) {
	for _, n := range r.Notes() {
		notes.Add(n)
	}
}

// fillEnding sets outcome and error class where the events tell more than an
// HTTP status: a status that is an error says enough by itself, and a stream
// may fail under status 200.
func (r *Result) fillEnding(row *timeline.Row, status int64) {
	if status > 0 {
		row.SetNum(timeline.ColStatus, status)
	}
	if class := r.ErrorClass(); class != "" {
		row.SetText(timeline.ColErrorClass, []byte(class))
	}
	if status >= 400 {
		return
	}
	if outcome := r.Outcome(); outcome != "" {
		row.SetText(timeline.ColOutcome, []byte(outcome))
	}
}

// Outcome returns the outcome that the events tell, "" where they tell none.
func (r *Result) Outcome() string {
	switch r.Ending {
	case Completed, Limited, Refused:
		if r.Empty {
			return "incomplete"
		}
		return "success"
	case Filtered:
		return "incomplete"
	case Cancelled:
		return "client_cancelled"
	case Failed:
		if outcome, ok := outcomeOfStatus(r.Status); ok {
			return outcome
		}
		if outcome := errorKinds[r.Failure]; outcome != "" {
			return outcome
		}
		return "upstream_error"
	}
	if r.frames() > 0 || r.Truncated {
		return "incomplete"
	}
	return ""
}

// ErrorClass returns the label of what went wrong, "" where nothing did: a
// known label of an error or of a failed finish, or the status in the error.
func (r *Result) ErrorClass() string {
	switch {
	case r.Ending == Filtered:
		return "content_filter"
	case r.Ending != Failed:
		return ""
	case r.Failure != "" && r.Failure != "other":
		return r.Failure
	case r.Status >= 400 && r.Status < 600:
		return "status_" + strconv.FormatInt(r.Status, 10)
	case r.Failure != "":
		return "stream_error"
	}
	return r.Finish
}
