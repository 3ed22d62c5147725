package timeline

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// foreign returns a stream as another program might write it.
func foreign(t testing.TB, opts ...ipc.Option) []byte {
	t.Helper()
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "i8", Type: arrow.PrimitiveTypes.Int8, Nullable: true},
		{Name: "u64", Type: arrow.PrimitiveTypes.Uint64, Nullable: true},
		{Name: "f32", Type: arrow.PrimitiveTypes.Float32, Nullable: true},
		{Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "s", Type: arrow.FixedWidthTypes.Timestamp_s, Nullable: true},
		{Name: "ns", Type: &arrow.TimestampType{Unit: arrow.Nanosecond}, Nullable: true},
		{Name: "day", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "text", Type: arrow.BinaryTypes.LargeString, Nullable: true},
		{Name: "label", Type: dict, Nullable: true},
		{Name: "in", Type: arrow.StructOf(arrow.Field{Name: "deep", Type: arrow.PrimitiveTypes.Int64, Nullable: true}), Nullable: true},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64), Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, row := range []string{`{"i8":-3,"u64":18446744073709551615,"f32":1.5,"b":true,"s":"2026-01-01 00:00:00","ns":"2026-01-01 00:00:00.000001999","day":"2026-01-02","text":"x","label":"m","in":{"deep":7},"list":[1]}`,
		`{"i8":null,"u64":5,"f32":null,"b":false,"s":null,"ns":null,"day":null,"text":null,"label":"n","in":null,"list":null}`} {
		if err := b.UnmarshalJSON([]byte(row)); err != nil {
			t.Fatal(err)
		}
	}
	rec := b.NewRecord()
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, append(opts, ipc.WithSchema(schema))...)
	for range 2 {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// dump writes all values that the reader hands out.
func dump(data []byte) (string, error) {
	in, err := NewIPCReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", err
	}
	var s strings.Builder
	for {
		n, err := in.Next()
		if err == io.EOF {
			return s.String(), nil
		}
		if err != nil {
			return s.String(), err
		}
		n = min(n, 100)
		for i, f := range in.Fields() {
			col, err := in.Column(i, 0, n)
			if err != nil {
				return s.String(), err
			}
			fmt.Fprintf(&s, "%s=", strings.Join(f.Path, "."))
			for k, ok := range col.Valid {
				switch {
				case !ok:
					s.WriteString("-")
				case f.Kind == IPCOther:
					s.WriteString("?")
				case f.Kind == IPCFloats:
					fmt.Fprint(&s, col.Floats[k])
				case f.Kind == IPCTexts:
					fmt.Fprintf(&s, "%s", col.Texts[k])
				default:
					fmt.Fprint(&s, col.Ints[k])
				}
				s.WriteByte(' ')
			}
		}
		s.WriteByte('\n')
	}
}

const foreignRows = "i8=-3 - u64=- 5 f32=1.5 - b=1 0 s=1767225600000000 - ns=1767225600000001 - day=1767312000000000 - text=x - label=m n in.deep=7 - list=? - \n"

func TestForeignIPC(t *testing.T) {
	for name, opts := range map[string][]ipc.Option{"plain": nil, "zstd": {ipc.WithZstd()}, "lz4": {ipc.WithLZ4()}} {
		data := foreign(t, opts...)
		if !IsIPC(data) {
			t.Errorf("%s: not told", name)
		}
		got, err := dump(data)
		if err != nil || got != foreignRows+foreignRows {
			t.Errorf("%s: %v\n%s\nwant twice\n%s", name, err, got, foreignRows)
		}
		got, err = dump(data[:len(data)-200])
		if !errors.Is(err, ErrIPC) || got != foreignRows {
			t.Errorf("%s, cut: %v\n%s", name, err, got)
		}
	}
}

// Sizes that an input declares and does not have are not believed.
func TestIPCDeclaredSizes(t *testing.T) {
	data := foreign(t)
	for _, size := range []uint32{1 << 31, 1<<31 - 1, maxIPCMeta + 1, uint32(len(data))} {
		bad := bytes.Clone(data)
		binary.LittleEndian.PutUint32(bad[4:], size)
		if _, err := dump(bad); !errors.Is(err, ErrIPC) {
			t.Errorf("metadata of %d bytes: %v", size, err)
		}
	}
	head := []byte("\xff\xff\xff\xff\x10\x00\x00\x00")
	for _, data := range [][]byte{nil, head, []byte("ARROW1\x00\x00"), append(head, make([]byte, 16)...), []byte("ARROW1\x00\x00\x00\x00\x00\x00\x00\x00ARROW1")} {
		if _, err := dump(data); !errors.Is(err, ErrIPC) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

// A schema that refers to the same fields again and again is not followed.
func TestIPCSchemaBomb(t *testing.T) {
	child := arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8}
	for range maxIPCDepth + 1 {
		child = arrow.Field{Name: "x", Type: arrow.StructOf(child)}
	}
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(arrow.NewSchema([]arrow.Field{child}, nil)))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := dump(buf.Bytes()); !errors.Is(err, ErrIPC) {
		t.Error(err)
	}
}

// Damage anywhere is an error or other values, and never the end of the program.
func TestIPCMutations(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, data := range [][]byte{foreign(t), foreign(t, ipc.WithZstd()), foreign(t, ipc.WithLZ4())} {
		for range 1000 {
			bad := bytes.Clone(data)
			for range 1 + random.IntN(4) {
				bad[random.IntN(len(bad))] = byte(random.Uint32())
			}
			if got, err := dump(bad); err != nil && !errors.Is(err, ErrIPC) {
				t.Fatalf("%v after %d bytes", err, len(got))
			}
		}
	}
}

func FuzzIPC(f *testing.F) {
	f.Add(foreign(f))
	f.Add(foreign(f, ipc.WithZstd()))
	f.Add([]byte("ARROW1\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		one, err := dump(data)
		two, again := dump(data)
		if one != two || fmt.Sprint(err) != fmt.Sprint(again) {
			t.Errorf("%v, then %v", err, again)
		}
	})
}

func TestTold(t *testing.T) {
	label := NewLabel(Approx{Column: "total_handler_ms", Origin: "o", Point: "p", Bias: "b"})
	cases := []struct {
		name string
		col  Column
		text string
		want string // notes, label, recordable, format
	}{
		{"notes", ColNotes, "zero_mark:first_sse_event_ms;replayed", "zero_mark:first_sse_event_ms;replayed|||"},
		{"unknown notes", ColNotes, "replayed;see the prompt", "|||"},
		{"label", ColApprox, label.Text(), "|" + label.Text() + "||"},
		{"label of no column", ColApprox, `[{"column":"x"}]`, "|||"},
		{"no label", ColApprox, `{}`, "|||"},
		{"empty label", ColApprox, `[]`, "|||"},
		{"recordable", ColRecordable, "none", "||none|"},
		{"recordable", ColRecordable, "first_response_ms,total_handler_ms", "||first_response_ms,total_handler_ms|"},
		{"unknown mark", ColRecordable, "first_response_ms,x", "|||"},
		{"format", ColFormat, "new_api_text", "|||new_api_text"},
		{"no format", ColFormat, "Not A Format", "|||"},
		{"too long", ColFormat, strings.Repeat("a", 5000), "|||"},
	}
	for _, c := range cases {
		for range 2 { // the second is remembered
			var told Told
			var row Row
			row.SetNum(ColTotalHandler, 1)
			told.Take(&row, c.col, []byte(c.text))
			text := ""
			if row.Label != nil {
				text = row.Label.Text()
			}
			got := row.Notes.Text() + "|" + text + "|" + string(row.Text(ColRecordable)) + "|" + string(row.Text(ColFormat))
			if got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
		}
	}
	told := Told{Exact: true}
	var row Row
	row.SetNum(ColTotalHandler, 1)
	if told.Take(&row, ColApprox, []byte(label.Text())); row.Has(ColTotalHandler) || row.Label != nil {
		t.Error("an approximate value under --exact")
	}
}
