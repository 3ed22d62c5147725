package bench

import (
	"context"
	"io"
	"math"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// run is one run of vLLM's or SGLang's benchmark: arrays of equal length, entry
// i of each of which belongs to request i. Numbers that are not there are
// missing.
type run struct {
	inputs, outputs []int64 // tokens
	firsts          []int64 // microseconds
	errors          []ending
	gaps            int   // requests with more than one chunk
	gapRows         int   // length of itls, -1 where it is missing
	lengths         []int // of every array of requests
	model           string
	backend         string
	rate            bool // a summary key was there: this is a run
}

const missing = math.MinInt64

// ending is how a request ended.
type ending struct {
	failed  bool
	outcome string
	class   string
}

// tool is what differs between the two benchmarks.
type tool struct {
	column timeline.Column // that ttfts belongs to
	basis  func(*run) string
	alone  source.Reason // of a run without arrays
	fill   func(*run, *timeline.Row, int)
}

// read reads runs, each a JSON object, one after another.
func (t *tool) read(ctx context.Context, src io.Reader, out *source.Out) error {
	e := document.NewEntries(ctx, src, out)
	return e.Run(func(kind document.Kind) error {
		if kind == document.Array {
			return e.R.Array(func(int) error { return t.one(e) })
		}
		return t.one(e)
	})
}

func (t *tool) one(e *document.Entries) error {
	start := e.R.Offset()
	if kind, err := e.R.Next(); err == nil && kind != document.Object {
		if err := e.BeginAt(start); err != nil {
			return err
		}
		e.Reject(source.NotAnObject)
		return e.R.Skip()
	}
	r := &run{gapRows: -1}
	err := e.R.Object(func(key []byte) error { return t.field(e.R, r, string(key)) })
	if err == nil {
		return t.emit(e, r, start)
	}
	// What is whole before the damage counts: texts stand behind the numbers.
	if n, equal := r.length(); n > 0 && equal && r.firsts != nil {
		if err := t.emit(e, r, start); err != nil {
			return err
		}
	}
	return err
}

// field reads one key of a run. Texts that were generated are skipped.
func (t *tool) field(r *document.Reader, run *run, key string) error {
	defer r.Free()
	switch key {
	case "input_lens":
		return run.numbers(r, &run.inputs, 1, 1)
	case "output_lens":
		return run.numbers(r, &run.outputs, 1, 1)
	case "ttfts":
		return run.numbers(r, &run.firsts, int64(timeline.Second), 1000)
	case "errors":
		return run.failures(r)
	case "itls":
		return run.chunks(r)
	case "backend", "endpoint_type":
		return run.text(r, &run.backend)
	case "request_throughput", "mean_ttft_ms", "completed":
		run.rate = true
	case "model_id":
		return run.text(r, &run.model)
	case "server_info":
		return run.server(r)
	}
	return r.Skip()
}

func (r *run) text(from *document.Reader, into *string) error {
	v, err := from.Scalar()
	if v.Kind == document.String && *into == "" {
		*into = string(v.Text)
	}
	return err
}

var serverPaths = document.NewPaths("served_model_name model_path")

func (r *run) server(from *document.Reader) error {
	cells := document.NewCells(serverPaths)
	err := from.Extract(serverPaths, cells)
	if name := cells.Values[0].Label(); len(name) > 0 && r.model == "" {
		r.model = string(name)
	}
	return err
}

// numbers reads an array of numbers, each times num/den.
func (r *run) numbers(from *document.Reader, into *[]int64, num, den int64) error {
	n := 0
	err := r.array(from, func() error {
		n++
		v, err := from.Scalar()
		value, p := int64(missing), timeline.ParsedBad
		if v.Kind == document.Number {
			value, p = timeline.ParseScaled(v.Text, num, den)
		}
		if p != timeline.ParsedOK {
			value = missing
		}
		*into = append(*into, value)
		return err
	})
	return r.ended(n, err, func() { *into = nil })
}

// ended notes the length of an array. One that is damaged is forgotten.
func (r *run) ended(n int, err error, forget func()) error {
	if err != nil {
		forget()
		return err
	}
	r.lengths = append(r.lengths, n)
	return nil
}

// array reads an array; null is none.
func (r *run) array(from *document.Reader, element func() error) error {
	if kind, err := from.Next(); err == nil && kind != document.Array {
		return from.Skip()
	}
	return from.Array(func(int) error {
		from.Free()
		return element()
	})
}

func (r *run) failures(from *document.Reader) error {
	err := r.array(from, func() error {
		v, err := from.Scalar()
		end := ending{}
		if v.Kind == document.String && v.Has() {
			end = ending{failed: true, outcome: failure(v.Text), class: string(errorClass(v.Text))}
		}
		r.errors = append(r.errors, end)
		return err
	})
	return r.ended(len(r.errors), err, func() { r.errors = nil })
}

// chunks counts the requests of which more than one chunk came.
func (r *run) chunks(from *document.Reader) error {
	r.gapRows = 0
	err := r.array(from, func() error {
		r.gapRows++
		gaps := 0
		err := r.array(from, func() error {
			gaps++
			return from.Skip()
		})
		if gaps > 0 {
			r.gaps++
		}
		return err
	})
	return r.ended(r.gapRows, err, func() { r.gapRows, r.gaps = -1, 0 })
}

// emit adds the requests of a run, each an entry at the offset of the run.
func (t *tool) emit(e *document.Entries, r *run, at int64) error {
	n, equal := r.length()
	if n == 0 || !equal || r.firsts == nil {
		if err := e.BeginAt(at); err != nil {
			return err
		}
		e.Reject(t.why(r, equal))
		return nil
	}
	for i := range n {
		if err := e.BeginAt(at); err != nil {
			return err
		}
		t.fill(r, t.row(e, r, i), i)
		e.Add()
	}
	return nil
}

func (t *tool) why(r *run, equal bool) source.Reason {
	switch {
	case !equal:
		return source.UnequalColumns
	case r.rate:
		return t.alone
	}
	return source.NotThisFormat
}

// length returns the number of requests, and whether all arrays that are not
// empty agree on it.
func (r *run) length() (n int, equal bool) {
	equal = true
	for _, k := range r.lengths {
		if k == 0 {
			continue
		}
		equal = equal && (n == 0 || n == k)
		n = max(n, k)
	}
	return n, equal
}

// row fills what both tools record of request i in the same way.
func (t *tool) row(e *document.Entries, r *run, i int) *timeline.Row {
	row := e.Out.Row()
	label(row, timeline.ColModel, r.model)
	if v, ok := at(r.inputs, i); ok && v > 0 {
		row.SetNum(timeline.ColInputTokens, v)
		row.Notes.Add(timeline.EstimatedTokens)
	}
	first, timed := at(r.firsts, i)
	if timed {
		row.SetNum(t.column, first) // 0 is cleaned away, with a note
	}
	failed := i < len(r.errors) && r.errors[i].failed
	if v, ok := at(r.outputs, i); ok && v > 0 && !failed {
		row.SetNum(timeline.ColOutputTokens, v)
		row.Notes.Add(timeline.EstimatedTokens)
	}
	switch {
	case failed:
		label(row, timeline.ColOutcome, r.errors[i].outcome)
		label(row, timeline.ColErrorClass, r.errors[i].class)
	case i < len(r.errors) && first > 0:
		label(row, timeline.ColOutcome, success)
	}
	basis(row, t.column, t.basis(r))
	return row
}

func at(values []int64, i int) (int64, bool) {
	if i >= len(values) || values[i] == missing {
		return 0, false
	}
	return values[i], true
}
