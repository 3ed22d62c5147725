package timeline

import (
	"bytes"
	"math/bits"
	"unicode/utf8"
)

// BatchRows is the largest number of rows in a batch.
const BatchRows = 1 << 16

// minRows is how many rows a new builder has room for.
const minRows = 64

// Builder collects rows into a [Batch]. It cleans each row on the way, so that
// cleaning happens in this one place. A Builder is not safe for concurrent use.
//
// Columns are as long as there is room for rows, and all zero beyond the last
// one; a column that no row sets has none. Which columns a row sets is kept as
// one mask a row, and turned into bitmaps at the end.
type Builder struct {
	n        int
	room     int
	sets     []Mask
	used     Mask // columns that have room
	num      [NumNumeric][]int64
	codes    [NumText][]int32
	dicts    [NumText]dict
	ids      idColumn
	cleaned  [NumCleanings][NumColumns]int64
	labels   map[*Label]int32 // codes in the column approx
	notes    map[Notes]int32  // codes in the column notes
	defaults Mask             // columns with a text for rows that set none: code 0
	texts    [NumText][]byte  // those texts
	zeros    []int32          // codes of columns that hold nothing but it
	spare    *Batch           // memory for the next columns
}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder {
	b := &Builder{room: minRows, labels: map[*Label]int32{}, notes: map[Notes]int32{}}
	for i := range b.dicts {
		keep := plainLabel
		if fields[int(FirstText)+i].Group == GroupInternal {
			keep = nil
		}
		b.dicts[i] = dict{keep: keep}
	}
	b.clear()
	return b
}

// SetDefault gives rows that do not set the label column c a text. It must be
// called while the builder is empty; empty text takes the default away.
func (b *Builder) SetDefault(c Column, text []byte) {
	b.defaults = b.defaults.Without(c)
	if len(text) > 0 {
		b.defaults = b.defaults.With(c)
	}
	b.texts[c-FirstText] = text
	b.clear()
}

// clear empties b. Room stays what it is.
func (b *Builder) clear() {
	b.n, b.used = 0, 0
	b.sets = b.sets[:0]
	b.num = [NumNumeric][]int64{}
	b.codes = [NumText][]int32{}
	b.ids = idColumn{}
	b.cleaned = [NumCleanings][NumColumns]int64{}
	clear(b.labels)
	clear(b.notes)
	for i := range b.dicts {
		b.dicts[i].clear()
	}
	for c := range b.defaults.All {
		b.dicts[c-FirstText].code(b.texts[c-FirstText])
	}
}

// Len returns the number of rows appended since the last Flush.
func (b *Builder) Len() int { return b.n }

// Full reports whether the batch has reached BatchRows.
func (b *Builder) Full() bool { return b.n >= BatchRows }

// Append cleans r and adds it. It changes r, and copies what it keeps.
func (b *Builder) Append(r *Row) {
	missing := b.defaults &^ r.set
	r.clean()
	i := b.n
	if i == b.room {
		b.grow(2 * b.room)
	}
	if fresh := r.set &^ b.used; fresh != 0 {
		b.open(fresh)
	}
	for m := r.set & numericMask; m != 0; m &= m - 1 {
		c := bits.TrailingZeros64(uint64(m)) % 64
		b.num[c][i] = r.num[c]
	}
	for m := r.set >> FirstText; m != 0; m &= m - 1 {
		c := bits.TrailingZeros64(uint64(m)) % 64
		if Column(c) == ColRequestID-FirstText {
			b.ids.set(i, r.text[c])
			continue
		}
		b.codes[c][i] = b.dicts[c].code(r.text[c])
	}
	set := r.set | missing
	if r.Label != nil {
		set |= b.setLabel(i, r.Label)
	}
	if !r.Notes.Empty() {
		set |= b.setNotes(i, &r.Notes)
	}
	b.sets = append(b.sets, set)
	b.n++
}

func (b *Builder) setLabel(i int, l *Label) Mask {
	code, ok := b.labels[l]
	if !ok {
		code = b.dicts[ColApprox-FirstText].code([]byte(l.text))
		b.labels[l] = code
	}
	return b.setCode(i, ColApprox, code)
}

func (b *Builder) setNotes(i int, notes *Notes) Mask {
	for k, m := range notes.Cleaned {
		for c := range m.All {
			b.cleaned[k][c]++
		}
	}
	code, ok := b.notes[*notes]
	if !ok {
		code = b.dicts[ColNotes-FirstText].code([]byte(notes.Text()))
		b.notes[*notes] = code
	}
	return b.setCode(i, ColNotes, code)
}

func (b *Builder) setCode(i int, c Column, code int32) Mask {
	if !b.used.Has(c) {
		b.open(MaskOf(c))
	}
	b.codes[c-FirstText][i] = code
	return MaskOf(c)
}

// open gives columns their room.
func (b *Builder) open(fresh Mask) {
	b.used |= fresh
	for c := range fresh.All {
		switch {
		case !c.IsText():
			b.num[c] = b.takeNumbers(c)
		case c == ColRequestID:
			b.ids = b.takeIDs()
		default:
			b.codes[c-FirstText] = b.takeCodes(c)
		}
	}
}

// grow makes room for more rows in every column that is used.
func (b *Builder) grow(room int) {
	b.room = room
	for c := range b.used.All {
		switch {
		case !c.IsText():
			b.num[c] = append(make([]int64, 0, room), b.num[c]...)[:room]
		case c != ColRequestID:
			b.codes[c-FirstText] = append(make([]int32, 0, room), b.codes[c-FirstText]...)[:room]
		}
	}
}

// Flush returns the rows appended so far as a batch and empties the builder.
func (b *Builder) Flush() *Batch {
	n := b.n
	batch := &Batch{n: n, cleaned: b.cleaned, owned: b.used}
	all := b.used
	if n > 0 {
		all |= b.defaults
	}
	valid := b.bitmaps(all)
	for c := range all.All {
		switch {
		case !c.IsText():
			batch.num[c] = Numbers{Values: b.num[c][:n], Valid: valid[c]}
		case c == ColRequestID:
			batch.id = b.ids.finish(n, valid[c])
		default:
			codes := b.codes[c-FirstText]
			if !b.used.Has(c) {
				codes = b.zeroCodes()
			}
			batch.text[c-FirstText] = Texts{Codes: codes[:n], Valid: valid[c], Values: b.dicts[c-FirstText].texts()}
		}
	}
	b.room = min(max(minRows, n+n/8), BatchRows)
	b.clear()
	return batch
}

// zeroCodes returns codes that are all 0 and shared by batches.
func (b *Builder) zeroCodes() []int32 {
	if len(b.zeros) < b.n {
		b.zeros = make([]int32, b.room)
	}
	return b.zeros
}

// bitmaps returns the validity of the columns of all, of 64 rows at a time.
func (b *Builder) bitmaps(all Mask) (valid [NumColumns]Bitmap) {
	words := (b.n + 63) / 64
	memory := make([]uint64, words*all.Len())
	for c := range all.All {
		valid[c], memory = memory[:words:words], memory[words:]
	}
	for w := range words {
		var block [64]uint64
		for k, m := range b.sets[w*64 : min(w*64+64, b.n)] {
			block[k] = uint64(m)
		}
		transpose(&block)
		for m := all; m != 0; m &= m - 1 {
			c := bits.TrailingZeros64(uint64(m))
			valid[c][w] = block[c]
		}
	}
	return valid
}

// idColumn keeps texts end to end.
type idColumn struct {
	offsets []int32 // one more than rows
	data    []byte
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
}

func (c *idColumn) finish(n int, valid Bitmap) IDs {
	for len(c.offsets) <= n {
		c.offsets = append(c.offsets, int32(len(c.data)))
	}
	return IDs{Offsets: c.offsets, Data: c.data, Valid: valid}
}
