package parquet

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	arrow "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
)

// eachBatch reads columns of all row groups.
func eachBatch(data []byte, rows int, columns []int, each func(*Batch)) error {
	f, err := Open(bytes.NewReader(data), int64(len(data)), Limits{})
	if err != nil {
		return err
	}
	r, err := f.NewReader(columns...)
	if err != nil {
		return err
	}
	for g := range f.RowGroups() {
		for b, err := range r.Group(context.Background(), g, rows) {
			if err != nil {
				return err
			}
			if err := checkBatch(r, b); err != nil {
				return err
			}
			each(b)
		}
	}
	return nil
}

// TestEncodings reads what arrow-go writes, in every encoding and page version,
// with and without nulls, in batches that split pages and in whole.
func TestEncodings(t *testing.T) {
	all := []arrow.Type{arrow.Types.Boolean, arrow.Types.Int32, arrow.Types.Int64, arrow.Types.Int96, arrow.Types.Float,
		arrow.Types.Double, arrow.Types.ByteArray, arrow.Types.FixedLenByteArray}
	split := []arrow.Type{arrow.Types.Int32, arrow.Types.Int64, arrow.Types.Float, arrow.Types.Double, arrow.Types.FixedLenByteArray}
	tests := []struct {
		name     string
		encoding arrow.Encoding
		dict     bool
		types    []arrow.Type
	}{
		{"plain", arrow.Encodings.Plain, false, all},
		{"dictionary", arrow.Encodings.Plain, true, all[1:]},
		{"rle", arrow.Encodings.RLE, false, all[:1]},
		{"delta_binary", arrow.Encodings.DeltaBinaryPacked, false, all[1:3]},
		{"delta_length", arrow.Encodings.DeltaLengthByteArray, false, all[6:7]},
		{"delta_bytes", arrow.Encodings.DeltaByteArray, false, all[6:7]},
		{"byte_stream_split", arrow.Encodings.ByteStreamSplit, false, split},
	}
	for _, tt := range tests {
		for _, typ := range tt.types {
			for _, version := range []arrow.DataPageVersion{arrow.DataPageV1, arrow.DataPageV2} {
				for _, n := range []int{1, 700, 3000} {
					rep := arrow.Repetitions.Required
					if n != 700 {
						rep = arrow.Repetitions.Optional
					}
					name := fmt.Sprintf("%s/%v/v%d/%d", tt.name, typ, version+1, n)
					t.Run(name, func(t *testing.T) {
						page := int64(512)
						if tt.name == "rle" {
							page = 1 << 20 // arrow-go's second page repeats the first one's booleans
						}
						l, want := flatSample(typ, n, n != 700, 1)
						l2, want2 := flatSample(typ, n, n != 700, 2)
						root := group(t, "root", arrow.Repetitions.Required, nil, primitive(t, "c", rep, typ, nil))
						data := writeLeaves(t, root, []arrow.WriterProperty{arrow.WithEncoding(tt.encoding), arrow.WithDictionaryDefault(tt.dict),
							arrow.WithDataPageVersion(version), arrow.WithDataPageSize(page), arrow.WithBatchSize(64),
							arrow.WithCompression(compress.Codecs.Snappy)}, []leaf{l}, []leaf{l2})
						for _, rows := range []int{0, 1, 37} {
							got, err := cellsOf(data, 0, rows)
							if err != nil {
								t.Fatalf("batches of %d: %v", rows, err)
							}
							if whole := append(slices.Clone(want), want2...); !slices.Equal(got, whole) {
								t.Fatalf("batches of %d: cells differ", rows)
							}
						}
					})
				}
			}
		}
	}
}

// TestCodecs reads every compression, and columns of nothing but nulls, whose
// pages have empty bodies.
func TestCodecs(t *testing.T) {
	for name, codec := range codecs {
		for _, version := range []arrow.DataPageVersion{arrow.DataPageV1, arrow.DataPageV2} {
			t.Run(fmt.Sprintf("%s/v%d", name, version+1), func(t *testing.T) {
				l, want := flatSample(arrow.Types.ByteArray, 500, true, 3)
				absent := leaf{defs: make([]int16, 500), values: []int64{}}
				root := group(t, "root", arrow.Repetitions.Required, nil,
					primitive(t, "c", arrow.Repetitions.Optional, arrow.Types.ByteArray, nil),
					primitive(t, "absent", arrow.Repetitions.Optional, arrow.Types.Int64, nil))
				data := writeLeaves(t, root, []arrow.WriterProperty{arrow.WithCompression(codec), arrow.WithDictionaryDefault(false),
					arrow.WithDataPageVersion(version), arrow.WithDataPageSize(700), arrow.WithBatchSize(64)}, []leaf{l, absent})
				got, err := cellsOf(data, 0, 0)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("cells differ, error %v", err)
				}
				got, err = cellsOf(data, 1, 0)
				if err != nil || !slices.Equal(got, make(cells, 500)) {
					t.Errorf("cells of the absent column differ, error %v", err)
				}
			})
		}
	}
}

// TestDictionaryFallback reads a text column that begins with a dictionary and
// goes on in plain strings.
func TestDictionaryFallback(t *testing.T) {
	var l leaf
	var values []arrow.ByteArray
	var want cells
	for i := range 5000 {
		l.defs = append(l.defs, 1)
		s := fmt.Sprintf("value-%d", i*i)
		values, want = append(values, arrow.ByteArray(s)), append(want, s)
	}
	l.values = values
	root := group(t, "root", arrow.Repetitions.Required, nil, primitive(t, "c", arrow.Repetitions.Optional, arrow.Types.ByteArray, nil))
	data := writeLeaves(t, root, []arrow.WriterProperty{arrow.WithDictionaryPageSizeLimit(8192),
		arrow.WithDictionaryCostFallbackFor("c", false), arrow.WithDataPageSize(2048), arrow.WithBatchSize(128)}, []leaf{l})
	for _, rows := range []int{0, 999} {
		coded, plain := 0, 0
		var got cells
		err := eachBatch(data, rows, []int{0}, func(b *Batch) {
			if b.Columns[0].Dict != nil {
				coded++
			} else {
				plain++
			}
			for i := range b.Rows {
				got = append(got, cellOf(&b.Columns[0], i))
			}
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("batches of %d: cells differ, error %v", rows, err)
		}
		if coded == 0 || plain == 0 {
			t.Errorf("batches of %d: %d with codes, %d with strings; want both", rows, coded, plain)
		}
	}
}

func TestHybrid(t *testing.T) {
	tests := []struct {
		name    string
		width   int
		data    []byte
		want    []uint32
		wantErr bool
	}{
		{"run", 3, []byte{5 << 1, 6}, []uint32{6, 6, 6, 6, 6}, false},
		{"packed 0 to 7", 3, []byte{1<<1 | 1, 0x88, 0xc6, 0xfa}, []uint32{0, 1, 2, 3, 4, 5, 6, 7}, false},
		{"run, then packed", 1, []byte{2 << 1, 1, 1<<1 | 1, 0x05}, []uint32{1, 1, 1, 0, 1, 0}, false},
		{"width 0 run", 0, []byte{4 << 1}, []uint32{0, 0, 0, 0}, false},
		{"width 0 packed", 0, []byte{1<<1 | 1}, []uint32{0, 0, 0, 0, 0, 0, 0, 0}, false},
		{"last run cut to its values", 8, []byte{1<<1 | 1, 9, 8, 7}, []uint32{9, 8, 7}, false},
		{"32 bits", 32, []byte{1 << 1, 0xff, 0xff, 0xff, 0xff}, []uint32{math.MaxUint32}, false},
		{"empty", 1, nil, []uint32{0}, true},
		{"cut run", 9, []byte{2 << 1, 1}, []uint32{0}, true},
		{"cut packed", 8, []byte{1<<1 | 1, 9, 8, 7}, []uint32{9, 8, 7, 0}, true},
		{"run of none", 1, []byte{0, 0, 2, 1}, []uint32{0}, true},
		{"endless length", 1, bytes.Repeat([]byte{0xff}, 12), []uint32{0}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, step := range []int{len(tt.want), 1} {
				h := hybrid{data: tt.data, width: tt.width}
				got := make([]uint32, len(tt.want))
				var err error
				for i := 0; i < len(got) && err == nil; i += step {
					_, err = readHybrid(&h, got[i:i+step])
				}
				if (err != nil) != tt.wantErr || err == nil && !slices.Equal(got, tt.want) {
					t.Errorf("step %d: got %v, %v; want %v", step, got, err, tt.want)
				}
			}
		})
	}
}

func TestConversions(t *testing.T) {
	i96 := func(nanos uint64, day uint32) []byte {
		b := make([]byte, 12)
		for i := range 8 {
			b[i] = byte(nanos >> (8 * i))
		}
		for i := range 4 {
			b[8+i] = byte(day >> (8 * i))
		}
		return b
	}
	tests := []struct {
		name   string
		value  func([]byte) (int64, bool)
		stored []byte
		want   int64
		ok     bool
	}{
		{"int96 epoch", int96, i96(0, 2440588), 0, true},
		{"int96 before the epoch", int96, i96(86399_999_999_999, 2440587), -1, true},
		{"int96 year 9999", int96, i96(0, 5373484), 253402214400000000, true},
		{"int96 too late", int96, i96(0, 2440588+106751992), 0, false},
		{"int96 last day wraps", int96, i96(86399_000_000_000, 2440588+106751991), 0, false},
		{"int96 far too early", int96, i96(0, 0x80000000), 0, false},
		{"decimal 0", decimal, []byte{0}, 0, true},
		{"decimal -1", decimal, []byte{0xff}, -1, true},
		{"decimal 128", decimal, []byte{0, 0x80}, 128, true},
		{"decimal of 16 bytes", decimal, append(bytes.Repeat([]byte{0xff}, 15), 0xfe), -2, true},
		{"decimal largest", decimal, []byte{0, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, math.MaxInt64, true},
		{"decimal too large", decimal, []byte{0, 0x80, 0, 0, 0, 0, 0, 0, 0}, 0, false},
		{"decimal too small", decimal, []byte{0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0}, 0, false},
		{"decimal smallest", decimal, []byte{0x80, 0, 0, 0, 0, 0, 0, 0}, math.MinInt64, true},
		{"decimal of nothing", decimal, nil, 0, false},
	}
	for _, tt := range tests {
		if got, ok := tt.value(tt.stored); got != tt.want || ok != tt.ok {
			t.Errorf("%s: %d, %v; want %d, %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
	halves := map[[2]byte]float64{{0, 0x3c}: 1, {0, 0xc0}: -2, {1, 0}: math.Ldexp(1, -24), {0xff, 0x7b}: 65504, {0, 0xfc}: math.Inf(-1)}
	for b, want := range halves {
		if got := half(b[:]); got != want {
			t.Errorf("half %x: %v, want %v", b, got, want)
		}
	}
}
