package bench

import (
	"context"
	"io"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// list says where a document keeps its requests, and how one fills a row.
type list struct {
	key   string // of the array; "" where the requests stand at the top
	paths *document.Paths
	fill  func(*timeline.Row, []document.Value) source.Reason
	alone source.Reason // of a document without the array
}

// read reads documents, or requests that stand at the top, alone or in arrays.
func (l *list) read(ctx context.Context, src io.Reader, _ source.Options, out *source.Out) error {
	e, cells := document.NewEntries(ctx, src, out), document.NewCells(l.paths)
	if l.key == "" {
		return e.Each(func() error { return l.one(e, cells) })
	}
	return e.Run(func(kind document.Kind) error { return l.document(e, cells, kind) })
}

// one reads the request of the current entry.
func (l *list) one(e *document.Entries, cells *document.Cells) error {
	cells.Clear()
	if err := e.R.Extract(l.paths, cells); err != nil {
		return err
	}
	if why := l.fill(e.Out.Row(), cells.Values); why != source.OK {
		e.Reject(why)
		return nil
	}
	e.Add()
	return nil
}

func (l *list) document(e *document.Entries, cells *document.Cells, kind document.Kind) error {
	found, at := false, e.R.Offset()
	field := func(key []byte) error {
		if kind, err := e.R.Next(); err != nil || kind != document.Array || string(key) != l.key {
			return e.R.Skip()
		}
		return e.R.Array(func(int) error {
			found = true
			if err := e.Begin(); err != nil {
				return err
			}
			return l.one(e, cells)
		})
	}
	read := e.R.Skip
	if kind == document.Object {
		read = func() error { return e.R.Object(field) }
	}
	if err := read(); err != nil || found {
		return err
	}
	if err := e.BeginAt(at); err != nil {
		return err
	}
	e.Reject(l.alone)
	return nil
}
