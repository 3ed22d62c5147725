package stream

import (
	"context"
	"io"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// reader is what the readers of documents share.
type reader struct {
	e    *document.Entries
	desk desk
	opts Options
	tap  *tap
	keep bool // warm-up requests
}

func newReader(ctx context.Context, src io.Reader, opt source.Options, out *source.Out, t *tap) *reader {
	return &reader{e: document.NewEntries(ctx, src, out), opts: options(opt), tap: t, keep: opt.Warmup}
}

// late returns the stream of a request that begins.
func (r *reader) late(id []byte) *late {
	return newLate(&r.desk, r.tap.options(id, &r.opts))
}

// body feeds the string at hand, a body or a part of it, to s.
func (r *reader) body(s *Stream) error {
	return r.e.R.Pieces(func(b []byte) { s.Chunk(Moment{}, b) })
}

// nanos returns a reading of a clock in nanoseconds.
func nanos(v document.Value, unit timeline.Unit) (int64, bool) {
	if !v.Has() || v.Twice {
		return 0, false
	}
	ns, p := timeline.ParseScaled(v.Text, int64(unit), 1)
	return ns, p == timeline.ParsedOK
}

// between returns the moment of a clock's reading as a client sees it, whose
// receipt is the start of the request; absent where a reading is missing.
func between(start, end int64, ok bool) Moment {
	if !ok {
		return Moment{}
	}
	return outside(roundMicros(end - start))
}

// roundMicros rounds nanoseconds to microseconds, half away from zero.
func roundMicros(ns int64) int64 {
	if ns < 0 {
		return -roundMicros(-ns)
	}
	return ns/1000 + (ns%1000+500)/1000
}

// setStart sets t1 of a client: it has no t0 before it.
func setStart(row *timeline.Row) {
	timeline.SetMark(row, timeline.Start, timeline.At[timeline.Receipt](0))
}

func setHeaders(row *timeline.Row, m Moment) {
	if us, ok := m.Micros(); ok {
		timeline.SetMark(row, timeline.UpstreamHeaders, timeline.At[timeline.UpstreamStart](us))
	}
}

// setTimestamp sets the wall clock of t0 from epoch nanoseconds.
func setTimestamp(row *timeline.Row, ns int64, ok bool) {
	if ok && ns > 0 {
		row.SetNum(timeline.ColTimestamp, ns/1000)
	}
}

func setCount(row *timeline.Row, c timeline.Column, v document.Value) {
	if n, ok := v.Int(); ok && n > 0 {
		row.SetNum(c, n)
	}
}

func setLabel(row *timeline.Row, c timeline.Column, text string) { row.SetText(c, []byte(text)) }

// sink gives the values of some slots to functions and the rest to cells.
type sink struct {
	cells *document.Cells
	walk  map[int]func() error
}

// Value implements [document.Sink].
func (s *sink) Value(at document.Place, r *document.Reader) error {
	if walk := s.walk[at.Slot]; walk != nil {
		return walk()
	}
	return s.cells.Value(at, r)
}

// array reads an array with element; null and anything else is skipped.
func (r *reader) array(element func(i int) error) error {
	kind, err := r.e.R.Next()
	if err != nil || kind != document.Array {
		return r.e.R.Skip()
	}
	return r.e.R.Array(element)
}

// object reads the object at hand with field; anything else is skipped.
func (r *reader) object(field func(key []byte) error) error {
	kind, err := r.e.R.Next()
	if err != nil || kind != document.Object {
		return r.e.R.Skip()
	}
	return r.e.R.Object(field)
}

// text reports whether a string is next.
func (r *reader) text() bool {
	kind, err := r.e.R.Next()
	return err == nil && kind == document.String
}
