package report

import (
	"fmt"
	"strings"
	"time"

	"ttdiag/diagnose"
	"ttdiag/diagnose/stats"
	"ttdiag/rules"
)

// ComparisonText returns a comparison for a person at a terminal: the conditions
// first, then the answers, if there may be any.
func ComparisonText(c *diagnose.Comparison, style Style, zone *time.Location) (string, error) {
	p := &page{style: style, zone: zone}
	p.comparison(c)
	return p.b.String(), p.err
}

// ComparisonMarkdown returns the same as Markdown.
func ComparisonMarkdown(c *diagnose.Comparison, zone *time.Location) (string, error) {
	p := &page{zone: zone, markdown: true}
	p.comparison(c)
	return p.b.String(), p.err
}

func (p *page) comparison(c *diagnose.Comparison) {
	p.heading("Compared")
	p.side("A", &c.A)
	p.side("B", &c.B)
	if c.By != "" {
		p.line("the sides are two values of %s", c.By)
	}
	p.conditions(c)
	if !c.Comparable {
		p.heading("Not comparable")
		p.line("because of %s: what is measured would differ for that reason alone. Compare within equal values with --match, choose other requests with --where, or name with --accept what differs on purpose.",
			strings.Join(c.Blocking, ", "))
	} else {
		p.mix(c)
		p.answers(c)
	}
	p.drift(c)
}

func (p *page) side(letter string, s *diagnose.SideSummary) {
	text := fmt.Sprintf("%s: %s, n=%s", letter, plainText(s.Name, 60), grouped(s.N))
	if s.Kept < s.N {
		text += fmt.Sprintf(", %s of them compared, a fair sample chosen by a hash of each", grouped(s.Kept))
	}
	if s.Warmup > 0 {
		text += fmt.Sprintf(", %s warm-up requests left out", grouped(s.Warmup))
	}
	if s.HasRange {
		text += fmt.Sprintf(", from %s to %s %s", p.time(s.From), p.time(s.To), p.zone)
	}
	p.line("%s", text)
}

func (p *page) conditions(c *diagnose.Comparison) {
	p.heading("Conditions")
	var rows [][]string
	unknown := 0
	for i := range c.Conditions {
		d := &c.Conditions[i]
		how := plainText(d.How, 0)
		switch {
		case d.Accepted != "":
			how = d.Accepted + "; " + how
		case !d.Matters && d.State == diagnose.StateDifferent:
			how = "does not stop the comparison; " + how
		}
		if d.State == diagnose.StateUnknown && d.Matters {
			unknown++
		}
		rows = append(rows, []string{d.Name, d.State.String(), p.clip(how, 34)})
	}
	p.table([]column{left("condition"), left("state"), left("how it was judged")}, rows)
	if unknown > 0 {
		p.line("%d conditions that matter are unknown: what follows holds if they are equal", unknown)
	}
}

func (p *page) mix(c *diagnose.Comparison) {
	if len(c.Match) == 0 {
		return
	}
	p.heading("Mix by %s", strings.Join(c.Match, ", "))
	var rows [][]string
	for i := range shown(c.Mix, 20) {
		m := &c.Mix[i]
		rows = append(rows, []string{p.clip(groupWords(m.Stratum), 56), strings.ReplaceAll(m.Mode, "_", "-"), shareWords(m.A), shareWords(m.B)})
	}
	p.table([]column{left("stratum"), left("mode"), right("of A"), right("of B")}, rows)
	if more := len(c.Mix) - 20; more > 0 {
		p.line("and %d more strata in --output json", more)
	}
}

func (p *page) answers(c *diagnose.Comparison) {
	for _, q := range []struct {
		of   stats.Question
		text string
	}{
		{stats.Typical, "Did the typical request move?"},
		{stats.Slow, "Did the tail move?"},
		{stats.OverLimit, "Did the share over the limit move?"},
	} {
		p.heading("%s", q.text)
		p.answersTo(c, q.of)
	}
	p.heading("How this was judged")
	p.line("changed: at least %s apart, and Benjamini-Hochberg over all %d answers at %s; no change: the interval lies within %s; intervals hold with 95 %%", share(c.MinEffect), len(c.Answers), share(c.Rate), share(c.MinEffect))
	seen := map[string]bool{}
	for i := range c.Answers {
		if m := c.Answers[i].Change.Method; !seen[m] && c.Answers[i].Change.OK {
			seen[m] = true
			p.line("%s: %s", c.Answers[i].Change.Question, m)
		}
	}
	if len(c.Match) > 0 {
		p.line("at fixed mix: like is compared with like within strata, and these are combined; what differs only all together is change of mix")
	}
}

func (p *page) answersTo(c *diagnose.Comparison, q stats.Question) {
	var rows [][]string
	var remarks []string
	modes := modesOf(c)
	for i := range c.Answers {
		a := &c.Answers[i]
		if a.Change.Question != q || len(a.Stratum) > 0 && !a.Fixed && a.Verdict != stats.Changed {
			continue
		}
		name := a.Subject
		if len(modes) > 1 {
			name += ", " + strings.ReplaceAll(a.Mode, "_", "-")
		}
		if len(a.Stratum) > 0 && !a.Fixed {
			name += " at " + groupWords(a.Stratum)
		}
		rows = append(rows, []string{
			p.clip(name, 50), p.sideValue(&a.Change, a.Unit, 0), p.sideValue(&a.Change, a.Unit, 1), effectWords(&a.Change), answerVerdict(a),
		})
		remarks = append(remarks, answerRemarks(name, a)...)
	}
	if len(rows) == 0 {
		p.line("nothing to answer it with is recorded on both sides")
		return
	}
	p.table([]column{left("of"), right("A"), right("B"), right("B against A"), left("answer")}, rows)
	for _, text := range remarks {
		p.line("%s", text)
	}
}

func modesOf(c *diagnose.Comparison) map[string]bool {
	modes := map[string]bool{}
	for i := range c.Answers {
		modes[c.Answers[i].Mode] = true
	}
	return modes
}

// sideValue returns the value of side A (0) or B (1) with its n.
func (p *page) sideValue(c *stats.Change, unit rules.Unit, side int) string {
	v, n, bound := c.A, c.NA, c.LowerBoundA
	if side == 1 {
		v, n, bound = c.B, c.NB, c.LowerBoundB
	}
	text := p.style.absent()
	switch {
	case !c.OK:
	case c.Question == stats.OverLimit:
		text = percent(int64(v*float64(n)+0.5), n)
	default:
		text = quantity(int64(v), unit)
		if bound {
			text = p.style.atLeast() + text
		}
	}
	return fmt.Sprintf("%s (n=%s)", text, grouped(n))
}

func effectWords(c *stats.Change) string {
	switch {
	case !c.OK:
		return ""
	case c.Question == stats.OverLimit:
		return fmt.Sprintf("%+.1f [%s, %s] pt", 100*c.Effect, points(c.Lo), points(c.Hi))
	}
	return fmt.Sprintf("%s [%.2f, %.2f]", times(c.Effect), c.Lo, c.Hi)
}

func answerVerdict(a *diagnose.Answer) string {
	if a.Fixed {
		return a.Verdict.String() + " at fixed mix"
	}
	return a.Verdict.String()
}

func answerRemarks(name string, a *diagnose.Answer) []string {
	var out []string
	if a.Enough > 0 && len(a.Stratum) == 0 {
		out = append(out, fmt.Sprintf("%s: %s; about %s a side would do", name, a.Verdict, grouped(a.Enough)))
	}
	if a.Change.LowerBoundA || a.Change.LowerBoundB {
		out = append(out, fmt.Sprintf("%s: rests on a wait that was cut off, so the effect is a guess", name))
	}
	if a.Crude != nil && a.Crude.OK && a.Change.OK {
		out = append(out, fmt.Sprintf("%s: all together %s, at fixed mix %s", name, effectWords(a.Crude), effectWords(&a.Change)))
	}
	return out
}

func (p *page) drift(c *diagnose.Comparison) {
	if len(c.Drift) == 0 {
		return
	}
	p.heading("Drift inside a side")
	for i := range c.Drift {
		d := &c.Drift[i]
		p.line("%s: %s (%s) went from %s to %s, %s, between the first and the second half of its time: the side is no single state",
			plainText(d.Side, 40), d.Metric, strings.ReplaceAll(d.Mode, "_", "-"), p.sideValue(&d.Change, d.Unit, 0), p.sideValue(&d.Change, d.Unit, 1), effectWords(&d.Change))
	}
}

// ComparisonCSV returns one line for each answer; without any, only the header.
func ComparisonCSV(c *diagnose.Comparison) (string, error) {
	out := appendCSV(nil, []string{"mode", "scope", "stratum", "subject", "question", "verdict", "n_a", "n_b", "unit", "a", "b",
		"effect", "lo", "hi", "p_adjusted", "method"})
	for i := range c.Answers {
		out = appendCSV(out, answerCells(&c.Answers[i]))
	}
	return string(out), nil
}

func answerCells(a *diagnose.Answer) []string {
	scope := "whole"
	if a.Fixed {
		scope = "fixed_mix"
	} else if len(a.Stratum) > 0 {
		scope = "stratum"
	}
	c := &a.Change
	unit, scale := unitName(a.Unit), float64(a.Unit.Scale())
	if c.Question == stats.OverLimit {
		unit, scale = "share", 1
	}
	float := func(v float64) string {
		if !c.OK {
			return ""
		}
		return string(decimal(v))
	}
	stratum := ""
	if len(a.Stratum) > 0 {
		stratum = groupWords(a.Stratum)
	}
	return []string{
		a.Mode, scope, stratum, a.Subject, c.Question.String(), a.Verdict.String(),
		fmt.Sprint(c.NA), fmt.Sprint(c.NB), unit, float(c.A / scale), float(c.B / scale),
		float(c.Effect), float(c.Lo), float(c.Hi), float(c.Adjusted), c.Method,
	}
}

// decimal is a finite number with six digits, nothing for any other.
func decimal(v float64) []byte {
	e := encoder{}
	e.float("", v, 6)
	if len(e.b) < 3 {
		return nil
	}
	return e.b[3:] // after the empty key
}
