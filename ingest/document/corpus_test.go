package document_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ttdiag/ingest/bench"
	"ttdiag/ingest/observe"
	"ttdiag/ingest/otlp"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// formats are those that are read with this package.
func formats() []*source.Format {
	return slices.Concat(bench.Formats(), otlp.Formats(), observe.Formats())
}

func formatNamed(t testing.TB, name string) *source.Format {
	for _, f := range formats() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no format %q", name)
	return nil
}

// read reads a whole input in a format.
func read(t testing.TB, f *source.Format, data []byte) source.Part {
	t.Helper()
	out := source.NewOut(f, nil)
	if f.Document != nil {
		if err := f.Document(context.Background(), bytes.NewReader(data), source.Options{}, out); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		return out.Flush()
	}
	parser := f.Lines(source.Options{})
	for i, line := range bytes.Split(data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		out.At(source.Position{Line: int64(i + 1)})
		out.Line()
		out.Reject(parser.Parse(line, out))
	}
	return out.Flush()
}

// window is what a detector sees of an input.
func window(data []byte) *source.Window {
	w := &source.Window{Head: data[:min(len(data), 256<<10)], Whole: len(data) <= 256<<10}
	for line := range bytes.SplitSeq(w.Head, []byte("\n")) {
		if line = bytes.TrimSuffix(line, []byte("\r")); len(bytes.TrimSpace(line)) > 0 && len(w.Lines) < 200 {
			w.Lines = append(w.Lines, line)
		}
	}
	return w
}

// expectation is an expect.json: what the input beside it must yield.
type expectation struct {
	File     string             `json:"file"`
	Format   string             `json:"format"`
	Rows     []expectedRow      `json:"rows"`
	Rejected map[string]string  `json:"rejected"` // by entry
	Joined   int64              `json:"joined"`
	Count    int                `json:"count"`   // of records, where rows are only some
	Medians  map[string]float64 `json:"medians"` // by column, of the values that are there
}

type expectedRow struct {
	Entry int64          `json:"entry"`
	Has   map[string]any `json:"has"`
	Lacks []string       `json:"lacks"`
	Notes []string       `json:"notes"`
}

const corpus = "../../testdata/formats"

func expectations(t *testing.T) map[string]expectation {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpus, "*", "expect.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	all := map[string]expectation{}
	names := map[string]bool{}
	for _, f := range formats() {
		names[f.Name] = true
	}
	for _, file := range files {
		var e expectation
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if json.Unmarshal(text, &e) == nil && names[e.Format] {
			all[filepath.Base(filepath.Dir(file))] = e
		}
	}
	return all
}

func TestCorpus(t *testing.T) {
	for name, e := range expectations(t) {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(corpus, name, e.File))
			if err != nil {
				t.Fatal(err)
			}
			e.check(t, read(t, formatNamed(t, e.Format), data))
		})
	}
}

func (e *expectation) check(t *testing.T, part source.Part) {
	t.Helper()
	b := part.Batch
	want := len(e.Rows)
	if e.Count > 0 {
		want = e.Count
	}
	if b.Len() != want {
		t.Errorf("%d records, want %d", b.Len(), want)
	}
	if part.Lines != int64(b.Len()+len(part.Rejected))+part.Blank+part.Joined {
		t.Errorf("%d entries are not %d records, %d rejected, %d blank and %d joined",
			part.Lines, b.Len(), len(part.Rejected), part.Blank, part.Joined)
	}
	if part.Joined != e.Joined {
		t.Errorf("%d joined, want %d", part.Joined, e.Joined)
	}
	for _, row := range e.Rows {
		row.check(t, b)
	}
	got := map[string]string{}
	for _, r := range part.Rejected {
		got[fmt.Sprint(r.Line)] = string(r.Reason)
	}
	if fmt.Sprint(got) != fmt.Sprint(e.Rejected) {
		t.Errorf("rejected %v, want %v", got, e.Rejected)
	}
	for column, want := range e.Medians {
		if got := median(b, column); math.Abs(got-want) > 0.001 {
			t.Errorf("median %s = %v, want %v", column, got, want)
		}
	}
}

// median is the middle value, or the mean of the two, in the unit of the name.
func median(b *timeline.Batch, name string) float64 {
	c, _ := timeline.ColumnNamed(name)
	var values []int64
	for i := range b.Len() {
		if v, ok := b.Num(c, i); ok {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	m := float64(values[n/2]+values[(n-1)/2]) / 2
	if c.IsDuration() {
		m /= 1000
	}
	return m
}

func (row *expectedRow) check(t *testing.T, b *timeline.Batch) {
	t.Helper()
	i := -1
	for k := range b.Len() {
		if line, _ := b.Num(timeline.ColSourceLine, k); line == row.Entry {
			i = k
		}
	}
	if i < 0 {
		t.Errorf("no record of entry %d", row.Entry)
		return
	}
	for name, want := range row.Has {
		if got := value(b, name, i); !same(got, want) {
			t.Errorf("entry %d: %s = %v, want %v", row.Entry, name, got, want)
		}
	}
	for _, name := range row.Lacks {
		if c, ok := timeline.ColumnNamed(name); !ok {
			t.Errorf("no column %s", name)
		} else if b.Has(c, i) {
			t.Errorf("entry %d: %s = %v, want none", row.Entry, name, value(b, name, i))
		}
	}
	notes := timeline.ParseNotes(b.Text(timeline.ColNotes, i))
	for _, want := range row.Notes {
		if n := timeline.ParseNotes(want); notes.Set&n.Set != n.Set || n.Empty() {
			t.Errorf("entry %d: notes %q lack %q", row.Entry, b.Text(timeline.ColNotes, i), want)
		}
	}
}

// value returns a value as JSON has it: durations in milliseconds, flags as
// truth values, timestamp_us in microseconds.
func value(b *timeline.Batch, name string, i int) any {
	if name == "timestamp_us" {
		name = "timestamp"
	}
	c, ok := timeline.ColumnNamed(name)
	if !ok || !b.Has(c, i) {
		return nil
	}
	if c.IsText() {
		return b.Text(c, i)
	}
	v, _ := b.Num(c, i)
	switch {
	case c.IsDuration():
		return float64(v) / 1000
	case c.Info().Kind == timeline.KindFlag:
		return v == 1
	}
	return float64(v)
}

func same(got, want any) bool {
	g, ok1 := got.(float64)
	w, ok2 := want.(float64)
	if ok1 && ok2 {
		return math.Abs(g-w) < 0.0006
	}
	return got == want
}
