package parquet

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	arrow "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// writeCells writes a file of one column.
func writeCells(t testing.TB, typ WriteType, values cells, groupRows int) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := NewWriter(&buf, []ColumnSpec{{"c", typ}}, WriterOptions{GroupRows: groupRows})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range values {
		fillCell(w, 0, v)
		if err := w.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// arrowCells reads a flat column with arrow-go.
func arrowCells(t testing.TB, r *file.Reader, column int) (got cells) {
	t.Helper()
	for g := range r.NumRowGroups() {
		chunk, err := r.RowGroup(g).Column(column)
		for err == nil && chunk.HasNext() {
			got, err = arrowBatch(chunk, got)
		}
		if err == nil {
			err = chunk.Err()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return got
}

func arrowBatch(chunk file.ColumnChunkReader, got cells) (cells, error) {
	const n = 500
	levels := make([]int16, n)
	var rows int64
	var err error
	var values []any
	switch chunk := chunk.(type) {
	case *file.Int64ColumnChunkReader:
		into := make([]int64, n)
		rows, _, err = chunk.ReadBatch(n, into, levels, nil)
		values = boxed(into)
	case *file.Float64ColumnChunkReader:
		into := make([]float64, n)
		rows, _, err = chunk.ReadBatch(n, into, levels, nil)
		values = boxed(into)
	case *file.BooleanColumnChunkReader:
		into := make([]bool, n)
		rows, _, err = chunk.ReadBatch(n, into, levels, nil)
		values = boxed(into)
	case *file.ByteArrayColumnChunkReader:
		into := make([]arrow.ByteArray, n)
		rows, _, err = chunk.ReadBatch(n, into, levels, nil)
		for _, v := range into {
			values = append(values, string(v))
		}
	}
	for _, level := range levels[:rows] {
		var v any
		if level == 1 {
			v, values = values[0], values[1:]
		}
		got = append(got, v)
	}
	return got, err
}

func boxed[T any](values []T) (all []any) {
	for _, v := range values {
		all = append(all, v)
	}
	return all
}

// pagesOf returns the pages of a column in each row group.
func pagesOf(t testing.TB, data []byte) (pages [][]page) {
	t.Helper()
	f, err := Open(bytes.NewReader(data), int64(len(data)), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range f.footer.groups {
		list, err := f.walkPages(&f.columns[0], &g.chunks[0], g.rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, list)
	}
	return pages
}

// series makes cells of a function.
func series(n int, f func(i int) any) (all cells) {
	for i := range n {
		all = append(all, f(i))
	}
	return all
}

// TestWrittenColumns writes columns of all shapes and has both readers read
// them. pages are those of each row group: d is a dictionary, c a page of codes
// and p a plain one.
func TestWrittenColumns(t *testing.T) {
	long := strings.Repeat("long ", 50_000)
	tests := []struct {
		name   string
		typ    WriteType
		group  int
		values cells
		pages  string
	}{
		{"all null", WriteInt, 0, make(cells, 1000), "p"},
		{"all null text", WriteText, 0, make(cells, 1000), "p"},
		{"one row", WriteFloat, 0, cells{1.5}, "p"},
		{"one null", WriteBool, 0, cells{nil}, "p"},
		{"no null", WriteInt, 0, series(1000, func(i int) any { return int64(i) - 500 }), "p"},
		{"no null in groups", WriteTimestamp, 300, series(1000, func(i int) any { return int64(i) }), "p p p p"},
		{"a null in ten", WriteFloat, 0, series(1000, func(i int) any {
			if i%10 == 0 {
				return nil
			}
			return float64(i) / 7
		}), "p"},
		{"nulls at the end", WriteInt, 100, append(cells{int64(1)}, make(cells, 250)...), "p p p"},
		{"numbers in pages", WriteInt, 0, series(200_000, func(i int) any { return int64(i) }), "p p"},
		{"numbers in a large group", WriteInt, 1 << 30, series(300_000, func(i int) any {
			if i%3 == 0 {
				return nil
			}
			return int64(i)
		}), "ppp"},
		{"flags", WriteBool, 0, series(10_001, func(i int) any { return i%3 == 0 }), "p"},
		{"one text", WriteText, 0, series(1000, func(int) any { return "same" }), "dc"},
		{"few texts", WriteText, 400, series(1000, func(i int) any { return fmt.Sprint("text ", i%7) }), "dc dc dc"},
		{"few texts, some null", WriteText, 0, series(1000, func(i int) any {
			if i/100%2 == 0 {
				return nil
			}
			return fmt.Sprint("text ", i%9)
		}), "dc"},
		{"texts that do not repeat", WriteText, 0, series(100, func(i int) any { return fmt.Sprint("id ", i) }), "p"},
		{"many that do not repeat", WriteText, 0, series(10_000, func(i int) any { return fmt.Sprint("id ", i) }), "p"},
		{"texts that no longer repeat", WriteText, 0, series(20_000, func(i int) any {
			if i < 10_000 {
				return fmt.Sprint("text ", i%10)
			}
			return fmt.Sprintf("%0200d", i)
		}), "ppp"},
		{"the next group repeats", WriteText, 5000, series(10_000, func(i int) any { return fmt.Sprint("text ", min(i, 5000)) }), "p dc"},
		{"empty texts", WriteText, 0, series(1000, func(int) any { return "" }), "dc"},
		{"empty texts and others", WriteText, 0, cells{"", nil, "a", "", "b"}, "dc"},
		{"long texts", WriteText, 0, series(12, func(i int) any { return fmt.Sprint(i, long) }), "ppp"},
		{"long texts that repeat", WriteText, 0, series(12, func(i int) any { return fmt.Sprint(i%2, long) }), "dc"},
		{"longer than a page", WriteText, 0, cells{"a", strings.Repeat(long, 6), nil, nil, "b"}, "ppp"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := writeCells(t, tt.typ, tt.values, tt.group)
			got, err := cellsOf(data, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			compareCells(t, "read again", got, series(len(tt.values), func(i int) any { return delivered(tt.values[i]) }))
			r, err := file.NewParquetReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			compareCells(t, "read by arrow-go", arrowCells(t, r, 0), tt.values)
			if got := shape(pagesOf(t, data)); got != tt.pages {
				t.Errorf("pages %s, want %s", got, tt.pages)
			}
			checkFooter(t, r.MetaData(), data)
		})
	}
}

func compareCells(t testing.TB, name string, got, want cells) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d cells, want %d", name, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: row %d: %.40q, want %.40q", name, i, fmt.Sprint(got[i]), fmt.Sprint(want[i]))
		}
	}
}

func shape(groups [][]page) string {
	var list []string
	for _, pages := range groups {
		var b []byte
		for _, p := range pages {
			switch {
			case p.kind == pageDictionary && p.encoding == encPlain:
				b = append(b, 'd')
			case p.kind == pageData && p.encoding == encRLEDictionary:
				b = append(b, 'c')
			case p.kind == pageData && p.encoding == encPlain:
				b = append(b, 'p')
			}
		}
		list = append(list, string(b))
	}
	return strings.Join(list, " ")
}

// checkFooter compares what the footer says with the pages that are there.
func checkFooter(t testing.TB, meta *metadata.FileMetaData, data []byte) {
	t.Helper()
	next := int64(4)
	for g, pages := range pagesOf(t, data) {
		group := meta.RowGroup(g)
		chunk, err := group.ColumnChunk(0)
		if err != nil {
			t.Fatal(err)
		}
		var uncompressed int64
		encodings := []arrow.Encoding{arrow.Encodings.Plain, arrow.Encodings.RLE}
		for _, p := range pages {
			uncompressed += int64(p.uncompressed)
			if p.uncompressed > pageBytes+pageBytes/8 && p.values > 1 {
				t.Errorf("a page of %d rows has %d bytes", p.values, p.uncompressed)
			}
		}
		if chunk.HasDictionaryPage() {
			encodings = append(encodings, arrow.Encodings.RLEDict)
		}
		last := pages[len(pages)-1]
		end := last.offset + int64(last.stored)
		headers := end - next
		for _, p := range pages {
			headers -= int64(p.stored)
		}
		if chunk.TotalCompressedSize() != end-next || chunk.TotalUncompressedSize() != uncompressed+headers {
			t.Errorf("chunk of %d, uncompressed %d bytes, want %d and %d", chunk.TotalCompressedSize(), chunk.TotalUncompressedSize(), end-next, uncompressed+headers)
		}
		if group.TotalCompressedSize() != end-next || group.TotalByteSize() != uncompressed+headers || group.FileOffset() != next || int(group.Ordinal()) != g {
			t.Errorf("group %d at %d: %d bytes, uncompressed %d", group.Ordinal(), group.FileOffset(), group.TotalCompressedSize(), group.TotalByteSize())
		}
		if !slices.Equal(chunk.Encodings(), encodings) {
			t.Errorf("encodings %v, want %v", chunk.Encodings(), encodings)
		}
		if got := len(chunk.EncodingStats()); got != len(encodings)-1 {
			t.Errorf("%d sorts of pages: %v", got, chunk.EncodingStats())
		}
		next = end
	}
}

// TestStatistics reads the statistics with arrow-go. nil bounds are left out.
func TestStatistics(t *testing.T) {
	plain := func(v any) []byte {
		switch v := v.(type) {
		case int64:
			return numbers(uint64(v), 0).lo
		case float64:
			return numbers(math.Float64bits(v), 0).lo
		case bool:
			return []byte{map[bool]byte{true: 1}[v]}
		case string:
			return []byte(v)
		}
		return nil
	}
	zero, negative := 0.0, math.Copysign(0, -1)
	long := strings.Repeat("x", maxBound)
	tests := []struct {
		name   string
		typ    WriteType
		values cells
		lo, hi any
		nulls  int64
	}{
		{"numbers", WriteInt, cells{int64(3), nil, int64(-5), int64(math.MaxInt64)}, int64(-5), int64(math.MaxInt64), 1},
		{"times", WriteTimestamp, cells{int64(1_700_000_000_000_000)}, int64(1_700_000_000_000_000), int64(1_700_000_000_000_000), 0},
		{"nothing", WriteInt, cells{nil, nil}, nil, nil, 2},
		{"floats", WriteFloat, cells{1.5, -2.5, nil}, -2.5, 1.5, 1},
		{"infinities", WriteFloat, cells{math.Inf(1), math.Inf(-1)}, math.Inf(-1), math.Inf(1), 0},
		{"a NaN", WriteFloat, cells{1.5, math.NaN(), 2.5}, nil, nil, 0},
		{"a NaN first", WriteFloat, cells{math.NaN(), 2.5}, nil, nil, 0},
		{"zero", WriteFloat, cells{zero}, negative, zero, 0},
		{"negative zero", WriteFloat, cells{negative}, negative, zero, 0},
		{"zero and more", WriteFloat, cells{zero, 1.0}, negative, 1.0, 0},
		{"zero and less", WriteFloat, cells{-1.0, negative}, -1.0, zero, 0},
		{"true and false", WriteBool, cells{true, false, nil, true}, false, true, 1},
		{"only true", WriteBool, cells{true, true}, true, true, 0},
		{"only false", WriteBool, cells{false, nil}, false, false, 1},
		{"texts", WriteText, cells{"b", "a", nil, "é", "z"}, "a", "é", 1},
		{"texts that repeat", WriteText, append(slices.Repeat(cells{"mm", "zz"}, 100), "aa", nil), "aa", "zz", 1},
		{"a text that begins like another", WriteText, cells{"ab", "a", "abc"}, "a", "abc", 0},
		{"an empty text", WriteText, cells{"", "a"}, "", "a", 0},
		{"only empty texts", WriteText, cells{"", ""}, "", "", 0},
		{"a long text", WriteText, cells{"a", long}, "a", long, 0},
		{"a text too long", WriteText, cells{"a", long + "x"}, nil, nil, 0},
	}
	for _, tt := range tests {
		r, err := file.NewParquetReader(bytes.NewReader(writeCells(t, tt.typ, tt.values, 0)))
		if err != nil {
			t.Fatal(err)
		}
		chunk, err := r.MetaData().RowGroup(0).ColumnChunk(0)
		if err != nil {
			t.Fatal(err)
		}
		s, err := chunk.Statistics()
		if err != nil || s == nil {
			t.Fatalf("%s: no statistics, %v", tt.name, err)
		}
		if s.HasMinMax() != (tt.lo != nil) || !s.HasNullCount() || s.NullCount() != tt.nulls {
			t.Errorf("%s: bounds %v, %d nulls", tt.name, s.HasMinMax(), s.NullCount())
		}
		if tt.lo != nil && (!bytes.Equal(s.EncodeMin(), plain(tt.lo)) || !bytes.Equal(s.EncodeMax(), plain(tt.hi))) {
			t.Errorf("%s: from % x to % x, want %v to %v", tt.name, s.EncodeMin(), s.EncodeMax(), tt.lo, tt.hi)
		}
	}
}
