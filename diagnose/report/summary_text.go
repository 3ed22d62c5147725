package report

import (
	"fmt"
	"strings"
	"time"

	"ttdiag/diagnose"
	"ttdiag/diagnose/stats"
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

func splitWords(text string) []string { return strings.Fields(text) }

// page collects sections of text or Markdown. The first error of a table stays.
type page struct {
	b        strings.Builder
	style    Style
	zone     *time.Location
	markdown bool
	err      error
}

// SummaryText returns the summary for a person at a terminal, in the order of
// an incident: what was read, where the time went, latency per mark, doubts
// about the data, the slowest requests, and what to type next. Times are shown
// in zone.
func SummaryText(s *diagnose.Summary, style Style, zone *time.Location) (string, error) {
	p := &page{style: style, zone: zone}
	p.summary(s)
	return p.b.String(), p.err
}

// SummaryMarkdown returns the same as Markdown.
func SummaryMarkdown(s *diagnose.Summary, zone *time.Location) (string, error) {
	p := &page{zone: zone, markdown: true}
	p.summary(s)
	return p.b.String(), p.err
}

func (p *page) summary(s *diagnose.Summary) {
	p.inputs(s)
	p.classes(&s.Whole)
	p.pools(&s.Whole)
	p.groups(s)
	if s.Why != nil {
		p.why(s.Why)
	}
	p.quality(s)
	p.slowest(s)
	p.next(s)
}

func (p *page) heading(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if p.b.Len() > 0 {
		p.b.WriteByte('\n')
	}
	if p.markdown {
		p.b.WriteString("## " + text + "\n\n")
		return
	}
	p.b.WriteString(p.style.bold(text) + "\n")
}

// line writes one paragraph, folded to the width.
func (p *page) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if p.markdown {
		p.b.WriteString(escapeMarkdown(text) + "\n\n")
		return
	}
	for _, l := range fold(text, p.style.width()-2) {
		p.b.WriteString("  " + l + "\n")
	}
}

func (p *page) table(cols []column, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	if p.markdown {
		text, err := markdownTable(cols, rows)
		p.keep(err)
		p.b.WriteString(text + "\n")
		return
	}
	text, err := plain(cols, rows, p.style.ASCII)
	p.keep(err)
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	lines[0] = p.style.dim(strings.TrimSuffix(lines[0], "\n")) + "\n"
	for _, l := range lines {
		p.b.WriteString("  " + l)
	}
	p.b.WriteByte('\n')
}

func (p *page) keep(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *page) time(us int64) string {
	return time.UnixMicro(us).In(p.zone).Format("2006-01-02 15:04:05")
}

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
	text := fmt.Sprintf("%s requests in %s attempts", grouped(t.Requests), grouped(t.Judged))
	if t.Filtered > 0 {
		text += fmt.Sprintf("; %s attempts filtered out", grouped(t.Filtered))
	}
	if t.Warmup > 0 {
		text += fmt.Sprintf("; %s warm-up attempts left out", grouped(t.Warmup))
	}
	return text
}

func retryWords(r diagnose.Retries) string {
	text := fmt.Sprintf("%s requests took %s attempts, %s of which failed", grouped(r.Retried), grouped(r.Attempts), grouped(r.Failed))
	if r.Measured > 0 {
		text += fmt.Sprintf("; callers of the %s with a start and an end waited %s in all, of which %s were lost before the last attempt (%s of it back-off)",
			grouped(r.Measured), duration(r.CallerUs), duration(r.LostUs), duration(r.BackoffUs))
	}
	if r.Partial {
		text += "; too many requests to follow all: only failed and numbered attempts were joined"
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
			p.line("%s, %s: waited in %s", o.Outcome, grouped(o.Count), waits(o.Classes))
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

// clip shortens text to what an 80-column table leaves after used columns.
func (p *page) clip(text string, used int) string {
	if p.markdown {
		return text
	}
	if room := p.style.width() - used; len([]rune(text)) > room {
		return cut(text, room)
	}
	return text
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
	metrics := map[gap]int{}
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
		p.line("%s: n=%s is too small for a value; %d needed (%d metrics)", g.level, grouped(g.n), g.needs, metrics[g])
	}
}

func methodWords(m stats.Method) string {
	if err := m.RelativeError(); err > 0 {
		return fmt.Sprintf("%s within %.1f %%", m, err*100)
	}
	return strings.ReplaceAll(m.String(), "-", " ")
}

func (p *page) groups(s *diagnose.Summary) {
	if len(s.By) == 0 {
		return
	}
	p.heading("By %s", strings.Join(s.By, ", "))
	cols := []column{}
	for _, by := range s.By {
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
			row = append(row, plainText(k.Value, 24))
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
		lines = append(lines, fmt.Sprintf("%s: %s values %s", c.Column, grouped(c.Count), cleaningWords(c.Note)))
	}
	for _, n := range s.Whole.Notes {
		lines = append(lines, fmt.Sprintf("%s: %s requests", n.Reason, grouped(n.Count)))
	}
	if r := s.Record; r != nil {
		lines = append(lines, fmt.Sprintf("recording %s would decide %s of %s undetermined requests, and is needed for %s",
			r.Column, grouped(r.Alone), grouped(r.N), grouped(r.Would)))
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
		if r := &s.Slowest[i]; r.RequestID != "" && r.Class != rules.NoSlowStage {
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

func shown[T any](list []T, n int) []T {
	if len(list) > n {
		return list[:n]
	}
	return list
}
