package rules

import (
	"strings"
	"testing"
)

func TestRuleLines(t *testing.T) {
	want := map[Class][]string{
		UpstreamHeadersSlow:   {"rule.headers_ms", "upstream_headers_ms >"},
		FirstEventSlow:        {"rule.first_event_ms", "not upstream_headers_slow"},
		EventToResponseSlow:   {"event_to_response_gap_ms > rule.event_to_response_ms"},
		FirstResponseSlow:     {"rule.first_response_ms", "event_to_response_slow"},
		ResponseToTextSlow:    {"response_to_text_gap_ms > rule.response_to_text_ms"},
		GenerationSlow:        {"rule.generation_tps", "enough_output", "enough_text"},
		LocalAuthSlow:         {"auth_ms > rule.auth_ms"},
		LocalDistributionSlow: {"distribution_ms > rule.distribution_ms"},
		LocalBodyReadSlow:     {"body_read_ms > rule.body_read_ms"},
		LocalRelaySlow:        {"relay_tail_ms > rule.relay_ms"},
	}
	for _, line := range TheTable().RuleLines() {
		for _, part := range want[line.Class] {
			if !strings.Contains(line.Condition, part) {
				t.Errorf("%s: %q lacks %q", line.Class, line.Condition, part)
			}
		}
		if strings.Contains(line.Condition, "±") {
			t.Errorf("%s shows half widths: %s", line.Class, line.Condition)
		}

	}
	for _, line := range TheTable().IntervalLines() {
		if len(line.Between) == 0 || len(line.WouldNeed) == 0 || line.Condition == "" {
			t.Errorf("%+v", line)
		}

	}
	for _, line := range TheTable().TermLines() {
		if line.Doc == "" || line.Condition == line.Name {
			t.Errorf("%+v", line)
		}

	}
}

func TestDefinitions(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range Definitions() {
		key := d.Name + " " + d.Kind
		if seen[key] || d.Means == "" || d.Kind == "" {
			t.Errorf("%+v", d)
		}
		seen[key] = true
		for _, text := range append([]string{d.Means, d.Formula}, d.Elsewhere...) {
			if strings.Contains(text, "TTFT") && !strings.Contains(text, "TTFT of tools that") {
				t.Errorf("%s: TTFT stands alone: %s", d.Name, text)
			}
		}
	}
	for _, m := range TheTable().Metrics {
		if len(Define(m.Name)) == 0 {
			t.Errorf("%s is not defined", m.Name)
		}
	}
}

func TestDefine(t *testing.T) {
	cases := []struct{ name, want string }{
		{"relay_tail_ms", "relay_tail_ms"},
		{"RELAY_TAIL_MS", "relay_tail_ms"},
		{"itl", "inter_token_latency_ms"},
		{"tpot", "inter_token_latency_ms"},
		{"ttfb", "upstream_headers_ms first_sse_event_ms"},
		{"TTFT", "first_sse_event_ms first_response_ms first_text_delta_ms"},
		{"e2e", "end_to_end_ms total_handler_ms"},
		{"visible_output_tps", "visible_output_tps"},
		{"timeout", "timeout"},
		{"nonsense", ""},
		{"", ""},
	}
	for _, c := range cases {
		var names []string
		for _, d := range Define(c.name) {
			names = append(names, d.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("Define(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}
