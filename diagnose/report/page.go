package report

import (
	"fmt"
	"strings"
	"time"

	"ttdiag/diagnose"
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
	return p.text()
}

// SummaryMarkdown returns the same as Markdown.
func SummaryMarkdown(s *diagnose.Summary, zone *time.Location) (string, error) {
	p := &page{zone: zone, markdown: true}
	p.summary(s)
	return p.text()
}

// text returns the page. Sections of Markdown end in one blank line each.
func (p *page) text() (string, error) {
	text := p.b.String()
	if p.markdown {
		for strings.Contains(text, "\n\n\n") {
			text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
		}
		text = strings.TrimRight(text, "\n") + "\n"
	}
	return text, p.err
}

func (p *page) summary(s *diagnose.Summary) {
	p.inputs(s)
	p.classes(&s.Whole)
	p.thresholds(s.Thresholds)
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
	text, err := plain(cols, rows, p.style.width()-2, p.style.ASCII)
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

func shown[T any](list []T, n int) []T {
	if len(list) > n {
		return list[:n]
	}
	return list
}
