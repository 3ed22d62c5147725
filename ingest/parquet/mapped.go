package parquet

import (
	"strconv"
	"strings"

	"ttdiag/ingest/mapping"
	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
)

// mapped binds columns as a user maps them. A path names a column by its names
// joined by dots, whether the dots stand in one name or between several.
func (t *table) mapped() (*Binding, error) {
	plan, err := mapping.MapPlan(t.opt.Map)
	if err != nil {
		return nil, err
	}
	paths := plan.Paths()
	at := make([]int, len(paths)) // place of each path's column in batches
	var columns []int
	for k, path := range paths {
		i := t.columnAt(path)
		if i < 0 {
			at[k] = -1
			continue
		}
		at[k] = len(columns)
		columns = append(columns, i)
	}
	if len(columns) == 0 {
		return nil, missing("nothing is where it is mapped", paths)
	}
	format := *t.format
	format.Name, format.FirstToken, format.Columns = mapName, plan.Format().FirstToken, plan.Format().Columns
	return &Binding{Format: &format, Columns: columns, NewRows: func() Rows {
		m := &mappedRows{at: at, filler: plan.NewFiller(t.opt)}
		for _, i := range columns {
			m.columns = append(m.columns, &t.columns[i])
		}
		m.values, m.texts = make([]scan.Value, len(columns)), make([][]byte, len(columns))
		return m
	}}, nil
}

// columnAt returns the flat column at a path, -1 where there is none.
func (t *table) columnAt(path string) int {
	name := strings.TrimPrefix(path, ".")
	for i := range t.columns {
		if c := &t.columns[i]; c.Lists == 0 && (c.Name() == name || quotedName(c.Path) == name) {
			return i
		}
	}
	return -1
}

// quotedName spells a path with quotes around names that hold a dot, as jq does.
func quotedName(path []string) string {
	names := make([]string, len(path))
	for i, name := range path {
		names[i] = name
		if strings.ContainsAny(name, ".[\"") {
			names[i] = strconv.Quote(name)
		}
	}
	return strings.Join(names, ".")
}

// mappedRows fills rows by a user's mappings. It is the values of the row at
// hand.
type mappedRows struct {
	columns []*Column
	at      []int // by path, -1 where the file has no such column
	filler  *mapping.Filler
	values  []scan.Value // by column of the batch
	texts   [][]byte     // memory of values, by column
}

// Close implements Rows.
func (m *mappedRows) Close(*source.Out) {}

// Add implements Rows.
func (m *mappedRows) Add(b *Batch, line int64, out *source.Out) {
	for i := range b.Rows {
		out.At(source.Position{Line: line + int64(i)})
		out.Line()
		for k, col := range m.columns {
			m.read(k, col, &b.Columns[k], i)
		}
		r := m.filler.Fill(m, out.Row())
		if r.Reason == source.OK {
			out.Add()
		}
		out.Reject(r)
	}
}

func (m *mappedRows) read(k int, col *Column, v *Vector, i int) {
	if !v.Present(i) {
		m.values[k] = scan.Value{Kind: scan.Null}
		return
	}
	m.texts[k] = appendCell(m.texts[k][:0], col, v, i)
	kind := scan.Num
	switch {
	case v.kind == Bytes, col.Logical == LogicalTimestamp, col.Logical == LogicalDate:
		kind = scan.Text
	case col.Physical == Boolean:
		kind = scan.Bool
	}
	m.values[k] = scan.Value{Kind: kind, Raw: m.texts[k]}
}

// Get implements [mapping.Values].
func (m *mappedRows) Get(path int) scan.Value {
	if m.at[path] < 0 {
		return scan.Value{}
	}
	return m.values[m.at[path]]
}

// Plain implements [mapping.Values].
func (m *mappedRows) Plain(v scan.Value) []byte { return v.Raw }
