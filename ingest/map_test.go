package ingest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ttdiag/ingest/mapping"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// TestMap reads records of no known format, plain and wrapped, and refuses a
// unit that cannot be right.
func TestMap(t *testing.T) {
	plain := `{"took":{"s":2.1}}` + "\n" + `{"took":{"s":1.4}}` + "\n" + `{"took":{"s":0.9}}` + "\n"
	var wrapped strings.Builder
	for line := range strings.Lines(plain) {
		wrapped.WriteString("2026-08-21T03:15:33.123456789Z stdout F " + line)
	}
	array := "[" + strings.ReplaceAll(strings.TrimSpace(plain), "\n", ",") + "]\n"
	for _, tt := range []struct {
		name, log, mapping string
		absurd             bool
	}{
		{"plain", plain, "total_handler_ms=.took.s:s", false},
		{"plain, wrong unit", plain, "total_handler_ms=.took.s", true},
		{"container log", wrapped.String(), "total_handler_ms=.took.s:s", false},
		{"container log, wrong unit", wrapped.String(), "total_handler_ms=.took.s", true},
		{"JSON array", array, "total_handler_ms=.took.s:s", false},
		{"JSON array, wrong unit", array, "total_handler_ms=.took.s", true},
	} {
		m, err := mapping.ParseMapping(tt.mapping)
		if err != nil {
			t.Fatal(err)
		}
		totals, err := totalsOf(t, tt.log, source.Options{Map: []source.Mapping{m}})
		if absurd := new(mapping.AbsurdUnit); tt.absurd {
			if !errors.As(err, &absurd) {
				t.Errorf("%s: error %v", tt.name, err)
			}
			continue
		}
		if err != nil || len(totals) != 3 || totals[0] != 2100000 {
			t.Errorf("%s: %v, %v", tt.name, totals, err)
		}
	}
}

// totalsOf returns the totals of the records in log, in microseconds.
func totalsOf(t *testing.T, log string, opt source.Options) ([]int64, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Open(Request{Names: []string{name}, Options: opt})
	if err != nil {
		return nil, err
	}
	var all []int64
	for res, err := range Run(context.Background(), r, totals) {
		if err != nil {
			return all, err
		}
		all = append(all, res.Value...)
	}
	return all, nil
}

func totals(b *timeline.Batch) ([]int64, error) {
	var all []int64
	for i := range b.Len() {
		if v, ok := b.Num(timeline.ColTotalHandler, i); ok {
			all = append(all, v)
		}
	}
	return all, nil
}
