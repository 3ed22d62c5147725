package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"ttdiag/ingest/observe"
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
		Columns:    capabilities(),
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

// open reads the footer and chooses by the names of the columns, or as the user
// says, how rows become records.
func open(r io.ReaderAt, size int64, opt source.Options, own *source.Format) (source.Parts, error) {
	file, err := Open(r, size, Limits{})
	if err != nil {
		return nil, explained(err)
	}
	t := tableFile{file: file, opt: opt, format: own}
	switch opt.Format {
	case "":
		if parts, err := t.stored(""); parts != nil || err != nil {
			return parts, err
		}
		return t.own()
	case formatName, "jsonl", "csv", "tsv":
		return t.own()
	case mapName:
		return t.mapped()
	}
	parts, err := t.stored(opt.Format)
	if parts == nil && err == nil {
		err = fmt.Errorf("%s: %w", opt.Format, ErrFormat)
	}
	return parts, err
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

// tableFile is an open file whose columns are to be bound to those of ttdiag.
type tableFile struct {
	file   *File
	opt    source.Options
	format *source.Format
}

// stored returns the rows of a store's export: of the store of that name, or of
// the one whose columns these are. It returns nil where there is none.
func (t *tableFile) stored(name string) (source.Parts, error) {
	var names [][]string
	for i := range t.file.columns {
		names = append(names, t.file.columns[i].Path)
	}
	table := observe.TableFor(names)
	if name != "" && (table == nil || table.Format.Name != name) {
		table = nil
		for _, known := range observe.Tables() {
			if known.Format.Name == name {
				table = known
			}
		}
	}
	if table == nil {
		return nil, nil
	}
	return newStored(t.file, table)
}

// groupParts are the parts of a file whose row groups stand alone.
type groupParts struct {
	file    *File
	format  *source.Format
	columns []int   // that are read
	starts  []int64 // number of the first row of each group, and of the one behind the last
	rows    func() rowReader
}

// rowReader adds the rows of a batch to out. line is the number of the first
// one, 1 for the first of the file.
type rowReader interface {
	add(b *Batch, line int64, out *source.Out)
}

func newGroupParts(f *File, format *source.Format, columns []int, rows func() rowReader) (*groupParts, error) {
	if _, err := f.NewReader(columns...); err != nil {
		return nil, explained(err)
	}
	return &groupParts{file: f, format: format, columns: columns, starts: f.starts(), rows: rows}, nil
}

// starts returns the number of rows before each row group, and before the end.
func (f *File) starts() []int64 {
	starts := make([]int64, 1, len(f.footer.groups)+1)
	for i := range f.footer.groups {
		starts = append(starts, starts[i]+f.footer.groups[i].rows)
	}
	return starts
}

func (p *groupParts) Format() *source.Format { return p.format }
func (p *groupParts) Len() int               { return len(p.starts) - 1 }
func (p *groupParts) NewReader() source.PartReader {
	r, err := p.file.NewReader(p.columns...)
	if err != nil {
		panic(err) // newGroupParts tried
	}
	return &groupReader{parts: p, reader: r, rows: p.rows()}
}

type groupReader struct {
	parts  *groupParts
	reader *Reader
	rows   rowReader
}

// rowsAtOnce keeps the columns of a batch in the processor's own cache.
const rowsAtOnce = 4096

// Read adds the rows of a row group. Damage to it is one entry that is rejected,
// in place of the rows from there on.
func (r *groupReader) Read(ctx context.Context, i int, out *source.Out) (err error) {
	defer guard(&err)
	line := r.parts.starts[i] + 1
	for batch, err := range r.reader.Group(ctx, i, rowsAtOnce) {
		if err != nil {
			return reject(ctx, err, line, out)
		}
		r.rows.add(batch, line, out)
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

// missing says which columns a file does not have.
func missing(what string, names []string) error {
	return fmt.Errorf("%w: %s: it has none of %s", ErrColumns, what, strings.Join(names, ", "))
}
