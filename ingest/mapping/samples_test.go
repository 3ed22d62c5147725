package mapping

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const corpus = "../../testdata/formats"

// sample is a log and what each of its lines must become.
type sample struct {
	name   string
	input  []byte
	Format string
	Cases  []struct {
		Line     int
		Rejected source.Reason   // why the line is no record
		Stamp    string          // of the timestamp in exact: start or end
		Exact    map[string]any  // values with and without --exact
		Approx   map[string]near // labelled values, absent with --exact
		Absent   []string        // columns that must not be there
	}
}

// near is an approximate value.
type near struct {
	Value       any
	PlusMinusMs int64 `json:"plus_minus_ms"`
}

// samples returns the samples of the formats of this package.
func samples(t *testing.T) []sample {
	t.Helper()
	mine := map[string]bool{}
	for _, table := range Tables() {
		mine[table.Name] = true
	}
	files, err := filepath.Glob(filepath.Join(corpus, "*", "cases.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	var list []sample
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var s sample
		if json.Unmarshal(text, &s) != nil || !mine[s.Format] {
			continue // of another package, in its own shape
		}
		dir := filepath.Dir(file)
		s.name = filepath.Base(dir)
		if s.input, err = os.ReadFile(filepath.Join(dir, "input.log")); err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

func lines(input []byte) [][]byte {
	var list [][]byte
	for line := range bytes.Lines(input) {
		list = append(list, bytes.TrimRight(line, "\r\n"))
	}
	return list
}

func formatNamed(t *testing.T, name string) *source.Format {
	t.Helper()
	for _, f := range Formats() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no format %s", name)
	return nil
}

// parse reads lines one by one. rows[i] is the row of line i, or -1.
func parse(f *source.Format, opt source.Options, list [][]byte) (batch *timeline.Batch, rows []int, why []source.Rejection) {
	out := source.NewOut(f, nil)
	p := f.Lines(opt)
	for i, line := range list {
		out.At(source.Position{Line: int64(i + 1)})
		n := out.Len()
		r := p.Parse(line, out)
		why = append(why, r)
		if rows = append(rows, -1); out.Len() > n {
			rows[i] = n
		}
	}
	return out.Flush().Batch, rows, why
}

func TestSamples(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			f := formatNamed(t, s.Format)
			if len(s.Cases) != len(lines(s.input)) {
				t.Fatalf("%d cases for %d lines", len(s.Cases), len(lines(s.input)))
			}
			for _, exact := range []bool{false, true} {
				checkSample(t, &s, f, exact)
			}
		})
	}
}

func checkSample(t *testing.T, s *sample, f *source.Format, exact bool) {
	t.Helper()
	batch, rows, why := parse(f, source.Options{Exact: exact}, lines(s.input))
	for _, c := range s.Cases {
		row := rows[c.Line-1]
		if c.Rejected != "" {
			if row >= 0 || why[c.Line-1].Reason != c.Rejected {
				t.Errorf("line %d: row %d, rejected as %q, want %q", c.Line, row, why[c.Line-1].Reason, c.Rejected)
			}
			continue
		}
		if row < 0 {
			t.Errorf("line %d: rejected: %+v", c.Line, why[c.Line-1])
			continue
		}
		want := map[string]any{}
		for name, v := range c.Exact {
			want[name] = v
		}
		var approximate []string
		for name, a := range c.Approx {
			if !exact && a.Value != 0.0 { // a mark of 0 is none
				want[name] = a.Value
				approximate = append(approximate, name)
			}
		}
		for name, v := range want {
			checkValue(t, batch, row, c.Line, name, v, c.Stamp == "end")
		}
		absent := c.Absent
		for name := range c.Approx {
			if exact {
				absent = append(absent, name)
			}
		}
		for _, name := range absent {
			if column, ok := timeline.ColumnNamed(name); ok && batch.Has(column, row) {
				t.Errorf("line %d exact=%v: %s is there", c.Line, exact, name)
			}
		}
		checkLabel(t, c.Approx, batch, row, c.Line, approximate)
	}
}

func checkLabel(t *testing.T, approx map[string]near, batch *timeline.Batch, row, line int, want []string) {
	t.Helper()
	text := batch.Text(timeline.ColApprox, row)
	if text == "" {
		if len(want) > 0 {
			t.Errorf("line %d: no label for %v", line, want)
		}
		return
	}
	label, ok := timeline.ParseLabel(text)
	if !ok || len(label.Items) != len(want) {
		t.Errorf("line %d: label %s, want it for %v", line, text, want)
		return
	}
	for _, item := range label.Items {
		a, ok := approx[item.Column]
		if !ok || item.Origin == "" || item.Point == "" || item.Bias == "" {
			t.Errorf("line %d: label %+v", line, item)
		}
		if a.PlusMinusMs != 0 && a.PlusMinusMs != item.PlusMinusMs {
			t.Errorf("line %d: %s is known to ±%d ms, want ±%d", line, item.Column, item.PlusMinusMs, a.PlusMinusMs)
		}
	}
}

// checkValue compares one column. Durations and times are kept to the
// microsecond.
func checkValue(t *testing.T, batch *timeline.Batch, row, line int, name string, want any, stampsEnd bool) {
	t.Helper()
	column, ok := timeline.ColumnNamed(name)
	if !ok {
		t.Fatalf("line %d: no column %s", line, name)
	}
	if column.IsText() {
		if got := batch.Text(column, row); got != want {
			t.Errorf("line %d: %s = %q, want %q", line, name, got, want)
		}
		return
	}
	got, ok := batch.Num(column, row)
	if !ok {
		t.Errorf("line %d: %s is absent, want %v", line, name, want)
		return
	}
	var wanted float64
	switch v := want.(type) {
	case string:
		us, ok := timeline.ParseTimestamp([]byte(v), nil)
		if !ok {
			t.Fatalf("line %d: %s is no time", line, name)
		}
		if stampsEnd {
			us -= total(batch, row)
		}
		wanted = float64(us)
	case bool:
		if v {
			wanted = 1
		}
	case float64:
		wanted = v
		if column.IsDuration() {
			wanted *= 1000
		}
	}
	if math.Abs(float64(got)-wanted) > 0.6 {
		t.Errorf("line %d: %s = %d, want %v", line, name, got, wanted)
	}
}

// total is what the builder takes off the end of a request.
func total(batch *timeline.Batch, row int) int64 {
	if v, ok := batch.Num(timeline.ColTotalHandler, row); ok {
		return v
	}
	v, _ := batch.Num(timeline.ColUpstreamDone, row)
	return v
}

// window makes the window that ingest would make of the input.
func window(input []byte) *source.Window {
	w := &source.Window{Head: input, Whole: true}
	for _, line := range lines(input) {
		if len(bytes.TrimSpace(line)) > 0 {
			w.Lines = append(w.Lines, line)
		}
	}
	return w
}

func TestDetection(t *testing.T) {
	for _, s := range samples(t) {
		for _, f := range Formats() {
			switch sure := f.Detect(window(s.input)); {
			case f.Name == s.Format && sure < source.Likely:
				t.Errorf("%s is not detected as %s: %d", s.name, f.Name, sure)
			case f.Name != s.Format && sure != source.No:
				t.Errorf("%s is taken for %s too: %d", s.name, f.Name, sure)
			}
		}
	}
}

func readSample(tb testing.TB, name string) []byte {
	tb.Helper()
	input, err := os.ReadFile(filepath.Join(corpus, name, "input.log"))
	if err != nil {
		tb.Fatal(err)
	}
	return input
}
