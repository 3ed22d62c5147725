package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// output runs one command line and returns what it printed.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var out, complaint bytes.Buffer
	s := std{
		in: strings.NewReader(""), out: &out, err: &complaint, now: time.Now, width: 80,
		env: func(string) (string, bool) { return "", false },
	}
	if code := run(context.Background(), args, s); code != exitOK {
		t.Fatalf("%v: exit status %d: %s", args, code, complaint.String())
	}
	return out.String()
}

// spread writes the log with damage in it, whole, packed and in parts, and
// returns the names.
func spread(t *testing.T, log string) (whole string, others map[string][]string) {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i := 100; i < len(lines)-1; i += 997 {
		lines[i] = append([]byte("{\"request_id\": torn\n\n"), lines[i]...)
	}
	text = bytes.Join(lines, nil)
	dir := t.TempDir()
	put := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	others = map[string][]string{}
	for _, parts := range []int{2, 7} {
		for k := range parts {
			from, to := k*len(lines)/parts, (k+1)*len(lines)/parts
			name := fmt.Sprintf("%d-of-%d.jsonl", k, parts)
			others[fmt.Sprint(parts, " files")] = append(others[fmt.Sprint(parts, " files")], put(name, bytes.Join(lines[from:to], nil)))
		}
	}
	pack := func(open func(io.Writer) io.WriteCloser) []byte {
		var b bytes.Buffer
		w := open(&b)
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	others["gzip"] = []string{put("packed.gz", pack(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }))}
	others["zstd"] = []string{put("packed.zst", pack(func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}))}
	return put("whole.jsonl", text), others
}

// without returns JSON without the keys that name inputs, wherever they stand.
func without(t *testing.T, text string, keys ...string) string {
	t.Helper()
	var b strings.Builder
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	for dec.More() {
		var doc any
		if err := dec.Decode(&doc); err != nil {
			t.Fatal(err)
		}
		drop(doc, keys)
		one, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(one, '\n'))
	}
	return b.String()
}

func drop(doc any, keys []string) {
	switch v := doc.(type) {
	case map[string]any:
		for _, k := range keys {
			delete(v, k)
		}
		for _, one := range v {
			drop(one, keys)
		}
	case []any:
		for _, one := range v {
			drop(one, keys)
		}
	}
}

// The same records give the same bytes, whatever the number of workers, and with
// another packing or split into files all but the names of the inputs.
func TestSameOutput(t *testing.T) {
	whole, others := spread(t, leanLog(t, 6000))
	for _, kind := range [][]string{
		{"--summary", "--output", "json"},
		{"--summary", "--output", "json", "--by", "channel", "--every", "1m", "--max-memory", "8MB"},
		{"--output", "jsonl"},
	} {
		args := append([]string{"analyze", "--no-store", "--quiet"}, kind...)
		want := output(t, append(args, "--jobs", "1", whole)...)
		for _, jobs := range []string{"2", "8"} {
			if got := output(t, append(args, "--jobs", jobs, whole)...); got != want {
				t.Errorf("%v: --jobs %s prints something else than --jobs 1", kind, jobs)
			}
		}
		want = without(t, want, "inputs", "source")
		for name, files := range others {
			if got := without(t, output(t, append(args, files...)...), "inputs", "source"); got != want {
				t.Errorf("%v: %s give something else than one file", kind, name)
			}
		}
	}
}

// A tiny ceiling is kept by giving groups and exact values up, which is said.
func TestTinyCeiling(t *testing.T) {
	log := leanLog(t, 8000)
	text := output(t, "analyze", "--no-store", "--quiet", "--summary", "--output", "json",
		"--by", "channel,model,inflight", "--max-memory", "1MB", log)
	var sum struct {
		Judged, Other int64
		Groups        []struct{ N int64 }
		Pools         []struct {
			Metrics []struct {
				N           int64
				Percentiles []struct{ Method string }
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &sum); err != nil {
		t.Fatal(err)
	}
	kept := int64(0)
	for _, g := range sum.Groups {
		kept += g.N
	}
	if sum.Other == 0 || kept == 0 || kept+sum.Other != sum.Judged {
		t.Errorf("%d in %d groups and %d in none of %d", kept, len(sum.Groups), sum.Other, sum.Judged)
	}
	for _, m := range sum.Pools[0].Metrics {
		if m.N == 8000 && m.Percentiles[0].Method != "ddsketch" {
			t.Errorf("8000 values are %s under 1 MB", m.Percentiles[0].Method)
		}
	}
}

func TestMemoryPlan(t *testing.T) {
	for _, tt := range []struct {
		name, ceiling, line string
		machine             int64
		jobs                int
		want                memoryPlan
	}{
		{"no ceiling is known", "", "", 0, 3, memoryPlan{0, 3, 1 << 20, 0}},
		{"a quarter of the machine", "", "", 16 << 30, 3, memoryPlan{4 << 30, 3, 1 << 20, 1 << 30}},
		{"fewer jobs", "64MiB", "", 16 << 30, 8, memoryPlan{64 << 20, 2, 512 << 10, 16 << 20}},
		{"smaller chunks", "8MiB", "", 16 << 30, 8, memoryPlan{8 << 20, 1, 128 << 10, 2 << 20}},
		{"never nothing", "1", "", 16 << 30, 8, memoryPlan{1, 1, 64 << 10, 1 << 20}},
		{"a line as asked for", "64MiB", "50MB", 16 << 30, 1, memoryPlan{64 << 20, 1, 1 << 20, 50_000_000}},
	} {
		f := inputFlags{Jobs: tt.jobs, MaxMemory: tt.ceiling, MaxLine: tt.line}
		got, err := f.plan(std{memory: tt.machine})
		if err != nil || got != tt.want {
			t.Errorf("%s: plan is %+v, want %+v (%v)", tt.name, got, tt.want, err)
		}
	}
}
