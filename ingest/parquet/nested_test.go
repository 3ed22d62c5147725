package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	arrow "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// nestedColumn is a leaf inside lists: its schema, the levels of a few rows as
// the format's paper would write them, and how the rows look.
type nestedColumn struct {
	name string
	node func(t testing.TB) schema.Node
	path []string
	defs []int16
	reps []int16
	vals any
	rows []string
}

func nestedColumns() []nestedColumn {
	opt, req, rep := arrow.Repetitions.Optional, arrow.Repetitions.Required, arrow.Repetitions.Repeated
	list := schema.NewListLogicalType()
	i64 := arrow.Types.Int64
	return []nestedColumn{
		{
			name: "list",
			node: func(t testing.TB) schema.Node {
				return group(t, "nums", opt, list, group(t, "list", rep, nil, primitive(t, "element", opt, i64, nil)))
			},
			path: []string{"nums"},
			defs: []int16{3, 2, 3, 0, 1, 3}, reps: []int16{0, 1, 1, 0, 0, 0}, vals: []int64{1, 3, 4},
			rows: []string{"[1 - 3]", "-", "[]", "[4]"},
		},
		{
			name: "list of two levels",
			node: func(t testing.TB) schema.Node {
				return group(t, "old", opt, list, primitive(t, "array", rep, i64, nil))
			},
			path: []string{"old"},
			defs: []int16{2, 2, 0, 1, 2}, reps: []int16{0, 1, 0, 0, 0}, vals: []int64{1, 2, 3},
			rows: []string{"[1 2]", "-", "[]", "[3]"},
		},
		{
			name: "repeated without annotation",
			node: func(t testing.TB) schema.Node { return primitive(t, "bare", rep, i64, nil) },
			path: []string{"bare"},
			defs: []int16{1, 1, 0, 1}, reps: []int16{0, 1, 0, 0}, vals: []int64{5, 6, 7},
			rows: []string{"[5 6]", "[]", "[7]"},
		},
		{
			name: "list of structs",
			node: func(t testing.TB) schema.Node {
				return group(t, "events", opt, list, group(t, "list", rep, nil, group(t, "element", opt, nil, primitive(t, "at", opt, i64, nil))))
			},
			path: []string{"events", "at"},
			defs: []int16{4, 3, 2, 0, 1, 4}, reps: []int16{0, 1, 1, 0, 0, 0}, vals: []int64{8, 9},
			rows: []string{"[8 - -]", "-", "[]", "[9]"},
		},
		{
			name: "list of lists",
			node: func(t testing.TB) schema.Node {
				inner := group(t, "element", opt, list, group(t, "list", rep, nil, primitive(t, "element", opt, i64, nil)))
				return group(t, "deep", opt, list, group(t, "list", rep, nil, inner))
			},
			path: []string{"deep"},
			defs: []int16{5, 5, 2, 3, 4, 0, 1, 5}, reps: []int16{0, 2, 1, 1, 1, 0, 0, 0}, vals: []int64{1, 2, 3},
			rows: []string{"[[1 2] - [] [-]]", "-", "[]", "[[3]]"},
		},
		{
			name: "struct",
			node: func(t testing.TB) schema.Node {
				return group(t, "outer", opt, nil, group(t, "inner", req, nil, primitive(t, "x", opt, i64, nil)))
			},
			path: []string{"outer", "inner", "x"},
			defs: []int16{2, 1, 0}, vals: []int64{4},
			rows: []string{"4", "-", "-"},
		},
	}
}

// show writes row i of the vector with its lists.
func show(v *Vector, depth, i int) string {
	if depth == len(v.Offsets) {
		if !v.Present(i) {
			return "-"
		}
		return fmt.Sprint(v.Ints[i])
	}
	if !v.ListValid[depth][i] {
		return "-"
	}
	var parts []string
	for j := v.Offsets[depth][i]; j < v.Offsets[depth][i+1]; j++ {
		parts = append(parts, show(v, depth+1, int(j)))
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// TestNested reads lists, lists of structs, lists of lists and structs, in
// batches and pages that cut between and inside rows.
func TestNested(t *testing.T) {
	const repeat = 300
	for _, c := range nestedColumns() {
		for _, version := range []arrow.DataPageVersion{arrow.DataPageV1, arrow.DataPageV2} {
			t.Run(fmt.Sprintf("%s/v%d", c.name, version+1), func(t *testing.T) {
				l := leaf{defs: slices.Repeat(c.defs, repeat), values: slices.Repeat(c.vals.([]int64), repeat)}
				if c.reps != nil {
					l.reps = slices.Repeat(c.reps, repeat)
				}
				root := group(t, "root", arrow.Repetitions.Required, nil, c.node(t))
				data := writeLeaves(t, root, []arrow.WriterProperty{arrow.WithDataPageVersion(version), arrow.WithDataPageSize(200), arrow.WithBatchSize(64)}, []leaf{l})
				f, err := Open(bytes.NewReader(data), int64(len(data)), Limits{})
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := f.Lookup(c.path...); !ok {
					t.Fatalf("path %v, want %v", f.Columns()[0].Path, c.path)
				}
				for _, rows := range []int{0, 1, 3, 250} {
					var got []string
					err := eachBatch(data, rows, []int{0}, func(b *Batch) {
						for i := range b.Rows {
							got = append(got, show(&b.Columns[0], 0, i))
						}
					})
					if err != nil {
						t.Fatal(err)
					}
					want := slices.Repeat(c.rows, repeat)
					if !slices.Equal(got, want) {
						t.Errorf("batches of %d: %d rows, first ones %v, want %v", rows, len(got), got[:min(4, len(got))], c.rows)
					}
				}
			})
		}
	}
}

// mapFile holds a map with three rows: {a: 1, b: absent}, null, {c: 3}. The
// levels of the values can be replaced.
func mapFile(t testing.TB, valueDefs, valueReps []int16, values []int64) []byte {
	opt, req, rep := arrow.Repetitions.Optional, arrow.Repetitions.Required, arrow.Repetitions.Repeated
	m := group(t, "usage", opt, schema.MapLogicalType{}, group(t, "key_value", rep, nil,
		primitive(t, "key", req, arrow.Types.ByteArray, schema.StringLogicalType{}), primitive(t, "value", opt, arrow.Types.Int64, nil)))
	keys := leaf{defs: []int16{2, 2, 0, 2}, reps: []int16{0, 1, 0, 0}, values: []arrow.ByteArray{[]byte("a"), []byte("b"), []byte("c")}}
	return writeLeaves(t, group(t, "root", req, nil, m), nil, []leaf{keys, {defs: valueDefs, reps: valueReps, values: values}})
}

func TestMap(t *testing.T) {
	data := mapFile(t, []int16{3, 2, 0, 3}, []int16{0, 1, 0, 0}, []int64{1, 3})
	f, err := Open(bytes.NewReader(data), int64(len(data)), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	key, ok1 := f.Lookup("usage", "key")
	value, ok2 := f.Lookup("usage", "value")
	if !ok1 || !ok2 {
		t.Fatalf("paths %v %v", f.Columns()[0].Path, f.Columns()[1].Path)
	}
	var got []string
	err = eachBatch(data, 0, []int{key, value}, func(b *Batch) {
		k, v := &b.Columns[0], &b.Columns[1]
		for i := range b.Rows {
			lo, hi := k.Row(i)
			for j := lo; j < hi; j++ {
				got = append(got, fmt.Sprintf("%d:%s=%v", i, k.Bytes(j), cellOf(v, j)))
			}
		}
	})
	if want := []string{"0:a=1", "0:b=<nil>", "2:c=3"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

// TestUnequalLists: keys and values that do not pair up are damage in the
// column beside, not a panic in the caller.
func TestUnequalLists(t *testing.T) {
	data := mapFile(t, []int16{3, 0, 3, 3}, []int16{0, 0, 0, 1}, []int64{1, 2, 3})
	_, err := readWhole(data, 0)
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrDamaged) || e.Column != "usage.value" || e.Group != 0 {
		t.Errorf("got %v, want damage in usage.value of row group 0", err)
	}
}

// TestCancel stops between pages with the context's own error.
func TestCancel(t *testing.T) {
	data := mapFile(t, []int16{3, 2, 0, 3}, []int16{0, 1, 0, 0}, []int64{1, 3})
	f, err := Open(bytes.NewReader(data), int64(len(data)), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.NewReader(0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for b, err := range r.Group(ctx, 0, 0) {
		if b != nil || err != context.Canceled {
			t.Errorf("got %v, %v; want context.Canceled", b, err)
		}
	}
}
