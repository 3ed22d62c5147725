package report

import (
	"fmt"
	"strings"
	"time"

	"ttdiag/diagnose"
	"ttdiag/rules"
)

// ExplanationText returns the explanation of all attempts of a request for a
// person: what it is, its waterfall, its walk, what that does not prove and what
// to compare next. Attempts are in order.
func ExplanationText(attempts []diagnose.Explanation, style Style, zone *time.Location) (string, error) {
	p := &page{style: style, zone: zone}
	p.explanations(attempts)
	return p.text()
}

// ExplanationMarkdown returns the same as Markdown.
func ExplanationMarkdown(attempts []diagnose.Explanation, zone *time.Location) (string, error) {
	p := &page{zone: zone, markdown: true}
	p.explanations(attempts)
	return p.text()
}

func (p *page) explanations(attempts []diagnose.Explanation) {
	if len(attempts) > 1 {
		p.attempts(attempts)
	}
	for i := range attempts {
		p.explanation(&attempts[i], len(attempts))
	}
}

func (p *page) explanation(x *diagnose.Explanation, of int) {
	id := "request without an id"
	if x.RequestID != "" {
		id = plainText(x.RequestID, 60)
	}
	if of > 1 {
		id += fmt.Sprintf(", attempt %d", x.Attempt)
	}
	p.heading("%s: %s", id, x.Class)
	p.line("%s", p.facts(x))
	if x.Evidence != nil {
		p.line("%s", evidenceWords(x.Evidence, p.style))
	}
	if x.Why != "" {
		p.line("%s", x.Why)
	}
	if e := x.LargestExcess; e != nil && e.Stage != x.Stage && (x.Evidence == nil || e.Metric != x.Evidence.Metric) {
		p.line("The largest excess is another stage's: %s, %s %s against %s.", e.Stage, e.Metric,
			quantity(e.Value, e.Unit), quantity(e.Limit, e.Unit))
	}
	p.waterfall(x)
	p.walk(x)
	if x.Peers != nil {
		p.peers(x.Peers)
	}
	p.bullets("What this does not prove", x.DoesNotProve)
	p.bullets("What cannot help", x.CannotHelp)
	p.bullets("Compare next", x.CompareNext)
	p.doubts(x)
}

// facts are the metadata in one line.
func (p *page) facts(x *diagnose.Explanation) string {
	parts := []string{x.Outcome.String()}
	if x.Model != "" {
		parts = append(parts, "model "+plainText(x.Model, 40))
	}
	for _, v := range x.Metadata {
		switch v.Name {
		case "stream":
			if v.Num != 0 {
				parts = append(parts, "streaming")
			} else {
				parts = append(parts, "not streaming")
			}
		case "timestamp":
			parts = append(parts, p.time(v.Num)+" "+p.zone.String())
		case "status", "inflight":
			parts = append(parts, fmt.Sprintf("%s %d", v.Name, v.Num))
		case "channel", "route", "region", "provider":
			parts = append(parts, v.Name+" "+plainText(v.Text, 30))
		}
	}
	if x.Source.File != "" {
		parts = append(parts, fmt.Sprintf("%s:%d", plainText(x.Source.File, 40), x.Source.Line))
	}
	return strings.Join(parts, ", ")
}

func evidenceWords(e *diagnose.Evidence, style Style) string {
	bound := ""
	if e.LowerBound {
		bound = style.atLeast()
	}
	text := fmt.Sprintf("%s is %s%s; the limit is %s.", e.Metric, bound, quantity(e.Value, e.Unit), quantity(e.Limit, e.Unit))
	if e.LowerBound {
		text += " It never arrived: the wait was cut off."
	}
	return text
}

// waterfall draws the phases, whose lengths add up to the whole.
func (p *page) waterfall(x *diagnose.Explanation) {
	if len(x.Phases) == 0 {
		p.bullets("Times that cannot be placed", x.Unplaced)
		return
	}
	end := x.Phases[len(x.Phases)-1].End
	p.heading("Waterfall (%s)", duration(end))
	name, room := 0, 0
	for _, ph := range x.Phases {
		name = max(name, len([]rune(ph.Name)))
	}
	name = min(name, 38)
	room = max(p.style.width()-name-26, 10)
	var rows [][]string
	for _, ph := range x.Phases {
		rows = append(rows, []string{
			plainText(ph.Name, name), duration(ph.Start), duration(ph.End - ph.Start),
			bar(ph.Start, ph.End, end, room, p.style.ASCII),
		})
	}
	p.table([]column{left("phase"), right("from"), right("length"), left("")}, rows)
	for _, u := range x.Unplaced {
		p.line("%s", u)
	}
}

// bar draws [from, to] of [0, end] in width characters. What is longer than
// nothing shows.
func bar(from, to, end int64, width int, ascii bool) string {
	if end <= 0 {
		return ""
	}
	start := int(from * int64(width) / end)
	stop := max(int((to*int64(width)+end-1)/end), start)
	if to > from {
		stop = max(stop, start+1)
	}
	stop = min(stop, width)
	start = min(start, max(stop-1, 0))
	mark, gap := "█", "·"
	if ascii {
		mark, gap = "#", "."
	}
	return strings.Repeat(gap, start) + strings.Repeat(mark, stop-start) + strings.Repeat(gap, width-stop)
}

// walk lists the steps with verdict, value and limit, and a reason under each
// that is not plainly ok.
func (p *page) walk(x *diagnose.Explanation) {
	p.heading("Walk")
	var rows [][]string
	for i := range x.Walk {
		s := &x.Walk[i]
		rows = append(rows, []string{s.Stage, s.Metric, p.verdict(s), p.stepValue(s), p.stepLimit(s)})
	}
	p.table([]column{left("stage"), left("metric"), left("verdict"), right("value"), right("limit")}, rows)
	for i := range x.Walk {
		if s := &x.Walk[i]; s.Reason != "" && s.Verdict != rules.OK {
			p.line("%s: %s", s.Metric, s.Reason)
		}
	}
	for i := range x.Intervals {
		p.line("%s", x.Intervals[i].Reason)
	}
}

func (p *page) verdict(s *diagnose.Step) string {
	text := strings.ReplaceAll(s.Verdict.String(), "_", " ")
	return text
}

func (p *page) stepValue(s *diagnose.Step) string {
	switch {
	case !s.HasValue && p.markdown:
		return absent
	case !s.HasValue:
		return p.style.absent()
	case s.LowerBound:
		return p.style.atLeast() + quantity(s.Value, s.Unit)
	}
	return quantity(s.Value, s.Unit)
}

func (p *page) stepLimit(s *diagnose.Step) string {
	return s.Relation + " " + quantity(s.Limit, s.Unit)
}

func (p *page) bullets(title string, list []string) {
	if len(list) == 0 {
		return
	}
	p.heading("%s", title)
	for _, text := range list {
		p.line("%s", text)
	}
}

func (p *page) doubts(x *diagnose.Explanation) {
	var list []string
	for _, c := range x.Cleaned {
		list = append(list, c.Column+": "+c.Note)
	}
	for _, n := range x.Notes {
		list = append(list, strings.ReplaceAll(n, "_", " "))
	}
	for _, a := range x.Approx {
		list = append(list, fmt.Sprintf("~%s: %s; counts from %s, marks %s", a.Column, a.Bias, a.Origin, a.Point))
	}
	if len(list) > 0 {
		p.bullets("Doubts about this record", list)
	}
}

// attempts shows all attempts on one line of time, the caller's whole wait
// first.
func (p *page) attempts(list []diagnose.Explanation) {
	w := diagnose.WaitOf(list)
	p.heading("%s: %d attempts", plainText(list[0].RequestID, 60), len(list))
	if !w.Known {
		p.line("The caller's whole wait is unknown: not every attempt has a start and an end.")
		return
	}
	p.line("The caller waited %s, of which %s were lost before the last attempt (%s of it between attempts).",
		duration(w.Whole), duration(w.Lost), duration(w.Backoff))
	room := max(p.style.width()-52, 10)
	var rows [][]string
	for i := range list {
		from, to := w.Spans[i][0], w.Spans[i][1]
		rows = append(rows, []string{
			fmt.Sprint(list[i].Attempt), list[i].Outcome.String(), duration(from), duration(to - from),
			bar(from, to, w.Whole, room, p.style.ASCII),
		})
	}
	p.table([]column{right("attempt"), left("outcome"), right("from"), right("length"), left("")}, rows)
}
