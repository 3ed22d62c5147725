package report

import (
	"fmt"
	"strings"

	"ttdiag/diagnose"
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

func (p *page) quality(s *diagnose.Summary) {
	lines := qualityLines(s)
	if len(lines) == 0 {
		return
	}
	p.heading("Doubts about the data")
	for _, l := range lines {
		p.line("%s", l)
	}
}

func qualityLines(s *diagnose.Summary) []string {
	var lines []string
	for _, in := range shown(s.Inputs, 12) {
		for _, r := range in.Reasons {
			lines = append(lines, fmt.Sprintf("%s: %s rejected: %s", plainText(in.Name, 40), grouped(r.Count), r.Reason))
		}
	}
	for _, c := range s.Cleaning {
		lines = append(lines, fmt.Sprintf("%s: %s %s", c.Column, many(c.Count, "value"), cleaningWords(c.Note)))
	}
	for _, n := range s.Whole.Notes {
		lines = append(lines, n.Reason+": "+many(n.Count, "request"))
	}
	if r := s.Record; r != nil {
		lines = append(lines, fmt.Sprintf("recording %s would decide %s of %s, and is needed for %s",
			r.Column, grouped(r.Alone), many(r.N, "undetermined request"), grouped(r.Would)))
	}
	return lines
}

func cleaningWords(c timeline.Cleaning) string {
	switch c {
	case timeline.TPSMismatch:
		return "kept, though tokens and window give another speed (tps_mismatch)"
	case timeline.ZeroMark:
		return "of 0 taken for absent (zero_mark)"
	case timeline.OrderViolation:
		return "out of order taken for absent (order_violation)"
	}
	return "taken for absent (" + c.String() + ")"
}

func (p *page) slowest(s *diagnose.Summary) {
	if len(s.Slowest) == 0 {
		return
	}
	p.heading("Slowest requests")
	var rows [][]string
	for i := range s.Slowest {
		rows = append(rows, p.slowRow(&s.Slowest[i]))
	}
	p.table([]column{left("request_id"), right("end to end"), left("class"), left("largest excess")}, rows)
}

func (p *page) slowRow(r *diagnose.SlowRequest) []string {
	total := duration(r.EndToEnd)
	if r.LowerBound {
		total = p.style.atLeast() + total
	}
	where := p.style.absent()
	if r.Excess != nil {
		where = r.Excess.Stage + " " + quantity(r.Excess.Value, r.Excess.Unit)
	}
	id := p.style.absent()
	if r.RequestID != "" {
		id = plainText(r.RequestID, 24)
	}
	return []string{id, total, r.Class.String(), where}
}

// next says what to type next.
func (p *page) next(s *diagnose.Summary) {
	p.heading("Next")
	typed := 0
	for i := range s.Slowest {
		if r := &s.Slowest[i]; r.RequestID != "" && plainText(r.RequestID, 0) == r.RequestID && r.Class != rules.NoSlowStage {
			p.line("ttdiag explain %s", shellWord(r.RequestID))
			typed++
			break
		}
	}
	for _, c := range s.Whole.Classes {
		if c.Class.Slow() && s.Why == nil {
			p.line("ttdiag analyze --why ...   # what sets the slow ones apart")
			typed++
			break
		}
	}
	if typed == 0 {
		p.line("ttdiag rules   # the thresholds that these verdicts rest on")
	}
}

// shellWord quotes text that a shell would not take as one plain word.
func shellWord(s string) string {
	safe := strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/@%+=-") == ""
	if safe && s != "" && s[0] != '-' {
		return s
	}
	return "'" + strings.ReplaceAll(plainText(s, 0), "'", `'\''`) + "'"
}

// thresholds says which limits the verdicts rest on, with the overrides.
func (p *page) thresholds(t rules.InForce) {
	p.line("thresholds: %s", limitWords(t.Rules))
	for _, o := range shown(t.Overrides, 5) {
		p.line("for model %s, workload %s: %s", anyOf(o.Model), anyOf(o.Workload), limitWords(o.Rules))
	}
	if more := len(t.Overrides) - 5; more > 0 {
		p.line("and %d more overrides in --output json", more)
	}
}

// limitWords names limits and their values; the unit ends the name.
func limitWords(list []rules.Threshold) string {
	var parts []string
	for _, one := range list {
		parts = append(parts, one.Key+" "+rules.FormatValue(one.Value, one.Unit))
	}
	return strings.Join(parts, ", ")
}
