package parquet

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"unicode/utf8"
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

// Writer writes a flat Parquet file row by row: version 1 pages of about a
// mebibyte, zstd, PLAIN values, dictionaries for text that repeats, statistics.
// It holds one row group in memory. The same rows give the same bytes.
type Writer struct {
	pages   *pageWriter
	footer  footerWriter
	columns []columnBuffer
	rows    int // in the row group being filled
	limit   int
	err     error
}

// maxCell is the longest text of a cell: well under what the reader takes for
// a page.
const maxCell = 64 << 20

var errClosed = errors.New("writer is closed")

// NewWriter begins a file. Column names must be different and not empty. The
// caller closes w after [Writer.Close].
func NewWriter(w io.Writer, columns []ColumnSpec, opt WriterOptions) (*Writer, error) {
	if err := checkSpecs(columns); err != nil {
		return nil, err
	}
	pages, err := newPageWriter(w)
	if err != nil {
		return nil, err
	}
	if err := pages.write(magic); err != nil {
		return nil, err
	}
	opt.Metadata = maps.Clone(opt.Metadata)
	wr := &Writer{pages: pages, columns: make([]columnBuffer, len(columns)), limit: opt.GroupRows}
	wr.footer = footerWriter{columns: append([]ColumnSpec{}, columns...), options: opt}
	if wr.limit <= 0 {
		wr.limit = 122_880
	}
	for i, c := range columns {
		wr.columns[i].typ = c.Type
		wr.columns[i].reset()
	}
	return wr, nil
}

func checkSpecs(columns []ColumnSpec) error {
	if len(columns) == 0 {
		return errors.New("no columns to write")
	}
	seen := map[string]bool{}
	for i, c := range columns {
		if c.Name == "" || seen[c.Name] {
			return fmt.Errorf("column %d: name %q is empty or used twice", i, c.Name)
		}
		seen[c.Name] = true
	}
	return nil
}

// cell marks the column's cell of this row as present. Filling a cell twice or
// with another type is a bug of the caller. After an error there is no cell.
func (w *Writer) cell(column int, ok bool) (c *columnBuffer, use bool) {
	c = &w.columns[column]
	if w.err != nil {
		return c, false
	}
	if !ok || len(c.levels) > w.rows {
		panic(fmt.Sprintf("parquet: column %d: cell of another type or filled twice", column))
	}
	c.present(w.rows)
	return c, true
}

// Int fills the current row's cell of a WriteInt or WriteTimestamp column.
func (w *Writer) Int(column int, v int64) {
	t := w.columns[column].typ
	if c, ok := w.cell(column, t == WriteInt || t == WriteTimestamp); ok {
		c.addInt(v)
	}
}

// Float fills the current row's cell of a WriteFloat column.
func (w *Writer) Float(column int, v float64) {
	if c, ok := w.cell(column, w.columns[column].typ == WriteFloat); ok {
		c.addFloat(v)
	}
}

// Bool fills the current row's cell of a WriteBool column.
func (w *Writer) Bool(column int, v bool) {
	if c, ok := w.cell(column, w.columns[column].typ == WriteBool); ok {
		c.addBool(v)
	}
}

// Text fills the current row's cell of a WriteText column. Bytes that are not
// UTF-8 become U+FFFD: other readers refuse the whole file for one of them. A
// text of more than 64 MiB is an error of EndRow.
func (w *Writer) Text(column int, v string) {
	c, ok := w.cell(column, w.columns[column].typ == WriteText)
	if !ok {
		return
	}
	if !utf8.ValidString(v) {
		v = strings.ToValidUTF8(v, "\ufffd")
	}
	if len(v) > maxCell {
		w.err = fmt.Errorf("column %q: text of %d bytes, at most %d", w.footer.columns[column].Name, len(v), maxCell)
		return
	}
	c.text.add(v)
}

// EndRow ends the row; cells not filled are null.
func (w *Writer) EndRow() error {
	if w.err != nil {
		return w.err
	}
	w.rows++
	if w.rows == w.limit {
		w.err = w.flush()
	}
	return w.err
}

// flush writes the row group and empties the buffers.
func (w *Writer) flush() error {
	w.footer.beginGroup(w.pages.offset)
	for i := range w.columns {
		c := &w.columns[i]
		c.finish(w.rows)
		chunk, err := w.pages.chunk(c)
		if err != nil {
			return err
		}
		w.footer.chunk(i, c, chunk)
		c.reset()
	}
	w.footer.endGroup(w.rows)
	w.rows = 0
	return nil
}

// Close writes what is left and the footer. A row not ended is not written.
func (w *Writer) Close() error {
	if w.err == nil && w.rows > 0 {
		w.err = w.flush()
	}
	if w.err != nil {
		return w.err
	}
	w.err = errClosed
	return w.pages.write(w.footer.tail())
}
