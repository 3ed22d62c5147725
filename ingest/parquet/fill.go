package parquet

import (
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// rowFiller fills rows from columns, each of which is read as a whole before.
type rowFiller struct {
	numbers []numberColumn
	texts   []textColumn
	told    timeline.Told
}

func newRowFiller(columns []Column, list []binding, opt source.Options) *rowFiller {
	r := &rowFiller{told: timeline.Told{Exact: opt.Exact}}
	for at, b := range list {
		col := &columns[b.index]
		if b.column.IsText() {
			told := timeline.Provenance.Has(b.column)
			r.texts = append(r.texts, textColumn{at: at, col: col, column: b.column, told: told})
			continue
		}
		r.numbers = append(r.numbers, numberColumn{at: at, col: col, column: b.column, unit: b.unit, zone: opt.Zone})
	}
	for k := range r.numbers {
		r.numbers[k].again = k > 0 && r.numbers[k-1].column == r.numbers[k].column
	}
	return r
}

// Close implements Rows.
func (r *rowFiller) Close(*source.Out) {}

// Add implements Rows.
func (r *rowFiller) Add(b *Batch, line int64, out *source.Out) {
	for k := range r.numbers {
		c := &r.numbers[k]
		c.read(&b.Columns[c.at])
	}
	for k := range r.texts {
		c := &r.texts[k]
		c.vector = &b.Columns[c.at]
	}
	for i := range b.Rows {
		out.At(source.Position{Line: line + int64(i)})
		out.Line()
		row := out.Row()
		for k := range r.numbers {
			r.numbers[k].set(row, i)
		}
		for k := range r.texts {
			c := &r.texts[k]
			text := c.text(i)
			switch {
			case len(text) == 0:
			case c.told:
				r.told.Take(row, c.column, text)
			case !row.Has(c.column):
				row.SetText(c.column, text)
			}
		}
		out.Add()
	}
}

// textColumn is a column of texts.
type textColumn struct {
	at      int // in the batch
	col     *Column
	column  timeline.Column
	told    bool
	vector  *Vector
	scratch []byte // of the row at hand
}

// text returns the text of a slot as a label: a number or a truth value is
// spelled as JSON would.
func (c *textColumn) text(i int) []byte {
	if c.vector.kind == Bytes && c.col.Logical != LogicalUUID {
		return c.vector.Bytes(i)
	}
	if !c.vector.Present(i) {
		return nil
	}
	c.scratch = appendCell(c.scratch[:0], c.col, c.vector, i)
	return c.scratch
}
