package report

import (
	"fmt"
	"strings"

	"ttdiag/diagnose"
	"ttdiag/diagnose/stats"
	"ttdiag/rules"
)

func (p *page) pools(g *diagnose.GroupSummary) {
	for i := range g.Pools {
		p.pool(&g.Pools[i])
	}
	if t := g.Throughput; t.N > 0 && t.SpanUs > 0 {
		p.line("aggregate throughput: %.1f output tokens/s over %s (n=%s); not the speed that a reader saw",
			float64(t.Tokens)/(float64(t.SpanUs)/1e6), duration(t.SpanUs), grouped(t.N))
	}
}

func (p *page) pool(pool *diagnose.Pool) {
	p.heading("Latency: %s (n=%s)", poolWords(pool), grouped(pool.N))
	var waits, speeds [][]string
	for i := range pool.Metrics {
		m := &pool.Metrics[i]
		if m.N == 0 {
			continue
		}
		if m.Tail == stats.Low {
			speeds = append(speeds, p.metricRow(m))
		} else {
			waits = append(waits, p.metricRow(m))
		}
	}
	p.table(metricColumns("p50", "p95", "p99", "max"), waits)
	p.table(metricColumns("p50", "p5", "p1", "min"), speeds)
	p.poolRemarks(pool)
	p.absences(pool)
	p.intervals(pool)
}

// absences says why values are absent, one line for metrics of the same reasons.
func (p *page) absences(pool *diagnose.Pool) {
	var order []string
	metrics := map[string][]string{}
	for i := range pool.Metrics {
		m := &pool.Metrics[i]
		if m.N == 0 || len(m.Absent) == 0 {
			continue
		}
		var reasons []string
		for _, a := range m.Absent {
			reasons = append(reasons, grouped(a.Count)+" "+a.Reason)
		}
		text := strings.Join(reasons, ", ")
		if metrics[text] == nil {
			order = append(order, text)
		}
		metrics[text] = append(metrics[text], m.Metric)
	}
	for _, text := range order {
		p.line("absent of %s: %s", strings.Join(metrics[text], ", "), text)
	}
}

// intervals shows the 95 % interval of each percentile that has one.
func (p *page) intervals(pool *diagnose.Pool) {
	var waits, speeds [][]string
	for i := range pool.Metrics {
		m := &pool.Metrics[i]
		row := []string{m.Metric}
		known := false
		for k := range m.Figures {
			text := p.ends(&m.Figures[k], m.Unit)
			known = known || text != p.style.absent()
			row = append(row, text)
		}
		switch {
		case !known:
		case m.Tail == stats.Low:
			speeds = append(speeds, row)
		default:
			waits = append(waits, row)
		}
	}
	if len(waits)+len(speeds) == 0 {
		return
	}
	p.line("95 %% intervals, exact from order statistics:")
	p.table([]column{left("metric"), right("p50"), right("p95"), right("p99")}, waits)
	p.table([]column{left("metric"), right("p50"), right("p5"), right("p1")}, speeds)
}

// ends returns an interval for a table; an open end is a bound, and so is one that
// lands on a wait that had not ended. Where the sample
// is too small for a value and for a bound of it, it is too small here as well.
func (p *page) ends(f *stats.Figure, unit rules.Unit) string {
	_, atLeast := f.AtLeast()
	_, atMost := f.AtMost()
	switch {
	case !f.OK && !atLeast && !atMost:
		return p.style.absent()
	case f.Lo.OK && f.Hi.OK && !f.Hi.LowerBound:
		return p.style.span(quantity(f.Lo.Value, unit), quantity(f.Hi.Value, unit))
	case f.Lo.OK:
		return p.style.atLeast() + quantity(f.Lo.Value, unit)
	case f.Hi.OK:
		return p.style.atMost() + quantity(f.Hi.Value, unit)
	}
	return p.style.absent()
}

func metricColumns(figures ...string) []column {
	cols := []column{left("metric"), right("n"), right("absent")}
	for _, f := range figures {
		cols = append(cols, right(f))
	}
	return cols
}

func poolWords(pool *diagnose.Pool) string {
	text := strings.ReplaceAll(pool.Mode, "_", "-")
	if pool.Mode == "unknown" {
		text = "stream mode unknown"
	}
	if pool.Basis.Vantage != "" {
		text += ", " + plainText(pool.Basis.Vantage, 40) + "'s clock"
	}
	if pool.Basis.FirstToken != "" {
		text += ", first token is " + plainText(pool.Basis.FirstToken, 40)
	}
	if pool.Basis.Label != nil {
		text += ", some approximate"
	}
	return text
}

func (p *page) metricRow(m *diagnose.MetricFigures) []string {
	name := m.Metric
	if m.Approx != nil {
		name = "~" + name
	}
	missing := int64(0)
	for _, a := range m.Absent {
		missing += a.Count
	}
	row := []string{name, grouped(m.N), grouped(missing)}
	for i := range m.Figures {
		row = append(row, p.figure(&m.Figures[i], m.Unit))
	}
	worst := quantity(m.Worst.Value, m.Unit)
	if m.Worst.LowerBound {
		worst = p.style.atLeast() + worst
	}
	return append(row, worst)
}

// figure returns a percentile for a table: a value, a bound, or nothing.
func (p *page) figure(f *stats.Figure, unit rules.Unit) string {
	switch {
	case f.OK && f.LowerBound:
		return p.style.atLeast() + quantity(f.Value, unit)
	case f.OK:
		return quantity(f.Value, unit)
	}
	if at, ok := f.AtLeast(); ok {
		return p.style.atLeast() + quantity(at.Value, unit)
	}
	if at, ok := f.AtMost(); ok {
		return p.style.atMost() + quantity(at.Value, unit)
	}
	return p.style.absent()
}

// poolRemarks says how the figures were made, and what is open about them.
func (p *page) poolRemarks(pool *diagnose.Pool) {
	if len(pool.Metrics) == 0 {
		return
	}
	var methods []string
	seen := map[string]bool{}
	for i := range pool.Metrics {
		for k := range pool.Metrics[i].Figures {
			f := &pool.Metrics[i].Figures[k]
			if f.N == 0 {
				continue
			}
			if name := methodWords(f.Method); !seen[name] {
				seen[name] = true
				methods = append(methods, name)
			}
		}
	}
	p.line("method: %s; a bound (%s) where waits were cut off or n is too small for a value", strings.Join(methods, ", "), strings.TrimSpace(p.style.atLeast()))
	p.tooSmall(pool)
	if pool.Basis.Label != nil {
		for _, a := range diagnose.ApproxOf(pool.Basis.Label) {
			p.line("~%s: %s; counts from %s, marks %s", a.Column, a.Bias, a.Origin, a.Point)
		}
	}
}

// tooSmall names the percentiles that the sample is too small for, one line for
// metrics of the same n.
func (p *page) tooSmall(pool *diagnose.Pool) {
	type gap struct {
		level stats.Level
		n     int64
		needs int64
	}
	var order []gap
	metrics := map[gap]int64{}
	for i := range pool.Metrics {
		for k := range pool.Metrics[i].Figures {
			f := &pool.Metrics[i].Figures[k]
			if f.OK || f.N == 0 {
				continue
			}
			g := gap{f.Level, f.N, max(f.HiNeedsN, f.LoNeedsN)}
			if metrics[g] == 0 {
				order = append(order, g)
			}
			metrics[g]++
		}
	}
	for _, g := range shown(order, 6) {
		p.line("%s: n=%s is too small for a value; %d needed (%s)", g.level, grouped(g.n), g.needs, many(metrics[g], "metric"))
	}
}

func methodWords(m stats.Method) string {
	if err := m.RelativeError(); err > 0 {
		return fmt.Sprintf("%s within %.1f %%", m, err*100)
	}
	return strings.ReplaceAll(m.String(), "-", " ")
}
