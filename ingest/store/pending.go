package store

import "ttdiag/ingest/timeline"

// pending collects small batches into a full segment.
type pending struct {
	cols  timeline.Columns
	codes [timeline.NumText]map[string]int32
}

func (p *pending) full(more int) bool { return p.cols.N > 0 && p.cols.N+more > timeline.BatchRows }

// take returns the rows so far as a batch, which is valid until the next add,
// and empties p. Memory is kept for the next segment.
func (p *pending) take() *timeline.Batch {
	n := p.cols.N
	for c := range p.cols.Num {
		if col := &p.cols.Num[c]; len(col.Values) > 0 {
			*col = timeline.Numbers{Values: extend(col.Values, n), Valid: extendBits(col.Valid, n)}
		}
	}
	for c := range p.cols.Text {
		if col := &p.cols.Text[c]; len(col.Codes) > 0 {
			col.Codes, col.Valid = extend(col.Codes, n), extendBits(col.Valid, n)
		}
	}
	if id := &p.cols.ID; len(id.Offsets) > 0 {
		id.Offsets, id.Valid = extendOffsets(id.Offsets, n), extendBits(id.Valid, n)
	}
	out := p.cols
	p.empty()
	return withoutEmpty(out)
}

// withoutEmpty returns the columns as a batch, those without rows as absent.
func withoutEmpty(cols timeline.Columns) *timeline.Batch {
	for c := range cols.Num {
		if len(cols.Num[c].Values) == 0 {
			cols.Num[c] = timeline.Numbers{}
		}
	}
	for c := range cols.Text {
		if len(cols.Text[c].Codes) == 0 {
			cols.Text[c] = timeline.Texts{}
		}
	}
	if len(cols.ID.Offsets) == 0 {
		cols.ID = timeline.IDs{}
	}
	return cols.Batch()
}

func (p *pending) empty() {
	p.cols.N = 0
	for c := range p.cols.Num {
		col := &p.cols.Num[c]
		col.Values, col.Valid = col.Values[:0], col.Valid[:0]
	}
	for c := range p.cols.Text {
		col := &p.cols.Text[c]
		col.Codes, col.Valid, col.Values = col.Codes[:0], col.Valid[:0], nil
		p.codes[c] = nil
	}
	id := &p.cols.ID
	id.Offsets, id.Data, id.Valid = id.Offsets[:0], id.Data[:0], id.Valid[:0]
}

// add appends all rows of b.
func (p *pending) add(b *timeline.Batch) {
	from := p.cols.N
	for c := range b.Present().All {
		switch {
		case c == timeline.ColRequestID:
			p.addIDs(from, b.RequestIDs())
		case c.IsText():
			p.addTexts(from, c, b.Texts(c))
		default:
			col := &p.cols.Num[c]
			src := b.Numbers(c)
			col.Values = append(extend(col.Values, from), src.Values...)
			col.Valid = appendBits(col.Valid, from, src.Valid, b.Len())
		}
	}
	p.cols.N += b.Len()
}

func (p *pending) addTexts(from int, c timeline.Column, src timeline.Texts) {
	k := c - timeline.FirstText
	col := &p.cols.Text[k]
	if p.codes[k] == nil {
		p.codes[k] = map[string]int32{}
	}
	moved := make([]int32, len(src.Values))
	for i, v := range src.Values {
		code, ok := p.codes[k][v]
		if !ok {
			code = int32(len(col.Values))
			p.codes[k][v] = code
			col.Values = append(col.Values, v)
		}
		moved[i] = code
	}
	col.Codes = extend(col.Codes, from)
	for _, code := range src.Codes { // codes under nulls are 0 and mean nothing
		col.Codes = append(col.Codes, moved[code])
	}
	col.Valid = appendBits(col.Valid, from, src.Valid, len(src.Codes))
}

func (p *pending) addIDs(from int, src timeline.IDs) {
	id := &p.cols.ID
	id.Offsets = extendOffsets(id.Offsets, from)
	base := int32(len(id.Data))
	id.Data = append(id.Data, src.Data...)
	for _, o := range src.Offsets[1:] {
		id.Offsets = append(id.Offsets, base+o)
	}
	id.Valid = appendBits(id.Valid, from, src.Valid, len(src.Offsets)-1)
}

func extend[T int32 | int64](values []T, n int) []T {
	if values == nil {
		values = make([]T, 0, timeline.BatchRows)
	}
	for len(values) < n {
		values = append(values, 0)
	}
	return values
}

// extendOffsets makes the offsets of n rows, those missing being empty.
func extendOffsets(offsets []int32, n int) []int32 {
	if len(offsets) == 0 {
		offsets = append(offsets, 0)
	}
	last := offsets[len(offsets)-1]
	for len(offsets) <= n {
		offsets = append(offsets, last)
	}
	return offsets
}

func extendBits(b timeline.Bitmap, n int) timeline.Bitmap {
	for len(b) < (n+63)/64 {
		b = append(b, 0)
	}
	return b
}

// appendBits appends the first n bits of src behind the first from bits of b.
func appendBits(b timeline.Bitmap, from int, src timeline.Bitmap, n int) timeline.Bitmap {
	b = extendBits(b, from+n)
	shift := from & 63
	for k, w := range src {
		at := from>>6 + k
		if w == 0 || at >= len(b) {
			continue
		}
		b[at] |= w << shift
		if shift > 0 && at+1 < len(b) {
			b[at+1] |= w >> (64 - shift)
		}
	}
	return b
}
