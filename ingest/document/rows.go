package document

import (
	"context"
	"errors"
	"io"
	"strings"

	"ttdiag/ingest/source"
)

// EachRow reads CSV with a header. place tells, by name of a column, the slot
// that its cells go to; false is none. one gets the cells of a row and adds or
// rejects it. A row of another number of cells than the header is rejected.
func EachRow(ctx context.Context, src io.Reader, out *source.Out, cells *Cells, place func(name string) (Place, bool), one func(*Entries) error) error {
	rows := NewRows(src, ',')
	header, err := rows.Header()
	if err != nil && err != io.EOF {
		var damage *Error
		if !errors.As(err, &damage) {
			return err
		}
		header = nil
	}
	places := make([]Place, len(header))
	for i, name := range header {
		p, ok := place(strings.TrimSpace(name))
		if !ok {
			p.Slot = -1
		}
		places[i] = p
	}
	e := &Entries{Out: out, ctx: ctx, R: rows.r}
	for {
		cells.Clear()
		at := rows.Offset()
		n, err := rows.Read(places, cells)
		if err == io.EOF {
			return nil
		}
		if err == nil && n == 0 {
			out.Blank()
			continue
		}
		if began := e.BeginAt(at); began != nil {
			return began
		}
		var damage *Error
		switch {
		case errors.As(err, &damage):
			e.damaged(damage)
			return nil
		case err != nil:
			return err
		case n != len(places):
			e.Reject(source.TornLine)
		default:
			if err := one(e); err != nil {
				return err
			}
		}
	}
}

// PlaceIn returns a place function over the spellings of p that are single keys.
func (p *Paths) PlaceIn() func(name string) (Place, bool) {
	return func(name string) (Place, bool) {
		if n := p.root.find([]byte(name)); n != nil && n.leaf {
			return n.place, true
		}
		return Place{}, false
	}
}
