package timeline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// SchemaVersion names the layout of [ArrowSchema]. A change that older readers
// cannot read needs a new one.
const SchemaVersion = "ttdiag.timeline/1"

// ErrSchema says that an Arrow record is not of this layout.
var ErrSchema = errors.New("not a " + SchemaVersion + " record")

// ArrowName returns the field name of c in Arrow records. Durations are whole
// microseconds there, and the name says so.
func ArrowName(c Column) string {
	switch {
	case c == ColVisibleOutputTPS:
		return "visible_output_tps_millionths"
	case c == ColTemperature:
		return "temperature_millionths"
	case c.IsDuration():
		return strings.TrimSuffix(c.String(), "_ms") + "_us"
	}
	return c.String()
}

var dictionaryType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}

// ArrowType returns the Arrow type of c.
func ArrowType(c Column) arrow.DataType {
	switch c.Info().Kind {
	case KindTimestamp:
		return arrow.FixedWidthTypes.Timestamp_us
	case KindLabel:
		return dictionaryType
	case KindID:
		return arrow.BinaryTypes.String
	}
	return arrow.PrimitiveTypes.Int64
}

// ArrowSchema returns the schema of every batch: all columns, nullable, in
// schema order.
func ArrowSchema() *arrow.Schema {
	list := make([]arrow.Field, NumColumns)
	for i := range list {
		c := Column(i)
		list[i] = arrow.Field{Name: ArrowName(c), Type: ArrowType(c), Nullable: true}
	}
	meta := arrow.NewMetadata([]string{"schema"}, []string{SchemaVersion})
	return arrow.NewSchema(list, &meta)
}

// Record returns the batch as an Arrow record of [ArrowSchema]. It shares the
// batch's memory and lives in the Go heap, so Release is optional.
func (b *Batch) Record() arrow.Record {
	columns := make([]arrow.Array, NumColumns)
	for i := range columns {
		columns[i] = b.arrowColumn(Column(i))
	}
	return array.NewRecord(ArrowSchema(), columns, int64(b.n))
}

func (b *Batch) arrowColumn(c Column) arrow.Array {
	switch {
	case c == ColRequestID:
		return b.arrowIDs()
	case c.IsText():
		return arrowTexts(b.text[c-FirstText], b.n)
	}
	col := b.Numbers(c)
	if col.Values == nil {
		return array.MakeArrayOfNull(memory.DefaultAllocator, ArrowType(c), b.n)
	}
	values := memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(col.Values))
	data := array.NewData(ArrowType(c), b.n, []*memory.Buffer{validity(col.Valid), values}, nil, b.n-col.Valid.Count(), 0)
	return array.MakeFromData(data)
}

func (b *Batch) arrowIDs() arrow.Array {
	if b.id.Offsets == nil {
		return array.MakeArrayOfNull(memory.DefaultAllocator, arrow.BinaryTypes.String, b.n)
	}
	offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(b.id.Offsets))
	buffers := []*memory.Buffer{validity(b.id.Valid), offsets, memory.NewBufferBytes(b.id.Data)}
	return array.MakeFromData(array.NewData(arrow.BinaryTypes.String, b.n, buffers, nil, b.n-b.id.Valid.Count(), 0))
}

func arrowTexts(t Texts, n int) arrow.Array {
	builder := array.NewStringBuilder(memory.DefaultAllocator)
	builder.AppendValues(t.Values, nil)
	dict := builder.NewArray()
	codes, valid := t.Codes, t.Valid
	if codes == nil {
		codes, valid = make([]int32, n), NewBitmap(n)
	}
	indices := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(codes))
	data := array.NewDataWithDictionary(dictionaryType, n, []*memory.Buffer{validity(valid), indices},
		n-valid.Count(), 0, dict.Data().(*array.Data))
	return array.NewDictionaryData(data)
}

func validity(b Bitmap) *memory.Buffer {
	return memory.NewBufferBytes(arrow.Uint64Traits.CastToBytes(b))
}

// FromRecord copies an Arrow record of [ArrowSchema] into a batch, whatever its
// offsets: validity moves to bit 0 and values under nulls become 0. Columns that
// the record lacks are absent. It returns ErrSchema, wrapped with the field's
// name, where a field is of another type.
func FromRecord(rec arrow.Record) (*Batch, error) {
	b := &Batch{n: int(rec.NumRows())}
	for i, field := range rec.Schema().Fields() {
		c, ok := arrowColumnNamed(field.Name)
		if !ok {
			continue
		}
		if !arrow.TypeEqual(field.Type, ArrowType(c)) {
			return nil, fmt.Errorf("field %d (%s): %w", i, c, ErrSchema)
		}
		b.take(c, rec.Column(i))
	}
	b.countCleaned()
	return b, nil
}

func arrowColumnNamed(name string) (Column, bool) {
	for c := range Column(NumColumns) {
		if ArrowName(c) == name {
			return c, true
		}
	}
	return 0, false
}

func (b *Batch) take(c Column, col arrow.Array) {
	if col.NullN() == col.Len() {
		return
	}
	valid := NewBitmap(col.Len())
	for i := range col.Len() {
		if col.IsValid(i) {
			valid.Set(i)
		}
	}
	switch a := col.(type) {
	case *array.Int64:
		b.num[c] = numbersOf(a.Int64Values(), valid)
	case *array.Timestamp:
		b.num[c] = numbersOf(arrow.Int64Traits.CastFromBytes(arrow.TimestampTraits.CastToBytes(a.TimestampValues())), valid)
	case *array.String:
		b.id = idsOf(a, valid)
	case *array.Dictionary:
		b.text[c-FirstText] = textsOf(a, valid)
	}
}

func numbersOf(values []int64, valid Bitmap) Numbers {
	out := make([]int64, len(values))
	for i := range valid.All {
		out[i] = values[i]
	}
	return Numbers{Values: out, Valid: valid}
}

func idsOf(a *array.String, valid Bitmap) IDs {
	var col idColumn
	for i := range valid.All {
		col.set(i, []byte(a.Value(i)))
	}
	return col.finish(a.Len(), valid)
}

func textsOf(a *array.Dictionary, valid Bitmap) Texts {
	dict := a.Dictionary().(*array.String)
	t := Texts{Codes: make([]int32, a.Len()), Valid: valid, Values: make([]string, dict.Len())}
	for k := range t.Values {
		t.Values[k] = strings.Clone(dict.Value(k))
	}
	for i := range valid.All {
		t.Codes[i] = int32(a.GetValueIndex(i))
	}
	return t
}

// countCleaned counts the cleanings from the notes.
func (b *Batch) countCleaned() {
	t := b.text[ColNotes-FirstText]
	counts := make([]int64, len(t.Values))
	for i := range t.Valid.All {
		counts[t.Codes[i]]++
	}
	for k, text := range t.Values {
		for why, m := range ParseNotes(text).Cleaned {
			for c := range m.All {
				b.cleaned[why][c] += counts[k]
			}
		}
	}
}
