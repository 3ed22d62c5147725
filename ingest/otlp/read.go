package otlp

import (
	"context"
	"io"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
)

// reader walks export requests: resources, scopes, spans.
type reader struct {
	e    *document.Entries
	w    *window
	one  *spanReader
	pair pairs
	from *resource // shared by the spans of a resource, which may stand before it
}

func read(ctx context.Context, src io.Reader, _ source.Options, out *source.Out) error {
	x := &reader{e: document.NewEntries(ctx, src, out), w: newWindow(out), one: newSpanReader()}
	err := x.e.Run(func(kind document.Kind) error {
		if kind == document.Array {
			return x.e.R.Array(func(int) error { return x.request() })
		}
		return x.request()
	})
	x.w.close()
	return err
}

// request reads one export request. One without spans, such as of metrics, is
// an entry that is no request of ours.
func (x *reader) request() error {
	r := x.e.R
	start, found := r.Offset(), false
	if kind, err := r.Next(); err != nil || kind != document.Object {
		if err := r.Skip(); err != nil {
			return err
		}
		return x.reject(start, source.NotAnObject)
	}
	why := source.NotThisFormat
	err := r.Object(func(key []byte) error {
		switch string(key) {
		case "resourceSpans", "resource_spans", "batches":
			found = true
			return x.array(func() { x.from = &resource{} }, x.resources)
		case "data", "spans": // of an API, without their resources
			found = true
			x.from = nil
			return x.spans()
		case "resourceMetrics", "resourceLogs", "resource_metrics", "resource_logs":
			why = source.NotARequest
		}
		return r.Skip()
	})
	if err != nil || found {
		return err
	}
	return x.reject(start, why)
}

func (x *reader) reject(at int64, why source.Reason) error {
	if err := x.e.BeginAt(at); err != nil {
		return err
	}
	x.e.Reject(why)
	return nil
}

// array reads the objects of an array; anything else is skipped.
func (x *reader) array(begin func(), field func(key []byte) error) error {
	r := x.e.R
	if kind, err := r.Next(); err == nil && kind != document.Array {
		return r.Skip()
	}
	return r.Array(func(int) error {
		if kind, err := r.Next(); err == nil && kind != document.Object {
			return r.Skip()
		}
		begin()
		return r.Object(field)
	})
}

func (x *reader) resources(key []byte) error {
	switch string(key) {
	case "resource":
		return x.readResource()
	case "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "ilSpans":
		return x.array(func() {}, x.scope)
	}
	return x.e.R.Skip()
}

func (x *reader) scope(key []byte) error {
	r := x.e.R
	if string(key) != "spans" {
		return r.Skip()
	}
	return x.spans()
}

func (x *reader) spans() error {
	r := x.e.R
	if kind, err := r.Next(); err == nil && kind != document.Array {
		return r.Skip()
	}
	return r.Array(func(int) error { return x.span() })
}

var resourcePaths = document.NewPaths("attributes/[]")

func (x *reader) readResource() error { return x.e.R.Extract(resourcePaths, resourceSink{x}) }

// resourceSink keeps the region of a resource.
type resourceSink struct{ x *reader }

// Value implements document.Sink.
func (s resourceSink) Value(_ document.Place, r *document.Reader) error {
	ok, err := s.x.pair.read(r, func(key []byte) bool { return string(key) == "cloud.region" })
	if ok {
		s.x.from.region = string(s.x.pair.value.Label())
	}
	return err
}

// span reads one span. Those of no call are known as links between others.
func (x *reader) span() error {
	if err := x.e.Begin(); err != nil {
		return err
	}
	if kind, err := x.e.R.Next(); err != nil || kind != document.Object {
		if err := x.e.R.Skip(); err != nil {
			return err
		}
		x.e.Reject(source.NotAnObject)
		return nil
	}
	if err := x.one.read(x.e.R); err != nil {
		return err
	}
	v, s := x.one.cells.Values, &x.one.span
	s.key = x.w.keyOf(v[spTrace].Text, v[spSpan].Text)
	s.parent = x.w.keyOf(v[spTrace].Text, v[spParent].Text)
	x.w.link(s.key, s.parent)
	switch {
	case s.role == other:
		x.e.Reject(source.NotARequest)
	case s.start == 0:
		x.e.Reject(source.NotARecord)
	case x.w.has(s.key):
		x.e.Reject(source.Duplicate)
	default:
		kept := *s
		kept.at, kept.from = x.e.Position(), x.from
		x.e.Hold()
		x.w.add(&kept)
	}
	return nil
}

func refuse(_ context.Context, _ io.Reader, _ source.Options, out *source.Out) error {
	out.At(source.Position{Line: 1})
	out.Line()
	out.Reject(source.Reject(lengthFramed, 0))
	return nil
}
