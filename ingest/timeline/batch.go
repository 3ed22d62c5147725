package timeline

import "math"

// Batch is up to [BatchRows] cleaned rows in columns. It is immutable and safe
// to hand between goroutines. Columns are shared, never copied: a caller must
// not write to the slices it gets.
type Batch struct {
	n       int
	num     [NumNumeric]Numbers
	text    [NumText]Texts // that of ColRequestID is empty
	id      IDs
	cleaned [NumCleanings][NumColumns]int64
	lines   int64 // added to every source_line
	owned   Mask  // columns whose memory no other batch shares, for Recycle
}

// Numbers is a numeric column. Both slices are nil where no row has a value;
// values of rows that are not Valid are 0 and mean nothing.
type Numbers struct {
	Values []int64
	Valid  Bitmap
}

// Texts is a dictionary-encoded text column. All slices are nil where no row has
// a value. Two values may be equal.
type Texts struct {
	Codes  []int32
	Valid  Bitmap
	Values []string
}

// At returns the text of row i, "" where it is absent.
func (t Texts) At(i int) string {
	if !t.Valid.Has(i) {
		return ""
	}
	return t.Values[t.Codes[i]]
}

// IDs is a column of texts that are mostly distinct: text i is
// Data[Offsets[i]:Offsets[i+1]].
type IDs struct {
	Offsets []int32
	Data    []byte
	Valid   Bitmap
}

// At returns the text of row i, which aliases the column, nil where absent.
func (d IDs) At(i int) []byte {
	if !d.Valid.Has(i) {
		return nil
	}
	return d.Data[d.Offsets[i]:d.Offsets[i+1]]
}

// Len returns the number of rows.
func (b *Batch) Len() int { return b.n }

// Numbers returns a numeric column. It is shared, but for source_line of a batch
// with a line base, which is made anew.
func (b *Batch) Numbers(c Column) Numbers {
	col := b.num[c]
	if c != ColSourceLine || b.lines == 0 {
		return col
	}
	moved := make([]int64, len(col.Values))
	for i, v := range col.Values {
		moved[i] = v + b.lines
	}
	return Numbers{Values: moved, Valid: col.Valid}
}

// Texts returns a text column other than the request id.
func (b *Batch) Texts(c Column) Texts { return b.text[c-FirstText] }

// RequestIDs returns the request ids.
func (b *Batch) RequestIDs() IDs { return b.id }

// Num returns a numeric value of row i, and false where it is absent.
func (b *Batch) Num(c Column, i int) (int64, bool) {
	col := &b.num[c]
	if !col.Valid.Has(i) {
		return 0, false
	}
	if c == ColSourceLine {
		return col.Values[i] + b.lines, true
	}
	return col.Values[i], true
}

// Text returns a text value of row i, "" where it is absent.
func (b *Batch) Text(c Column, i int) string {
	if c == ColRequestID {
		return string(b.id.At(i))
	}
	return b.text[c-FirstText].At(i)
}

// Has reports whether row i has a value in c.
func (b *Batch) Has(c Column, i int) bool {
	switch {
	case c == ColRequestID:
		return b.id.Valid.Has(i)
	case c.IsText():
		return b.text[c-FirstText].Valid.Has(i)
	}
	return b.num[c].Valid.Has(i)
}

// Present returns the columns in which any row has a value.
func (b *Batch) Present() Mask {
	var m Mask
	for c := range Column(NumColumns) {
		switch {
		case c == ColRequestID && b.id.Offsets != nil,
			!c.IsText() && b.num[c].Values != nil,
			c.IsText() && c != ColRequestID && b.text[c-FirstText].Codes != nil:
			m = m.With(c)
		}
	}
	return m
}

// Moment returns a mark of row i.
func Moment[O Origin](b *Batch, m Mark[O], i int) Time[O] {
	if us, ok := b.Num(m.col, i); ok {
		return At[O](us)
	}
	return Time[O]{}
}

// PhaseLength returns a phase of row i.
func PhaseLength(b *Batch, p Phase, i int) Length {
	if us, ok := b.Num(p.col, i); ok {
		return LengthOf(us)
	}
	return Length{}
}

// Cleaned returns how many values of c the given rule removed, or doubted, in
// this batch. A batch that comes from a store has counted its notes.
func (b *Batch) Cleaned(why Cleaning, c Column) int64 { return b.cleaned[why][c] }

// WithLineBase returns the batch with lines added to every source_line, for a
// reader that learns late where its chunk starts. Columns are shared.
func (b *Batch) WithLineBase(lines int64) *Batch {
	moved := *b
	moved.lines += lines
	return &moved
}

// WithSource returns the batch with every row's source_file set to name.
func (b *Batch) WithSource(name string) *Batch {
	named := *b
	named.text[ColSourceFile-FirstText] = constant(name, b.n)
	return &named
}

func constant(name string, n int) Texts {
	valid := NewBitmap(n)
	for i := range valid {
		valid[i] = math.MaxUint64
	}
	if n%64 != 0 {
		valid[len(valid)-1] >>= 64 - n%64
	}
	return Texts{Codes: make([]int32, n), Valid: valid, Values: []string{name}}
}

// Row copies row i into r, whose texts then alias the batch.
func (b *Batch) Row(i int, r *Row) {
	r.Reset()
	for c := range Column(NumColumns) {
		if !b.Has(c, i) {
			continue
		}
		switch {
		case !c.IsText():
			v, _ := b.Num(c, i)
			r.SetNum(c, v)
		case c == ColRequestID:
			r.SetText(c, b.id.At(i))
		default:
			r.SetText(c, []byte(b.Text(c, i)))
		}
	}
	if r.Has(ColNotes) {
		r.Notes = ParseNotes(b.Text(ColNotes, i))
		r.Drop(MaskOf(ColNotes))
	}
	if r.Has(ColApprox) {
		r.Label, _ = ParseLabel(b.Text(ColApprox, i))
		r.Drop(MaskOf(ColApprox))
	}
}

// Columns are the parts of a batch that comes from elsewhere than a [Builder]:
// n rows, each column as the accessors of [Batch] describe it.
type Columns struct {
	N    int
	Num  [NumNumeric]Numbers
	Text [NumText]Texts // that of ColRequestID stays empty
	ID   IDs
}

// Batch returns the columns as a batch, which takes them over. They count as
// cleaned already; the notes say what was.
func (c *Columns) Batch() *Batch {
	b := &Batch{n: c.N, num: c.Num, text: c.Text, id: c.ID}
	b.countCleaned()
	return b
}
