package document

import (
	"context"
	"errors"
	"io"
	"strings"

	"ttdiag/ingest/source"
)

// CSV reads tables with a header whose names, with _ for a blank inside, are
// single keys of Paths.
type CSV struct {
	Paths  *Paths
	Feeder *Feeder // gets the cells of a row
}

// Each reads src. After the cells of a row were fed, one adds or rejects it and
// clears what the feeder feeds. A row of another number of cells than the header
// is rejected.
func (c CSV) Each(ctx context.Context, src io.Reader, out *source.Out, one func(*Entries) error) error {
	t := &table{rows: NewRows(stopped{src, ctx}, ','), feeder: c.Feeder}
	if err := t.header(c.Paths); err != nil {
		return err
	}
	e := &Entries{Out: out, ctx: ctx, R: t.rows.r}
	for {
		at := t.rows.Offset()
		n, err := t.rows.Read(t.wanted, t.cells)
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
		case n != len(t.wanted):
			e.Reject(source.TornLine)
		default:
			t.feed()
			if err := one(e); err != nil {
				return err
			}
		}
	}
}

// table is CSV of which some columns are wanted.
type table struct {
	rows    *Rows
	feeder  *Feeder
	wanted  []bool
	columns []Column
	cells   []Value
}

func (t *table) header(p *Paths) error {
	names, err := t.rows.Header()
	var damage *Error
	if err != nil && err != io.EOF && !errors.As(err, &damage) {
		return err
	}
	t.wanted, t.columns = make([]bool, len(names)), make([]Column, len(names))
	t.cells = make([]Value, len(names))
	for i, name := range names {
		t.columns[i], t.wanted[i] = p.Column(strings.ReplaceAll(strings.TrimSpace(name), " ", "_"))
	}
	return nil
}

func (t *table) feed() {
	for i, wanted := range t.wanted {
		if wanted {
			t.feeder.Feed(t.columns[i], t.cells[i])
		}
	}
}
