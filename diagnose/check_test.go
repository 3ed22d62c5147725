package diagnose

import (
	"strings"
	"testing"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// checkRows makes n requests whose time to first text goes from 10 ms to n·10
// ms, and after them some that timed out at 60 s without any.
func checkRows(n, timeouts int) []timeline.Row {
	var rows []timeline.Row
	for i := range n + timeouts {
		var r timeline.Row
		r.SetNum(timeline.ColStream, 1)
		if i >= n {
			r.SetNum(timeline.ColStatus, 504)
			r.SetNum(timeline.ColUpstreamHeaders, 100)
			r.SetNum(timeline.ColFirstResponse, 200)
			r.SetNum(timeline.ColTotalHandler, 60_000_000)
			rows = append(rows, r)
			continue
		}
		us := int64(i+1) * 10_000
		r.SetNum(timeline.ColStatus, 200)
		r.SetText(timeline.ColChannel, []byte([]string{"a", "b"}[i%2]))
		r.SetNum(timeline.ColUpstreamHeaders, us/2)
		r.SetNum(timeline.ColFirstResponse, us)
		r.SetNum(timeline.ColFirstTextDelta, us)
		r.SetNum(timeline.ColOutputTokens, 100)
		r.SetNum(timeline.ColTotalHandler, us+2_000_000)
		rows = append(rows, r)
	}
	return rows
}

func checkOf(t testing.TB, rows []timeline.Row, opt TallyOptions, onInterval bool, texts ...string) *Check {
	t.Helper()
	var list []Requirement
	for _, text := range texts {
		r, err := ParseRequirement(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		list = append(list, r)
	}
	e := New(rules.Defaults())
	tally := NewTally(e, opt)
	tally.Add(verdictsOf(e, rows))
	return tally.Check(list, onInterval)
}

func TestCheck(t *testing.T) {
	cases := []struct {
		name, text  string
		n, timeouts int
		onInterval  bool
		want        CheckVerdict
		reason      string
	}{
		{"below the limit", "first_text_delta_ms p95 < 3s", 300, 0, false, Pass, ""},
		{"beyond it", "first_text_delta_ms p95 < 2.5s", 300, 0, false, Fail, "beyond"},
		{"at it is not below it", "first_text_delta_ms p95 < 2850ms", 300, 0, false, Fail, "beyond"},
		{"at it is at most it", "first_text_delta_ms p95 <= 2850", 300, 0, false, Pass, ""},
		{"the interval is beyond it", "first_text_delta_ms p95 < 2.9s", 300, 0, true, Fail, "upper end"},
		{"the interval is within it", "first_text_delta_ms p95 < 3s", 300, 0, true, Pass, ""},
		{"no upper end", "first_text_delta_ms p99 < 30s", 300, 0, true, TooLittle, "too small"},
		{"no request", "first_text_delta_ms p95 < 3s", 0, 0, false, TooLittle, "no request"},
		{"an empty metric", "auth_ms p95 < 3s", 300, 0, false, TooLittle, "no request"},
		{"too few for p99", "first_text_delta_ms p99 < 3s", 80, 0, false, TooLittle, "too small"},
		{"too few, and yet beyond", "first_text_delta_ms p99 < 100ms", 80, 0, false, Fail, "at least"},
		{"p95 lands on a timeout", "first_text_delta_ms p95 < 61s", 280, 20, false, TooLittle, "cut off"},
		{"it lands on a timeout beyond the limit", "first_text_delta_ms p95 < 3s", 280, 20, false, Fail, "beyond"},
		{"timeouts beyond the percentile", "first_text_delta_ms p95 < 3s", 295, 5, false, Pass, ""},
		{"the greatest is a timeout", "first_text_delta_ms max < 61s", 100, 1, false, TooLittle, "cut off"},
		{"a bound above a lower limit", "first_text_delta_ms max > 59s", 100, 1, false, Pass, ""},
		{"the greatest", "first_text_delta_ms max < 2s", 100, 0, false, Pass, ""},
		{"the least", "first_text_delta_ms min >= 10ms", 100, 0, false, Pass, ""},
		{"speed", "visible_output_tps p5 > 15", 300, 0, false, Pass, ""},
		{"speed beyond", "visible_output_tps p5 > 60 tok/s", 300, 0, false, Fail, "beyond"},
		{"share of a class", "share upstream_headers_slow < 1%", 300, 0, false, Pass, ""},
		{"share of a class on the interval", "share upstream_headers_slow < 1%", 300, 0, true, Fail, "upper end"},
		{"share with few requests", "share upstream_headers_slow < 1%", 50, 0, false, TooLittle, "cannot tell"},
		{"share of nothing", "share slow < 1%", 0, 0, false, TooLittle, "no request"},
		{"share of an outcome", "share outcome=timeout < 5%", 290, 10, false, Pass, ""},
		{"share of an outcome beyond", "share outcome=timeout < 0.01", 290, 10, false, Fail, "beyond"},
		{"share at the limit", "share outcome=timeout <= 5%", 190, 10, false, Pass, ""},
		{"share of failures", "share failed <= 0%", 200, 0, false, Pass, ""},
		{"share from below", "share outcome=success > 90%", 300, 0, false, Pass, ""},
		{"count", "count >= 300", 300, 0, false, Pass, ""},
		{"count beyond", "count > 300", 300, 0, false, Fail, "beyond"},
		{"count of nothing from below", "count > 1", 0, 0, false, Fail, "beyond"},
		{"count of nothing from above", "count < 10", 0, 0, false, TooLittle, "no request"},
		{"count of failures", "count failed < 11", 290, 10, false, Pass, ""},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			c := checkOf(t, checkRows(tt.n, tt.timeouts), TallyOptions{}, tt.onInterval, tt.text)
			if len(c.Results) != 1 {
				t.Fatalf("%d results", len(c.Results))
			}
			got := c.Results[0]
			if got.Verdict != tt.want || !strings.Contains(got.Reason, tt.reason) || (got.Verdict == Pass) != (got.Reason == "") {
				t.Errorf("%s is %s (%s), want %s (%s)", tt.text, got.Verdict, got.Reason, tt.want, tt.reason)
			}
			if c.Verdict() != tt.want {
				t.Errorf("the whole is %s", c.Verdict())
			}
		})
	}
}

// Requests that may be of the class leave it open, unless it does not matter.
func TestCheckCountsWhatMayBe(t *testing.T) {
	rows := checkRows(300, 0)
	for range 10 {
		var r timeline.Row
		r.SetNum(timeline.ColStream, 1)
		r.SetNum(timeline.ColStatus, 200)
		r.SetNum(timeline.ColTotalHandler, 45_000_000)
		rows = append(rows, r)
	}
	c := checkOf(t, rows, TallyOptions{}, false, "share upstream_headers_slow < 1%", "share upstream_headers_slow < 10%", "count generation_slow < 5")
	for i, want := range []CheckVerdict{TooLittle, Pass, TooLittle} {
		if c.Results[i].Verdict != want {
			t.Errorf("%s is %s: %s, want %s", c.Results[i].Requirement, c.Results[i].Verdict, c.Results[i].Reason, want)
		}
	}
}

func TestCheckByGroup(t *testing.T) {
	opt := TallyOptions{By: []timeline.Column{timeline.ColChannel}}
	c := checkOf(t, checkRows(300, 0), opt, false, "first_text_delta_ms p50 < 1500ms", "count > 10")
	if len(c.Results) != 4 || c.Results[0].Group[0].Value != "a" || c.Results[2].Group[0].Value != "b" {
		t.Fatalf("results are %+v", c.Results)
	}
	opt.MaxGroups = 1
	if c := checkOf(t, checkRows(300, 0), opt, false, "count > 10"); c.Other != 150 || c.Verdict() != TooLittle {
		t.Errorf("with a group unchecked: %d others, %s", c.Other, c.Verdict())
	}
	if c := checkOf(t, nil, opt, false, "first_text_delta_ms p50 < 1s"); c.Verdict() != TooLittle {
		t.Errorf("without a group: %s", c.Verdict())
	}
}

// What does not stream has results of its own.
func TestCheckKeepsStreamingApart(t *testing.T) {
	rows := checkRows(100, 0)
	for range 100 {
		var r timeline.Row
		r.SetNum(timeline.ColStream, 0)
		r.SetNum(timeline.ColStatus, 200)
		r.SetNum(timeline.ColTotalHandler, 9_000_000)
		rows = append(rows, r)
	}
	c := checkOf(t, rows, TallyOptions{}, false, "end_to_end_ms p95 < 5s")
	if len(c.Results) != 2 || c.Results[0].Verdict != Pass || c.Results[1].Verdict != Fail || c.Results[1].Mode != "non_streaming" {
		t.Errorf("results are %+v", c.Results)
	}
}

func TestParseRequirementRefuses(t *testing.T) {
	for _, text := range []string{
		"", "p95 < 3s", "ttft p95 < 3s", "first_text_delta_ms < 3s", "first_text_delta_ms p95 3s", "first_text_delta_ms p95 <",
		"first_text_delta_ms p0 < 3s", "first_text_delta_ms p100 < 3s", "first_text_delta_ms p95 < -3s", "first_text_delta_ms p95 < 3 parsecs",
		"first_text_delta_ms p95 < 3s < 4s", "first_text_delta_ms p95 = 3s", "visible_output_tps p5 > 3s", "share < 1%", "share nothing < 1%",
		"share slow < 101%", "share outcome=late < 1%", "count slow failed < 1", "count < many", "count < 1.5", "first_text_delta_ms p95 < NaN", "count < 1e999",
	} {
		if r, err := ParseRequirement(text); err == nil {
			t.Errorf("%q is taken for %+v", text, r)
		}
	}
}

func TestParseRequirementUnits(t *testing.T) {
	for text, want := range map[string]int64{
		"end_to_end_ms p95 < 3s": 3_000_000, "end_to_end_ms p99.9<=250": 250_000, "end_to_end_ms p95 <1.5 m": 90_000_000,
		"end_to_end_ms max < 1h": 3_600_000_000, "end_to_end_ms p50 < 500µs": 500, "visible_output_tps p5 >= 12.5tps": 12_500_000,
		"share slow < 0.5%": 5000, "share  slow<0.005": 5000, "count >= 1e3": 1000,
	} {
		r, err := ParseRequirement(text)
		if err != nil || r.limit != want {
			t.Errorf("%s: limit %d, %v, want %d", text, r.limit, err, want)
		}
	}
}

func FuzzParseRequirement(f *testing.F) {
	for _, text := range []string{"first_text_delta_ms p95 < 3s", "share slow < 1%", "count outcome=timeout <= 3", "a b >= 1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRequirement(text)
		again, err2 := ParseRequirement(r.String())
		if (err == nil) != (err2 == nil) && err == nil {
			t.Errorf("%q is a requirement, its own text is not: %v", text, err2)
		}
		if err == nil && (r.limit < 0 || again != r) {
			t.Errorf("%q is %+v, its own text %+v", text, r, again)
		}
	})
}
