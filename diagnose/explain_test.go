package diagnose

import (
	"fmt"
	"strings"
	"testing"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// example returns a worked example by its name.
func example(t *testing.T, name string) exampleRow {
	t.Helper()
	for _, c := range worked {
		if c.name == name {
			return c.in
		}
	}
	t.Fatalf("no example is named %s", name)
	return exampleRow{}
}

func explainRow(f exampleRow) Explanation {
	return New(rules.Defaults()).Classify(exampleBatch(f)).Explain(0)
}

func phaseText(list []PhaseSpan) string {
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "%s %s-%s; ", p.Name, appendMs(nil, p.Start), appendMs(nil, p.End))
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func TestPhases(t *testing.T) {
	cases := []struct {
		name string
		in   exampleRow
		want string
	}{
		{"trace-b", example(t, "trace-b"), "local+headers+first_event+response 0-2900; text 2900-8700; generation+relay 8700-10200"},
		{"all marks", exampleRow{start: 10, headers: 200, event: 260, response: 300, text: 400, done: 900, total: 901},
			"local 0-10; headers 10-210; first_event 210-260; response 260-300; text 300-400; generation 400-900; relay 900-901"},
		{"timeout-headers", example(t, "timeout-headers"), "local+headers 0-60000"},
		{"timeout-event", example(t, "timeout-event"), "local+headers+first_event 0-60000"},
		{"cancel-text", example(t, "cancel-text"), "local+headers+first_event 0-240; response 240-900; text 900-31000"},
		{"cut with both ends", exampleRow{status: 504, headers: 200, event: 240, done: 5000, total: 6000},
			"local+headers+first_event 0-240; response 240-5000; relay 5000-6000"},
		{"non-stream", example(t, "non-stream"), "local+upstream+relay 0-20000"},
		{"non-stream, t1 and t6", exampleRow{notStream: true, start: 50, headers: 700, done: 800, total: 900}, "local 0-50; upstream 50-800; relay 800-900"},
		{"headers behind the event", exampleRow{start: 10, headers: 500, event: 260, total: 900}, "local 0-10; headers+first_event 10-260; response+text+generation+relay 260-900"},
		{"start behind the event", exampleRow{start: 300, headers: 50, event: 260, total: 900}, "local+headers+first_event 0-260; response+text+generation+relay 260-900"},
		{"within the tolerance", exampleRow{event: 260.5, response: 260, done: 900.9, total: 900}, "local+headers+first_event 0-260.5; response 260.5-260.5; text+generation 260.5-900; relay 900-900"},
		{"no end", exampleRow{headers: 200, response: 400}, "local+headers+first_event+response 0-400"},
		{"nothing", exampleRow{headers: 200}, ""},
	}
	for _, c := range cases {
		if got := phaseText(explainRow(c.in).Phases); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// checkTiles fails unless the phases tile [0, end].
func checkTiles(t *testing.T, name string, x *Explanation, end int64) {
	t.Helper()
	at := int64(0)
	for _, p := range x.Phases {
		if p.Start != at || p.End < p.Start || p.Name == "" {
			t.Fatalf("%s: phase %+v does not go on from %d", name, p, at)
		}
		at = p.End
	}
	if at != end {
		t.Fatalf("%s: phases end at %d, the record at %d", name, at, end)
	}
}

func TestPhasesTile(t *testing.T) {
	for _, c := range worked {
		x := explainRow(c.in)
		end := c.in.total
		checkTiles(t, c.name, &x, int64(end*1000))
	}
}

func walkText(x *Explanation) string {
	var list []string
	for _, s := range x.Walk {
		list = append(list, s.Verdict.String())
	}
	return strings.Join(list, " ")
}

func TestWalk(t *testing.T) {
	const noLocal = " absent absent absent absent"
	cases := []struct {
		name string
		in   exampleRow
		want string
	}{
		{"trace-a", example(t, "trace-a"), "slow absent absent covered ok ok" + noLocal},
		{"trace-b", example(t, "trace-b"), "ok absent absent ok slow ok" + noLocal},
		{"trace-c", example(t, "trace-c"), "ok absent absent ok ok slow" + noLocal},
		{"two-slow", example(t, "two-slow"), "slow absent absent covered slow ok" + noLocal},
		{"event-late", example(t, "event-late"), "ok slow ok covered ok ok" + noLocal},
		{"no-headers", example(t, "no-headers"), "absent covered ok covered ok ok" + noLocal},
		{"headers proven", exampleRow{event: 1900, response: 1950, text: 1960, total: 3000, tps: 50}, "ok ok ok ok ok ok" + noLocal},
		{"total-only", example(t, "total-only"), "absent absent absent absent absent absent" + noLocal},
		{"non-stream", example(t, "non-stream"), "not_applicable not_applicable not_applicable not_applicable not_applicable not_applicable" + noLocal},
		{"short-answer", example(t, "short-answer"), "ok absent absent ok ok not_applicable absent absent absent ok"},
		{"slow-relay", example(t, "slow-relay"), "ok absent absent ok ok ok absent absent absent slow"},
		{"cancel-text with tokens", exampleRow{status: 499, headers: 200, response: 900, total: 31000, output: 20}, "ok absent absent ok slow covered" + noLocal},
		{"buffered", exampleRow{headers: 200, event: 5000, response: 5001, text: 5002, done: 5010, total: 5011, output: 65}, "ok slow ok covered ok not_applicable absent absent absent ok"},
	}
	for _, c := range cases {
		x := explainRow(c.in)
		if got := walkText(&x); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		for _, s := range x.Walk {
			if s.Reason == "" || s.Metric == "" {
				t.Errorf("%s: %s has no reason or metric", c.name, s.Class)
			}
		}
	}
}

func TestEvidence(t *testing.T) {
	cases := []struct {
		name             string
		in               exampleRow
		evidence, excess string
	}{
		{"trace-b", example(t, "trace-b"), "response_to_text_gap_ms 5800 > 2000 receipt", "text response_to_text_gap_ms 5800 2000"},
		{"trace-c", example(t, "trace-c"), "visible_output_tps 9.8 < 15 receipt", "generation visible_output_tps 9.8 15"},
		{"trace-a", example(t, "trace-a"), "upstream_headers_ms 6100 > 2000 upstream_start", "headers upstream_headers_ms 6100 2000"},
		{"two-slow", example(t, "two-slow"), "upstream_headers_ms 2500 > 2000 upstream_start", "text response_to_text_gap_ms 30000 2000"},
		{"event-late", example(t, "event-late"), "first_event_since_upstream_ms 4100 > 3000 receipt", "first_event first_event_since_upstream_ms 4100 3000"},
		{"creeping", example(t, "creeping"), "first_response_since_upstream_ms 4790 > 3000 upstream_start", "response first_response_since_upstream_ms 4790 3000"},
		{"timeout-headers", example(t, "timeout-headers"), "upstream_headers_ms 60000 > 2000 upstream_start at least", "headers upstream_headers_ms 60000 2000"},
		{"timeout-event", example(t, "timeout-event"), "first_event_since_upstream_ms 60000 > 3000 receipt at least", "first_event first_event_since_upstream_ms 60000 3000"},
		{"cancel-text", example(t, "cancel-text"), "response_to_text_gap_ms 30100 > 2000 receipt at least", "text response_to_text_gap_ms 30100 2000"},
		{"reasoning-share", example(t, "reasoning-share"), "visible_output_tps 10 < 15 receipt", "generation visible_output_tps 10 15"},
		{"non-stream-slow", example(t, "non-stream-slow"), "final_since_upstream_ms 40000 > 21666.667 receipt", "headers final_since_upstream_ms 40000 21666.667"},
		{"nginx-like", example(t, "nginx-like"), "final_since_upstream_ms 45000 > 10000 receipt", "response final_since_upstream_ms 45000 10000"},
		{"slow-auth", example(t, "slow-auth"), "auth_ms 900 > 500 phase", "local auth_ms 900 500"},
		{"estimated", exampleRow{auth: 100, headers: 200, event: 4100, total: 5000, tps: 50}, "first_event_since_upstream_ms 4000 > 3000 upstream_start_estimated", "first_event first_event_since_upstream_ms 4000 3000"},
		{"slow speed outweighs", exampleRow{headers: 2100, response: 2200, text: 2300, done: 22300, total: 22300, tps: 5}, "upstream_headers_ms 2100 > 2000 upstream_start", "generation visible_output_tps 5 15"},
		{"speed without window", exampleRow{headers: 2100, total: 9000, tps: 5}, "upstream_headers_ms 2100 > 2000 upstream_start", "headers upstream_headers_ms 2100 2000"},
		{"quick-429", example(t, "quick-429"), "", ""},
	}
	for _, c := range cases {
		d := explainRow(c.in).Diagnosis
		evidence, excess := "", ""
		if e := d.Evidence; e != nil {
			evidence = strings.Join([]string{e.Metric, rules.FormatValue(e.Value, e.Unit), e.Relation, rules.FormatValue(e.Limit, e.Unit), e.Origin}, " ")
			if e.LowerBound {
				evidence += " at least"
			}
		}
		if x := d.LargestExcess; x != nil {
			excess = strings.Join([]string{x.Stage, x.Metric, rules.FormatValue(x.Value, x.Unit), rules.FormatValue(x.Limit, x.Unit)}, " ")
		}
		if evidence != c.evidence || excess != c.excess {
			t.Errorf("%s:\n got %s | %s\nwant %s | %s", c.name, evidence, excess, c.evidence, c.excess)
		}
	}
}

func TestExplainSaysWhatCannotHelp(t *testing.T) {
	x := explainRow(example(t, "trace-b"))
	if !strings.Contains(strings.Join(x.CannotHelp, "; "), "a longer header timeout cannot help") {
		t.Errorf("%q", x.CannotHelp)
	}
	for _, c := range worked {
		x := explainRow(c.in)
		if len(x.DoesNotProve) == 0 || !strings.Contains(strings.Join(x.CompareNext, "; "), "provider") {
			t.Errorf("%s: %q, %q", c.name, x.DoesNotProve, x.CompareNext)
		}
	}
}

func TestNotes(t *testing.T) {
	cases := []struct {
		name string
		in   exampleRow
		want string
	}{
		{"zero-text", example(t, "zero-text"), "zero_mark"},
		{"backwards", example(t, "backwards"), "order_violation"},
		{"estimated", exampleRow{auth: 100, headers: 200, event: 4100, total: 5000, tps: 50}, "estimated"},
		{"event-late", example(t, "event-late"), "includes_local_time"},
		{"headers with event", exampleRow{start: 10, headers: 200, event: 260, total: 500, output: 1}, "headers_with_first_event"},
		{"headers just not with event", exampleRow{start: 10, headers: 200, event: 260.001, total: 500, output: 1}, ""},
		{"event before headers", exampleRow{start: 10, headers: 250.001, event: 210, total: 500, output: 1}, ""},
		{"buffered", exampleRow{headers: 200, event: 950, response: 950, text: 950, done: 1000, total: 1000, output: 65}, "buffered_stream"},
		{"not quite buffered", exampleRow{headers: 200, event: 949.999, response: 950, text: 950, done: 1000, total: 1000, output: 65}, ""},
		{"few tokens", exampleRow{headers: 200, event: 950, response: 950, text: 950, done: 1000, total: 1000, output: 64}, ""},
	}
	for _, c := range cases {
		if got := joined(explainRow(c.in).Notes); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLooksNonStreaming(t *testing.T) {
	cases := []struct {
		name  string
		in    exampleRow
		looks bool
	}{
		{"together", exampleRow{headers: 20000, total: 21000, output: 250}, true},
		{"a hair apart", exampleRow{headers: 20000, total: 21000.001, output: 250}, false},
		{"an event", exampleRow{headers: 20000, event: 20000, total: 20010, output: 250}, false},
		{"no headers", exampleRow{total: 20010, output: 250}, false},
	}
	for _, c := range cases {
		b := timeline.NewBuilder()
		var r timeline.Row
		c.in.row(&r)
		r.Drop(timeline.MaskOf(timeline.ColStream))
		b.Append(&r)
		v := New(rules.Defaults()).Classify(b.Flush())
		if got := joined(v.Diagnosis(0).Notes) == "looks_non_streaming"; got != c.looks || v.NonStreaming.Has(0) != c.looks {
			t.Errorf("%s: %v, %v", c.name, got, v.Diagnosis(0).Notes)
		}
	}
}
