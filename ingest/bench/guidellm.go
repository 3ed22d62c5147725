package bench

import (
	"context"
	"io"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// The slots of a request of GuideLLM. Three generations share them: 0.2 and 0.3
// (times beside the tokens), 0.4 to 0.6 and 0.7 (times in info.timings).
const (
	glID = iota
	glModel
	glStream
	glStart
	glFirstLine
	glFirstToken
	glFirstOutput
	glEnd
	glLines
	glOldStart
	glOldFirst
	glOldEnd
	glInput
	glOutput
	glCached
	glError
	glCancelled
	glText
	glTools
)

var guidellmPaths = document.NewPaths([]string{
	glID:          "request_id info/request_id scheduler_info/request_id",
	glModel:       `request_args/"/body/model request_args/body/model`,
	glStream:      `request_args/"/stream request_args/"/body/stream request_args/stream request_args/body/stream`,
	glStart:       "info/timings/request_start scheduler_info/request_timings/request_start",
	glFirstLine:   "info/timings/first_request_iteration",
	glFirstToken:  "info/timings/first_token_iteration info/timings/first_iteration scheduler_info/request_timings/first_iteration",
	glFirstOutput: "info/timings/first_output_token_iteration",
	glEnd:         "info/timings/request_end scheduler_info/request_timings/request_end",
	glLines:       "info/timings/request_iterations info/timings/iterations",
	glOldStart:    "start_time",
	glOldFirst:    "first_token_time",
	glOldEnd:      "end_time",
	glInput:       "prompt_tokens input_metrics/total_tokens",
	glOutput:      "output_tokens output_metrics/total_tokens",
	glCached:      "cached_tokens input_metrics/cached_tokens",
	glError:       "info/error error scheduler_info/error",
	glCancelled:   "scheduler_info/canceled",
	glText:        "output",
	glTools:       "tool_calls",
}...)

var guidellmLine = timeline.Approx{
	Column: timeline.ColFirstSSEEvent.String(), Origin: "the client sends the request",
	Point: "first line that is not blank, a comment or an event name too", Bias: "low",
}

const guidellmAlone source.Reason = "a GuideLLM report without requests: they were sampled down to none"

func guidellm() *source.Format {
	return &source.Format{
		Name: "guidellm", Family: family, Vantage: vantage,
		Title:    "GuideLLM benchmarks.json of 0.2 to 0.3, 0.4 to 0.6 and since 0.7",
		Detect:   detectGuideLLM,
		Document: readGuideLLM,
		Columns: []source.Capability{
			{Column: timeline.ColFirstSSEEvent, Quality: source.Approx, Field: "info.timings.first_request_iteration, since 0.4", Unit: "s", Origin: guidellmLine.Origin, Point: guidellmLine.Point, Bias: guidellmLine.Bias},
			{Column: timeline.ColFirstResponse, Quality: source.Sometimes, Field: "info.timings.first_token_iteration, since 0.7", Unit: "s", Origin: guidellmLine.Origin, Point: "first reasoning, tool call or text"},
			mark(timeline.ColFirstTextDelta, "info.timings.first_output_token_iteration since 0.7, first_token_iteration in 0.4 to 0.6, first_token_time before", "s", "first text; since 0.7 absent where the answer is a tool call alone"),
			mark(timeline.ColUpstreamDone, "info.timings.request_end, end_time before 0.4", "s", "end of the response, of requests that succeeded"),
			known(timeline.ColTimestamp, "info.timings.request_start, start_time before 0.4"),
			known(timeline.ColRequestID, "request_id"),
			sometimes(timeline.ColModel, "request_args.body.model, else benchmarks.worker.backend_model"),
			sometimes(timeline.ColStatus, "the status that httpx names in error"),
			known(timeline.ColStream, "request_args.stream, told by the first token before 0.4"),
			known(timeline.ColInputTokens, "prompt_tokens"),
			known(timeline.ColOutputTokens, "output_tokens; before 0.4 that of an incomplete request is the number asked for, and is absent"),
			sometimes(timeline.ColCachedInputTokens, "cached_tokens"),
			sometimes(timeline.ColEventCount, "info.timings.request_iterations"),
			known(timeline.ColOutcome, "the list that the request stands in, and error"),
			sometimes(timeline.ColErrorClass, "class of the exception in error"),
		},
		FirstToken: "since 0.7 first_token_iteration is the first reasoning, tool call or text (t4) and first_output_token_iteration leaves reasoning out (t5); in 0.4 to 0.6 the same first_token_iteration, and before it first_token_time, is the first text alone (t5)",
		More:       "a report with a sample size holds a random sample of the requests: do not read load from it",
	}
}

func detectGuideLLM(w *source.Window) source.Confidence {
	o := w.Outline()
	if o.Has("metadata.guidellm_version") {
		return source.Certain // whatever stands before the benchmarks
	}
	if o.Kind("benchmarks") != '[' {
		return source.No
	}
	if o.Has("benchmarks.[].run_stats") || o.Has("benchmarks.[].requests") ||
		o.Has("benchmarks.[].args.profile") || o.Has("benchmarks.[].config.strategy") || o.Has("benchmarks.[].run_id") {
		return source.Certain
	}
	return source.No
}

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
		since(row, timeline.ColFirstSSEEvent, v[glStart], v[glFirstLine], timeline.Second)
	}
	since(row, timeline.ColUpstreamDone, v[glStart], v[glEnd], timeline.Second)
	if v[glStream].True() || v[glStream].False() {
		row.SetFlag(timeline.ColStream, v[glStream].True())
	} else if v[glFirstToken].Has() {
		row.SetFlag(timeline.ColStream, true)
	}
	count(row, timeline.ColEventCount, v[glLines])
	count(row, timeline.ColOutputTokens, v[glOutput])
	if row.Has(timeline.ColFirstSSEEvent) {
		row.Label = lineLabel
	}
}

var lineLabel = timeline.NewLabel(guidellmLine)

func (g *guidellmReport) since07(row *timeline.Row, v []document.Value) {
	g.times(row, v)
	since(row, timeline.ColFirstResponse, v[glStart], v[glFirstToken], timeline.Second)
	basis(row, timeline.ColFirstResponse, reasoningToo)
	recordable(row, timeline.ColFirstSSEEvent, timeline.ColFirstResponse, timeline.ColFirstTextDelta, timeline.ColUpstreamDone)
	tools, text := v[glTools].Kind == document.Array, v[glText].Has()
	if tools && !text {
		return // the first output is a tool call
	}
	since(row, timeline.ColFirstTextDelta, v[glStart], v[glFirstOutput], timeline.Second)
	if tools && row.Has(timeline.ColFirstTextDelta) {
		row.Notes.Add(timeline.NonReasoningOutput)
	}
}

func (g *guidellmReport) since04(row *timeline.Row, v []document.Value) {
	g.times(row, v)
	since(row, timeline.ColFirstTextDelta, v[glStart], v[glFirstToken], timeline.Second)
	basis(row, timeline.ColFirstTextDelta, contentOnly)
	recordable(row, timeline.ColFirstSSEEvent, timeline.ColFirstTextDelta, timeline.ColUpstreamDone)
}

// before04 reads the first generation: -1 is its "never".
func (g *guidellmReport) before04(row *timeline.Row, v []document.Value) {
	start(row, v[glOldStart])
	if at, ok := nanos(v[glOldFirst], timeline.Second); ok && at <= 0 {
		row.Refuse(timeline.ColFirstTextDelta, timeline.OutOfRange)
	} else {
		since(row, timeline.ColFirstTextDelta, v[glOldStart], v[glOldFirst], timeline.Second)
	}
	if row.Has(timeline.ColFirstTextDelta) {
		row.SetFlag(timeline.ColStream, true)
	}
	basis(row, timeline.ColFirstTextDelta, contentOnly)
	since(row, timeline.ColUpstreamDone, v[glOldStart], v[glOldEnd], timeline.Second)
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
