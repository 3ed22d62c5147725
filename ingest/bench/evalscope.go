package bench

import (
	"context"
	"io"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const (
	esLatency = iota
	esTTFT
	esInput
	esOutput
	esID
	esModel
)

// evalscopeMessage are the fields of a message, or of the output of a model,
// that carries perf_metrics.
var evalscopeMessage = document.NewPaths([]string{
	esLatency: "perf_metrics/latency",
	esTTFT:    "perf_metrics/ttft",
	esInput:   "perf_metrics/input_tokens",
	esOutput:  "perf_metrics/output_tokens",
	esID:      "id",
	esModel:   "model",
}...)

var evalscopeOutput = document.NewPaths([]string{
	esLatency: "perf_metrics/latency choices/[]/message/perf_metrics/latency",
	esTTFT:    "perf_metrics/ttft choices/[]/message/perf_metrics/ttft",
	esInput:   "perf_metrics/input_tokens choices/[]/message/perf_metrics/input_tokens",
	esOutput:  "perf_metrics/output_tokens choices/[]/message/perf_metrics/output_tokens",
	esID:      "choices/[]/message/id",
	esModel:   "model choices/[]/message/model",
}...)

func evalscope() *source.Format {
	return &source.Format{
		Name: "evalscope", Family: family, Vantage: vantage,
		Title:    "EvalScope predictions or reviews with perf_metrics",
		Detect:   detectEvalScope,
		Document: readEvalScope,
		Columns: source.Fixed([]source.Capability{
			mark(timeline.ColFirstResponse, "perf_metrics.ttft", "s", "first text or reasoning"),
			mark(timeline.ColUpstreamDone, "perf_metrics.latency", "s", "end of the call"),
			sometimes(timeline.ColRequestID, "id of the message"),
			sometimes(timeline.ColModel, "model"),
			sometimes(timeline.ColStream, "told by ttft"),
			known(timeline.ColInputTokens, "perf_metrics.input_tokens"),
			known(timeline.ColOutputTokens, "perf_metrics.output_tokens"),
		}),
		FirstToken: "ttft is the first text or reasoning (t4; `reasoning` deltas since July 2026, text alone in older versions); equal to latency it says that nothing was streamed, and is absent",
		More:       "evalscope perf keeps single requests in an SQLite file, which ttdiag does not read",
	}
}

func detectEvalScope(w *source.Window) source.Confidence {
	o := w.Outline()
	for _, at := range []string{"messages.[].perf_metrics", "model_output.perf_metrics", "model_output.choices.[].message.perf_metrics", "perf_metrics"} {
		if o.Has(at+".latency") && (o.Has(at+".ttft") || o.Has(at+".output_tokens")) {
			return source.Certain
		}
	}
	return source.No
}

// readEvalScope reads one sample per object. Its calls stand in its messages;
// those of model_output repeat the last of them and count only where no message
// has any.
func readEvalScope(ctx context.Context, src io.Reader, _ source.Options, out *source.Out) error {
	s := &evalscopeSample{e: document.NewEntries(ctx, src, out)}
	s.message, s.output = document.NewCells(evalscopeMessage), document.NewCells(evalscopeOutput)
	return s.e.Each(s.read)
}

type evalscopeSample struct {
	e               *document.Entries
	message, output *document.Cells
	calls           int
}

func (s *evalscopeSample) read() error {
	s.calls = 0
	s.output.Clear()
	r := s.e.R
	err := r.Object(func(key []byte) error {
		kind, err := r.Next()
		if err != nil {
			return r.Skip()
		}
		switch {
		case string(key) == "messages" && kind == document.Array:
			return r.Array(func(int) error { return s.call() })
		case string(key) == "model_output":
			return r.Extract(evalscopeOutput, s.output)
		case string(key) == "perf_metrics" && kind == document.Object:
			return r.Extract(evalscopeBare, s.output)
		}
		return r.Skip()
	})
	if err != nil {
		return err
	}
	switch {
	case s.calls > 0:
	case s.output.Values[esLatency].Has():
		s.add(s.output.Values)
	default:
		s.e.Reject(source.NotARecord)
	}
	return nil
}

var evalscopeBare = document.NewPaths([]string{
	esLatency: "latency", esTTFT: "ttft", esInput: "input_tokens", esOutput: "output_tokens",
}...)

func (s *evalscopeSample) call() error {
	s.message.Clear()
	if err := s.e.R.Extract(evalscopeMessage, s.message); err != nil {
		return err
	}
	if !s.message.Values[esLatency].Has() {
		return nil
	}
	if s.calls++; s.calls > 1 {
		if err := s.e.BeginAt(s.e.Position().Byte); err != nil {
			return err
		}
	}
	s.add(s.message.Values)
	return nil
}

func (s *evalscopeSample) add(v []document.Value) {
	row := s.e.Out.Row()
	row.SetText(timeline.ColRequestID, v[esID].Label())
	row.SetText(timeline.ColModel, v[esModel].Label())
	first, ok1 := v[esTTFT].Micros(timeline.Second)
	total, ok2 := v[esLatency].Micros(timeline.Second)
	if ok1 && first > 0 && !(ok2 && first == total) {
		row.SetNum(timeline.ColFirstResponse, first)
		row.SetFlag(timeline.ColStream, true)
		label(row, timeline.ColFirstTokenBasis, reasoningToo)
	}
	duration(row, timeline.ColUpstreamDone, v[esLatency], timeline.Second)
	count(row, timeline.ColInputTokens, v[esInput])
	count(row, timeline.ColOutputTokens, v[esOutput])
	s.e.Add()
}
