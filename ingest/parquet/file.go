package parquet

import (
	"errors"
	"io"
	"slices"
)

// File is an opened Parquet file: its footer, checked. It does not change and
// may be used by several goroutines; values are read by a [Reader] each.
type File struct {
	r       io.ReaderAt
	end     int64 // where the footer begins
	limits  Limits
	footer  *footer
	columns []Column
	rows    int64
}

// Open reads and checks the footer of a file of size bytes. Nothing else is
// read. The error wraps [ErrNotParquet], [ErrDamaged], [ErrUnsupported],
// [ErrLimit] or what r returned.
func Open(r io.ReaderAt, size int64, limits Limits) (f *File, err error) {
	defer func() {
		if err != nil && !errors.Is(err, ErrNotParquet) {
			f, err = nil, &Error{Group: -1, Err: err}
		}
	}()
	defer guard(&err)
	limits = limits.withDefaults()
	ft, end, err := readFooter(r, size, limits)
	if err != nil {
		return nil, err
	}
	columns, err := leafColumns(ft.schema, limits.Columns)
	if err != nil {
		return nil, err
	}
	f = &File{r: r, end: end, limits: limits, footer: ft, columns: columns}
	return f, f.checkGroups()
}

// checkGroups checks what must hold for the file as a whole; what is wrong
// with one chunk is told when that column is read.
func (f *File) checkGroups() error {
	for i := range f.footer.groups {
		g := &f.footer.groups[i]
		switch {
		case g.rows < 0:
			return damaged("row group %d without a number of rows", i)
		case g.rows > f.limits.GroupRows:
			return overLimit("row group %d declares %d rows, at most %d", i, g.rows, f.limits.GroupRows)
		case len(g.chunks) != len(f.columns):
			return damaged("row group %d has %d columns, the schema %d", i, len(g.chunks), len(f.columns))
		}
		f.rows += g.rows // at most 2^26 groups of 2^27 rows
	}
	if f.footer.rows > f.rows { // a row group is missing; fewer is a known fault of writers
		return damaged("the footer declares %d rows, its row groups %d", f.footer.rows, f.rows)
	}
	return nil
}

// Columns lists the leaf columns in the order of the file. Their index is what
// [File.NewReader] takes. The slice belongs to the file.
func (f *File) Columns() []Column { return f.columns }

// Lookup finds the column of exactly this path (see [Column.Path]).
func (f *File) Lookup(path ...string) (index int, ok bool) {
	index = slices.IndexFunc(f.columns, func(c Column) bool { return slices.Equal(c.Path, path) })
	return index, index >= 0
}

// Rows is the number of rows of all row groups, as declared.
func (f *File) Rows() int64 { return f.rows }

// RowGroup is what the footer says of one row group.
type RowGroup struct {
	Rows   int64
	Stored int64 // bytes of its columns in the file
}

// RowGroups lists the row groups in the order of the file.
func (f *File) RowGroups() []RowGroup {
	groups := make([]RowGroup, len(f.footer.groups))
	for i, g := range f.footer.groups {
		groups[i].Rows = g.rows
		for _, c := range g.chunks {
			groups[i].Stored += max(0, c.stored)
		}
	}
	return groups
}

// Metadata returns the value the writer stored under a key.
func (f *File) Metadata(key string) (value string, ok bool) {
	value, ok = f.footer.metadata[key]
	return value, ok
}

// CreatedBy names the program that wrote the file, "" if it does not say.
func (f *File) CreatedBy() string { return f.footer.createdBy }
