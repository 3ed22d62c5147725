package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
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
			fillCell(out, c, v)
		}
		if err := out.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

func fillCell(w *Writer, column int, v any) {
	switch v := v.(type) {
	case int64:
		w.Int(column, v)
	case float64:
		w.Float(column, v)
	case bool:
		w.Bool(column, v)
	case string:
		w.Text(column, v)
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
			secondOpinion(t, data, rows)
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

// secondOpinion lets arrow-go check the types, the metadata and every cell.
func secondOpinion(t *testing.T, data []byte, rows [][5]any) {
	t.Helper()
	r, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.NumRows() != int64(len(rows)) {
		t.Errorf("arrow-go counts %d rows, want %d", r.NumRows(), len(rows))
	}
	if kv := r.MetaData().KeyValueMetadata(); !slices.Equal(kv.Keys(), []string{"a", "schema"}) || !slices.Equal(kv.Values(), []string{"", "v1"}) {
		t.Errorf("metadata %v", kv)
	}
	for i, want := range []string{"None", "None", "None", "String", "Timestamp(isAdjustedToUTC=true, timeUnit=microseconds, is_from_converted_type=false, force_set_converted_type=false)"} {
		column := r.MetaData().Schema.Column(i)
		if got := column.LogicalType().String(); got != want {
			t.Errorf("column %d: logical type %s, want %s", i, got, want)
		}
		if got := column.ConvertedType(); got != [5]schema.ConvertedType{3: schema.ConvertedTypes.UTF8, 4: schema.ConvertedTypes.TimestampMicros}[i] && want != "None" {
			t.Errorf("column %d: converted type %s", i, got)
		}
		got := arrowCells(t, r, i)
		if len(got) != len(rows) {
			t.Fatalf("arrow-go reads %d rows of column %d, want %d", len(got), i, len(rows))
		}
		for at, got := range got {
			if want := rows[at][i]; got != want && !sameCell(got, want) {
				t.Fatalf("row %d of column %d: %v, want %v", at, i, got, want)
			}
		}
	}
}

func TestWriterIsDeterministic(t *testing.T) {
	var a, b bytes.Buffer
	opt := WriterOptions{GroupRows: 200, Metadata: map[string]string{"x": "1", "y": "2", "z": "3"}}
	writeRows(t, &a, written(500), opt)
	writeRows(t, &b, written(500), opt)
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the same rows gave other bytes")
	}
}

// TestWriterAllocates: a row takes no memory of its own.
func TestWriterAllocates(t *testing.T) {
	w, err := NewWriter(io.Discard, writtenColumns, WriterOptions{GroupRows: 1000})
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	texts := [...]string{"a", "b", "c", "d"}
	row := func() {
		w.Int(0, int64(i))
		w.Float(1, float64(i))
		w.Bool(2, i%2 == 0)
		w.Text(3, texts[i%4])
		if err := w.EndRow(); err != nil {
			t.Error(err)
		}
		i++
	}
	if n := testing.AllocsPerRun(10_000, row); n > 0 {
		t.Errorf("%.0f allocations a row", n)
	}
}

// failing is a disk that is full after some bytes; it must not be closed.
type failing struct {
	t     *testing.T
	left  int
	quiet bool // it writes less and gives no error, which no writer may do
}

func (f *failing) Write(p []byte) (int, error) {
	n := min(f.left, len(p))
	f.left -= n
	if n < len(p) && !f.quiet {
		return n, errDisk
	}
	return n, nil
}

func (f *failing) Close() error {
	f.t.Error("the writer closed what it was given")
	return nil
}

// TestWriterFails lets the disk be full after more and more bytes. The caller
// goes on in spite of the error, which stays the same.
func TestWriterFails(t *testing.T) {
	rows := written(25)
	var whole bytes.Buffer
	writeRows(t, &whole, rows, WriterOptions{GroupRows: 10})
	for room := 0; room < whole.Len(); room += 1 + room/20 {
		for _, quiet := range []bool{false, true} {
			want := map[bool]error{false: errDisk, true: io.ErrShortWrite}[quiet]
			out, err := NewWriter(&failing{t, room, quiet}, writtenColumns, WriterOptions{GroupRows: 10})
			if room < len(magic) {
				if !errors.Is(err, want) {
					t.Errorf("room for %d bytes: error %v", room, err)
				}
				continue
			}
			var first error
			for _, row := range rows {
				for c, v := range row {
					fillCell(out, c, v)
				}
				if err := out.EndRow(); first == nil {
					first = err
				} else if !errors.Is(err, first) {
					t.Fatalf("error %v after %v", err, first)
				}
			}
			if err := out.Close(); !errors.Is(err, want) || first != nil && !errors.Is(first, want) {
				t.Errorf("room for %d bytes: error %v, at the end %v", room, first, err)
			}
			if out.Close() == nil || out.EndRow() == nil {
				t.Error("a closed writer takes rows")
			}
		}
	}
}

func TestWriterFaults(t *testing.T) {
	for _, columns := range [][]ColumnSpec{nil, {{"", WriteInt}}, {{"a", WriteInt}, {"a", WriteText}}} {
		if _, err := NewWriter(io.Discard, columns, WriterOptions{}); err == nil {
			t.Errorf("columns %v: no error", columns)
		}
	}
	out, err := NewWriter(&failing{t, 1 << 20, false}, writtenColumns, WriterOptions{})
	if err == nil {
		err = out.EndRow()
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil || out.Close() == nil || out.EndRow() == nil {
		t.Errorf("error %v, or a closed writer takes rows", err)
	}
	out, err = NewWriter(io.Discard, writtenColumns, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out.Text(3, strings.Repeat("x", maxCell+1))
	if out.EndRow() == nil || out.Close() == nil {
		t.Error("a text that no page holds: no error")
	}
}

// TestWrittenTwice: a cell of another type, or filled twice, is a bug.
func TestWrittenTwice(t *testing.T) {
	for name, fill := range map[string]func(*Writer){
		"twice": func(w *Writer) { w.Int(0, 1); w.Int(0, 1) }, "int": func(w *Writer) { w.Int(1, 1) }, "float": func(w *Writer) { w.Float(0, 1) },
		"bool": func(w *Writer) { w.Bool(0, true) }, "text": func(w *Writer) { w.Text(4, "") },
	} {
		t.Run(name, func(t *testing.T) {
			w, err := NewWriter(io.Discard, writtenColumns, WriterOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			fill(w)
		})
	}
}

// TestInvalidText: bytes that are not UTF-8 are replaced, in a dictionary and
// out of it.
func TestInvalidText(t *testing.T) {
	want := cells{"a\ufffdb", "\ufffd", "\ufffd", "ü"}
	values := cells{"a\xffb", "\xc3", "\xed\xa0\x80", "ü"}
	for _, n := range []int{1, 50} {
		got, err := cellsOf(writeCells(t, WriteText, slices.Repeat(values, n), 0), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		compareCells(t, "read again", got, slices.Repeat(want, n))
	}
}

// TestRowNotEnded: its cells are not written, and the file is as if they had
// never been.
func TestRowNotEnded(t *testing.T) {
	for _, n := range []int{0, 1, 20} {
		rows := written(n)
		var buf bytes.Buffer
		w, err := NewWriter(&buf, writtenColumns, WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range append(rows, [5]any{int64(1), 2.5, true, "one that is new", int64(5)}) {
			for c, v := range row {
				fillCell(w, c, v)
			}
			if w.rows == n {
				break
			}
			if err := w.EndRow(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for c := range writtenColumns {
			got, err := cellsOf(buf.Bytes(), c, 0)
			if err != nil || len(got) != n {
				t.Fatalf("column %d: %d rows of %d, %v", c, len(got), n, err)
			}
			for i := range got {
				if !sameCell(got[i], rows[i][c]) {
					t.Errorf("column %d, row %d: %v, want %v", c, i, got[i], rows[i][c])
				}
			}
		}
		if bytes.Contains(buf.Bytes(), []byte("one that is new")) {
			t.Error("a text of a row that was not ended is in the file")
		}
	}
}
