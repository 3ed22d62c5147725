package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"time"

	"ttdiag/diagnose"
	"ttdiag/diagnose/stats"
	"ttdiag/rules"
)

//go:embed page.html
var pageText string

// SummaryHTML returns the summary as one page that needs nothing else: no
// script, no font, no image, no address. made is when the page was made.
func SummaryHTML(s *diagnose.Summary, made time.Time, zone *time.Location) (string, error) {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return "", fmt.Errorf("parse page: %w", err)
	}
	var b strings.Builder
	if err := t.Execute(&b, htmlPage(s, made, zone)); err != nil {
		return "", fmt.Errorf("fill page: %w", err)
	}
	return b.String(), nil
}

// htmlData is what the page's template shows. All of it is formatted text.
type htmlData struct {
	Made, Range, Totals, Retries, Throughput string
	Inputs                                   [][]string
	Classes                                  []htmlClass
	Undetermined                             []string
	Outcomes                                 [][]string
	Pools                                    []htmlPool
	By                                       []string
	Groups                                   [][]string
	Doubts                                   []string
	Slowest                                  [][]string
	Thresholds                               [][]string
	Overrides                                []string
}

type htmlClass struct {
	Name, Count, Share, LookAt string
	Width                      int // of the bar, in percent
}

type htmlPool struct {
	Title   string
	Rows    [][]string // metric, n, absent, three figures with their intervals, the worst
	Remarks []string
}

func htmlPage(s *diagnose.Summary, made time.Time, zone *time.Location) htmlData {
	p := &page{zone: zone}
	d := htmlData{Made: made.In(zone).Format(time.RFC3339), Totals: p.totals(s), By: s.By, Doubts: qualityLines(s)}
	if s.HasRange {
		d.Range = fmt.Sprintf("%s to %s %s", p.time(s.From), p.time(s.To), zone)
	}
	if s.Retries.Retried > 0 {
		d.Retries = retryWords(s.Retries)
	}
	if t := s.Whole.Throughput; t.N > 0 && t.SpanUs > 0 {
		d.Throughput = fmt.Sprintf("%.1f output tokens/s over %s (n=%s)", float64(t.Tokens)/(float64(t.SpanUs)/1e6), duration(t.SpanUs), grouped(t.N))
	}
	for _, in := range s.Inputs {
		d.Inputs = append(d.Inputs, []string{
			plainText(in.Name, 0), in.Format, grouped(in.Lines), grouped(in.Records), grouped(in.Rejected), grouped(in.Blank), bytesText(in.Bytes),
		})
	}
	d.classes(&s.Whole)
	for i := range s.Whole.Pools {
		d.Pools = append(d.Pools, p.htmlPool(&s.Whole.Pools[i]))
	}
	for i := range s.Groups {
		d.Groups = append(d.Groups, p.groupRow(&s.Groups[i]))
	}
	for i := range s.Slowest {
		d.Slowest = append(d.Slowest, p.slowRow(&s.Slowest[i]))
	}
	d.thresholds(s.Thresholds)
	return d
}

func (d *htmlData) classes(g *diagnose.GroupSummary) {
	for _, c := range g.Classes {
		d.Classes = append(d.Classes, htmlClass{
			Name: c.Class.String(), Count: grouped(c.Count), Share: percent(c.Count, g.N),
			LookAt: strings.Join(c.Class.Words().LookAt, ", "), Width: int(100 * c.Count / max(g.N, 1)),
		})
		for _, b := range c.Between {
			d.Undetermined = append(d.Undetermined, fmt.Sprintf("%s: %s; would need %s",
				grouped(b.Count), between(b.Between), strings.Join(names(b.WouldNeed), ", ")))
		}
	}
	for _, o := range g.Outcomes {
		d.Outcomes = append(d.Outcomes, []string{o.Outcome.String(), grouped(o.Count), percent(o.Count, g.N), waits(o.Classes)})
	}
}

func (d *htmlData) thresholds(t rules.InForce) {
	for _, one := range t.Rules {
		d.Thresholds = append(d.Thresholds, []string{"rule." + one.Key, rules.FormatValue(one.Value, one.Unit), one.From})
	}
	for _, o := range t.Overrides {
		d.Overrides = append(d.Overrides, fmt.Sprintf("model %s, workload %s: %s", anyOf(o.Model), anyOf(o.Workload), limitWords(o.Rules)))
	}
}

func anyOf(s string) string {
	if s == "" {
		return "any"
	}
	return plainText(s, 0)
}

func (p *page) htmlPool(pool *diagnose.Pool) htmlPool {
	out := htmlPool{Title: fmt.Sprintf("%s (n=%s)", poolWords(pool), grouped(pool.N))}
	for i := range pool.Metrics {
		m := &pool.Metrics[i]
		if m.N == 0 {
			continue
		}
		row := p.metricRow(m)
		for k := range m.Figures {
			row[3+k] += intervalWords(&m.Figures[k], m.Unit)
		}
		out.Rows = append(out.Rows, row)
	}
	for _, a := range diagnose.ApproxOf(pool.Basis.Label) {
		out.Remarks = append(out.Remarks, fmt.Sprintf("~%s: %s; counts from %s, marks %s", a.Column, a.Bias, a.Origin, a.Point))
	}
	return out
}

// intervalWords returns the interval of a figure, and what it would need.
func intervalWords(f *stats.Figure, unit rules.Unit) string {
	switch {
	case f.Lo.OK && f.Hi.OK && f.Hi.LowerBound:
		return fmt.Sprintf(" [%s, open: at least %s]", quantity(f.Lo.Value, unit), quantity(f.Hi.Value, unit))
	case f.Lo.OK && f.Hi.OK:
		return fmt.Sprintf(" [%s, %s]", quantity(f.Lo.Value, unit), quantity(f.Hi.Value, unit))
	case f.Lo.OK:
		return fmt.Sprintf(" [%s, open: n=%s, %d needed]", quantity(f.Lo.Value, unit), grouped(f.N), f.HiNeedsN)
	case f.Hi.OK:
		return fmt.Sprintf(" [open: n=%s, %d needed, %s]", grouped(f.N), f.LoNeedsN, quantity(f.Hi.Value, unit))
	}
	return fmt.Sprintf(" (n=%s; %d needed)", grouped(f.N), max(f.HiNeedsN, f.LoNeedsN, f.NeedsN))
}
