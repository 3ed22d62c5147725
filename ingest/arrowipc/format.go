// Package arrowipc reads Arrow IPC files and streams: ttdiag's own columns, exports
// of stores that are known, and columns as a user maps them, all as package
// parquet binds them. The Arrow library itself stays in package timeline.
package arrowipc

import (
	"context"
	"errors"
	"io"

	"ttdiag/ingest/parquet"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// Formats returns the one format of this package.
func Formats() []*source.Format {
	own := *parquet.Formats()[0]
	f := &own
	f.Name = "arrow"
	f.Title = "ttdiag's own columns as Arrow IPC, file or stream"
	f.Detect = func(w *source.Window) source.Confidence {
		if timeline.IsIPC(w.Head) {
			return 100
		}
		return source.No
	}
	f.Random = func(r io.ReaderAt, size int64, opt source.Options) (source.Parts, error) {
		return open(r, size, opt, f)
	}
	return []*source.Format{f}
}

// parts is one input. Its batches are read in order: a dictionary may change
// between two of them.
type parts struct {
	r       io.ReaderAt
	size    int64
	binding *parquet.Binding
	columns []parquet.Column
	fields  []int // of the reader, by column
}

func open(r io.ReaderAt, size int64, opt source.Options, own *source.Format) (source.Parts, error) {
	in, err := timeline.NewIPCReader(r, size)
	if err != nil {
		return nil, err
	}
	p := &parts{r: r, size: size}
	for i, f := range in.Fields() {
		if f.Kind != timeline.IPCOther {
			p.columns, p.fields = append(p.columns, columnOf(&f)), append(p.fields, i)
		}
	}
	p.binding, err = parquet.Bind(p.columns, opt, own)
	return p, err
}

// columnOf describes a field as a column of Parquet.
func columnOf(f *timeline.IPCField) parquet.Column {
	c := parquet.Column{Path: f.Path, Stored: f.Path, Physical: parquet.Int64, UTC: f.UTC, Optional: true}
	switch f.Kind {
	case timeline.IPCFlags:
		c.Physical = parquet.Boolean
	case timeline.IPCTimes:
		c.Logical = parquet.LogicalTimestamp
	case timeline.IPCFloats:
		c.Physical, c.Kind = parquet.Double, parquet.Floats
	case timeline.IPCTexts:
		c.Physical, c.Kind, c.Logical = parquet.ByteArray, parquet.Bytes, parquet.LogicalString
	}
	return c
}

func (p *parts) Format() *source.Format       { return p.binding.Format }
func (p *parts) Len() int                     { return 1 }
func (p *parts) NewReader() source.PartReader { return p }

// rowsAtOnce keeps the columns of a batch in the processor's own cache.
const rowsAtOnce = 4096

// Read adds all rows. Damage ends them, as one entry that is rejected.
func (p *parts) Read(ctx context.Context, _ int, out *source.Out) error {
	line := int64(1)
	err := p.rows(ctx, &line, out)
	if errors.Is(err, timeline.ErrIPC) {
		out.At(source.Position{Line: line})
		out.Line()
		out.Reject(source.Rejection{Reason: source.DamagedGroup, Field: err.Error()})
		return out.Err()
	}
	return err
}

func (p *parts) rows(ctx context.Context, line *int64, out *source.Out) error {
	in, err := timeline.NewIPCReader(p.r, p.size)
	if err != nil {
		return err
	}
	rows := p.binding.NewRows()
	defer rows.Close(out)
	for {
		n, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for lo := 0; lo < n; lo += rowsAtOnce {
			batch, err := p.batch(in, lo, min(lo+rowsAtOnce, n))
			if err != nil {
				return err
			}
			rows.Add(batch, *line, out)
			*line += int64(batch.Rows)
			if out.Err() != nil {
				return out.Err()
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
}

func (p *parts) batch(in *timeline.IPCReader, lo, hi int) (*parquet.Batch, error) {
	b := &parquet.Batch{Rows: hi - lo, Columns: make([]parquet.Vector, len(p.binding.Columns))}
	for k, i := range p.binding.Columns {
		col, err := in.Column(p.fields[i], lo, hi)
		if err != nil {
			return nil, err
		}
		switch p.columns[i].Kind {
		case parquet.Ints:
			b.Columns[k] = parquet.IntVector(col.Ints, col.Valid)
		case parquet.Floats:
			b.Columns[k] = parquet.FloatVector(col.Floats, col.Valid)
		default:
			b.Columns[k] = parquet.TextVector(col.Texts, col.Valid)
		}
	}
	return b, nil
}
