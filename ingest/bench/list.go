package bench

import (
	"context"
	"io"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// list is an array of requests under one key of a document.
type list struct {
	key   string
	paths *document.Paths
	alone source.Reason // of a document without them
}

// eachUnder reads the requests of documents, one record each.
func eachUnder(ctx context.Context, src io.Reader, out *source.Out, from list, fill func(*timeline.Row, []document.Value) source.Reason) error {
	e := document.NewEntries(ctx, src, out)
	cells := document.NewCells(from.paths)
	one := func() error {
		if err := e.Begin(); err != nil {
			return err
		}
		cells.Clear()
		if err := e.R.Extract(from.paths, cells); err != nil {
			return err
		}
		if why := fill(out.Row(), cells.Values); why != source.OK {
			e.Reject(why)
			return nil
		}
		e.Add()
		return nil
	}
	return e.Run(func(kind document.Kind) error {
		found, at := false, e.R.Offset()
		if kind != document.Object {
			if err := e.R.Skip(); err != nil {
				return err
			}
		} else if err := e.R.Object(func(key []byte) error {
			if kind, err := e.R.Next(); err != nil || kind != document.Array || string(key) != from.key {
				return e.R.Skip()
			}
			return e.R.Array(func(int) error {
				found = true
				return one()
			})
		}); err != nil {
			return err
		}
		if found {
			return nil
		}
		if err := e.BeginAt(at); err != nil {
			return err
		}
		e.Reject(from.alone)
		return nil
	})
}

// each reads objects, one record each.
func each(ctx context.Context, r io.Reader, out *source.Out, paths *document.Paths, fill func(*timeline.Row, []document.Value) source.Reason) error {
	e := document.NewEntries(ctx, r, out)
	cells := document.NewCells(paths)
	return e.Each(func() error {
		cells.Clear()
		if err := e.R.Extract(paths, cells); err != nil {
			return err
		}
		if why := fill(out.Row(), cells.Values); why != source.OK {
			e.Reject(why)
			return nil
		}
		e.Add()
		return nil
	})
}
