package parquet

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
)

// Reader reads some columns of a file, one row group at a time. It belongs to
// one goroutine; a file may have several readers. Its memory is used again
// from batch to batch and from row group to row group.
type Reader struct {
	file    *File
	indexes []int
	columns []columnReader
	z       decompressor
	batch   Batch
	group   int
	left    int64 // rows of the group not yet read
}

// NewReader returns a reader of the columns with these indexes in
// [File.Columns], in this order. It fails if one of them cannot be read in any
// row group, naming it.
func (f *File) NewReader(columns ...int) (*Reader, error) {
	r := &Reader{file: f, indexes: slices.Clone(columns), columns: make([]columnReader, len(columns))}
	r.batch.Columns = make([]Vector, len(columns))
	for i, index := range columns {
		col := &f.columns[index]
		if col.Problem != nil {
			return nil, &Error{Column: col.Name(), Group: -1, Err: col.Problem}
		}
		r.columns[i].file, r.columns[i].col = f, col
	}
	return r, nil
}

// Group yields the rows of a row group in batches of at most rows rows (65,536
// if rows is 0); fewer where text or lists are long. A batch is valid until
// the next one. An [*Error] or the context's error ends the sequence: page
// headers are checked before the first batch, so only a fault inside a page
// can come after one, and the batches before it are sound.
func (r *Reader) Group(ctx context.Context, group, rows int) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		if err := r.open(group); err != nil {
			yield(nil, err)
			return
		}
		for {
			batch, err := r.next(ctx, rows)
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(batch, err) || err != nil {
				return
			}
		}
	}
}

// open goes to the start of a row group.
func (r *Reader) open(group int) (err error) {
	if group < 0 || group >= len(r.file.footer.groups) {
		return &Error{Group: group, Err: errors.New("no such row group")}
	}
	at := -1
	defer func() { err = r.place(at, err) }()
	defer guard(&err)
	g := &r.file.footer.groups[group]
	r.group, r.left = group, 0
	var memory, stored int64
	for i := range r.columns {
		at = i
		ch := &g.chunks[r.indexes[i]]
		if err := r.columns[i].open(ch, g.rows); err != nil {
			return err
		}
		memory += r.columns[i].memory()
		stored += max(0, ch.stored)
	}
	at = -1
	if allowed := r.file.limits.GroupBytes + 16*stored; memory > allowed {
		return overLimit("pages of %d bytes in memory at once, at most %d", memory, allowed)
	}
	r.left = g.rows
	return nil
}

// next reads a batch. It returns io.EOF after the last row, once every column
// is known to hold no more.
func (r *Reader) next(ctx context.Context, rows int) (b *Batch, err error) {
	at := -1
	defer func() {
		if err != nil {
			b = nil
			r.left = 0
		}
		err = r.place(at, err)
	}()
	defer guard(&err)
	if r.left == 0 {
		return nil, io.EOF
	}
	n := r.rowsAtOnce(rows)
	room := maxText
	for i := range r.columns {
		at = i
		c, v := &r.columns[i], &r.batch.Columns[i]
		v.reset(c.col, room)
		read := c.flat
		if c.col.maxRep > 0 {
			read = c.nested
		}
		if err := read(ctx, v, n, &r.z); err != nil {
			return nil, c.pageError(err)
		}
		room = v.strings.room
		if v.strings.room < 0 {
			room = 0
		}
		if int64(n) == r.left && !c.finished() {
			return nil, damaged("the pages hold more rows than the footer says")
		}
	}
	if at, err = r.sameLists(); err != nil {
		return nil, err
	}
	r.left -= int64(n)
	r.batch.Rows = n
	return &r.batch, nil
}

// rowsAtOnce is the size of the next batch.
func (r *Reader) rowsAtOnce(rows int) int {
	if rows <= 0 {
		rows = 1 << 16
	}
	n := int(min(int64(rows), r.left))
	g := &r.file.footer.groups[r.group]
	for i := range r.columns {
		n = r.columns[i].rowsAtOnce(n, &g.chunks[r.indexes[i]], g.rows)
	}
	return n
}

// sameLists checks that columns of the same list agree on its elements, such
// as the keys and the values of a map.
func (r *Reader) sameLists() (at int, err error) {
	var first map[int][]int32
	for i := range r.columns {
		for d, node := range r.columns[i].col.listNode {
			offsets := r.batch.Columns[i].Offsets[d]
			if first == nil {
				first = map[int][]int32{}
			}
			if other, ok := first[node]; !ok {
				first[node] = offsets
			} else if !slices.Equal(other, offsets) {
				return i, damaged("lists of other lengths than in the columns beside it")
			}
		}
	}
	return -1, nil
}

// place adds column and row group to an error. Errors of the context and the
// end of the rows pass as they are.
func (r *Reader) place(at int, err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	placed := &Error{Err: err}
	if e, ok := err.(*Error); ok {
		placed = e
	}
	placed.Group = r.group
	if at >= 0 {
		placed.Column = r.file.columns[r.indexes[at]].Name()
	}
	return placed
}
