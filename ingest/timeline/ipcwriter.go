package timeline

import (
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// IPCWriter writes batches as Arrow IPC for other programs: a file where it can
// seek, else a stream. Columns are those of the schema under their own names,
// durations in milliseconds as float64, labels as plain strings: one dictionary
// for all batches of a file would have to be known before the first.
type IPCWriter struct {
	out    io.Writer
	schema *arrow.Schema
	writer recordWriter
}

type recordWriter interface {
	Write(arrow.Record) error
	Close() error
}

// NewIPCWriter returns a writer to w.
func NewIPCWriter(w io.Writer) *IPCWriter {
	list := make([]arrow.Field, NumColumns)
	for i := range list {
		c := Column(i)
		list[i] = arrow.Field{Name: c.String(), Type: plainType(c), Nullable: true}
	}
	meta := arrow.NewMetadata([]string{"schema"}, []string{RecordSchema})
	return &IPCWriter{out: w, schema: arrow.NewSchema(list, &meta)}
}

func plainType(c Column) arrow.DataType {
	switch fields[c].Kind {
	case KindTimestamp:
		return arrow.FixedWidthTypes.Timestamp_us
	case KindFlag:
		return arrow.FixedWidthTypes.Boolean
	case KindCount:
		return arrow.PrimitiveTypes.Int64
	case KindLabel, KindID:
		return arrow.BinaryTypes.String
	}
	return arrow.PrimitiveTypes.Float64
}

// open begins the file.
func (w *IPCWriter) open() (err error) {
	if w.writer != nil {
		return nil
	}
	if file, ok := w.out.(io.WriteSeeker); ok {
		w.writer, err = ipc.NewFileWriter(file, ipc.WithSchema(w.schema))
		if err != nil {
			return fmt.Errorf("begin Arrow file: %w", err)
		}
		return nil
	}
	w.writer = ipc.NewWriter(w.out, ipc.WithSchema(w.schema))
	return nil
}

// Write writes a batch.
func (w *IPCWriter) Write(b *Batch) error {
	if err := w.open(); err != nil {
		return err
	}
	columns := make([]arrow.Array, NumColumns)
	for i := range columns {
		columns[i] = b.plainColumn(Column(i))
	}
	return w.writer.Write(array.NewRecord(w.schema, columns, int64(b.n)))
}

// Close ends the file. It does not close what it is written to.
func (w *IPCWriter) Close() error {
	if err := w.open(); err != nil {
		return err
	}
	return w.writer.Close()
}

func (b *Batch) plainColumn(c Column) arrow.Array {
	typ := plainType(c)
	if !b.Present().Has(c) {
		return array.MakeArrayOfNull(memory.DefaultAllocator, typ, b.n)
	}
	if c.IsText() {
		return b.plainTexts(c)
	}
	col := b.Numbers(c)
	switch typ.ID() {
	case arrow.FLOAT64:
		values := make([]float64, b.n)
		for i := range col.Valid.All {
			values[i] = Plain(c, col.Values[i])
		}
		return b.fixed(typ, col.Valid, memory.NewBufferBytes(arrow.Float64Traits.CastToBytes(values)))
	case arrow.BOOL:
		bits := NewBitmap(b.n)
		for i := range col.Valid.All {
			if col.Values[i] != 0 {
				bits.Set(i)
			}
		}
		return b.fixed(typ, col.Valid, validity(bits))
	}
	return b.fixed(typ, col.Valid, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(col.Values)))
}

func (b *Batch) fixed(typ arrow.DataType, valid Bitmap, values *memory.Buffer) arrow.Array {
	buffers := []*memory.Buffer{validity(valid), values}
	return array.MakeFromData(array.NewData(typ, b.n, buffers, nil, b.n-valid.Count(), 0))
}

func (b *Batch) plainTexts(c Column) arrow.Array {
	texts := array.NewStringBuilder(memory.DefaultAllocator)
	texts.Reserve(b.n)
	for i := range b.n {
		if b.Has(c, i) {
			texts.Append(b.Text(c, i))
		} else {
			texts.AppendNull()
		}
	}
	return texts.NewArray()
}
