package report

import (
	"fmt"
	"strings"

	"ttdiag/diagnose"
	"ttdiag/rules"
)

func (p *page) inputs(s *diagnose.Summary) {
	p.heading("Read")
	var rows [][]string
	for _, in := range shown(s.Inputs, 12) {
		rows = append(rows, []string{
			plainText(in.Name, 26), in.Format, grouped(in.Lines), grouped(in.Records),
			grouped(in.Rejected), grouped(in.Blank), bytesText(in.Bytes),
		})
	}
	p.table([]column{left("input"), left("format"), right("lines"), right("records"),
		right("rejected"), right("blank"), right("size")}, rows)
	if more := len(s.Inputs) - 12; more > 0 {
		p.line("and %d more inputs", more)
	}
	p.line("%s", p.totals(s))
	if s.HasRange {
		p.line("from %s to %s %s", p.time(s.From), p.time(s.To), p.zone)
	}
	if r := s.Retries; r.Retried > 0 {
		p.line("%s", retryWords(r))
	}
}

func (p *page) totals(s *diagnose.Summary) string {
	t := s.Totals
	text := many(t.Requests, "request") + " in " + many(t.Judged, "attempt")
	if t.Filtered > 0 {
		text += "; " + many(t.Filtered, "attempt") + " filtered out"
	}
	if t.Warmup > 0 {
		text += "; " + many(t.Warmup, "warm-up attempt") + " left out"
	}
	return text
}

func retryWords(r diagnose.Retries) string {
	text := fmt.Sprintf("%s took %s, %s of which failed", many(r.Retried, "request"), many(r.Attempts, "attempt"), grouped(r.Failed))
	if r.Measured > 0 {
		text += fmt.Sprintf("; callers of the %s with a start and an end waited %s in all, of which %s were lost before the last attempt (%s of it back-off)",
			grouped(r.Measured), duration(r.CallerUs), duration(r.LostUs), duration(r.BackoffUs))
	}
	if r.Partial {
		text += "; too many requests to follow all: only failed and numbered attempts were joined"
	}
	if r.OneIn > 0 {
		text += fmt.Sprintf(", of one request in %s", grouped(r.OneIn))
	}
	return text
}

func (p *page) classes(g *diagnose.GroupSummary) {
	p.heading("Where the time went (n=%s)", grouped(g.N))
	var rows [][]string
	for _, c := range g.Classes {
		look := strings.Join(c.Class.Words().LookAt, ", ")
		rows = append(rows, []string{c.Class.String(), grouped(c.Count), percent(c.Count, g.N), p.clip(look, 52)})
	}
	p.table([]column{left("class"), right("n"), right("share"), left("look at")}, rows)
	for _, c := range g.Classes {
		for _, b := range shown(c.Between, 5) {
			p.line("undetermined, %s: %s; would need %s", grouped(b.Count), between(b.Between), strings.Join(names(b.WouldNeed), ", "))
		}
		if more := len(c.Between) - 5; more > 0 {
			p.line("undetermined: %d more combinations in --output json", more)
		}
	}
	p.line("could be evaluated: %s", coverage(g))
	for _, o := range g.Outcomes {
		if o.Outcome.Failed() {
			p.line("%s, %s by class: %s", o.Outcome, grouped(o.Count), waits(o.Classes))
		}
	}
}

// coverage says of how many requests each stage could be evaluated.
func coverage(g *diagnose.GroupSummary) string {
	var parts []string
	for _, s := range g.Stages {
		parts = append(parts, s.Stage.String()+" "+percent(s.Evaluated, s.N))
	}
	return strings.Join(parts, ", ")
}

func between(set rules.ClassSet) string {
	list := set.Names()
	if len(list) == 1 {
		return list[0] + " or nothing"
	}
	return "one of " + strings.Join(list, ", ")
}

func waits(classes []diagnose.ClassCount) string {
	var parts []string
	for _, c := range classes {
		parts = append(parts, fmt.Sprintf("%s %s", c.Class, grouped(c.Count)))
	}
	return strings.Join(parts, ", ")
}
