package report

import (
	"fmt"
	"strings"
	"time"

	"ttdiag/diagnose"
)

// startKey is the key of groups by time: the start of their span.
const startKey = "from"

func (p *page) groups(s *diagnose.Summary) {
	if len(s.By) == 0 {
		return
	}
	p.heading("By %s", strings.Join(s.By, ", "))
	cols := []column{}
	for _, by := range s.By {
		if by == startKey {
			by += " (" + p.zone.String() + ")"
		}
		cols = append(cols, left(by))
	}
	cols = append(cols, right("n"), left("most frequent slow class"), right("share"), right("first text p50"), right("end p95"))
	var rows [][]string
	for i := range shown(s.Groups, 40) {
		rows = append(rows, p.groupRow(&s.Groups[i]))
	}
	p.table(cols, rows)
	if more := len(s.Groups) - 40; more > 0 {
		p.line("and %d more groups in --output json", more)
	}
	if s.Other > 0 {
		p.line("%s records of further groups are counted in the whole only", grouped(s.Other))
	}
}

func (p *page) groupRow(g *diagnose.GroupSummary) []string {
	var row []string
	for _, k := range g.Key {
		if k.Absent {
			row = append(row, p.style.absent())
		} else {
			row = append(row, p.keyText(k))
		}
	}
	worst := diagnose.ClassCount{}
	for _, c := range g.Classes {
		if c.Class.Slow() && c.Count > worst.Count {
			worst = c
		}
	}
	class, share := p.style.absent(), p.style.absent()
	if worst.Count > 0 {
		class, share = worst.Class.String(), percent(worst.Count, g.N)
	}
	return append(row, grouped(g.N), class, share, p.mainFigure(g, "first_text_delta_ms", 0), p.mainFigure(g, "end_to_end_ms", 1))
}

// keyText returns what a group has in common; the start of a span of time stands
// in the zone of the page.
func (p *page) keyText(k diagnose.KeyValue) string {
	if k.Column == startKey {
		if start, err := time.Parse(time.RFC3339, k.Value); err == nil {
			return strings.TrimSuffix(p.time(start.UnixMicro()), ":00")
		}
	}
	return plainText(k.Value, 24)
}

// mainFigure returns a figure of the group's largest pool.
func (p *page) mainFigure(g *diagnose.GroupSummary, metric string, level int) string {
	var largest *diagnose.MetricFigures
	for i := range g.Pools {
		for k := range g.Pools[i].Metrics {
			if m := &g.Pools[i].Metrics[k]; m.Metric == metric && m.N > 0 && (largest == nil || m.N > largest.N) {
				largest = m
			}
		}
	}
	if largest == nil {
		return p.style.absent()
	}
	return fmt.Sprintf("%s (n=%s)", p.figure(&largest.Figures[level], largest.Unit), grouped(largest.N))
}
