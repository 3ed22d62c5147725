package rules

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"ttdiag/ingest/timeline"
)

func overridden(t *testing.T) Thresholds {
	t.Helper()
	f, err := ParseFile([]byte("overrides:\n  - {model: \"o'3_*%\", workload: agent, rule: {headers_ms: 1, generation_tps: 7}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return Combine(f, nil, nil)
}

func TestSQLShape(t *testing.T) {
	name := regexp.MustCompile(`\b(e\d+|is_\w+|metric_\w+|l\d+)\b`)
	some := timeline.MaskOf(timeline.ColUpstreamHeaders, timeline.ColTotalHandler, timeline.ColModel, timeline.ColApprox)
	for _, d := range Dialects() {
		for _, have := range []timeline.Mask{0, some, allColumns()} {
			text, err := SQL(d, "my_log", have, overridden(t))
			if err != nil {
				t.Fatal(err)
			}
			again, _ := SQL(d, "my_log", have, overridden(t))
			if text != again {
				t.Errorf("%s: two statements differ", d)
			}
			if strings.Count(text, "(") != strings.Count(text, ")") && have != 0 {
				t.Errorf("%s: brackets do not match", d)
			}
			for _, used := range name.FindAllString(text, -1) {
				if !strings.Contains(text, " AS "+used) && !strings.Contains(text, "\n"+used+" ") && !strings.Contains(text, ",\n"+used+" ") {
					t.Errorf("%s: %s is used and never defined", d, used)
				}
			}
			for c := range Class(NumClasses) {
				if c == NoSlowStage && !strings.Contains(text, "ELSE 'no_slow_stage' END AS class") {
					t.Errorf("%s: no class at the end", d)
				}
			}
			if !strings.Contains(text, "my_log") || !strings.HasSuffix(text, ";\n") {
				t.Errorf("%s: %s", d, text)
			}
		}
	}
}

func TestSQLGlobs(t *testing.T) {
	want := map[string]string{
		"duckdb":     `model LIKE 'o''3\_%\%' ESCAPE '\' AND workload = 'agent' THEN 1000`,
		"postgres":   `model LIKE 'o''3\_%\%' ESCAPE '\' AND workload = 'agent' THEN 1000`,
		"clickhouse": `model LIKE 'o''3\\_%\\%' AND workload = 'agent' THEN 1000`,
		"sqlite":     `model GLOB 'o''3_*%' AND workload = 'agent' THEN 1000`,
	}
	for d, part := range want {
		text, err := SQL(d, "t", allColumns(), overridden(t))
		if err != nil || !strings.Contains(text, part) {
			t.Errorf("%s lacks %s (%v)", d, part, err)
		}
		if !strings.Contains(text, "THEN 7000 ELSE 15000 END AS limit_generation_tps") {
			t.Errorf("%s lacks the limit of the speed", d)
		}
	}
}

func TestSQLUnknownDialect(t *testing.T) {
	if _, err := SQL("oracle", "t", 0, Defaults()); !errors.Is(err, ErrDialect) {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	for c := range Class(NumClasses) {
		if got, ok := ClassNamed(c.String()); !ok || got != c {
			t.Errorf("%s is not found by its name", c)
		}
		if w := c.Words(); w.Title == "" || w.Why == "" || (c.Slow() && len(w.LookAt) == 0) {
			t.Errorf("%s lacks words", c)
		}
	}
	if _, ok := ClassNamed("slow"); ok {
		t.Error("slow is no class")
	}
	for p := range Param(NumParams) {
		if got, ok := ParamKeyed(p.Key()); !ok || got != p || p.Default() > params[p].max {
			t.Errorf("%s", p.Key())
		}
	}
	for _, m := range TheTable().Metrics {
		if got, ok := TheTable().MetricNamed(m.Name); !ok || got != m {
			t.Errorf("%s is not found by its name", m.Name)
		}
	}
	if _, ok := TheTable().MetricNamed("ttft"); ok {
		t.Error("ttft is no metric")
	}
	if got := SetOf(LocalRelaySlow, UpstreamHeadersSlow).Names(); strings.Join(got, " ") != "upstream_headers_slow local_relay_slow" {
		t.Errorf("%q", got)
	}
	for s := range Stage(NumStages) {
		if !StageSet(1 << s).Has(s) {
			t.Errorf("%s", s)
		}
	}
	if Success.Failed() || Unknown.Failed() || !RateLimited.Failed() {
		t.Error("what counts as failed has changed")
	}
}

// TestOverflowIsFound: a rule whose numbers could leave int64 cannot be made.
func TestOverflowIsFound(t *testing.T) {
	big := column(timeline.ColInputTokens)
	cases := map[string]func(){
		"product":    func() { mul(big, literal(2)) },
		"sum":        func() { add(big, literal(1)) },
		"difference": func() { sub(literal(-2), big) },
		"comparison": func() { less(big, literal(-1)) },
	}
	for name, make := range cases {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was made", name)
				}
			}()
			make()
		}()
	}
	if lo, hi := mul(literal(-3), column(timeline.ColAuth)).Range(); lo != -3*timeline.MaxMicros || hi != 0 {
		t.Errorf("range %d to %d", lo, hi)
	}
	if !literal(1).IsNumber() || isNull(null()).IsNumber() {
		t.Error("what is a number has changed")
	}
}
