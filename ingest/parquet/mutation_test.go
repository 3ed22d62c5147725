package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	arrow "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// smallFiles are valid files of a few hundred rows that between them use what
// the format has: the fodder of mutations and of fuzzing.
func smallFiles(t testing.TB) map[string][]byte {
	var flat bytes.Buffer
	writeRows(t, &flat, written(300), WriterOptions{GroupRows: 120, Metadata: map[string]string{"k": "v"}})

	opt, req := arrow.Repetitions.Optional, arrow.Repetitions.Required
	column := func(name string, typ arrow.Type, logical schema.LogicalType) *schema.GroupNode {
		return group(t, "root", req, nil, primitive(t, name, opt, typ, logical))
	}
	text, _ := flatSample(arrow.Types.ByteArray, 400, true, 5)
	dictionary := writeLeaves(t, column("text", arrow.Types.ByteArray, schema.StringLogicalType{}),
		[]arrow.WriterProperty{arrow.WithCompression(compress.Codecs.Snappy), arrow.WithDataPageSize(100), arrow.WithBatchSize(64)}, []leaf{text}, []leaf{text})

	var nodes schema.FieldList
	var leaves []leaf
	for _, c := range nestedColumns() {
		if len(c.rows) == 4 {
			nodes = append(nodes, c.node(t))
			leaves = append(leaves, leaf{defs: slices.Repeat(c.defs, 40), reps: slices.Repeat(c.reps, 40), values: slices.Repeat(c.vals.([]int64), 40)})
		}
	}
	nested := writeLeaves(t, group(t, "root", req, nil, nodes...), []arrow.WriterProperty{arrow.WithDataPageSize(150), arrow.WithBatchSize(32)}, leaves)

	numbers, _ := flatSample(arrow.Types.Int64, 500, true, 6)
	delta := writeLeaves(t, column("n", arrow.Types.Int64, schema.NewTimestampLogicalType(true, schema.TimeUnitMillis)),
		[]arrow.WriterProperty{arrow.WithEncoding(arrow.Encodings.DeltaBinaryPacked), arrow.WithDictionaryDefault(false), arrow.WithDataPageVersion(arrow.DataPageV2),
			arrow.WithCompression(compress.Codecs.Zstd), arrow.WithDataPageSize(500), arrow.WithBatchSize(64)}, []leaf{numbers})

	strings := writeLeaves(t, column("text", arrow.Types.ByteArray, nil),
		[]arrow.WriterProperty{arrow.WithEncoding(arrow.Encodings.DeltaByteArray), arrow.WithDictionaryDefault(false),
			arrow.WithDataPageVersion(arrow.DataPageV2), arrow.WithCompression(compress.Codecs.Gzip), arrow.WithDataPageSize(300), arrow.WithBatchSize(64)}, []leaf{text})

	doubles, _ := flatSample(arrow.Types.Double, 500, true, 7)
	split := writeLeaves(t, column("x", arrow.Types.Double, nil),
		[]arrow.WriterProperty{arrow.WithEncoding(arrow.Encodings.ByteStreamSplit), arrow.WithDictionaryDefault(false), arrow.WithCompression(compress.Codecs.Lz4Raw)}, []leaf{doubles})

	return map[string][]byte{"flat": flat.Bytes(), "dictionary": dictionary, "nested": nested, "delta": delta, "strings": strings, "split": split}
}

// mutate changes a copy of data in one to four places, in the footer more
// often than its size would make it.
func mutate(data []byte, rng *rand.Rand) []byte {
	data = slices.Clone(data)
	footer := int(binary.LittleEndian.Uint32(data[len(data)-8:])) + 8
	for range 1 + rng.IntN(4) {
		at := rng.IntN(len(data))
		if rng.IntN(2) == 0 {
			at = len(data) - 1 - rng.IntN(min(footer, len(data)))
		}
		switch rng.IntN(8) {
		case 0, 1, 2:
			data[at] ^= 1 << rng.IntN(8)
		case 3, 4:
			data[at] = byte(rng.Uint32())
		case 5:
			for i := at; i < min(at+5, len(data)); i++ {
				data[i] = 0xff
			}
		case 6:
			data = slices.Delete(data, at, min(at+1+rng.IntN(8), len(data)))
		case 7:
			data = slices.Insert(data, at, data[rng.IntN(len(data)):][:1]...)
		}
		if len(data) < 16 {
			return data
		}
	}
	return data
}

// TestMutations reads damaged files: each gives its rows or an error, never
// fewer rows in silence, and the process stays small.
func TestMutations(t *testing.T) {
	count := 3000
	if testing.Short() {
		count = 200
	}
	for name, data := range smallFiles(t) {
		t.Run(name, func(t *testing.T) {
			rows, err := readWhole(data, 0)
			if err != nil || rows == 0 {
				t.Fatalf("%d rows, %v", rows, err)
			}
			good := 0
			for seed := range count {
				bad := mutate(data, rand.New(rand.NewPCG(uint64(seed), 9)))
				got, err := readWhole(bad, 100)
				switch {
				case err == nil && got < rows:
					t.Errorf("seed %d: %d rows of %d without an error", seed, got, rows)
				case err == nil:
					good++
				case strings.HasPrefix(err.Error(), "SHORT"), strings.HasPrefix(err.Error(), "BUG"), strings.Contains(err.Error(), "reader stopped"):
					t.Errorf("seed %d: %v", seed, err)
				case strings.Contains(err.Error(), "prefix-"): // the text of the values
					t.Errorf("seed %d: a value in the error %v", seed, err)
				}
			}
			if good == count {
				t.Error("no mutation was noticed")
			}
			t.Logf("%d of %d read", good, count)
		})
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.Sys > 512<<20 {
		t.Errorf("%d MiB of memory", m.Sys>>20)
	}
	t.Logf("%d MiB of memory", m.Sys>>20)
}

// TestTruncated cuts a file at every length.
func TestTruncated(t *testing.T) {
	for name, data := range smallFiles(t) {
		for n := 0; n < len(data); n += 1 + n/200 {
			if _, err := readWhole(data[:n], 0); err == nil {
				t.Errorf("%s: %d of %d bytes read without an error", name, n, len(data))
			}
		}
	}
}

// FuzzFile reads any bytes as a file, twice: no panic, the same answer.
func FuzzFile(f *testing.F) {
	for _, data := range smallFiles(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := Limits{GroupRows: 1 << 16, PageBytes: 1 << 20, GroupBytes: 1 << 22}
		first, err1 := readWithin(data, 50, limits)
		second, err2 := readWithin(data, 50, limits)
		if first != second || fmt.Sprint(err1) != fmt.Sprint(err2) {
			t.Errorf("%d rows, %v; then %d rows, %v", first, err1, second, err2)
		}
		if err1 != nil && (strings.Contains(err1.Error(), "reader stopped") || strings.HasPrefix(err1.Error(), "BUG") || strings.HasPrefix(err1.Error(), "SHORT")) {
			t.Error(err1)
		}
	})
}

// FuzzPageHeader reads any bytes as a page header: no panic, and what is read
// lies within the bytes.
func FuzzPageHeader(f *testing.F) {
	f.Add([]byte{0x15, 0, 0x15, 0x10, 0x15, 0x10, 0x2c, 0x15, 8, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0})
	f.Add([]byte{0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, data []byte) {
		c := compact{data: data}
		a := c.header()
		d := compact{data: data}
		if b := d.header(); a != b || (c.err == nil) != (d.err == nil) {
			t.Error("two answers")
		}
		if c.pos > len(data) || c.depth != 0 && c.err == nil {
			t.Errorf("position %d of %d, depth %d", c.pos, len(data), c.depth)
		}
	})
}

// FuzzValues gives any bytes to every decoder.
func FuzzValues(f *testing.F) {
	f.Add([]byte{0x80, 1, 4, 8, 2, 1, 1, 1, 1, 1, 0xff}, uint8(2), uint8(5))
	f.Add([]byte{4, 0, 0, 0, 'a', 'b', 'c', 'd'}, uint8(6), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, physical, encoding uint8) {
		col := &Column{Physical: Physical(physical % 8), length: 5}
		if col.Physical == Int96 {
			col.length = 12
		}
		d, err := newDecoder(col, int8(encoding%12), data)
		if err != nil {
			return
		}
		ints, floats, text := make([]int64, 33), make([]float64, 33), Text{room: 1 << 20}
		for range 8 {
			switch col.Physical {
			case Boolean, Int32, Int64:
				err = d.ints(ints)
			case Float, Double:
				err = d.floats(floats)
			default:
				err = d.text(&text, 33)
			}
			if err != nil {
				return
			}
		}
	})
}
