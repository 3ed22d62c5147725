package timeline

import (
	"bytes"
	"unicode/utf8"
)

// BatchRows is the largest number of rows in a batch.
const BatchRows = 1 << 16

// Builder collects rows into a [Batch]. It cleans each row on the way, so that
// cleaning happens in this one place. A Builder is not safe for concurrent use.
type Builder struct {
	n       int
	num     [NumNumeric]numColumn
	text    [NumText]textColumn
	id      idColumn
	cleaned [NumCleanings][NumColumns]int64
	labels  map[*Label]int32 // codes in the column approx
	notes   map[Notes]int32  // codes in the column notes
}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder {
	b := &Builder{}
	b.clear()
	return b
}

func (b *Builder) clear() {
	*b = Builder{labels: map[*Label]int32{}, notes: map[Notes]int32{}}
	for i := range b.text {
		keep := plainLabel
		if fields[int(FirstText)+i].Group == GroupInternal {
			keep = nil
		}
		b.text[i].dict = newDict(keep)
	}
}

// Len returns the number of rows appended since the last Flush.
func (b *Builder) Len() int { return b.n }

// Full reports whether the batch has reached BatchRows.
func (b *Builder) Full() bool { return b.n >= BatchRows }

// Append cleans r and adds it. It changes r, and copies what it keeps.
func (b *Builder) Append(r *Row) {
	r.clean()
	i := b.n
	b.n++
	(r.set & numericMask).each(func(c int) { b.num[c].set(i, r.num[c]) })
	(r.set &^ numericMask).each(func(c int) {
		if Column(c) == ColRequestID {
			b.id.set(i, r.text[c-int(FirstText)])
			return
		}
		t := &b.text[c-int(FirstText)]
		t.set(i, t.dict.code(r.text[c-int(FirstText)]))
	})
	if r.Label != nil {
		b.setLabel(i, r.Label)
	}
	if !r.Notes.Empty() {
		b.setNotes(i, &r.Notes)
	}
}

func (b *Builder) setLabel(i int, l *Label) {
	t := &b.text[ColApprox-FirstText]
	code, ok := b.labels[l]
	if !ok {
		code = t.dict.code([]byte(l.text))
		b.labels[l] = code
	}
	t.set(i, code)
}

func (b *Builder) setNotes(i int, notes *Notes) {
	for k, m := range notes.Cleaned {
		for c := range m.All {
			b.cleaned[k][c]++
		}
	}
	t := &b.text[ColNotes-FirstText]
	code, ok := b.notes[*notes]
	if !ok {
		code = t.dict.code([]byte(notes.Text()))
		b.notes[*notes] = code
	}
	t.set(i, code)
}

// Flush returns the rows appended so far as a batch and empties the builder.
func (b *Builder) Flush() *Batch {
	batch := &Batch{n: b.n, cleaned: b.cleaned}
	for c := range b.num {
		batch.num[c] = b.num[c].finish(b.n)
	}
	for c := range b.text {
		batch.text[c] = b.text[c].finish(b.n)
	}
	batch.id = b.id.finish(b.n)
	b.clear()
	return batch
}

// numColumn grows lazily: a column that no row sets costs nothing.
type numColumn struct {
	values []int64
	valid  Bitmap
}

func (c *numColumn) set(i int, v int64) {
	for len(c.values) < i {
		c.values = append(c.values, 0)
	}
	c.values = append(c.values, v)
	c.valid = c.valid.grown(i + 1)
	c.valid.Set(i)
}

func (c *numColumn) finish(n int) Numbers {
	if c.values == nil {
		return Numbers{}
	}
	for len(c.values) < n {
		c.values = append(c.values, 0)
	}
	return Numbers{Values: c.values, Valid: c.valid.grown(n)}
}

type textColumn struct {
	dict  dict
	codes []int32
	valid Bitmap
}

func (c *textColumn) set(i int, code int32) {
	for len(c.codes) < i {
		c.codes = append(c.codes, 0)
	}
	c.codes = append(c.codes, code)
	c.valid = c.valid.grown(i + 1)
	c.valid.Set(i)
}

func (c *textColumn) finish(n int) Texts {
	if c.codes == nil {
		return Texts{}
	}
	for len(c.codes) < n {
		c.codes = append(c.codes, 0)
	}
	values := make([]string, len(c.dict.values))
	for i, v := range c.dict.values {
		values[i] = string(v)
	}
	return Texts{Codes: c.codes, Valid: c.valid.grown(n), Values: values}
}

// idColumn keeps texts end to end.
type idColumn struct {
	offsets []int32 // one more than rows
	data    []byte
	valid   Bitmap
}

func (c *idColumn) set(i int, v []byte) {
	for len(c.offsets) <= i {
		c.offsets = append(c.offsets, int32(len(c.data)))
	}
	if !utf8.Valid(v) { // ToValidUTF8 copies even what is valid
		v = bytes.ToValidUTF8(v, []byte("\uFFFD"))
	}
	c.data = append(c.data, v...)
	c.offsets = append(c.offsets, int32(len(c.data)))
	c.valid = c.valid.grown(i + 1)
	c.valid.Set(i)
}

func (c *idColumn) finish(n int) IDs {
	if c.offsets == nil {
		return IDs{}
	}
	for len(c.offsets) <= n {
		c.offsets = append(c.offsets, int32(len(c.data)))
	}
	return IDs{Offsets: c.offsets, Data: c.data, Valid: c.valid.grown(n)}
}
