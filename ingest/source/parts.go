package source

import "context"

// Parts is an open input in parts that stand alone, such as the row groups of a
// table file.
type Parts interface {
	// Format is the format that the records turned out to have: a container such
	// as Parquet may hold several.
	Format() *Format
	// Len is the number of parts, in the order of the input.
	Len() int
	// NewReader returns a reader for one goroutine. Readers work at once, each on
	// another part.
	NewReader() PartReader
}

// PartReader reads parts, one after the other.
type PartReader interface {
	// Read adds the records of part i to out, whose format is that of the parts.
	// It returns only errors that end all reading; damage goes to out.Reject.
	Read(ctx context.Context, i int, out *Out) error
}
