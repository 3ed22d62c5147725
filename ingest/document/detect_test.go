package document_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"ttdiag/ingest/source"
)

// detected returns the format that is surest of an input.
func detected(data []byte) (name string, c source.Confidence) {
	w := window(data)
	for _, f := range formats() {
		if got := f.Detect(w); got > c {
			name, c = f.Name, got
		}
	}
	return name, c
}

func TestDetect(t *testing.T) {
	for name, e := range expectations(t) {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(corpus, name, e.File))
			if err != nil {
				t.Fatal(err)
			}
			if got, c := detected(data); got != e.Format {
				t.Errorf("detected %q (%d), want %q", got, c, e.Format)
			}
		})
	}
}

// No input of another family is taken for one of these.
func TestDetectOthers(t *testing.T) {
	own := map[string]bool{}
	for _, f := range formats() {
		own[f.Name] = true
	}
	logs, err := filepath.Glob(filepath.Join(corpus, "*", "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range logs {
		dir := filepath.Dir(file)
		inputs, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, input := range inputs {
			if input.Name() == "cases.json" {
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, input.Name()))
			if err != nil {
				t.Fatal(err)
			}
			w := window(data)
			for _, f := range formats() {
				if c := f.Detect(w); c != source.No {
					t.Errorf("%s is %s to %d", filepath.Base(dir), f.Name, c)
				}
			}
		}
	}
}

// Inputs that are cut off, empty or of no format at all: no detector panics, and
// none claims them.
func TestDetectNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "{", "[", "null", "hello world\n", "a,b,c\n1,2,3\n", `{"model":"m","total_handler_ms":5}`,
		"timestamp,model\n1,2\n", `{"metadata":{},"metrics":{}}`, `[{"ttft":1}]`, "\x00\x00\x00\x05hello"} {
		w := window([]byte(text))
		for _, f := range formats() {
			if c := f.Detect(w); c != source.No {
				t.Errorf("%q is %s to %d", text, f.Name, c)
			}
		}
	}
}

// Detection does not need the end of a document.
func TestDetectCutOff(t *testing.T) {
	for name, e := range expectations(t) {
		data, err := os.ReadFile(filepath.Join(corpus, name, e.File))
		if err != nil {
			t.Fatal(err)
		}
		if len(data) < 2000 || !json.Valid(data) && bytes.Count(data, []byte("\n")) < 3 {
			continue
		}
		if got, _ := detected(data[:len(data)*3/4]); got != e.Format {
			t.Errorf("%s: three quarters are %q, want %q", name, got, e.Format)
		}
	}
}
