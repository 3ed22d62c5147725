package export

import (
	"io"

	"ttdiag/ingest/parquet"
	"ttdiag/ingest/timeline"
)

// parquetWriter writes every column of timeline, in its order.
type parquetWriter struct{ w *parquet.Writer }

func newParquetWriter(w io.Writer, program string) (*parquetWriter, error) {
	specs := make([]parquet.ColumnSpec, timeline.NumColumns)
	for i := range specs {
		c := timeline.Column(i)
		specs[i] = parquet.ColumnSpec{Name: c.String(), Type: typeOf(c)}
	}
	out, err := parquet.NewWriter(w, specs, parquet.WriterOptions{
		Metadata: map[string]string{"schema": Schema}, CreatedBy: program,
	})
	if err != nil {
		return nil, err
	}
	return &parquetWriter{out}, nil
}

func typeOf(c timeline.Column) parquet.WriteType {
	switch c.Info().Kind {
	case timeline.KindLength, timeline.KindReceipt, timeline.KindUpstreamStart, timeline.KindRate, timeline.KindFraction:
		return parquet.WriteFloat
	case timeline.KindTimestamp:
		return parquet.WriteTimestamp
	case timeline.KindFlag:
		return parquet.WriteBool
	case timeline.KindLabel, timeline.KindID:
		return parquet.WriteText
	}
	return parquet.WriteInt
}

func (p *parquetWriter) Prepare(to []byte, _ *timeline.Batch) []byte { return to }

func (p *parquetWriter) Write(b *timeline.Batch, _ []byte) error {
	present := b.Present()
	for i := range b.Len() {
		for c := range present.All {
			if b.Has(c, i) {
				p.cell(b, c, i)
			}
		}
		if err := p.w.EndRow(); err != nil {
			return err
		}
	}
	return nil
}

func (p *parquetWriter) cell(b *timeline.Batch, c timeline.Column, i int) {
	if c.IsText() {
		p.w.Text(int(c), b.Text(c, i))
		return
	}
	v, _ := b.Num(c, i)
	switch typeOf(c) {
	case parquet.WriteFloat:
		p.w.Float(int(c), timeline.Plain(c, v))
	case parquet.WriteBool:
		p.w.Bool(int(c), v != 0)
	default:
		p.w.Int(int(c), v)
	}
}

func (p *parquetWriter) Close() error { return p.w.Close() }
