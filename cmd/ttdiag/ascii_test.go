package main

import "testing"

func TestASCIIText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"p95 ≥ 6.2 s, –", "p95 >=6.2 s, -"},
		{"compositi…", "compositi~"},
		{"a − b ÷ c", "a - b / c"},
		{"modèle 模型", `mod\u00e8le \u6a21\u578b`},
		{"bad \xff byte", `bad \xff byte`},
	} {
		if got := asciiText(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
