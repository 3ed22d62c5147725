package ingest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"ttdiag/ingest"
	"ttdiag/ingest/timeline"
)

// clientCase is what an input of a benchmark tool or a store must yield.
type clientCase struct {
	File     string            `json:"file"`
	Format   string            `json:"format"`
	Rows     []json.RawMessage `json:"rows"`
	Rejected map[string]string `json:"rejected"`
	Joined   int64             `json:"joined"`
	Count    int64             `json:"count"`
}

// clientCases calls try with each of them and the path of its input.
func clientCases(t *testing.T, try func(t *testing.T, c clientCase, path string)) {
	t.Helper()
	files, err := filepath.Glob("../testdata/formats/*/expect.json")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c clientCase
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		if c.Count == 0 {
			c.Count = int64(len(c.Rows))
		}
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			try(t, c, filepath.Join(filepath.Dir(file), c.File))
		})
	}
}

// readInput reads one input with every format known.
func readInput(t *testing.T, req ingest.Request) *ingest.Input {
	t.Helper()
	r, err := ingest.Open(req)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range ingest.Run(context.Background(), r, func(b *timeline.Batch) (int, error) { return b.Len(), nil }) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return r.Inputs[0]
}

func (c *clientCase) check(t *testing.T, in *ingest.Input) {
	t.Helper()
	if in.Err != nil || in.Format == nil || in.Format.Name != c.Format {
		t.Fatalf("format %v, error %v, want %s", in.Format, in.Err, c.Format)
	}
	if in.Records != c.Count || in.Rejected != int64(len(c.Rejected)) || in.Joined != c.Joined ||
		in.Lines != in.Records+in.Rejected+in.Blank+in.Joined {
		t.Errorf("%d entries: %d records, %d rejected, %d blank, %d joined; want %d, %d and %d joined",
			in.Lines, in.Records, in.Rejected, in.Blank, in.Joined, c.Count, len(c.Rejected), c.Joined)
	}
	for _, why := range c.Rejected {
		found := false
		for reason := range in.Reasons {
			found = found || string(reason) == why
		}
		if !found {
			t.Errorf("rejected for %v, not for %q", in.Reasons, why)
		}
	}
}

// Inputs of clients are told from those of all other formats, by name or not.
func TestClientInputs(t *testing.T) {
	clientCases(t, func(t *testing.T, c clientCase, path string) {
		c.check(t, readInput(t, ingest.Request{Names: []string{path}}))
		c.check(t, readInput(t, ingest.Request{Names: []string{path}, Format: c.Format}))
	})
}

// A compressed input of a client, from standard input, is read just as well.
func TestClientInputsCompressed(t *testing.T) {
	clientCases(t, func(t *testing.T, c clientCase, path string) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := z.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		c.check(t, readInput(t, ingest.Request{Names: []string{"-"}, Stdin: &packed}))
	})
}
