package document

import (
	"bytes"
	"io"

	"ttdiag/ingest/source"
)

// Rows reads CSV row by row: cells in quotes may hold commas, doubled quotes and
// line ends; the line ends of rows are LF or CRLF. Cells that a caller does not
// ask for are skipped as they stream by.
type Rows struct {
	r     *Reader
	comma byte
	lines int64 // line ends read so far
}

// NewRows returns a reader of the rows of src, with cells separated by comma.
func NewRows(src io.Reader, comma byte) *Rows {
	return &Rows{r: NewReader(src), comma: comma}
}

// Offset returns the offset of the next row.
func (t *Rows) Offset() int64 { return t.r.Offset() }

// Line returns the number of the line on which the next row starts, 1 for the
// first.
func (t *Rows) Line() int64 { return t.lines + 1 }

// Header reads the first row and returns its cells. Behind the first 4096 they
// are empty: no log has so many columns that mean something.
func (t *Rows) Header() ([]string, error) {
	var names []string
	n, err := t.read(func(i int) bool { return i < 4096 }, func(_ int, cell []byte) {
		names = append(names, string(cell))
	})
	return append(names, make([]string, min(n, maxColumns)-min(n, len(names)))...), err
}

// maxColumns is how many columns a table may have.
const maxColumns = 1 << 20

// Read reads a row. wanted says, by column, whether its cell is read into cells;
// empty cells and those that are not wanted are absent. n is the number of
// cells, 0 for a blank row; after the last row err is io.EOF. Values are valid
// until the next Read.
func (t *Rows) Read(wanted []bool, cells []Value) (n int, err error) {
	t.r.Free()
	clear(cells)
	return t.read(func(i int) bool { return i < len(wanted) && wanted[i] }, func(i int, cell []byte) {
		switch {
		case len(cell) == 0:
			return
		case len(cell) > MaxText:
			cells[i] = Value{Kind: String, Long: true}
			return
		}
		start := len(t.r.arena)
		t.r.arena = append(t.r.arena, cell...)
		cells[i] = Value{Kind: String, Text: t.r.arena[start:len(t.r.arena):len(t.r.arena)]}
	})
}

func (t *Rows) read(wanted func(int) bool, put func(int, []byte)) (int, error) {
	if !t.r.more() {
		return 0, t.ended()
	}
	if t.blank() {
		return 0, nil
	}
	for i := 0; ; i++ {
		limit := 0
		if wanted(i) {
			limit = MaxText
		}
		cell, last, err := t.cell(limit)
		if err != nil {
			return i, err
		}
		if limit > 0 {
			put(i, cell)
		}
		if last {
			return i + 1, nil
		}
	}
}

// blank reads a line end where the row is empty.
func (t *Rows) blank() bool {
	r := t.r
	if r.buf[r.pos] == '\r' && r.end-r.pos < 2 {
		r.fill()
	}
	for _, end := range []string{"\n", "\r\n"} {
		if bytes.HasPrefix(r.buf[r.pos:r.end], []byte(end)) {
			r.pos += len(end)
			t.lines++
			return true
		}
	}
	return false
}

func (t *Rows) ended() error {
	if t.r.err != nil {
		return t.r.err
	}
	return io.EOF
}

// cell reads a cell and what separates it from the next.
func (t *Rows) cell(limit int) (cell []byte, last bool, err error) {
	r := t.r
	r.key = r.key[:0]
	if r.more() && r.buf[r.pos] == '"' {
		r.pos++
		if err := t.quoted(limit); err != nil {
			return nil, false, err
		}
	}
	last, err = t.plain(limit)
	return r.key, last, err
}

// quoted reads to the quote that ends a cell.
func (t *Rows) quoted(limit int) error {
	r := t.r
	for {
		if !r.more() {
			if r.err != nil && r.err != io.EOF {
				return r.err
			}
			return r.bad(source.TruncatedInput)
		}
		chunk := r.buf[r.pos:r.end]
		i := bytes.IndexByte(chunk, '"')
		if i < 0 {
			t.keep(chunk, limit)
			t.lines += int64(bytes.Count(chunk, []byte{'\n'}))
			r.pos = r.end
			continue
		}
		t.keep(chunk[:i], limit)
		t.lines += int64(bytes.Count(chunk[:i], []byte{'\n'}))
		r.pos += i + 1
		if !r.more() || r.buf[r.pos] != '"' {
			return nil
		}
		t.keep(r.buf[r.pos:r.pos+1], limit)
		r.pos++
	}
}

// plain reads to the end of a cell.
func (t *Rows) plain(limit int) (last bool, err error) {
	r := t.r
	for {
		if !r.more() {
			if r.err != nil && r.err != io.EOF {
				return true, r.err
			}
			return true, nil
		}
		chunk := r.buf[r.pos:r.end]
		i := 0
		for i < len(chunk) && chunk[i] != t.comma && chunk[i] != '\n' {
			i++
		}
		t.keep(chunk[:i], limit)
		r.pos += i
		if i == len(chunk) {
			continue
		}
		r.pos++
		if chunk[i] == t.comma {
			return false, nil
		}
		t.lines++
		r.key = bytes.TrimSuffix(r.key, []byte{'\r'})
		return true, nil
	}
}

// keep adds b to the cell. Of a cell that is longer than limit one byte more is
// kept, which tells it from a whole one.
func (t *Rows) keep(b []byte, limit int) {
	if limit > 0 && len(t.r.key) <= limit {
		t.r.key = append(t.r.key, b[:min(len(b), limit+1-len(t.r.key))]...)
	}
}
