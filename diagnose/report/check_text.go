package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ttdiag/diagnose"
	"ttdiag/rules"
)

// CheckText returns what became of requirements for a person at a terminal.
func CheckText(c *diagnose.Check, style Style) (string, error) {
	p := &page{style: style, zone: time.UTC}
	p.check(c)
	p.thresholds(c.Thresholds)
	return p.text()
}

// CheckMarkdown returns the same as Markdown.
func CheckMarkdown(c *diagnose.Check) (string, error) {
	p := &page{zone: time.UTC, markdown: true}
	p.check(c)
	p.thresholds(c.Thresholds)
	return p.text()
}

func (p *page) check(c *diagnose.Check) {
	p.heading("%s (n=%s)", verdictWords(c.Verdict()), grouped(c.N))
	var rows [][]string
	for i := range c.Results {
		r := &c.Results[i]
		row := []string{p.checkVerdict(r.Verdict), p.clip(r.Requirement, 48), checkedValue(r, p.style), checkedInterval(r), grouped(r.N)}
		if len(c.By) > 0 {
			row = append(row, p.clip(groupWords(r.Group), 60))
		}
		rows = append(rows, row)
	}
	cols := []column{left("verdict"), left("requirement"), right("value"), right("95 % interval"), right("n")}
	if len(c.By) > 0 {
		cols = append(cols, left("of"))
	}
	p.table(cols, rows)
	for i := range c.Results {
		r := &c.Results[i]
		if text := checkedWhere(r); text != "" || r.Reason != "" {
			p.line("%s", strings.Join(filled(r.Requirement, text, reasonWords(r)), "; "))
		}
	}
	if c.Other > 0 {
		p.line("%s requests of further groups were not checked", grouped(c.Other))
	}
	gate := "the value decides"
	if c.OnInterval {
		gate = "the unfavourable end of the interval decides too"
	}
	p.line("percentiles by %s; %s; a failed wait counts with its length so far", methodWords(c.Method), gate)
}

// filled returns the texts that are not empty.
func filled(texts ...string) []string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

func verdictWords(v diagnose.CheckVerdict) string {
	switch v {
	case diagnose.Pass:
		return "All requirements hold"
	case diagnose.Fail:
		return "A requirement failed"
	}
	return "Too little data to say"
}

func (p *page) checkVerdict(v diagnose.CheckVerdict) string {
	text := strings.ReplaceAll(v.String(), "_", " ")
	if v == diagnose.Fail && !p.markdown {
		return p.style.red(text)
	}
	return text
}

// checkedWhere says what a result is about: its group and its pool.
func checkedWhere(r *diagnose.Checked) string {
	var parts []string
	if len(r.Group) > 0 {
		parts = append(parts, groupWords(r.Group))
	}
	if r.Mode != "" {
		parts = append(parts, poolWords(&diagnose.Pool{Mode: r.Mode, Basis: r.Basis}))
	}
	return strings.Join(parts, ", ")
}

func groupWords(key []diagnose.KeyValue) string {
	var parts []string
	for _, k := range key {
		if k.Absent {
			parts = append(parts, k.Column+" absent")
			continue
		}
		parts = append(parts, k.Column+"="+plainText(k.Value, 40))
	}
	return strings.Join(parts, ", ")
}

func reasonWords(r *diagnose.Checked) string {
	if r.NeedsN > 0 {
		return fmt.Sprintf("%s; %s needed", r.Reason, grouped(r.NeedsN))
	}
	return r.Reason
}

func checkedValue(r *diagnose.Checked, style Style) string {
	switch {
	case r.Share != nil && r.Unit == rules.Fraction:
		return percent(r.Share.K, r.Share.N)
	case r.Share != nil:
		return grouped(r.Share.K)
	case r.Figure == nil:
		return style.absent()
	case r.Figure.OK && r.Figure.LowerBound:
		return style.atLeast() + quantity(r.Figure.Value, r.Unit)
	case r.Figure.OK:
		return quantity(r.Figure.Value, r.Unit)
	}
	p := page{style: style}
	return p.figure(r.Figure, r.Unit)
}

func checkedInterval(r *diagnose.Checked) string {
	switch {
	case r.Share != nil && r.Unit == rules.Fraction:
		return share(round(r.Lo, 4)) + " to " + share(round(r.Hi, 4))
	case r.Figure == nil || r.Figure.Level == 0:
		return ""
	}
	hi := r.Figure.Hi.OK && !r.Figure.Hi.LowerBound // an end that was cut off is open
	return interval(r.Figure.Lo.Value, r.Figure.Lo.OK, r.Unit) + " to " + interval(r.Figure.Hi.Value, hi, r.Unit)
}

func interval(v int64, ok bool, unit rules.Unit) string {
	if !ok {
		return "?"
	}
	return quantity(v, unit)
}

func round(v float64, decimals int) float64 {
	out, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'f', decimals, 64), 64)
	return out
}

// CheckCSV returns one line for each result.
func CheckCSV(c *diagnose.Check) (string, error) {
	out := appendCSV(nil, append(append([]string{}, c.By...), "requirement", "verdict", "mode", "vantage", "first_token_basis",
		"unit", "value", "lower_bound", "lo", "hi", "n", "needs_n", "reason"))
	for i := range c.Results {
		r := &c.Results[i]
		var cells []string
		for k := range c.By {
			if k < len(r.Group) {
				cells = append(cells, plainText(r.Group[k].Value, 0))
			} else {
				cells = append(cells, "")
			}
		}
		cells = append(cells, r.Requirement, r.Verdict.String(), r.Mode, plainText(r.Basis.Vantage, 0), plainText(r.Basis.FirstToken, 0), unitName(r.Unit))
		out = appendCSV(out, append(append(cells, checkedCells(r)...), strconv.FormatInt(r.N, 10), needsCell(r.NeedsN), r.Reason))
	}
	return string(out), nil
}

func needsCell(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// checkedCells returns value, lower_bound, lo and hi.
func checkedCells(r *diagnose.Checked) []string {
	number := func(v int64, ok bool) string {
		if !ok {
			return ""
		}
		return string(diagnose.AppendScaled(nil, v, r.Unit.Scale()))
	}
	float := func(v float64) string { return strconv.FormatFloat(round(v, 6), 'f', -1, 64) }
	switch f := r.Figure; {
	case f != nil:
		bound := ""
		if f.OK {
			bound = strconv.FormatBool(f.LowerBound)
		}
		return []string{number(f.Value, f.OK), bound, number(f.Lo.Value, f.Lo.OK), number(f.Hi.Value, f.Hi.OK && !f.Hi.LowerBound)}
	case r.Share != nil && r.Unit == rules.Fraction && r.Share.N > 0:
		return []string{float(r.Share.Value()), "", float(r.Lo), float(r.Hi)}
	case r.Share != nil && r.Unit != rules.Fraction:
		return []string{strconv.FormatInt(r.Share.K, 10), "", "", ""}
	}
	return []string{"", "", "", ""}
}
