package document_test

import (
	"slices"
	"testing"

	"ttdiag/ingest/bench"
	"ttdiag/ingest/observe"
	"ttdiag/ingest/otlp"
	"ttdiag/ingest/timeline"
)

func TestTerms(t *testing.T) {
	seen := map[[3]string]bool{}
	for _, term := range slices.Concat(bench.Terms(), otlp.Terms(), observe.Terms()) {
		if term.Tool == "" || term.Field == "" || term.Means == "" {
			t.Errorf("incomplete: %+v", term)
		}
		if _, ok := timeline.ColumnNamed(term.Column); !ok && term.Column != "" {
			t.Errorf("%s %s: no column %s", term.Tool, term.Field, term.Column)
		}
		key := [3]string{term.Tool, term.Version, term.Field}
		if seen[key] {
			t.Errorf("twice: %v", key)
		}
		seen[key] = true
	}
}

// Every format says what it is, whose clock it reads, and what of each column.
func TestFormats(t *testing.T) {
	names := map[string]bool{}
	for _, f := range formats() {
		if names[f.Name] {
			t.Errorf("two formats are called %s", f.Name)
		}
		names[f.Name] = true
		if f.Title == "" || f.Family == "" || f.Vantage == "" || f.FirstToken == "" || f.More == "" || f.Detect == nil {
			t.Errorf("%s is incomplete", f.Name)
		}
		var has timeline.Mask
		for _, c := range f.Capabilities() {
			if has.Has(c.Column) || c.Field == "" {
				t.Errorf("%s: %s stands twice or has no field", f.Name, c.Column)
			}
			has = has.With(c.Column)
		}
	}
}

// What a format fills, it says that it can fill.
func TestCapabilities(t *testing.T) {
	for name, e := range expectations(t) {
		f := formatNamed(t, e.Format)
		var can timeline.Mask
		for _, c := range f.Capabilities() {
			can = can.With(c.Column)
		}
		for _, row := range e.Rows {
			for column := range row.Has {
				c, ok := timeline.ColumnNamed(column)
				if ok && !can.Has(c) && c.Info().Group != timeline.GroupInternal && c != timeline.ColVantage && c != timeline.ColFirstTokenBasis {
					t.Errorf("%s: %s fills %s and does not say so", name, f.Name, column)
				}
			}
		}
	}
}
