package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestLogsAreTheSameEveryTime(t *testing.T) {
	for _, tt := range []struct {
		name     string
		fat      bool
		from, to int // bytes of a record
	}{
		{"lean", false, 540, 600},
		{"fat", true, 10_000, 11_500},
	} {
		const n = 200
		var texts [2][]byte
		for k := range texts {
			name := filepath.Join(t.TempDir(), "log.jsonl")
			if _, err := writeLog(name, n, 1, tt.fat); err != nil {
				t.Fatal(err)
			}
			var err error
			if texts[k], err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(texts[0], texts[1]) {
			t.Errorf("%s: two logs of one seed differ", tt.name)
		}
		if size := len(texts[0]) / n; size < tt.from || size > tt.to {
			t.Errorf("%s: a record has %d bytes", tt.name, size)
		}
		for line := range bytes.Lines(texts[0]) {
			if !json.Valid(line) {
				t.Fatalf("%s: a line is no JSON", tt.name)
			}
		}
	}
}

func TestAnswersThatDifferAreFound(t *testing.T) {
	whole := func() answer {
		a := answer{Classes: map[string]int64{"no_slow_stage": 3}, Percentiles: map[string][]float64{}}
		for _, m := range marks {
			a.Percentiles[m] = []float64{1, 2, 3}
		}
		return a
	}
	if err := whole().check(whole(), 0); err != nil {
		t.Error(err)
	}
	class, value, missing := whole(), whole(), whole()
	class.Classes["no_slow_stage"] = 2
	value.Percentiles["auth_ms"][1] = 2.001
	delete(missing.Percentiles, "auth_ms")
	for _, other := range []answer{class, value, missing} {
		if whole().check(other, 0) == nil {
			t.Error("a difference passes")
		}
	}
	if err := whole().check(value, 0.001); err != nil {
		t.Errorf("a difference within the error of a sketch does not: %v", err)
	}
}
