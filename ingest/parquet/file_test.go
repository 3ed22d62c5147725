package parquet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	arrow "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// twoColumns holds a number and a text of which zstd makes very little.
func twoColumns(t testing.TB, rows int) []byte {
	opt, req := arrow.Repetitions.Optional, arrow.Repetitions.Required
	root := group(t, "root", req, nil, primitive(t, "a", req, arrow.Types.Int64, nil), primitive(t, "b", opt, arrow.Types.ByteArray, schema.StringLogicalType{}))
	numbers, text, defs := make([]int64, rows), make([]arrow.ByteArray, rows), make([]int16, rows)
	for i := range rows {
		numbers[i], text[i], defs[i] = int64(i), bytes.Repeat([]byte("x"), 1000), 1
	}
	return writeLeaves(t, root, []arrow.WriterProperty{arrow.WithDictionaryDefault(false), arrow.WithCompression(compress.Codecs.Zstd)},
		[]leaf{{values: numbers}, {defs: defs, values: text}})
}

// broken fails every read beyond a byte.
type broken struct {
	io.ReaderAt
	from int64
}

var errDisk = errors.New("disk on fire")

func (b broken) ReadAt(p []byte, off int64) (int, error) {
	if off < b.from {
		return 0, errDisk
	}
	return b.ReaderAt.ReadAt(p, off)
}

func TestOpenFaults(t *testing.T) {
	good := twoColumns(t, 10)
	middle := string(good[4 : len(good)-4])
	tests := []struct {
		name   string
		data   string
		limits Limits
		want   error
	}{
		{"empty", "", Limits{}, ErrNotParquet},
		{"magic only", "PAR1PAR1", Limits{}, ErrNotParquet},
		{"text", strings.Repeat("{\"a\":1}\n", 10), Limits{}, ErrNotParquet},
		{"Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", Limits{}, ErrNotParquet},
		{"encrypted", "PARE" + middle + "PARE", Limits{}, ErrUnsupported},
		{"cut off", "PAR1" + middle, Limits{}, ErrDamaged},
		{"footer longer than the file", "PAR1" + strings.Repeat("\x00", 20) + "\xff\xff\x00\x00PAR1", Limits{}, ErrDamaged},
		{"no footer", "PAR1\x00\x00\x00\x00PAR1", Limits{}, ErrDamaged},
		{"empty footer", "PAR1\x00\x01\x00\x00\x00PAR1", Limits{}, ErrDamaged},
		{"too many columns", string(good), Limits{Columns: 1}, ErrLimit},
		{"too many rows", string(good), Limits{GroupRows: 9}, ErrLimit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Open(strings.NewReader(tt.data), int64(len(tt.data)), tt.limits)
			if f != nil || !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	if _, err := Open(broken{bytes.NewReader(good), int64(len(good))}, int64(len(good)), Limits{}); !errors.Is(err, errDisk) {
		t.Errorf("got %v, want the disk's error", err)
	}
}

func TestPageLimits(t *testing.T) {
	data := twoColumns(t, 1000)
	tests := []struct {
		name   string
		limits Limits
	}{
		{"page", Limits{PageBytes: 10_000}},
		{"all pages at once", Limits{GroupBytes: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := readWithin(data, 0, tt.limits)
			if n != 0 || !errors.Is(err, ErrLimit) {
				t.Errorf("%d rows, %v; want %v", n, err, ErrLimit)
			}
		})
	}
	if n, err := readWithin(data, 0, Limits{}); n != 1000 || err != nil {
		t.Errorf("within the default limits: %d rows, %v", n, err)
	}
}

// TestUnneededColumn spoils one column in ways that must not matter to the
// other, and must be told clearly when it is asked for.
func TestUnneededColumn(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*File)
		want  error
	}{
		{"unknown codec", func(f *File) { f.footer.groups[0].chunks[1].codec = 77 }, ErrUnsupported},
		{"LZO", func(f *File) { f.footer.groups[0].chunks[1].codec = codecLZO }, ErrUnsupported},
		{"encrypted", func(f *File) { f.footer.groups[0].chunks[1].problem = unsupported("encrypted") }, ErrUnsupported},
		{"outside the file", func(f *File) { f.footer.groups[0].chunks[1].start = 1 << 60 }, ErrDamaged},
		{"another type", func(f *File) { f.footer.groups[0].chunks[1].physical = Double }, ErrDamaged},
		{"pages of another size", func(f *File) { f.footer.groups[0].chunks[1].stored-- }, ErrDamaged},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := twoColumns(t, 10)
			f, err := Open(bytes.NewReader(data), int64(len(data)), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			tt.spoil(f)
			for column, want := range []error{nil, tt.want} {
				r, err := f.NewReader(column)
				if err != nil {
					t.Fatal(err)
				}
				for _, err = range r.Group(context.Background(), 0, 0) {
				}
				if !errors.Is(err, want) {
					t.Errorf("column %d: got %v, want %v", column, err, want)
				}
				var e *Error
				if want != nil && (!errors.As(err, &e) || e.Column != "b" || e.Group != 0) {
					t.Errorf("got %v, want column b of row group 0", err)
				}
			}
		})
	}
}

// TestDamagedGroup keeps the row groups around the damage, whatever state the
// decompressor was left in.
func TestDamagedGroup(t *testing.T) {
	for name, codec := range codecs {
		if name == "none" {
			continue // nothing to notice: the bytes are the values
		}
		t.Run(name, func(t *testing.T) {
			l, _ := flatSample(arrow.Types.Int64, 100, true, 1)
			root := group(t, "root", arrow.Repetitions.Required, nil, primitive(t, "n", arrow.Repetitions.Optional, arrow.Types.Int64, nil))
			data := writeLeaves(t, root, []arrow.WriterProperty{arrow.WithDictionaryDefault(false), arrow.WithCompression(codec)}, []leaf{l}, []leaf{l}, []leaf{l})
			f, err := Open(bytes.NewReader(data), int64(len(data)), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := f.NewReader(0)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.open(1); err != nil {
				t.Fatal(err)
			}
			body := data[r.columns[0].pages[0].offset:]
			for i := range body[:40] {
				body[i] = 0xff
			}
			var outcome []string
			for g := range 3 {
				text := "read"
				for _, err := range r.Group(context.Background(), g, 0) {
					if err != nil {
						text = err.Error()
					}
				}
				outcome = append(outcome, text)
			}
			if outcome[0] != "read" || !strings.HasPrefix(outcome[1], `column "n": row group 1: page 0: damaged: `) || outcome[2] != "read" {
				t.Errorf("outcome %q", outcome)
			}
		})
	}
}

// TestReadersSideBySide reads the row groups of one file in several goroutines,
// each with a reader of its own.
func TestReadersSideBySide(t *testing.T) {
	var buf bytes.Buffer
	writeRows(t, &buf, written(1000), WriterOptions{GroupRows: 100})
	f, err := Open(bytes.NewReader(buf.Bytes()), int64(buf.Len()), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	rows := make(chan int)
	for worker := range 4 {
		go func() {
			n := 0
			defer func() { rows <- n }()
			r, err := f.NewReader(0, 1, 2, 3, 4)
			if err != nil {
				t.Error(err)
				return
			}
			for g := worker; g < len(f.RowGroups()); g += 4 {
				for b, err := range r.Group(context.Background(), g, 30) {
					if err == nil {
						err = checkBatch(r, b)
					}
					if err != nil {
						t.Error(err)
						return
					}
					n += b.Rows
				}
			}
		}()
	}
	if n := <-rows + <-rows + <-rows + <-rows; n != 1000 {
		t.Errorf("%d rows, want 1000", n)
	}
}

// TestLogicalTypes reads annotations as stored, unknown ones among them.
func TestLogicalTypes(t *testing.T) {
	tests := []struct {
		name string
		data []byte
		want logical
	}{
		{"string", []byte{0x1c, 0, 0}, logical{kind: LogicalString}},
		{"timestamp nanos local", []byte{0x8c, 0x12, 0x1c, 0x3c, 0, 0, 0, 0}, logical{kind: LogicalTimestamp, unit: nanos}},
		{"timestamp millis UTC", []byte{0x8c, 0x11, 0x1c, 0x1c, 0, 0, 0, 0}, logical{kind: LogicalTimestamp, unit: millis, utc: true}},
		{"timestamp of a future unit", []byte{0x8c, 0x11, 0x1c, 0x9c, 0, 0, 0, 0}, logical{utc: true}},
		{"unsigned", []byte{0xac, 0x13, 32, 0x12, 0, 0}, logical{kind: LogicalInteger, unsigned: true}},
		{"decimal", []byte{0x5c, 0x15, 4, 0x15, 18, 0, 0}, logical{kind: LogicalDecimal, scale: 2}},
		{"future type", []byte{0x0c, 80, 0x15, 2, 0, 0}, logical{}},
		{"future member that is no structure", []byte{0x15, 80, 0}, logical{}},
	}
	for _, tt := range tests {
		c := &compact{data: tt.data}
		var got logical
		c.logicalType(&got)
		if c.err != nil || got != tt.want || c.pos != len(tt.data) {
			t.Errorf("%s: %+v, %v, %d bytes; want %+v", tt.name, got, c.err, c.pos, tt.want)
		}
	}
}

// TestUnits delivers every unit in microseconds and counts what does not fit.
func TestUnits(t *testing.T) {
	tests := []struct {
		name    string
		logical schema.LogicalType
		values  []int64
		want    cells
	}{
		{"millis", schema.NewTimestampLogicalType(true, schema.TimeUnitMillis), []int64{1, -1, 1 << 62}, cells{int64(1000), int64(-1000), nil}},
		{"micros", schema.NewTimestampLogicalType(false, schema.TimeUnitMicros), []int64{1, -1, 1 << 62}, cells{int64(1), int64(-1), int64(1 << 62)}},
		{"nanos", schema.NewTimestampLogicalType(true, schema.TimeUnitNanos), []int64{1999, -1, 0}, cells{int64(1), int64(-1), int64(0)}},
		{"time of day", schema.NewTimeLogicalType(true, schema.TimeUnitNanos), []int64{5000}, cells{int64(5)}},
		{"unsigned", schema.NewIntLogicalType(64, false), []int64{-1, 7}, cells{nil, int64(7)}},
		{"decimal", schema.NewDecimalLogicalType(10, 2), []int64{-125}, cells{int64(-125)}},
	}
	for _, tt := range tests {
		for _, dict := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				root := group(t, "root", arrow.Repetitions.Required, nil, primitive(t, "c", arrow.Repetitions.Required, arrow.Types.Int64, tt.logical))
				data := writeLeaves(t, root, []arrow.WriterProperty{arrow.WithDictionaryDefault(dict)}, []leaf{{values: tt.values}})
				absent, lost := 0, 0
				err := eachBatch(data, 0, []int{0}, func(b *Batch) {
					lost += b.Columns[0].OutOfRange
					for i, want := range tt.want {
						if got := cellOf(&b.Columns[0], i); got != want {
							t.Errorf("value %d: %v, want %v", i, got, want)
						}
						if want == nil {
							absent++
						}
					}
				})
				if err != nil || absent != lost {
					t.Errorf("%d out of range, want %d, error %v", lost, absent, err)
				}
			})
		}
	}
}
