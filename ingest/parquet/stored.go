package parquet

import (
	"strconv"
	"strings"

	"ttdiag/ingest/document"
	"ttdiag/ingest/observe"
	"ttdiag/ingest/source"
)

// storedPlan is how an export of a store is read. Its rows are read in one go: one
// may come again later, in a newer version.
type storedPlan struct {
	table   *observe.Table
	columns []Column
	fields  []field
	read    []int // the columns that are needed
}

// field is one or more columns that fill a place of the table: a cell, or the
// columns of one list or map.
type field struct {
	place  document.Column
	parts  []part
	isMap  bool
	isList bool
}

// part is a column of a field.
type part struct {
	at   int // in the batch
	col  *Column
	name string // of the member of a list's elements, "" for plain elements
}

// storedAs binds the columns for which a store's table has a place.
func (t *table) storedAs(known *observe.Table) (*Binding, error) {
	p := &storedPlan{table: known, columns: t.columns}
	format := *known.Format
	format.Document = nil
	lists := map[string]int{} // number of the field, by its name
	for i := range t.columns {
		p.addColumn(i, lists)
	}
	if len(p.fields) == 0 {
		return nil, missing("a row of "+format.Name+" names its times", []string{"start_time", "end_time"})
	}
	return &Binding{Format: &format, Columns: p.read, Whole: true, NewRows: func() Rows {
		cells := known.Cells()
		return &storedRows{plan: p, cells: cells, feeder: document.NewFeeder(cells)}
	}}, nil
}

// addColumn binds a column, if the table has a place for it.
func (p *storedPlan) addColumn(i int, lists map[string]int) {
	col := &p.columns[i]
	if col.Lists == 0 {
		if place, ok := p.table.Column(col.Path...); ok {
			p.fields = append(p.fields, field{place: place, parts: []part{{at: p.need(i), col: col}}})
		}
		return
	}
	depth, isMap := col.listDepth()
	if col.Lists > 1 || depth == 0 {
		return
	}
	place, ok := p.table.Column(col.Path[:depth]...)
	inside := strings.Join(col.Path[depth:], ".")
	if !ok || !isMap && !wantedInList(inside) {
		return
	}
	name := strings.Join(col.Path[:depth], "\x00")
	n, known := lists[name]
	if !known {
		n = len(p.fields)
		lists[name] = n
		p.fields = append(p.fields, field{place: place, isMap: isMap, isList: !isMap})
	}
	p.fields[n].parts = append(p.fields[n].parts, part{at: p.need(i), col: col, name: inside})
}

// wantedInList reports whether the member of a list's elements is of use: of
// events, names and times are, and what they carry is not.
func wantedInList(name string) bool {
	return name == "" || name == "name" || name == "time" || name == "timestamp"
}

// listDepth returns how many names of the path lead to the only list or map of a
// column, and whether it is a map.
func (c *Column) listDepth() (depth int, isMap bool) {
	last := c.Path[len(c.Path)-1]
	if n := len(c.Stored); n >= 3 && len(c.Path) >= 2 && (last == "key" || last == "value") &&
		(c.Stored[n-2] == "key_value" || c.Stored[n-2] == "map" || c.Stored[n-2] == "entries") {
		return len(c.Path) - 1, true
	}
	for i, name := range c.Path { // names that only carry the list are left out of Path
		if i >= len(c.Stored) || c.Stored[i] != name {
			return i, false
		}
	}
	return len(c.Path), false
}

// need notes that column i is needed, and returns its place in batches.
func (p *storedPlan) need(i int) int {
	p.read = append(p.read, i)
	return len(p.read) - 1
}

// storedRows hands the rows of batches to a table.
type storedRows struct {
	plan   *storedPlan
	cells  *observe.Cells
	feeder *document.Feeder
	rows   *observe.Rows
	arena  []byte // texts of the row at hand
}

// Close implements Rows.
func (s *storedRows) Close(*source.Out) {
	if s.rows != nil {
		s.rows.Close()
	}
}

// Add implements Rows.
func (s *storedRows) Add(b *Batch, line int64, out *source.Out) {
	if s.rows == nil {
		s.rows = s.plan.table.NewRows(out)
	}
	for i := range b.Rows {
		s.cells.Clear()
		s.arena = s.arena[:0]
		for k := range s.plan.fields {
			f := &s.plan.fields[k]
			if v := s.cell(f, b, i); v.Kind != document.Absent {
				s.feeder.Feed(f.place, v)
			}
		}
		at := source.Position{Line: line + int64(i)}
		out.At(at)
		out.Line()
		why := s.rows.Add(at, s.cells.Values)
		out.At(at)
		out.Reject(source.Reject(why, 0))
	}
}

// cell returns the value of a field of row i. Its text is kept until the next
// row.
func (s *storedRows) cell(f *field, b *Batch, i int) document.Value {
	if f.isMap || f.isList {
		return s.nested(f, b, i)
	}
	p := &f.parts[0]
	v := &b.Columns[p.at]
	if !v.Present(i) {
		return document.Value{}
	}
	switch {
	case v.kind == Bytes && p.col.Logical != LogicalUUID:
		text := v.Bytes(i)
		return document.Value{Kind: document.String, Text: text[:min(len(text), document.MaxText)], Long: len(text) > document.MaxText}
	case p.col.Logical == LogicalTimestamp || p.col.Logical == LogicalDate:
		return document.Value{Kind: document.Time, Text: s.keep(strconv.AppendInt(s.free(), v.Ints[i], 10))}
	case v.kind == Bytes:
		return document.Value{Kind: document.String, Text: s.keep(appendCell(s.free(), p.col, v, i))}
	case p.col.Physical == Boolean:
		return document.Value{Kind: document.Bool, Text: s.keep(appendCell(s.free(), p.col, v, i))}
	}
	return document.Value{Kind: document.Number, Text: s.keep(appendCell(s.free(), p.col, v, i))}
}

// free returns the end of the arena, to append to.
func (s *storedRows) free() []byte { return s.arena[len(s.arena):] }

// keep makes text, which was appended to free, a part of the arena: where it did
// not fit, the arena is a new one, and texts that stand in the old one stay there.
func (s *storedRows) keep(text []byte) []byte {
	if cap(s.arena)-len(s.arena) >= len(text) && len(text) > 0 && &s.arena[:cap(s.arena)][len(s.arena)] == &text[0] {
		s.arena = s.arena[:len(s.arena)+len(text)]
	} else {
		s.arena = make([]byte, 0, 2*cap(s.arena)+1024)
	}
	return text[:len(text):len(text)]
}

// nested returns a list or a map of row i as JSON. One that is longer than a text
// may be is absent.
func (s *storedRows) nested(f *field, b *Batch, i int) document.Value {
	first := &b.Columns[f.parts[0].at]
	if len(first.ListValid) == 0 || !first.ListValid[0][i] {
		return document.Value{}
	}
	lo, hi := first.Row(i)
	text, kind := s.free(), document.Array
	open, end := byte('['), byte(']')
	if f.isMap {
		kind, open, end = document.Object, '{', '}'
	}
	text = append(text, open)
	for slot := lo; slot < hi; slot++ {
		if slot > lo {
			text = append(text, ',')
		}
		text = f.appendElement(text, b, slot)
		if len(text) > document.MaxText {
			return document.Value{}
		}
	}
	return document.Value{Kind: kind, Text: s.keep(append(text, end))}
}

// appendElement appends an element of a list, or a key and its value.
func (f *field) appendElement(text []byte, b *Batch, slot int) []byte {
	if f.isMap {
		return f.appendEntry(text, b, slot)
	}
	if len(f.parts) == 1 && f.parts[0].name == "" {
		return f.parts[0].appendJSON(text, b, slot)
	}
	text = append(text, '{')
	for k := range f.parts {
		if k > 0 {
			text = append(text, ',')
		}
		text = append(text, '"')
		text = append(text, f.parts[k].name...)
		text = append(text, `":`...)
		text = f.parts[k].appendJSON(text, b, slot)
	}
	return append(text, '}')
}

func (f *field) appendEntry(text []byte, b *Batch, slot int) []byte {
	key, value := `""`, "null"
	for k := range f.parts {
		p := &f.parts[k]
		one := string(p.appendJSON(nil, b, slot))
		if p.name != "key" {
			value = one
		} else if one[0] == '"' {
			key = one
		}
	}
	text = append(text, key...)
	text = append(text, ':')
	return append(text, value...)
}

// appendJSON appends a slot as a JSON value: a time as microseconds since the
// epoch, a number that JSON has no word for as null.
func (p *part) appendJSON(text []byte, b *Batch, slot int) []byte {
	v := &b.Columns[p.at]
	switch {
	case !v.Present(slot):
		return append(text, "null"...)
	case v.kind == Bytes:
		return appendQuoted(text, appendCell(nil, p.col, v, slot))
	case v.kind == Ints && p.col.Physical != Boolean && p.col.Logical != LogicalDecimal:
		return strconv.AppendInt(text, v.Ints[slot], 10)
	case v.kind == Floats && v.Floats[slot]-v.Floats[slot] != 0: // NaN, infinite
		return append(text, "null"...)
	}
	return appendCell(text, p.col, v, slot)
}

// appendQuoted appends a JSON string of at most as many bytes as a value may have.
func appendQuoted(text, s []byte) []byte {
	const hex = "0123456789abcdef"
	text = append(text, '"')
	for _, c := range s[:min(len(s), document.MaxText)] {
		switch {
		case c == '"' || c == '\\':
			text = append(text, '\\', c)
		case c < 0x20:
			text = append(text, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			text = append(text, c)
		}
	}
	return append(text, '"')
}
