package parquet

import (
	"fmt"
	"slices"
	"strings"

	"ttdiag/ingest/observe"
	"ttdiag/ingest/source"
)

// Binding says how the rows of a table become records.
type Binding struct {
	// Format is the format of the records.
	Format *source.Format
	// Columns are the columns that are needed, by their index. Batches have them
	// in this order.
	Columns []int
	// Whole says that all rows go through one Rows, in their order.
	Whole bool
	// NewRows returns what makes records of rows, for one goroutine.
	NewRows func() Rows
}

// Rows adds the rows of batches to out. line is the number of the first row, 1
// for the first of the table.
type Rows interface {
	Add(b *Batch, line int64, out *source.Out)
	// Close adds rows that were held back.
	Close(out *source.Out)
}

// Bind chooses by the names of the columns, or by opt.Format, how rows become
// records. own is the format of ttdiag's own columns. The error wraps ErrColumns
// or ErrFormat, or is of the user's mappings.
func Bind(columns []Column, opt source.Options, own *source.Format) (*Binding, error) {
	t := table{columns: columns, opt: opt, format: own}
	switch opt.Format {
	case "":
		if b, err := t.stored(""); b != nil || err != nil {
			return b, err
		}
		return t.own()
	case own.Name, "jsonl", "csv", "tsv":
		return t.own()
	case mapName:
		return t.mapped()
	}
	b, err := t.stored(opt.Format)
	if b == nil && err == nil {
		err = fmt.Errorf("%s: %w", opt.Format, ErrFormat)
	}
	return b, err
}

// table is a set of columns to be bound.
type table struct {
	columns []Column
	opt     source.Options
	format  *source.Format
}

// lookup finds the column of exactly this path.
func (t *table) lookup(path ...string) (index int, ok bool) {
	index = slices.IndexFunc(t.columns, func(c Column) bool { return slices.Equal(c.Path, path) })
	return index, index >= 0
}

// stored binds the rows of a store's export: of the store of that name, or of the
// one whose columns these are. It returns nil where there is none.
func (t *table) stored(name string) (*Binding, error) {
	var names [][]string
	for i := range t.columns {
		names = append(names, t.columns[i].Path)
	}
	known := observe.TableFor(names)
	if name != "" && (known == nil || known.Format.Name != name) {
		known = nil
		for _, one := range observe.Tables() {
			if one.Format.Name == name {
				known = one
			}
		}
	}
	if known == nil {
		return nil, nil
	}
	return t.storedAs(known)
}

// missing says which columns a table does not have.
func missing(what string, names []string) error {
	return fmt.Errorf("%w: %s: it has none of %s", ErrColumns, what, strings.Join(names, ", "))
}
