package store

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ttdiag/ingest/timeline"
)

// packing says how the values of one numeric column of one segment are kept.
type packing struct {
	base, scale int64
	bits        int // 8, 16, 32, or 64 for values as they are
}

// packingOf returns the narrowest packing of the valid values.
func packingOf(col timeline.Numbers) packing {
	lo, hi, thousands := int64(math.MaxInt64), int64(math.MinInt64), true
	take := func(v int64) {
		lo, hi = min(lo, v), max(hi, v)
		thousands = thousands && v%1000 == 0
	}
	for k, word := range col.Valid {
		values := col.Values[k<<6 : min(k<<6+64, len(col.Values))]
		if bits.OnesCount64(word) == len(values) {
			for _, v := range values {
				take(v)
			}
			continue
		}
		for ; word != 0; word &= word - 1 {
			take(values[bits.TrailingZeros64(word)])
		}
	}
	if lo < 0 {
		return packing{scale: 1, bits: 64}
	}
	p := packing{base: lo, scale: 1, bits: 64}
	if thousands {
		p.scale = 1000
	}
	for _, bits := range []int{8, 16, 32} {
		if (hi-lo)/p.scale < 1<<bits {
			p.bits = bits
			return p
		}
	}
	return packing{scale: 1, bits: 64}
}

var unsigned = map[int]arrow.DataType{
	8: arrow.PrimitiveTypes.Uint8, 16: arrow.PrimitiveTypes.Uint16, 32: arrow.PrimitiveTypes.Uint32,
	64: arrow.PrimitiveTypes.Int64,
}

func (p packing) field(c timeline.Column) arrow.Field {
	meta := arrow.NewMetadata([]string{"base", "scale"},
		[]string{strconv.FormatInt(p.base, 10), strconv.FormatInt(p.scale, 10)})
	return arrow.Field{Name: c.String(), Type: unsigned[p.bits], Nullable: true, Metadata: meta}
}

// packed returns the column as an Arrow array.
func (p packing) packed(col timeline.Numbers, n int, s *scratch) arrow.Array {
	var values *memory.Buffer
	switch p.bits {
	case 8:
		values = memory.NewBufferBytes(pack(p, col, s.bytes(n)))
	case 16:
		values = memory.NewBufferBytes(arrow.Uint16Traits.CastToBytes(pack(p, col, arrow.Uint16Traits.CastFromBytes(s.bytes(2*n)))))
	case 32:
		values = memory.NewBufferBytes(arrow.Uint32Traits.CastToBytes(pack(p, col, arrow.Uint32Traits.CastFromBytes(s.bytes(4*n)))))
	default:
		values = memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(col.Values))
	}
	return arrayOf(unsigned[p.bits], n, col.Valid, values)
}

// pack fills out, one for each value.
func pack[U uint8 | uint16 | uint32](p packing, col timeline.Numbers, out []U) []U {
	clear(out[len(col.Values):])
	switch {
	case p.scale == 1:
		for i, v := range col.Values {
			out[i] = U(v - p.base) // of values under nulls too, which mean nothing
		}
	default:
		for i, v := range col.Values {
			out[i] = U(uint64(v-p.base) / 1000)
		}
	}
	return out
}

func arrayOf(t arrow.DataType, n int, valid timeline.Bitmap, buffers ...*memory.Buffer) arrow.Array {
	nulls := n - valid.Count()
	all := append([]*memory.Buffer{nil}, buffers...)
	if nulls > 0 {
		all[0] = memory.NewBufferBytes(arrow.Uint64Traits.CastToBytes(valid))
	}
	return array.MakeFromData(array.NewData(t, n, all, nil, nulls, 0))
}

// unpack is the inverse of packed.
func unpack(field arrow.Field, col arrow.Array) (timeline.Numbers, error) {
	base, err1 := metaInt(field, "base")
	scale, err2 := metaInt(field, "scale")
	if err1 != nil || err2 != nil {
		return timeline.Numbers{}, fmt.Errorf("field %s: %w", field.Name, ErrDamaged)
	}
	out := timeline.Numbers{Values: make([]int64, col.Len()), Valid: validOf(col)}
	switch a := col.(type) {
	case *array.Uint8:
		unpackInto(out, a.Uint8Values(), base, scale)
	case *array.Uint16:
		unpackInto(out, a.Uint16Values(), base, scale)
	case *array.Uint32:
		unpackInto(out, a.Uint32Values(), base, scale)
	case *array.Int64:
		unpackInto(out, a.Int64Values(), 0, 1)
	default:
		return out, fmt.Errorf("field %s: %w", field.Name, ErrDamaged)
	}
	return out, nil
}

func unpackInto[U uint8 | uint16 | uint32 | int64](out timeline.Numbers, values []U, base, scale int64) {
	for k, word := range out.Valid {
		to, from := out.Values[k<<6:min(k<<6+64, len(out.Values))], values[k<<6:]
		if bits.OnesCount64(word) == len(to) {
			for i := range to {
				to[i] = base + int64(from[i])*scale
			}
			continue
		}
		for ; word != 0; word &= word - 1 {
			i := bits.TrailingZeros64(word)
			to[i] = base + int64(from[i])*scale
		}
	}
}

func metaInt(field arrow.Field, key string) (int64, error) {
	text, _ := field.Metadata.GetValue(key)
	return strconv.ParseInt(text, 10, 64)
}

// validOf returns a copy of the validity, which starts at the first bit of its
// bytes: a segment is read whole.
func validOf(col arrow.Array) timeline.Bitmap {
	n := col.Len()
	valid := timeline.NewBitmap(n)
	bits := col.NullBitmapBytes()
	if col.NullN() == 0 || len(bits) == 0 {
		for k := range valid {
			valid[k] = ^uint64(0)
		}
	} else {
		copy(arrow.Uint64Traits.CastToBytes(valid), bits)
	}
	if rest := n & 63; rest != 0 {
		valid[n>>6] &= 1<<rest - 1
	}
	return valid
}

// record returns the batch as an Arrow record of its own schema, which lives until
// the batch changes or s is reset.
func record(b *timeline.Batch, s *scratch) arrow.Record {
	var fields []arrow.Field
	var columns []arrow.Array
	for c := range b.Present().All {
		switch {
		case c == timeline.ColRequestID:
			fields = append(fields, arrow.Field{Name: c.String(), Type: arrow.BinaryTypes.String, Nullable: true})
			columns = append(columns, idArray(b.RequestIDs(), b.Len()))
		case c.IsText():
			t := dictionaryType(len(b.Texts(c).Values))
			fields = append(fields, arrow.Field{Name: c.String(), Type: t, Nullable: true})
			columns = append(columns, textArray(t, b.Texts(c), b.Len(), s))
		default:
			col := b.Numbers(c)
			p := packingOf(col)
			fields = append(fields, p.field(c))
			columns = append(columns, p.packed(col, b.Len(), s))
		}
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), columns, int64(b.Len()))
}

func idArray(ids timeline.IDs, n int) arrow.Array {
	return arrayOf(arrow.BinaryTypes.String, n, ids.Valid,
		memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(ids.Offsets)), memory.NewBufferBytes(ids.Data))
}

func dictionaryType(values int) *arrow.DictionaryType {
	t := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	switch {
	case values <= math.MaxInt8:
		t.IndexType = arrow.PrimitiveTypes.Int8
	case values <= math.MaxInt16:
		t.IndexType = arrow.PrimitiveTypes.Int16
	}
	return t
}

func textArray(t *arrow.DictionaryType, col timeline.Texts, n int, s *scratch) arrow.Array {
	builder := array.NewStringBuilder(memory.DefaultAllocator)
	builder.AppendValues(col.Values, nil)
	dict := builder.NewArray()
	indices := arrow.Int32Traits.CastToBytes(col.Codes)
	switch t.IndexType {
	case arrow.PrimitiveTypes.Int8:
		indices = arrow.Int8Traits.CastToBytes(narrowed(col.Codes, arrow.Int8Traits.CastFromBytes(s.bytes(n))))
	case arrow.PrimitiveTypes.Int16:
		indices = arrow.Int16Traits.CastToBytes(narrowed(col.Codes, arrow.Int16Traits.CastFromBytes(s.bytes(2*n))))
	}
	nulls := n - col.Valid.Count()
	buffers := []*memory.Buffer{memory.NewBufferBytes(arrow.Uint64Traits.CastToBytes(col.Valid)), memory.NewBufferBytes(indices)}
	return array.NewDictionaryData(array.NewDataWithDictionary(t, n, buffers, nulls, 0, dict.Data().(*array.Data)))
}

// narrowed fills out, one for each code.
func narrowed[I int8 | int16](codes []int32, out []I) []I {
	clear(out[len(codes):])
	for i, c := range codes {
		out[i] = I(c)
	}
	return out
}

// batchOf is the inverse of record. Fields that this version does not know are
// passed over: a newer one wrote them.
func batchOf(rec arrow.Record) (*timeline.Batch, error) {
	cols := timeline.Columns{N: int(rec.NumRows())}
	for i, field := range rec.Schema().Fields() {
		c, ok := timeline.ColumnNamed(field.Name)
		if !ok {
			continue
		}
		if err := takeColumn(&cols, c, field, rec.Column(i)); err != nil {
			return nil, err
		}
	}
	return cols.Batch(), nil
}

func takeColumn(cols *timeline.Columns, c timeline.Column, field arrow.Field, col arrow.Array) error {
	switch a := col.(type) {
	case *array.String:
		if c != timeline.ColRequestID {
			return fmt.Errorf("field %s: %w", c, ErrDamaged)
		}
		ids, err := idsOf(a)
		cols.ID = ids
		return err
	case *array.Dictionary:
		if !c.IsText() || c == timeline.ColRequestID {
			return fmt.Errorf("field %s: %w", c, ErrDamaged)
		}
		texts, err := textsOf(a)
		cols.Text[c-timeline.FirstText] = texts
		return err
	}
	if c.IsText() {
		return fmt.Errorf("field %s: %w", c, ErrDamaged)
	}
	numbers, err := unpack(field, col)
	cols.Num[c] = numbers
	return err
}

func idsOf(a *array.String) (timeline.IDs, error) {
	ids := timeline.IDs{Offsets: make([]int32, 1, a.Len()+1), Valid: validOf(a)}
	if a.Len() == 0 {
		return ids, nil
	}
	offsets := a.ValueOffsets()
	data := a.ValueBytes() // from the first offset on
	for _, o := range offsets[1:] {
		at := o - offsets[0]
		if last := ids.Offsets[len(ids.Offsets)-1]; at < last || int(at) > len(data) {
			return ids, ErrDamaged
		}
		ids.Offsets = append(ids.Offsets, at)
	}
	ids.Data = append(ids.Data, data...)
	return ids, nil
}

func textsOf(a *array.Dictionary) (timeline.Texts, error) {
	dict, ok := a.Dictionary().(*array.String)
	if !ok {
		return timeline.Texts{}, ErrDamaged
	}
	t := timeline.Texts{Codes: make([]int32, a.Len()), Valid: validOf(a), Values: make([]string, dict.Len())}
	for k := range t.Values {
		t.Values[k] = strings.Clone(dict.Value(k))
	}
	switch codes := a.Indices().(type) {
	case *array.Int8:
		widened(t.Codes, codes.Int8Values())
	case *array.Int16:
		widened(t.Codes, codes.Int16Values())
	case *array.Int32:
		copy(t.Codes, codes.Int32Values())
	default:
		return timeline.Texts{}, ErrDamaged
	}
	for i, code := range t.Codes {
		switch {
		case !t.Valid.Has(i):
			t.Codes[i] = 0
		case code < 0 || int(code) >= len(t.Values):
			return timeline.Texts{}, ErrDamaged
		}
	}
	return t, nil
}

func widened[I int8 | int16](to []int32, codes []I) {
	for i, c := range codes {
		to[i] = int32(c)
	}
}
