package observe

import (
	"bytes"
	"context"
	"io"
	"strings"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// Table describes the rows of one store.
type Table struct {
	Format *source.Format
	// Paths are the places of the fields.
	Paths *document.Paths
	// Raw lists the slots whose objects and arrays are kept as JSON text.
	Raw []int
	// Marks are sets of names that only this store's rows have together.
	Marks [][]string
	// Fill fills an empty row and returns why the record is none, or OK.
	Fill func(row *timeline.Row, v []document.Value) source.Reason
	// Events is how the events of a row are counted; nil where it has none.
	Events *Events
	// Latest is the slot of the time of the last change of a row, -1 where the
	// store never exports a row twice.
	Latest int
	// ID is the slot of the id that a row exported twice shares.
	ID int
}

// Cells returns cells for one row of t.
func (t *Table) Cells() *Cells {
	return &Cells{Cells: document.NewCells(t.Paths, t.Raw...), rule: t.Events, event: document.NewCells(eventPaths)}
}

// Column returns the place that a column of a table file fills, by its name or,
// for a nested column, its names. Where it reports false the column need not be
// read.
func (t *Table) Column(names ...string) (document.Column, bool) { return t.Paths.Column(names...) }

// TableFor returns the table of a file whose columns have the given names, which
// are lists of names for nested ones; nil if it is of no store known.
func TableFor(columns [][]string) *Table {
	has := map[string]bool{}
	for _, names := range columns {
		has[names[0]] = true
		has[strings.Join(names, ".")] = true
	}
	for _, t := range Tables() {
		for _, marks := range t.Marks {
			all := true
			for _, name := range marks {
				all = all && has[name]
			}
			if all {
				return t
			}
		}
	}
	return nil
}

// wrappers are the keys under which an API or an export puts its rows.
var wrappers = []string{"data", "runs", "observations", "spans", "events", "rows"}

// read reads JSON, JSON Lines or CSV.
func (t *Table) read(ctx context.Context, src io.Reader, opt source.Options, out *source.Out) error {
	head := make([]byte, 512)
	n, err := io.ReadFull(src, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	head = head[:n]
	all := io.MultiReader(bytes.NewReader(head), src)
	rows := t.NewRows(out)
	rows.exact = opt.Exact
	if isJSON(head) {
		err = t.readJSON(ctx, all, rows)
	} else {
		err = t.readCSV(ctx, all, rows)
	}
	rows.Close()
	return err
}

func isJSON(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")
	return len(head) == 0 || head[0] == '{' || head[0] == '['
}

func (t *Table) readCSV(ctx context.Context, src io.Reader, rows *Rows) error {
	cells := t.Cells()
	table := document.CSV{Paths: t.Paths, Feeder: document.NewFeeder(cells)}
	return table.Each(ctx, src, rows.out, func(e *document.Entries) error {
		add(e, rows, cells)
		cells.Clear()
		return nil
	})
}

// add ends the current entry of e with its row.
func add(e *document.Entries, rows *Rows, cells *Cells) {
	if why := rows.Add(e.Position(), cells.Values); why != source.OK {
		e.Reject(why)
		return
	}
	e.Hold()
}

func (t *Table) readJSON(ctx context.Context, src io.Reader, rows *Rows) error {
	j := &jsonRows{t: t, e: document.NewEntries(ctx, src, rows.out), rows: rows, cells: t.Cells()}
	j.e.List = true
	return j.e.Run(func(kind document.Kind) error {
		if kind == document.Array {
			return j.e.R.Array(func(int) error { return j.value() })
		}
		return j.value()
	})
}

// jsonRows reads values that are rows, or that wrap rows.
type jsonRows struct {
	t     *Table
	e     *document.Entries
	rows  *Rows
	cells *Cells
}

func (j *jsonRows) value() error {
	j.e.R.Free()
	kind, err := j.e.R.Next()
	if err != nil {
		return j.e.R.Skip()
	}
	start := j.e.R.Offset()
	if kind != document.Object {
		if err := j.e.BeginAt(start); err != nil {
			return err
		}
		j.e.Reject(source.NotAnObject)
		return j.e.R.Skip()
	}
	j.cells.Clear()
	wrapped := false
	err = j.e.R.Object(func(key []byte) error {
		if j.wraps(key) {
			wrapped = true
			return j.e.R.Array(func(int) error { return j.value() })
		}
		return j.e.R.ExtractKey(j.t.Paths, key, j.cells)
	})
	if err != nil || wrapped {
		return err
	}
	if err := j.e.BeginAt(start); err != nil {
		return err
	}
	add(j.e, j.rows, j.cells)
	return nil
}

// wraps reports whether key holds rows: the name says so, nothing of a row stood
// before it, and its value is an array.
func (j *jsonRows) wraps(key []byte) bool {
	for _, name := range wrappers {
		if string(key) != name {
			continue
		}
		if _, own := j.t.Paths.Column(name); own || j.cells.Seen != 0 {
			return false
		}
		kind, err := j.e.R.Next()
		return err == nil && kind == document.Array
	}
	return false
}
