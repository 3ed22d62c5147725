package rules

import (
	"errors"
	"strings"
	"testing"
)

func TestParseFile(t *testing.T) {
	f, err := ParseFile([]byte(`# thresholds
rule:
  headers_ms: 1500
  generation_tps: 12.5
store:
  days: 3
overrides:
  - model: "o3*"
    rule: {response_to_text_ms: 20000}
  - workload: agent
    model: o3-mini
    rule:
      response_to_text_ms: 30e3
      headers_ms: 0.5
`), "store")
	if err != nil {
		t.Fatal(err)
	}
	th := Combine(f, nil, nil)
	cases := []struct {
		model, workload string
		param           Param
		want            int64
	}{
		{"gpt", "", HeadersLimit, 1_500_000},
		{"gpt", "", GenerationLimit, 12_500_000},
		{"gpt", "", TextGapLimit, 2_000_000},
		{"o3", "", TextGapLimit, 20_000_000},
		{"o3-mini", "chat", TextGapLimit, 20_000_000},
		{"o3-mini", "agent", TextGapLimit, 30_000_000},
		{"o3-mini", "agent", HeadersLimit, 500},
		{"", "agent", TextGapLimit, 2_000_000},
	}
	for _, c := range cases {
		l := th.For(c.model, c.workload)
		if l[c.param] != c.want {
			t.Errorf("%s for %q, %q = %d, want %d", c.param.Key(), c.model, c.workload, l[c.param], c.want)
		}
	}
}

func TestParseFileEmpty(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "rule:\n", "overrides:\n", "overrides: []\n", "{}"} {
		f, err := ParseFile([]byte(text))
		if err != nil || f.Rule != nil || f.Overrides != nil {
			t.Errorf("%q: %v, %v", text, f, err)
		}
	}
}

func TestParseFileErrors(t *testing.T) {
	cases := []struct {
		name, text   string
		line, column int
		want         error
	}{
		{"unknown top key", "rule:\n  headers_ms: 1\nrools: 3\n", 3, 1, ErrUnknownKey},
		{"unknown rule", "rule:\n  header_ms: 1\n", 2, 3, ErrUnknownKey},
		{"rule. inside rule", "rule:\n  rule.headers_ms: 1\n", 2, 3, ErrUnknownKey},
		{"unknown override key", "overrides:\n  - modell: x\n    rule: {headers_ms: 1}\n", 2, 5, ErrUnknownKey},
		{"negative", "rule:\n  headers_ms: -1\n", 2, 15, ErrSetting},
		{"text", "rule:\n  headers_ms: soon\n", 2, 15, ErrSetting},
		{"too long", "rule:\n  headers_ms: 86400001\n", 2, 15, ErrSetting},
		{"too fine", "rule:\n  generation_tps: 1.0001\n", 2, 19, ErrSetting},
		{"fraction of a token", "rule:\n  generation_tokens: 1.6\n", 2, 22, ErrSetting},
		{"list for a number", "rule:\n  headers_ms: [1]\n", 2, 15, ErrShape},
		{"list for rule", "rule: [1]\n", 1, 7, ErrShape},
		{"mapping for overrides", "overrides:\n  model: x\n", 2, 8, ErrShape},
		{"override for nobody", "overrides:\n  - rule: {headers_ms: 1}\n", 2, 9, ErrShape},
		{"override of nothing", "overrides:\n  - model: x\n", 2, 10, ErrShape},
		{"second document", "rule:\n  headers_ms: 1\n---\nrule:\n  headers_ms: 2\n", 4, 5, ErrShape},
		{"scalar", "7\n", 1, 1, ErrShape},
		{"twice", "rule:\n  headers_ms: 1\n  headers_ms: 2\n", 3, 3, nil},
		{"syntax", "rule: {headers_ms: 1\n", 1, 7, ErrSyntax},
	}
	for _, c := range cases {
		_, err := ParseFile([]byte(c.text))
		var at *FileError
		if !errors.As(err, &at) {
			t.Errorf("%s: %v is not a FileError", c.name, err)
			continue
		}
		if c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if at.Line != c.line || at.Column != c.column {
			t.Errorf("%s: at %d:%d (%v), want %d:%d", c.name, at.Line, at.Column, err, c.line, c.column)
		}
	}
}

func TestTooManyOverrides(t *testing.T) {
	text := "overrides:\n" + strings.Repeat("  - {model: x, rule: {headers_ms: 1}}\n", MaxOverrides+1)
	if _, err := ParseFile([]byte(text)); !errors.Is(err, ErrShape) {
		t.Errorf("%d overrides: %v", MaxOverrides+1, err)
	}
}
