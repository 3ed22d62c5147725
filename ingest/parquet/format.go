package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// What can be wrong with the columns of a sound file.
var (
	// ErrColumns: the file has none of the columns that a record needs.
	ErrColumns = errors.New("no record in these columns")
	// ErrFormat: the format that a user asks for does not come in Parquet.
	ErrFormat = errors.New("format that does not come in Parquet")
)

const (
	formatName = "parquet"
	mapName    = "map"
)

var magic = []byte("PAR1")

// Formats returns the one format of this package: ttdiag's own columns. Files of
// the stores that package observe knows are told by their columns and read by
// its tables, and files of no known columns as a user maps them.
func Formats() []*source.Format { return []*source.Format{native()} }

func native() *source.Format {
	f := &source.Format{
		Name: formatName, Family: "ttdiag", Vantage: "gateway",
		Title:      "ttdiag's own columns as Parquet; exports of Langfuse, LangSmith, Phoenix and the like are told by their columns",
		Columns:    sync.OnceValue(capabilities),
		FirstToken: "nothing of that name: headers, first event, first response and first text are columns of their own",
		Detect: func(w *source.Window) source.Confidence {
			if bytes.HasPrefix(w.Head, magic) {
				return 100
			}
			return source.No
		},
	}
	f.Random = func(r io.ReaderAt, size int64, opt source.Options) (source.Parts, error) {
		return open(r, size, opt, f)
	}
	return f
}

func capabilities() []source.Capability {
	var list []source.Capability
	for _, s := range timeline.Spellings() {
		if s.Rank != 0 {
			continue
		}
		c := source.Capability{Column: s.Column, Quality: source.Exact, Field: s.Name, Point: s.Column.Info().Doc}
		if s.Column.IsDuration() {
			c.Unit = "ms"
		}
		switch s.Column.Info().Kind {
		case timeline.KindReceipt:
			c.Origin = "receipt"
		case timeline.KindUpstreamStart:
			c.Origin = "upstream_start"
		}
		list = append(list, c)
	}
	return list
}

// open reads the footer and binds the columns.
func open(r io.ReaderAt, size int64, opt source.Options, own *source.Format) (source.Parts, error) {
	file, err := Open(r, size, Limits{})
	if err != nil {
		return nil, explained(err)
	}
	binding, err := Bind(file.columns, opt, own)
	if err != nil {
		return nil, err
	}
	if _, err := file.NewReader(binding.Columns...); err != nil {
		return nil, explained(err)
	}
	return &groupParts{file: file, binding: binding, starts: file.starts()}, nil
}

// explained says what would help.
func explained(err error) error {
	switch {
	case errors.Is(err, ErrNotParquet):
		return fmt.Errorf("%w: it begins like one and does not end like one; was it copied or written to its end?", err)
	case errors.Is(err, ErrUnsupported):
		return fmt.Errorf("%w; write it again with plain encodings and zstd", err)
	}
	return err
}

// groupParts are the row groups of a file, or all of them in one part where rows
// do not stand alone.
type groupParts struct {
	file    *File
	binding *Binding
	starts  []int64 // number of rows before each group, and before the end
}

// starts returns the number of rows before each row group, and before the end.
func (f *File) starts() []int64 {
	starts := make([]int64, 1, len(f.footer.groups)+1)
	for i := range f.footer.groups {
		starts = append(starts, starts[i]+f.footer.groups[i].rows)
	}
	return starts
}

func (p *groupParts) groups() int            { return len(p.starts) - 1 }
func (p *groupParts) Format() *source.Format { return p.binding.Format }

func (p *groupParts) Len() int {
	if p.binding.Whole {
		return min(1, p.groups())
	}
	return p.groups()
}

func (p *groupParts) NewReader() source.PartReader {
	r, err := p.file.NewReader(p.binding.Columns...)
	if err != nil {
		panic(err) // open tried
	}
	return &groupReader{parts: p, reader: r, rows: p.binding.NewRows()}
}

type groupReader struct {
	parts  *groupParts
	reader *Reader
	rows   Rows
}

// rowsAtOnce keeps the columns of a batch in the processor's own cache.
const rowsAtOnce = 4096

// Read adds the rows of a row group, or of all.
func (r *groupReader) Read(ctx context.Context, i int, out *source.Out) (err error) {
	defer guard(&err)
	if !r.parts.binding.Whole {
		return r.group(ctx, i, out)
	}
	for i := range r.parts.groups() {
		if err := r.group(ctx, i, out); err != nil {
			return err
		}
	}
	r.rows.Close(out)
	return out.Err()
}

// group adds the rows of a row group. Damage to it is one entry that is rejected,
// in place of the rows from there on.
func (r *groupReader) group(ctx context.Context, i int, out *source.Out) error {
	line := r.parts.starts[i] + 1
	for batch, err := range r.reader.Group(ctx, i, rowsAtOnce) {
		if err != nil {
			return reject(ctx, err, line, out)
		}
		r.rows.Add(batch, line, out)
		line += int64(batch.Rows)
		if out.Err() != nil {
			return out.Err()
		}
	}
	return nil
}

// reject counts damage as an entry that is rejected, and returns any other error.
func reject(ctx context.Context, err error, line int64, out *source.Out) error {
	var damage *Error
	if ctx.Err() != nil || !errors.As(err, &damage) {
		return err
	}
	out.At(source.Position{Line: line})
	out.Line()
	out.Reject(source.Rejection{Reason: source.DamagedGroup, Field: damage.Error()})
	return nil
}
