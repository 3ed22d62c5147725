package report

import (
	"fmt"
	"math"
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
	p.thresholds(c.Thresholds)
	return p.text()
}

// ComparisonMarkdown returns the same as Markdown.
func ComparisonMarkdown(c *diagnose.Comparison, zone *time.Location) (string, error) {
	p := &page{zone: zone, markdown: true}
	p.comparison(c)
	p.thresholds(c.Thresholds)
	return p.text()
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
		if len(c.Match) > 0 {
			q.text = strings.TrimSuffix(q.text, "?") + " at fixed mix?"
		}
		p.heading("%s", q.text)
		p.answersTo(c, q.of)
	}
	p.heading("How this was judged")
	p.line("effects are factors, of shares percentage points, with their 95 %% intervals")
	p.line("changed: at least %s apart, and Benjamini-Hochberg over all %d answers at %s; no change: the interval lies within %s", share(c.MinEffect), len(c.Answers), share(c.Rate), share(c.MinEffect))
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

// answersTo writes one table for each pair of sizes that answers rest on.
func (p *page) answersTo(c *diagnose.Comparison, q stats.Question) {
	type sizes struct{ a, b int64 }
	var order []sizes
	rows := map[sizes][][]string{}
	var told []*diagnose.Answer
	for i := range c.Answers {
		a := &c.Answers[i]
		if a.Change.Question != q || len(a.Stratum) > 0 && !a.Fixed && a.Verdict != stats.Changed {
			continue
		}
		n := sizes{a.Change.NA, a.Change.NB}
		if rows[n] == nil {
			order = append(order, n)
		}
		told = append(told, a)
		rows[n] = append(rows[n], []string{
			p.clip(answerName(c, a), 52), p.sideValue(&a.Change, a.Unit, 0), p.sideValue(&a.Change, a.Unit, 1), effectWords(&a.Change), a.Verdict.String(),
		})
	}
	if len(told) == 0 {
		p.line("nothing to answer it with is recorded on both sides")
	}
	for _, n := range order {
		p.line("n: A %s, B %s", grouped(n.a), grouped(n.b))
		p.table([]column{left("of"), right("A"), right("B"), right("B against A"), left("answer")}, rows[n])
	}
	p.open(c, told)
	p.answerRemarks(c, told)
}

// answerName names the subject, and its mode and stratum where there are several.
func answerName(c *diagnose.Comparison, a *diagnose.Answer) string {
	name := a.Subject
	for i := range c.Answers {
		if c.Answers[i].Mode != a.Mode {
			name += ", " + strings.ReplaceAll(a.Mode, "_", "-")
			break
		}
	}
	if len(a.Stratum) > 0 && !a.Fixed {
		name += " at " + groupWords(a.Stratum)
	}
	return name
}

// sideValue returns the value of side A (0) or B (1).
func (p *page) sideValue(c *stats.Change, unit rules.Unit, side int) string {
	v, n, bound := c.A, c.NA, c.LowerBoundA
	if side == 1 {
		v, n, bound = c.B, c.NB, c.LowerBoundB
	}
	switch {
	case !c.OK:
		return p.style.absent()
	case c.Question == stats.OverLimit:
		return percent(int64(v*float64(n)+0.5), n)
	case bound:
		return p.style.atLeast() + quantity(int64(v), unit)
	}
	return quantity(int64(v), unit)
}

func effectWords(c *stats.Change) string {
	switch {
	case !c.OK:
		return ""
	case c.Question == stats.OverLimit:
		return fmt.Sprintf("%+.1f [%s, %s]", 100*c.Effect, points(c.Lo), points(c.Hi))
	}
	return fmt.Sprintf("%s [%.2f, %.2f]", times(c.Effect), c.Lo, c.Hi)
}

// open says how many requests would answer what is left open.
func (p *page) open(c *diagnose.Comparison, told []*diagnose.Answer) {
	var parts []string
	for _, a := range told {
		if a.Enough > 0 {
			parts = append(parts, fmt.Sprintf("%s (about %s a side)", answerName(c, a), grouped(a.Enough)))
		}
	}
	if len(parts) > 0 {
		p.line("more requests would tell: %s", strings.Join(parts, ", "))
	}
}

// answerRemarks says what stands behind single answers: waits that were cut off,
// and what of a change is change of mix.
func (p *page) answerRemarks(c *diagnose.Comparison, told []*diagnose.Answer) {
	var alike []string
	for _, a := range told {
		if a.Change.LowerBoundA || a.Change.LowerBoundB {
			p.line("%s: rests on a wait that was cut off, so the effect is a guess", answerName(c, a))
		}
		switch {
		case a.Crude == nil || !a.Crude.OK || !a.Change.OK:
		case mixMoves(a, c.MinEffect):
			p.line("%s: all together %s, at fixed mix %s: the rest is change of mix", answerName(c, a), effectWords(a.Crude), effectWords(&a.Change))
		default:
			alike = append(alike, answerName(c, a))
		}
	}
	if len(alike) == len(told) && len(alike) > 0 {
		p.line("change of mix moves none of these by %s", share(c.MinEffect))
	} else if len(alike) > 0 {
		p.line("the change of mix moves none of %s by %s", strings.Join(alike, ", "), share(c.MinEffect))
	}
}

// mixMoves reports whether the change without regard to strata is another.
func mixMoves(a *diagnose.Answer, least float64) bool {
	if a.Change.Question == stats.OverLimit {
		return math.Abs(a.Crude.Effect-a.Change.Effect) > least*a.Change.A
	}
	return math.Abs(math.Log(a.Crude.Effect/a.Change.Effect)) >= math.Log1p(least)
}

func (p *page) drift(c *diagnose.Comparison) {
	if len(c.Drift) == 0 {
		return
	}
	p.heading("Drift inside a side")
	for i := range c.Drift {
		d := &c.Drift[i]
		p.line("%s: %s (%s) went from %s (n=%s) to %s (n=%s), %s, between the first and the second half of its time: the side is no single state",
			plainText(d.Side, 40), d.Metric, strings.ReplaceAll(d.Mode, "_", "-"), p.sideValue(&d.Change, d.Unit, 0), grouped(d.Change.NA),
			p.sideValue(&d.Change, d.Unit, 1), grouped(d.Change.NB), effectWords(&d.Change))
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
