package accesslog

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// corpus holds a log and what each of its records must be, by format.
const corpus = "../../testdata/formats"

type caseFile struct {
	Format  string       `json:"format"`
	Records []caseRecord `json:"records"`
}

type caseRecord struct {
	Lines    []int64        `json:"lines"`
	Rejected bool           `json:"rejected"`
	Stamp    string         `json:"stamp"`
	Exact    map[string]any `json:"exact"`
	Approx   map[string]any `json:"approx"`
	Absent   []string       `json:"absent"`
}

func loadCases(t *testing.T, name string) (caseFile, []byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(corpus, name, "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c caseFile
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(corpus, name, "log"))
	if err != nil {
		t.Fatal(err)
	}
	return c, log
}

// parsed is what a format made of a log.
type parsed struct {
	batch    *timeline.Batch
	rejected map[int64]source.Reason
	lines    int64
	joined   int64
}

func parseLog(f *source.Format, opt source.Options, log []byte) parsed {
	out := source.NewOut(f, nil)
	var p source.LineParser
	var s source.SessionParser
	if f.Session != nil {
		s = f.Session(opt)
		p = s
	} else {
		p = f.Lines(opt)
	}
	n, at := int64(0), int64(0)
	for line := range bytes.SplitSeq(bytes.TrimSuffix(log, []byte("\n")), []byte("\n")) {
		n++
		out.At(source.Position{Line: n, Byte: at})
		at += int64(len(line)) + 1
		scratch := bytes.Clone(bytes.TrimSuffix(line, []byte("\r")))
		if len(bytes.TrimSpace(scratch)) == 0 {
			out.Blank()
			continue
		}
		out.Line()
		out.Reject(p.Parse(scratch, out))
		for i := range scratch {
			scratch[i] = 0xff // a parser that keeps its line shows
		}
	}
	if s != nil {
		s.Close(out)
	}
	part := out.Flush()
	r := parsed{batch: part.Batch, rejected: map[int64]source.Reason{}, lines: part.Lines, joined: part.Joined}
	for _, why := range part.Rejected {
		r.rejected[why.Line] = why.Reason
	}
	return r
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

var ownFormats = []string{
	"nginx_text", "apisix_access", "envoy_text_default", "haproxy_http", "agentgateway", "new_api_text",
	"one_api_text", "traefik_clf", "ingress_nginx", "istio_text", "apache_us", "apache_ms", "gin", "cliproxyapi_text", "gpt_load_text",
}

// TestCases checks every record of every log: values, what must be absent, what
// may be there beside them, labels, and the same again where only exact values
// are wanted.
func TestCases(t *testing.T) {
	for _, name := range ownFormats {
		t.Run(name, func(t *testing.T) {
			c, log := loadCases(t, name)
			f := formatNamed(t, c.Format)
			checkCases(t, f, source.Options{}, c, log)
			checkCases(t, f, source.Options{Exact: true}, c, log)
			checkCases(t, f, source.Options{}, c, bytes.ReplaceAll(log, []byte("\n"), []byte("\r\n")))
			checkCases(t, f, source.Options{}, c, bytes.TrimSuffix(log, []byte("\n")))
		})
	}
}

func checkCases(t *testing.T, f *source.Format, opt source.Options, c caseFile, log []byte) {
	t.Helper()
	got := parseLog(f, opt, log)
	byLine := map[int64]int{}
	for i := range got.batch.Len() {
		line, _ := got.batch.Num(timeline.ColSourceLine, i)
		byLine[line] = i
	}
	want := 0
	for _, r := range c.Records {
		if r.Rejected {
			if got.rejected[r.Lines[0]] == source.OK {
				t.Errorf("line %d was not rejected", r.Lines[0])
			}
			continue
		}
		want++
		i, ok := byLine[r.Lines[0]]
		if !ok {
			t.Errorf("line %d: no record (%s)", r.Lines[0], got.rejected[r.Lines[0]])
			continue
		}
		checkRecord(t, got.batch, i, r, opt.Exact)
	}
	if got.batch.Len() != want {
		t.Errorf("%d records, want %d", got.batch.Len(), want)
	}
	if sum := int64(got.batch.Len()+len(got.rejected)) + got.joined; sum != got.lines {
		t.Errorf("records %d + rejected %d + joined %d are not the %d lines", got.batch.Len(), len(got.rejected), got.joined, got.lines)
	}
}

// beside are the columns that a record may have though its case lists nothing.
var beside = timeline.MaskOf(timeline.ColUpstreamStart, timeline.ColSourceLine, timeline.ColSourceByte, timeline.ColOutcome,
	timeline.ColProvider, timeline.ColVantage, timeline.ColFormat, timeline.ColFirstTokenBasis, timeline.ColTimestampBasis,
	timeline.ColApprox, timeline.ColRecordable, timeline.ColNotes)

func checkRecord(t *testing.T, b *timeline.Batch, i int, r caseRecord, exact bool) {
	t.Helper()
	want := map[string]any{}
	for name, v := range r.Exact {
		want[name] = v
	}
	for name, v := range r.Approx {
		if !exact {
			want[name] = v
		}
	}
	var row timeline.Row
	b.Row(i, &row)
	for c := range timeline.Column(timeline.NumColumns) {
		v, listed := want[c.String()]
		switch {
		case listed && !same(b, i, c, v, r.Stamp):
			t.Errorf("line %d: %s is %s, want %v", r.Lines[0], c, show(b, i, c), v)
		case !listed && b.Has(c, i) && !beside.Has(c):
			t.Errorf("line %d: %s is %s, want none", r.Lines[0], c, show(b, i, c))
		}
		if _, approx := r.Approx[c.String()]; approx && !exact && !row.Label.Mask().Has(c) {
			t.Errorf("line %d: %s has no label", r.Lines[0], c)
		}
		if _, approx := r.Approx[c.String()]; !approx && row.Label.Mask().Has(c) {
			t.Errorf("line %d: %s has a label", r.Lines[0], c)
		}
	}
	for _, name := range r.Absent {
		if _, ok := timeline.ColumnNamed(name); !ok {
			t.Errorf("line %d: no column %s", r.Lines[0], name)
		}
	}
}

func same(b *timeline.Batch, i int, c timeline.Column, want any, stamp string) bool {
	if !b.Has(c, i) {
		return false
	}
	if c.IsText() {
		return b.Text(c, i) == want
	}
	v, _ := b.Num(c, i)
	switch want := want.(type) {
	case bool:
		return v == 1 == want
	case float64:
		if c.IsDuration() {
			return v == int64(math.Round(want*1000))
		}
		return v == int64(want)
	case string:
		at, err := time.Parse(time.RFC3339Nano, strings.TrimSuffix(want, "Z")+"Z")
		if stamp == "end" {
			total, ok := b.Num(timeline.ColTotalHandler, i)
			if !ok && b.Text(timeline.ColTimestampBasis, i) != "end" {
				return false
			}
			v += total
		}
		return err == nil && v == at.UnixMicro()
	}
	return false
}

func show(b *timeline.Batch, i int, c timeline.Column) string {
	if !b.Has(c, i) {
		return "absent"
	}
	if c.IsText() {
		return b.Text(c, i)
	}
	v, _ := b.Num(c, i)
	text, _ := json.Marshal(v)
	return string(text)
}

// TestDetection asks every format about every log: each is told by its own, and
// no other is as sure.
func TestDetection(t *testing.T) {
	for _, name := range ownFormats {
		c, log := loadCases(t, name)
		w := windowOf(log)
		for _, f := range Formats() {
			confidence := f.Detect(w)
			if f.Name == c.Format {
				if confidence < source.Likely {
					t.Errorf("%s: its own format is sure to %d only", name, confidence)
				}
				continue
			}
			if own := formatNamed(t, c.Format).Detect(w); confidence >= own {
				t.Errorf("%s: %s is sure to %d, its own format to %d", name, f.Name, confidence, own)
			}
		}
	}
}

func windowOf(log []byte) *source.Window {
	w := &source.Window{Head: log, Whole: true}
	for line := range bytes.SplitSeq(log, []byte("\n")) {
		if line = bytes.TrimSuffix(line, []byte("\r")); len(line) > 0 && len(w.Lines) < 200 {
			w.Lines = append(w.Lines, line)
		}
	}
	return w
}

// TestCanary puts marked text where clients, users, paths, agents and contents
// stand, and looks for it in all that comes out.
func TestCanary(t *testing.T) {
	for _, name := range ownFormats {
		c, log := loadCases(t, name)
		f := formatNamed(t, c.Format)
		marked := log
		for _, old := range []string{"203.0.113.24", "/v1/chat/completions", "openai-python/1.99.1", "llm.example.test", "quota exceeded", `"prod"`, "tokenName=prod", "TokenName:prod", "team-a", "模型倍率 1.25"} {
			mark := old[:1] + "canary?q=canary" + old[len(old)-1:]
			if strings.HasPrefix(old, "/") {
				mark = "/canary?q=canary"
			}
			marked = bytes.ReplaceAll(marked, []byte(old), []byte(mark))
		}
		got := parseLog(f, source.Options{}, marked)
		if got.batch.Len() == 0 {
			t.Errorf("%s: nothing was read", name)
		}
		for i := range got.batch.Len() {
			for c := range timeline.Column(timeline.NumColumns) {
				if strings.Contains(show(got.batch, i, c), "canary") {
					t.Errorf("%s: %s holds what must not be kept", name, c)
				}
			}
		}
		reasons := slices.Collect(func(yield func(source.Reason) bool) {
			for _, why := range got.rejected {
				if !yield(why) {
					return
				}
			}
		})
		for _, why := range reasons {
			if strings.Contains(string(why), "canary") {
				t.Errorf("%s: a reason holds input", name)
			}
		}
	}
}
