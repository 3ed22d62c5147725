package diagnose

import (
	"strings"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// boundary is a moment on the line of one request. Its part is the name of what
// lies between the boundary before and it, were both recorded.
type boundary struct {
	part string
	at   timeline.Time[timeline.Receipt]
}

// the marks t1 to t7 as boundaries.
const (
	startMark = iota
	headersMark
	eventMark
	responseMark
	textMark
	doneMark
	totalMark
	numBoundaries
)

var partNames = [numBoundaries]string{"local", "headers", "first_event", "response", "text", "generation", "relay"}

// phases tiles [t0, end] with named intervals. A mark that is not recorded
// merges its neighbours into one. What cannot be placed is said in words.
func (m *machine) phases(v *Verdicts, i int) ([]PhaseSpan, []string) {
	line := boundaries(v.Batch, i)
	words := unplaced(v.Batch, i, &line)
	if v.NonStreaming.Has(i) {
		line = wholeLine(line)
	}
	last, ok := endOf(&line)
	if !ok {
		return nil, append(words, "No moment after the receipt was recorded.")
	}
	if last < doneMark {
		words = append(words, "The end was not recorded.")
	}
	return tile(line[:last+1], m.awaited(i)), words
}

func boundaries(b *timeline.Batch, i int) [numBoundaries]boundary {
	start := timeline.Moment(b, timeline.Start, i)
	line := [numBoundaries]boundary{
		startMark:    {at: start},
		headersMark:  {at: timeline.FromReceipt(timeline.Moment(b, timeline.UpstreamHeaders, i), start)},
		eventMark:    {at: timeline.Moment(b, timeline.FirstSSEEvent, i)},
		responseMark: {at: timeline.Moment(b, timeline.FirstResponse, i)},
		textMark:     {at: timeline.Moment(b, timeline.FirstTextDelta, i)},
		doneMark:     {at: timeline.Moment(b, timeline.UpstreamDone, i)},
		totalMark:    {at: timeline.Moment(b, timeline.TotalHandler, i)},
	}
	for k := range line {
		line[k].part = partNames[k]
	}
	return line
}

// unplaced says what is known but has no place on the line, and takes off the
// line what would stand behind a later mark.
func unplaced(b *timeline.Batch, i int, line *[numBoundaries]boundary) []string {
	var words []string
	for k := startMark; k <= headersMark; k++ {
		if _, ok := line[k].at.Micros(); ok && laterThanNext(line, k) {
			line[k].at = timeline.Time[timeline.Receipt]{}
			words = append(words, "The end of the part \""+line[k].part+"\" would lie after a later mark; it is not placed.")
		}
	}
	if us, ok := timeline.Moment(b, timeline.UpstreamHeaders, i).Micros(); ok && !b.Has(timeline.ColUpstreamStart, i) {
		words = append(words, "The headers arrived "+amount(us, rules.Milliseconds)+
			" after the upstream start, whose own moment was not recorded.")
	}
	var local []string
	for _, p := range []timeline.Phase{timeline.Auth, timeline.Distribution, timeline.BodyRead} {
		if us, ok := timeline.PhaseLength(b, p, i).Micros(); ok {
			local = append(local, p.Column().String()+" "+amount(us, rules.Milliseconds))
		}
	}
	if local != nil {
		words = append(words, "Before the upstream start, in an order that was not recorded: "+strings.Join(local, ", ")+".")
	}
	return words
}

// laterThanNext compares with the next mark that has a clock of its own.
func laterThanNext(line *[numBoundaries]boundary, k int) bool {
	own, _ := line[k].at.Micros()
	for _, b := range line[eventMark:] {
		if us, ok := b.at.Micros(); ok {
			return own > us
		}
	}
	return false
}

// wholeLine is the line of a non-streaming request: between the upstream start
// and the end it has no part of its own.
func wholeLine(line [numBoundaries]boundary) [numBoundaries]boundary {
	for k := headersMark; k < doneMark; k++ {
		line[k] = boundary{}
	}
	line[doneMark].part = "upstream"
	return line
}

// endOf returns the last boundary that is recorded.
func endOf(line *[numBoundaries]boundary) (int, bool) {
	for k := totalMark; k >= 0; k-- {
		if _, ok := line[k].at.Micros(); ok {
			return k, true
		}
	}
	return 0, false
}

// awaited returns the mark that a failed request waited for when it ended, or
// numBoundaries.
func (m *machine) awaited(i int) int {
	steps := []struct {
		class rules.Class
		mark  int
	}{
		{rules.UpstreamHeadersSlow, headersMark},
		{rules.FirstEventSlow, eventMark},
		{rules.EventToResponseSlow, responseMark},
		{rules.FirstResponseSlow, responseMark},
		{rules.ResponseToTextSlow, textMark},
	}
	for _, s := range steps {
		if m.read(m.stepMetric[s.class], i).bound {
			return s.mark
		}
	}
	return numBoundaries
}

// tile makes the phases. Parts behind the awaited mark never began.
func tile(line []boundary, awaited int) []PhaseSpan {
	end, _ := line[len(line)-1].at.Micros()
	var list []PhaseSpan
	var parts []string
	from := int64(0)
	for k, b := range line {
		begun := k <= awaited
		if b.part != "" && (begun || len(parts) == 0) {
			parts = append(parts, b.part)
		}
		us, ok := b.at.Micros()
		if !ok {
			continue
		}
		us = min(max(us, from), end)
		list = append(list, PhaseSpan{Name: strings.Join(parts, "+"), Start: from, End: us})
		from, parts = us, nil
	}
	return list
}
