package rules

import (
	"errors"
	"testing"
)

func TestParseSetting(t *testing.T) {
	cases := []struct {
		text  string
		param Param
		value int64
		ok    bool
	}{
		{"rule.headers_ms=1500", HeadersLimit, 1_500_000, true},
		{"headers_ms = 0.001", HeadersLimit, 1, true},
		{"rule.generation_tps=15.125", GenerationLimit, 15_125_000, true},
		{"rule.generation_tokens=0", GenerationTokens, 0, true},
		{"rule.headers_ms=86400000", HeadersLimit, maxLimit, true},
		{"rule.headers_ms=86400000.001", 0, 0, false},
		{"rule.headers_ms=0.0001", 0, 0, false},
		{"rule.headers_ms=", 0, 0, false},
		{"rule.headers_ms=NaN", 0, 0, false},
		{"rule.headers_ms=1e400", 0, 0, false},
		{"rule.headers_ms", 0, 0, false},
		{"rule.header_ms=1", 0, 0, false},
		{"=1", 0, 0, false},
		{"rule.generation_tps=10000.001", 0, 0, false},
		{"rule.generation_tokens=1.5", 0, 0, false},
	}
	for _, c := range cases {
		s, err := ParseSetting(c.text)
		if (err == nil) != c.ok || s.Param != c.param || s.Value != c.value {
			t.Errorf("ParseSetting(%q) = %v, %v", c.text, s, err)
		}
		if err != nil && !errors.Is(err, ErrSetting) {
			t.Errorf("ParseSetting(%q): %v is no ErrSetting", c.text, err)
		}
	}
}

func TestPrecedence(t *testing.T) {
	file := File{
		Rule:      []Setting{{HeadersLimit, 1}, {AuthLimit, 1}, {RelayLimit, 1}},
		Overrides: []Override{{Model: "a*", Set: []Setting{{HeadersLimit, 2}, {RelayLimit, 2}}}, {Workload: "agent", Set: []Setting{{AuthLimit, 2}}}},
	}
	env, err := FromEnvironment(func(name string) (string, bool) {
		text, ok := map[string]string{"TTDIAG_RULE_AUTH_MS": "3", "TTDIAG_RULE_HEADERS_MS": "3", "TTDIAG_RULE_RELAY_MS": ""}[name]
		return text, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	flag, err := ParseSetting("rule.headers_ms=4")
	if err != nil {
		t.Fatal(err)
	}
	th := Combine(file, env, []Setting{flag})
	l := th.For("abc", "agent")
	want := map[Param]int64{HeadersLimit: 4000, AuthLimit: 3000, RelayLimit: 2, TextGapLimit: 2_000_000}
	for p, v := range want {
		if l[p] != v {
			t.Errorf("%s = %d, want %d", p.Key(), l[p], v)
		}
	}
	inForce := th.InForce()
	if len(inForce.Rules) != NumParams || len(inForce.Overrides) != 1 || len(inForce.Overrides[0].Rules) != 1 {
		t.Errorf("in force: %+v", inForce)
	}
	from := map[string]string{}
	for _, r := range inForce.Rules {
		from[r.Key] = r.From
	}
	for key, v := range map[string]string{"headers_ms": "flag", "auth_ms": "environment", "relay_ms": "file", "body_read_ms": "default"} {
		if from[key] != v {
			t.Errorf("%s comes from %q, want %q", key, from[key], v)
		}
	}
	if file.Overrides[0].Set[0].Param != HeadersLimit {
		t.Error("Combine changed the file")
	}
}

func TestEnvironmentError(t *testing.T) {
	_, err := FromEnvironment(func(string) (string, bool) { return "soon", true })
	if !errors.Is(err, ErrSetting) {
		t.Error(err)
	}
}

func TestMatchGlob(t *testing.T) {
	cases := []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true}, {"*", "a/b", true}, {"a*b", "ab", true}, {"a*b", "axxb", true}, {"a*b", "axxbc", false},
		{"a?c", "abc", true}, {"a?c", "ac", false}, {"*mini*", "o3-mini-x", true}, {"**", "x", true},
		{"a*b*c", "abbbcbc", true}, {"", "", true}, {"", "x", false}, {"é?", "éa", true}, {"A", "a", false},
	}
	for _, c := range cases {
		if got := matchGlob(c.pattern, c.text); got != c.want {
			t.Errorf("matchGlob(%q, %q) = %v", c.pattern, c.text, got)
		}
	}
}

func TestFormatValue(t *testing.T) {
	cases := []struct {
		v    int64
		u    Unit
		want string
	}{
		{240_000, Milliseconds, "240"}, {240_500, Milliseconds, "240.5"}, {1, Milliseconds, "0.001"}, {0, Milliseconds, "0"},
		{-1, Milliseconds, "-0.001"}, {-1500, Milliseconds, "-1.5"},
		{9_800_000, TokensPerSecond, "9.8"}, {12_000_001, TokensPerSecond, "12.000001"}, {16, Tokens, "16"},
	}
	for _, c := range cases {
		if got := FormatValue(c.v, c.u); got != c.want {
			t.Errorf("FormatValue(%d, %d) = %q, want %q", c.v, c.u, got, c.want)
		}
	}
}
