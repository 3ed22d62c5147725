package parquet

// Limits bound what a file may ask for. A zero field takes its default, so the
// zero value is what most callers want.
type Limits struct {
	// Columns is the largest number of leaf columns; 20,000 by default.
	Columns int
	// GroupRows is the largest number of rows in one row group; 2^27 by
	// default. A constant column of any length fits into 200 bytes, so the
	// size of the file bounds nothing here.
	GroupRows int64
	// PageBytes is the largest declared size of one page, stored or
	// decompressed; 128 MiB by default (DuckDB writes up to 100 MB).
	PageBytes int64
	// GroupBytes is the decompressed size that the largest pages of all
	// columns read together may have, on top of 16 times what the file stores
	// for them; 192 MiB by default. A small file cannot ask for more.
	GroupBytes int64
}

const (
	maxFooter      = 64 << 20
	maxHeader      = 16 << 20 // one page header, statistics included
	maxPages       = 1 << 18  // in one column chunk
	maxSchemaDepth = 64
	maxSlots       = 1 << 24 // list elements in one batch
	maxText        = 1 << 28 // bytes of text of one column in one batch
)

func (l Limits) withDefaults() Limits {
	if l.Columns <= 0 {
		l.Columns = 20_000
	}
	if l.GroupRows <= 0 {
		l.GroupRows = 1 << 27
	}
	if l.PageBytes <= 0 {
		l.PageBytes = 128 << 20
	}
	if l.GroupBytes <= 0 {
		l.GroupBytes = 192 << 20
	}
	return l
}
