package bench

import (
	"context"
	"io"
	"sync"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// guidellmReport is the walk through one report.
type guidellmReport struct {
	e     *document.Entries
	cells *document.Cells
	opt   source.Options
	model []byte // of the benchmark, where it names one
	found bool
}

func readGuideLLM(ctx context.Context, src io.Reader, opt source.Options, out *source.Out) error {
	g := &guidellmReport{
		e: document.NewEntries(ctx, src, out), opt: opt,
		cells: document.NewCells(guidellmPaths),
	}
	return g.e.Run(func(document.Kind) error {
		g.found = false
		if err := g.enter("benchmarks", g.benchmarks); err != nil {
			return err
		}
		if g.found {
			return nil
		}
		if err := g.e.Begin(); err != nil {
			return err
		}
		g.e.Reject(guidellmAlone)
		return nil
	})
}

// enter reads an object and hands the value of one key to read.
func (g *guidellmReport) enter(name string, read func() error) error {
	if kind, err := g.e.R.Next(); err == nil && kind != document.Object {
		return g.e.R.Skip()
	}
	return g.e.R.Object(func(key []byte) error {
		if string(key) == name {
			return read()
		}
		return g.e.R.Skip()
	})
}

func (g *guidellmReport) benchmarks() error {
	if kind, err := g.e.R.Next(); err == nil && kind != document.Array {
		return g.e.R.Skip()
	}
	return g.e.R.Array(func(int) error {
		g.model = g.model[:0]
		if kind, err := g.e.R.Next(); err == nil && kind != document.Object {
			return g.e.R.Skip()
		}
		return g.e.R.Object(g.benchmark)
	})
}

func (g *guidellmReport) benchmark(key []byte) error {
	switch string(key) {
	case "worker":
		return g.enter("backend_model", func() error {
			v, err := g.e.R.Scalar()
			g.model = append(g.model[:0], v.Label()...)
			return err
		})
	case "requests":
		return g.requests()
	}
	return g.e.R.Skip()
}

func (g *guidellmReport) requests() error {
	if kind, err := g.e.R.Next(); err == nil && kind != document.Object {
		return g.e.R.Skip()
	}
	return g.e.R.Object(func(key []byte) error {
		group := string(key)
		kind, err := g.e.R.Next()
		if err == nil && kind != document.Array || group == "total" {
			return g.e.R.Skip()
		}
		return g.e.R.Array(func(int) error { return g.request(group) })
	})
}

func (g *guidellmReport) request(group string) error {
	if err := g.e.Begin(); err != nil {
		return err
	}
	g.found = true
	g.cells.Clear()
	if err := g.e.R.Extract(guidellmPaths, g.cells); err != nil {
		return err
	}
	v := g.cells.Values
	if !v[glStart].Has() && !v[glOldStart].Has() && !v[glID].Has() {
		g.e.Reject(source.NotARecord)
		return nil
	}
	row := g.e.Out.Row()
	row.SetText(timeline.ColRequestID, v[glID].Label())
	row.SetText(timeline.ColModel, g.model)
	row.SetText(timeline.ColModel, v[glModel].Label())
	switch {
	case g.cells.Seen>>glFirstOutput&1 != 0:
		g.since07(row, v)
	case v[glStart].Has() || g.cells.Seen>>glFirstToken&1 != 0:
		g.since04(row, v)
	default:
		g.before04(row, v)
	}
	g.ending(row, v, group)
	g.e.Add()
	return nil
}

// times sets what both generations with info.timings record alike.
func (g *guidellmReport) times(row *timeline.Row, v []document.Value) {
	start(row, v[glStart])
	if !g.opt.Exact {
		secondClock.since(row, timeline.ColFirstSSEEvent, v[glStart], v[glFirstLine])
	}
	secondClock.since(row, timeline.ColUpstreamDone, v[glStart], v[glEnd])
	if v[glStream].True() || v[glStream].False() {
		row.SetFlag(timeline.ColStream, v[glStream].True())
	} else if v[glFirstToken].Has() {
		row.SetFlag(timeline.ColStream, true)
	}
	count(row, timeline.ColEventCount, v[glLines])
	count(row, timeline.ColOutputTokens, v[glOutput])
	if row.Has(timeline.ColFirstSSEEvent) {
		row.Label = lineLabel()
	}
}

var lineLabel = sync.OnceValue(func() *timeline.Label { return timeline.NewLabel(guidellmLine) })

func (g *guidellmReport) since07(row *timeline.Row, v []document.Value) {
	g.times(row, v)
	secondClock.since(row, timeline.ColFirstResponse, v[glStart], v[glFirstToken])
	basis(row, timeline.ColFirstResponse, reasoningToo)
	recordable(row, timeline.ColFirstSSEEvent, timeline.ColFirstResponse, timeline.ColFirstTextDelta, timeline.ColUpstreamDone)
	tools, text := v[glTools].Kind == document.Array, v[glText].Has()
	if tools && !text {
		return // the first output is a tool call
	}
	secondClock.since(row, timeline.ColFirstTextDelta, v[glStart], v[glFirstOutput])
	if tools && row.Has(timeline.ColFirstTextDelta) {
		row.Notes.Add(timeline.NonReasoningOutput)
	}
}

func (g *guidellmReport) since04(row *timeline.Row, v []document.Value) {
	g.times(row, v)
	secondClock.since(row, timeline.ColFirstTextDelta, v[glStart], v[glFirstToken])
	basis(row, timeline.ColFirstTextDelta, contentOnly)
	recordable(row, timeline.ColFirstSSEEvent, timeline.ColFirstTextDelta, timeline.ColUpstreamDone)
}

// before04 reads the first generation: -1 is its "never".
func (g *guidellmReport) before04(row *timeline.Row, v []document.Value) {
	start(row, v[glOldStart])
	if at, ok := secondClock.nanos(v[glOldFirst]); ok && at <= 0 {
		row.Refuse(timeline.ColFirstTextDelta, timeline.OutOfRange)
	} else {
		secondClock.since(row, timeline.ColFirstTextDelta, v[glOldStart], v[glOldFirst])
	}
	if row.Has(timeline.ColFirstTextDelta) {
		row.SetFlag(timeline.ColStream, true)
	}
	basis(row, timeline.ColFirstTextDelta, contentOnly)
	secondClock.since(row, timeline.ColUpstreamDone, v[glOldStart], v[glOldEnd])
	count(row, timeline.ColOutputTokens, v[glOutput])
	recordable(row, timeline.ColFirstTextDelta, timeline.ColUpstreamDone)
}

// ending sets the outcome and drops what a request that did not succeed cannot
// know: its end is that of the wait, and the first generation writes the tokens
// asked for.
func (g *guidellmReport) ending(row *timeline.Row, v []document.Value, group string) {
	count(row, timeline.ColInputTokens, v[glInput])
	tally(row, timeline.ColCachedInputTokens, v[glCached])
	text := v[glError].Text
	row.SetText(timeline.ColErrorClass, leadingClass(text))
	if group == "successful" {
		label(row, timeline.ColOutcome, success)
		return
	}
	row.Drop(timeline.MaskOf(timeline.ColUpstreamDone))
	if !v[glStart].Has() {
		row.Drop(timeline.MaskOf(timeline.ColOutputTokens))
	}
	status := statusIn(text, "Client error '", " ")
	if status == 0 {
		status = statusIn(text, "Server error '", " ")
	}
	switch {
	case status != 0:
		row.SetNum(timeline.ColStatus, status)
	case hasWord(text, "timeout"), group == "errored":
		label(row, timeline.ColOutcome, failure(text))
	default:
		label(row, timeline.ColOutcome, cancelled) // the benchmark ended first
	}
}

func start(row *timeline.Row, v document.Value) {
	if us, ok := v.When(timeline.Second); ok {
		row.SetNum(timeline.ColTimestamp, us)
	}
}

// recordable says which marks this row's version records.
func recordable(row *timeline.Row, columns ...timeline.Column) {
	label(row, timeline.ColRecordable, timeline.Recordable(timeline.MaskOf(columns...)))
}

// leadingClass returns the class of an exception at the start of a text.
func leadingClass(text []byte) []byte {
	for i, c := range text {
		if c == ':' || c == '\n' {
			return errorClass(text[:i])
		}
	}
	return errorClass(text)
}
