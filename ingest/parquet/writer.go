package parquet

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	arrow "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// WriteType is the type of a column that is written. All columns may be null.
type WriteType uint8

const (
	WriteInt       WriteType = iota // INT64
	WriteFloat                      // DOUBLE
	WriteBool                       // BOOLEAN
	WriteText                       // BYTE_ARRAY, UTF-8
	WriteTimestamp                  // INT64, microseconds since the epoch, UTC
)

// ColumnSpec is a column to be written.
type ColumnSpec struct {
	Name string
	Type WriteType
}

// WriterOptions is what a file says besides its columns; the zero value is
// fine.
type WriterOptions struct {
	// GroupRows is the length of a row group: 122,880 if 0.
	GroupRows int
	// Metadata are keys and values of the footer.
	Metadata map[string]string
	// CreatedBy names the program.
	CreatedBy string
}

// Writer writes a flat Parquet file row by row: version 1 pages, zstd, PLAIN
// values, dictionaries for text that repeats, statistics. It holds one row
// group in memory. The same rows give the same bytes.
type Writer struct {
	out     *file.Writer
	columns []columnBuffer
	rows    int // in the row group being filled
	limit   int
	err     error
}

// columnBuffer holds the cells of the row group being filled: a level per row
// (1 is present) and the present values.
type columnBuffer struct {
	typ    WriteType
	levels []int16
	ints   []int64
	floats []float64
	bools  []bool
	text   []byte
	ends   []int
	slices []arrow.ByteArray
}

// NewWriter begins a file. Column names must be different and not empty. The
// caller closes w after [Writer.Close].
func NewWriter(w io.Writer, columns []ColumnSpec, opt WriterOptions) (*Writer, error) {
	root, err := writeSchema(columns)
	if err != nil {
		return nil, err
	}
	props := []arrow.WriterProperty{arrow.WithCompression(compress.Codecs.Zstd), arrow.WithStats(true),
		arrow.WithDataPageVersion(arrow.DataPageV1), arrow.WithVersion(arrow.V2_6), arrow.WithDictionaryDefault(false)}
	for _, c := range columns {
		if c.Type == WriteText { // durations hardly repeat, and numbers compress well
			props = append(props, arrow.WithDictionaryPath(arrow.ColumnPath{c.Name}, true))
		}
	}
	if opt.CreatedBy != "" {
		props = append(props, arrow.WithCreatedBy(opt.CreatedBy))
	}
	kv := metadata.NewKeyValueMetadata()
	for _, key := range slices.Sorted(maps.Keys(opt.Metadata)) {
		if err := kv.Append(key, opt.Metadata[key]); err != nil {
			return nil, fmt.Errorf("metadata: %w", err)
		}
	}
	onlyWrite := struct{ io.Writer }{w} // arrow-go closes what can be closed
	out, err := file.NewParquetWriterWithError(onlyWrite, root,
		file.WithWriterProps(arrow.NewWriterProperties(props...)), file.WithWriteMetadata(kv))
	if err != nil {
		return nil, err
	}
	wr := &Writer{out: out, columns: make([]columnBuffer, len(columns)), limit: opt.GroupRows}
	if wr.limit <= 0 {
		wr.limit = 122_880
	}
	for i, c := range columns {
		wr.columns[i].typ = c.Type
	}
	return wr, nil
}

func writeSchema(columns []ColumnSpec) (*schema.GroupNode, error) {
	if len(columns) == 0 {
		return nil, errors.New("no columns to write")
	}
	seen := map[string]bool{}
	fields := make(schema.FieldList, len(columns))
	for i, c := range columns {
		if c.Name == "" || seen[c.Name] {
			return nil, fmt.Errorf("column %d: name %q is empty or used twice", i, c.Name)
		}
		seen[c.Name] = true
		var logical schema.LogicalType = schema.NoLogicalType{}
		physical := arrow.Types.Int64
		switch c.Type {
		case WriteFloat:
			physical = arrow.Types.Double
		case WriteBool:
			physical = arrow.Types.Boolean
		case WriteText:
			physical, logical = arrow.Types.ByteArray, schema.StringLogicalType{}
		case WriteTimestamp:
			logical = schema.NewTimestampLogicalType(true, schema.TimeUnitMicros)
		}
		node, err := schema.NewPrimitiveNodeLogical(c.Name, arrow.Repetitions.Optional, logical, physical, -1, -1)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		fields[i] = node
	}
	return schema.NewGroupNode("schema", arrow.Repetitions.Required, fields, -1)
}

// cell marks the column's cell of this row as present. Filling a cell twice or
// with another type is a bug of the caller.
func (w *Writer) cell(column int, ok bool) *columnBuffer {
	c := &w.columns[column]
	if !ok || len(c.levels) > w.rows {
		panic(fmt.Sprintf("parquet: column %d: cell of another type or filled twice", column))
	}
	c.levels = append(c.levels, 1)
	return c
}

// Int fills the current row's cell of a WriteInt or WriteTimestamp column.
func (w *Writer) Int(column int, v int64) {
	t := w.columns[column].typ
	c := w.cell(column, t == WriteInt || t == WriteTimestamp)
	c.ints = append(c.ints, v)
}

// Float fills the current row's cell of a WriteFloat column.
func (w *Writer) Float(column int, v float64) {
	c := w.cell(column, w.columns[column].typ == WriteFloat)
	c.floats = append(c.floats, v)
}

// Bool fills the current row's cell of a WriteBool column.
func (w *Writer) Bool(column int, v bool) {
	c := w.cell(column, w.columns[column].typ == WriteBool)
	c.bools = append(c.bools, v)
}

// Text fills the current row's cell of a WriteText column. Bytes that are not
// UTF-8 become U+FFFD: other readers refuse the whole file for one of them.
func (w *Writer) Text(column int, v string) {
	c := w.cell(column, w.columns[column].typ == WriteText)
	c.text = append(c.text, strings.ToValidUTF8(v, "\ufffd")...)
	c.ends = append(c.ends, len(c.text))
}

// EndRow ends the row; cells not filled are null.
func (w *Writer) EndRow() error {
	if w.err != nil {
		return w.err
	}
	w.rows++
	for i := range w.columns {
		if c := &w.columns[i]; len(c.levels) < w.rows {
			c.levels = append(c.levels, 0)
		}
	}
	if w.rows == w.limit {
		w.err = w.flush()
	}
	return w.err
}

// flush writes the row group.
func (w *Writer) flush() error {
	group, err := w.out.AppendRowGroupChecked()
	if err != nil {
		return err
	}
	for i := range w.columns {
		chunk, err := group.NextColumn()
		if err != nil {
			return err
		}
		if err := w.columns[i].write(chunk); err != nil {
			return err
		}
		if err := chunk.Close(); err != nil {
			return err
		}
	}
	w.rows = 0
	return group.Close()
}

// write writes one column chunk and empties the buffer.
func (c *columnBuffer) write(chunk file.ColumnChunkWriter) (err error) {
	switch out := chunk.(type) {
	case *file.Int64ColumnChunkWriter:
		_, err = out.WriteBatch(c.ints, c.levels, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = out.WriteBatch(c.floats, c.levels, nil)
	case *file.BooleanColumnChunkWriter:
		_, err = out.WriteBatch(c.bools, c.levels, nil)
	case *file.ByteArrayColumnChunkWriter:
		start := 0
		for _, end := range c.ends {
			c.slices = append(c.slices, arrow.ByteArray(c.text[start:end:end]))
			start = end
		}
		_, err = out.WriteBatch(c.slices, c.levels, nil)
	default:
		err = fmt.Errorf("no writer for %T", chunk)
	}
	c.levels, c.ints, c.floats, c.bools = c.levels[:0], c.ints[:0], c.floats[:0], c.bools[:0]
	c.text, c.ends, c.slices = c.text[:0], c.ends[:0], c.slices[:0]
	return err
}

// Close writes what is left and the footer. A row not ended is not written.
func (w *Writer) Close() error {
	if w.err == nil && w.rows > 0 {
		w.err = w.flush()
	}
	if w.err != nil {
		return w.err
	}
	w.err = errors.New("writer is closed")
	return w.out.Close()
}
