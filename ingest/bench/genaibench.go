package bench

import (
	"context"
	"io"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const (
	gbTTFT = iota
	gbTotal
	gbInput
	gbOutput
	gbReasoning
	gbError
)

var genaiPaths = document.NewPaths([]string{
	gbTTFT:      "ttft",
	gbTotal:     "e2e_latency",
	gbInput:     "num_input_tokens",
	gbOutput:    "num_output_tokens",
	gbReasoning: "num_reasoning_tokens",
	gbError:     "error_code",
}...)

const genaiAlone source.Reason = "a genai-bench result without requests"

func genaiBench() *source.Format {
	return &source.Format{
		Name: "genai-bench", Family: family, Vantage: vantage,
		Title:    "genai-bench result of one scenario and concurrency",
		Detect:   detectGenai,
		Document: readGenai,
		Columns: source.Fixed([]source.Capability{
			mark(timeline.ColFirstResponse, "ttft", "s or ms, as _time_unit says", "first text or reasoning, else the usage chunk"),
			mark(timeline.ColUpstreamDone, "e2e_latency", "s or ms, as _time_unit says", "end of the stream"),
			sometimes(timeline.ColStatus, "error_code; 408, 500 and 503 are genai-bench's own"),
			sometimes(timeline.ColStream, "told by the tokens"),
			known(timeline.ColInputTokens, "num_input_tokens"),
			known(timeline.ColOutputTokens, "num_output_tokens"),
			sometimes(timeline.ColReasoningTokens, "num_reasoning_tokens"),
			known(timeline.ColOutcome, "error_code"),
		}),
		FirstToken: "ttft is the first text or reasoning (t4; `reasoning` deltas since March 2026), and where neither came the time of the usage chunk",
		More:       "the file has no ids and no times of day",
	}
}

func detectGenai(w *source.Window) source.Confidence {
	o := w.Outline()
	switch {
	case o.Has("individual_request_metrics"):
		return source.Certain
	case o.Kind("aggregated_metrics") == '{' && o.Has("aggregated_metrics.num_concurrency"):
		return source.Certain
	}
	return source.No
}

// genaiRequest is one request before its unit is known: durations are in
// millionths of it.
type genaiRequest struct {
	ttft, total, input, output, reasoning, code int64
	at                                          int64
}

// readGenai reads one result. Its unit may stand behind the requests, so that
// they are held, some sixty bytes each, until the object ends.
func readGenai(ctx context.Context, src io.Reader, _ source.Options, out *source.Out) error {
	e := document.NewEntries(ctx, src, out)
	cells := document.NewCells(genaiPaths)
	return e.Run(func(kind document.Kind) error {
		g := &genaiResult{e: e, cells: cells}
		start := e.R.Offset()
		if kind != document.Object {
			if err := e.R.Skip(); err != nil {
				return err
			}
		} else if err := e.R.Object(g.field); err != nil {
			return err
		}
		return g.emit(start)
	})
}

type genaiResult struct {
	e     *document.Entries
	cells *document.Cells
	held  []genaiRequest
	milli bool // _time_unit is ms
}

var genaiUnit = document.NewPaths("_time_unit time_unit metrics_time_unit")

func (g *genaiResult) field(key []byte) error {
	r := g.e.R
	defer r.Free()
	switch string(key) {
	case "_time_unit", "time_unit", "metrics_time_unit":
		v, err := r.Scalar()
		g.milli = g.milli || string(v.Text) == "ms"
		return err
	case "aggregated_metrics", "experiment_metadata":
		unit := document.NewCells(genaiUnit)
		err := r.Extract(genaiUnit, unit)
		g.milli = g.milli || string(unit.Values[0].Text) == "ms"
		return err
	case "individual_request_metrics":
		if kind, err := r.Next(); err == nil && kind == document.Array {
			return r.Array(func(int) error { return g.request() })
		}
	}
	return r.Skip()
}

func (g *genaiResult) request() error {
	r := g.e.R
	r.Free()
	at := r.Offset()
	g.cells.Clear()
	if err := r.Extract(genaiPaths, g.cells); err != nil {
		return err
	}
	v := g.cells.Values
	request := genaiRequest{ttft: millionths(v[gbTTFT]), total: millionths(v[gbTotal]), at: at}
	for _, f := range []struct {
		into *int64
		slot int
	}{{&request.input, gbInput}, {&request.output, gbOutput}, {&request.reasoning, gbReasoning}, {&request.code, gbError}} {
		*f.into = missing
		if n, ok := v[f.slot].Int(); ok {
			*f.into = n
		}
	}
	g.held = append(g.held, request)
	return nil
}

func millionths(v document.Value) int64 {
	if !v.Has() || v.Twice {
		return missing
	}
	n, p := timeline.ParseScaled(v.Text, 1e6, 1)
	if p != timeline.ParsedOK {
		return missing
	}
	return n
}

func (g *genaiResult) emit(start int64) error {
	if len(g.held) == 0 {
		if err := g.e.BeginAt(start); err != nil {
			return err
		}
		g.e.Reject(genaiAlone)
	}
	for i := range g.held {
		if err := g.e.BeginAt(g.held[i].at); err != nil {
			return err
		}
		g.fill(g.e.Out.Row(), &g.held[i])
		g.e.Add()
	}
	return nil
}

func (g *genaiResult) fill(row *timeline.Row, q *genaiRequest) {
	g.duration(row, timeline.ColFirstResponse, q.ttft)
	if q.input > 0 {
		row.SetNum(timeline.ColInputTokens, q.input)
	}
	if q.output > 0 {
		row.SetNum(timeline.ColOutputTokens, q.output)
	}
	if q.reasoning != missing {
		row.SetNum(timeline.ColReasoningTokens, q.reasoning)
	}
	switch q.code {
	case missing:
		g.duration(row, timeline.ColUpstreamDone, q.total)
		label(row, timeline.ColOutcome, success)
		if q.output > 0 && q.ttft > 0 {
			row.SetFlag(timeline.ColStream, true)
		}
	case 408:
		row.Notes.Add(timeline.ToolReportedCode)
		label(row, timeline.ColOutcome, timedOut)
	case 500, 503:
		row.Notes.Add(timeline.ToolReportedCode)
		label(row, timeline.ColOutcome, failed)
	default:
		row.SetNum(timeline.ColStatus, q.code)
	}
	basis(row, timeline.ColFirstResponse, reasoningToo)
}

func (g *genaiResult) duration(row *timeline.Row, c timeline.Column, v int64) {
	switch {
	case v == missing:
	case g.milli:
		row.SetNum(c, micros(v))
	default:
		row.SetNum(c, v)
	}
}
