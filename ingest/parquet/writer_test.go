package parquet

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
)

var writtenColumns = []ColumnSpec{{"n", WriteInt}, {"x", WriteFloat}, {"flag", WriteBool}, {"text", WriteText}, {"at", WriteTimestamp}}

// written makes rows of the five types, some cells absent.
func written(n int) (rows [][5]any) {
	rng := rand.New(rand.NewPCG(1, 2))
	numbers := []int64{0, 1, -1, math.MaxInt64, math.MinInt64}
	floats := []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), math.MaxFloat64, math.SmallestNonzeroFloat64, 0.1}
	texts := []string{"", "a", "null", "\x00", "\"quoted\"\n", "日本語", "0"}
	for i := range n {
		row := [5]any{numbers[rng.IntN(5)], floats[rng.IntN(7)], rng.IntN(2) == 0, texts[rng.IntN(7)] + fmt.Sprint(i%9), int64(i) * 1_000_003}
		for c := range row {
			if rng.IntN(3) == 0 {
				row[c] = nil
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func writeRows(t testing.TB, w io.Writer, rows [][5]any, opt WriterOptions) {
	t.Helper()
	out, err := NewWriter(w, writtenColumns, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for c, v := range row {
			switch v := v.(type) {
			case int64:
				out.Int(c, v)
			case float64:
				out.Float(c, v)
			case bool:
				out.Bool(c, v)
			case string:
				out.Text(c, v)
			}
		}
		if err := out.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRoundTrip writes and reads again: exact to the bit, absent stays absent.
func TestRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 99, 100, 101, 2500} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rows := written(n)
			var buf bytes.Buffer
			writeRows(t, &buf, rows, WriterOptions{GroupRows: 100, Metadata: map[string]string{"schema": "v1", "a": ""}, CreatedBy: "test"})
			data := buf.Bytes()
			f, err := Open(bytes.NewReader(data), int64(len(data)), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if v, ok := f.Metadata("schema"); v != "v1" || !ok {
				t.Errorf("metadata %q, %v", v, ok)
			}
			if _, ok := f.Metadata("b"); ok || f.CreatedBy() != "test" || f.Rows() != int64(n) || len(f.RowGroups()) != (n+99)/100 {
				t.Errorf("created by %q, %d rows, %d groups", f.CreatedBy(), f.Rows(), len(f.RowGroups()))
			}
			at := 0
			err = eachBatch(data, 30, []int{0, 1, 2, 3, 4}, func(b *Batch) {
				for i := range b.Rows {
					for c, want := range rows[at] {
						if got := cellOf(&b.Columns[c], i); !sameCell(got, want) {
							t.Fatalf("row %d, %s: %v, want %v", at, writtenColumns[c].Name, got, want)
						}
					}
					at++
				}
			})
			if err != nil || at != n {
				t.Errorf("%d rows of %d, error %v", at, n, err)
			}
			secondOpinion(t, data, n)
		})
	}
}

func sameCell(got, want any) bool {
	if b, ok := want.(bool); ok {
		want = delivered(b)
	}
	if a, ok := want.(float64); ok {
		b, ok := got.(float64)
		return ok && math.Float64bits(a) == math.Float64bits(b)
	}
	return reflect.DeepEqual(got, want)
}

// secondOpinion lets arrow-go count the rows and check the types.
func secondOpinion(t *testing.T, data []byte, rows int) {
	t.Helper()
	r, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.NumRows() != int64(rows) {
		t.Errorf("arrow-go counts %d rows, want %d", r.NumRows(), rows)
	}
	for i, want := range []string{"None", "None", "None", "String", "Timestamp(isAdjustedToUTC=true, timeUnit=microseconds, is_from_converted_type=false, force_set_converted_type=false)"} {
		if got := r.MetaData().Schema.Column(i).LogicalType().String(); got != want {
			t.Errorf("column %d: logical type %s, want %s", i, got, want)
		}
	}
}

func TestWriterIsDeterministic(t *testing.T) {
	var a, b bytes.Buffer
	opt := WriterOptions{Metadata: map[string]string{"x": "1", "y": "2", "z": "3"}}
	writeRows(t, &a, written(500), opt)
	writeRows(t, &b, written(500), opt)
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the same rows gave other bytes")
	}
}

// failing is a disk that is full after some bytes; it must not be closed.
type failing struct {
	t    *testing.T
	left int
}

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func (f *failing) Close() error {
	f.t.Error("the writer closed what it was given")
	return nil
}

func TestWriterFaults(t *testing.T) {
	for _, columns := range [][]ColumnSpec{nil, {{"", WriteInt}}, {{"a", WriteInt}, {"a", WriteText}}} {
		if _, err := NewWriter(io.Discard, columns, WriterOptions{}); err == nil {
			t.Errorf("columns %v: no error", columns)
		}
	}
	for _, room := range []int{0, 4, 100} {
		out, err := NewWriter(&failing{t, room}, writtenColumns, WriterOptions{GroupRows: 10})
		for i := 0; err == nil && i < 25; i++ {
			out.Text(3, "x")
			err = out.EndRow()
		}
		if err == nil {
			err = out.Close()
		}
		if err == nil {
			t.Errorf("room for %d bytes: no error", room)
		}
	}
	var whole bytes.Buffer
	out, err := NewWriter(&whole, writtenColumns, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out.Text(3, "a\xffb")
	if err := out.EndRow(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := cellsOf(whole.Bytes(), 3, 0); err != nil || got[0] != "a\ufffdb" {
		t.Errorf("text %v, %v", got, err)
	}
}
