package parquet

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	arrow "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// leaf is a column of a test file: levels as stored and the present values.
type leaf struct {
	defs, reps []int16
	values     any // a slice of the physical type
}

// writeLeaves writes one row group with arrow-go: the second opinion on the
// format that the reader is tested against.
func writeLeaves(t testing.TB, root *schema.GroupNode, props []arrow.WriterProperty, groups ...[]leaf) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := file.NewParquetWriter(&buf, root, file.WithWriterProps(arrow.NewWriterProperties(props...)))
	for _, leaves := range groups {
		rg, err := w.AppendRowGroupChecked()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range leaves {
			cw, err := rg.NextColumn()
			if err == nil {
				err = writeLeaf(cw, l)
			}
			if err == nil {
				err = cw.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := rg.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func writeLeaf(cw file.ColumnChunkWriter, l leaf) (err error) {
	switch w := cw.(type) {
	case *file.BooleanColumnChunkWriter:
		_, err = w.WriteBatch(l.values.([]bool), l.defs, l.reps)
	case *file.Int32ColumnChunkWriter:
		_, err = w.WriteBatch(l.values.([]int32), l.defs, l.reps)
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(l.values.([]int64), l.defs, l.reps)
	case *file.Int96ColumnChunkWriter:
		_, err = w.WriteBatch(l.values.([]arrow.Int96), l.defs, l.reps)
	case *file.Float32ColumnChunkWriter:
		_, err = w.WriteBatch(l.values.([]float32), l.defs, l.reps)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(l.values.([]float64), l.defs, l.reps)
	case *file.ByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(l.values.([]arrow.ByteArray), l.defs, l.reps)
	case *file.FixedLenByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(l.values.([]arrow.FixedLenByteArray), l.defs, l.reps)
	default:
		err = fmt.Errorf("no case for %T", cw)
	}
	return err
}

// cells is a flat column as a test thinks of it: nil is absent.
type cells []any

// flatSample is one column of n cells of a physical type with every fourth
// cell absent (if nulls), some runs, some repeats.
func flatSample(typ arrow.Type, n int, nulls bool, seed uint64) (l leaf, want cells) {
	rng := rand.New(rand.NewPCG(seed, uint64(typ)))
	var values []any
	for i := range n {
		if nulls && (rng.IntN(4) == 0 || i/50%5 == 3) {
			l.defs = append(l.defs, 0)
			want = append(want, nil)
			continue
		}
		l.defs = append(l.defs, 1)
		v := flatValue(typ, rng)
		values = append(values, v)
		want = append(want, delivered(v))
	}
	if !nulls {
		l.defs = nil
	}
	l.values = typed(typ, values)
	return l, want
}

func flatValue(typ arrow.Type, rng *rand.Rand) any {
	switch typ {
	case arrow.Types.Boolean:
		return rng.IntN(3) == 0
	case arrow.Types.Int32:
		return [...]int32{7, -1, math.MaxInt32, math.MinInt32, int32(rng.Uint32()), int32(rng.IntN(100))}[rng.IntN(6)]
	case arrow.Types.Int64:
		return [...]int64{7, 0, math.MaxInt64, math.MinInt64, int64(rng.Uint64()), int64(rng.IntN(100))}[rng.IntN(6)]
	case arrow.Types.Int96:
		var v arrow.Int96
		v.SetNanoSeconds(int64(rng.Uint64() >> 2))
		return v
	case arrow.Types.Float:
		return [...]float32{0.5, -1, math.MaxFloat32, rng.Float32()}[rng.IntN(4)]
	case arrow.Types.Double:
		return [...]float64{0.5, -1, math.Inf(1), rng.Float64()}[rng.IntN(4)]
	case arrow.Types.ByteArray:
		return arrow.ByteArray(fmt.Sprintf("prefix-%.*d", rng.IntN(9), rng.IntN(40)))[:rng.IntN(12)/2+1]
	}
	return arrow.FixedLenByteArray(fmt.Sprintf("%05d", rng.IntN(40)))
}

// delivered is what the reader should make of a stored value.
func delivered(v any) any {
	switch v := v.(type) {
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case int32:
		return int64(v)
	case arrow.Int96:
		return v.ToTime().UnixMicro()
	case float32:
		return float64(v)
	case arrow.ByteArray:
		return string(v)
	case arrow.FixedLenByteArray:
		return string(v)
	}
	return v
}

func typed(typ arrow.Type, values []any) any {
	switch typ {
	case arrow.Types.Boolean:
		return slice[bool](values)
	case arrow.Types.Int32:
		return slice[int32](values)
	case arrow.Types.Int64:
		return slice[int64](values)
	case arrow.Types.Int96:
		return slice[arrow.Int96](values)
	case arrow.Types.Float:
		return slice[float32](values)
	case arrow.Types.Double:
		return slice[float64](values)
	case arrow.Types.ByteArray:
		return slice[arrow.ByteArray](values)
	}
	return slice[arrow.FixedLenByteArray](values)
}

func slice[T any](values []any) []T {
	s := make([]T, len(values))
	for i, v := range values {
		s[i] = v.(T)
	}
	return s
}

// primitive is a schema leaf.
func primitive(t testing.TB, name string, rep arrow.Repetition, typ arrow.Type, logical schema.LogicalType) schema.Node {
	t.Helper()
	length := -1
	if typ == arrow.Types.FixedLenByteArray {
		length = 5
	}
	if logical == nil {
		logical = schema.NoLogicalType{}
	}
	n, err := schema.NewPrimitiveNodeLogical(name, rep, logical, typ, length, -1)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func group(t testing.TB, name string, rep arrow.Repetition, logical schema.LogicalType, fields ...schema.Node) *schema.GroupNode {
	t.Helper()
	n, err := schema.NewGroupNode(name, rep, fields, -1)
	if logical != nil {
		n, err = schema.NewGroupNodeLogical(name, rep, fields, logical, -1)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// cellsOf reads one flat column as cells.
func cellsOf(data []byte, column, rows int) (got cells, err error) {
	err = eachBatch(data, rows, []int{column}, func(b *Batch) {
		for i := range b.Rows {
			got = append(got, cellOf(&b.Columns[0], i))
		}
	})
	return got, err
}

func cellOf(v *Vector, i int) any {
	switch {
	case !v.Present(i):
		return nil
	case v.kind == Ints:
		return v.Ints[i]
	case v.kind == Floats:
		return v.Floats[i]
	}
	return string(v.Bytes(i))
}

var codecs = map[string]compress.Compression{
	"none": compress.Codecs.Uncompressed, "snappy": compress.Codecs.Snappy, "gzip": compress.Codecs.Gzip,
	"zstd": compress.Codecs.Zstd, "brotli": compress.Codecs.Brotli, "lz4_raw": compress.Codecs.Lz4Raw,
}
