package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ttdiag/diagnose"
	"ttdiag/diagnose/stats"
)

// WhyText returns what sets slow requests apart for a person at a terminal.
func WhyText(w *diagnose.Why, style Style) (string, error) {
	p := &page{style: style, zone: time.UTC}
	p.why(w)
	return p.text()
}

// WhyMarkdown returns the same as Markdown.
func WhyMarkdown(w *diagnose.Why) (string, error) {
	p := &page{zone: time.UTC, markdown: true}
	p.why(w)
	return p.text()
}

func (p *page) why(w *diagnose.Why) {
	p.heading("What sets the slow ones apart (n=%s)", grouped(w.N))
	if w.Looked < w.N {
		p.line("compared %s of %s requests, a fair sample chosen by a hash of each; times are scaled up", grouped(w.Looked), grouped(w.N))
	}
	if len(w.Classes) == 0 {
		p.line("no request is slow or undetermined")
		return
	}
	for i := range w.Classes {
		p.whyClass(&w.Classes[i])
	}
	p.heading("How this was found")
	p.line("%s", dimensionWords(w))
	p.line("%s comparisons of values and pairs of them; %s, corrected by Benjamini-Hochberg at %s over all; a lift below %s, or fewer than 5 slow requests, is not told; a pair only where it beats both of its values",
		grouped(w.Tests), stats.MethodLift, share(w.Rate), strconv.FormatFloat(w.MinLift, 'g', 3, 64))
	p.line("Excess is the time beyond what these requests would have taken, had they been like the others. What goes along with slowness need not be its cause.")
}

func dimensionWords(w *diagnose.Why) string {
	var used, left []string
	for _, d := range w.Dimensions {
		if d.Too {
			left = append(left, d.Name)
			continue
		}
		used = append(used, fmt.Sprintf("%s (%d)", d.Name, d.Values))
	}
	text := "compared by " + strings.Join(used, ", ")
	if len(used) == 0 {
		text = "no column to compare by is recorded"
	}
	if len(left) > 0 {
		text += "; not by " + strings.Join(left, ", ") + ": too many values"
	}
	return text
}

func (p *page) whyClass(c *diagnose.WhyClass) {
	p.heading("%s: %s of %s (%s)", c.Class, grouped(c.Slow.K), grouped(c.Slow.N), percent(c.Slow.K, c.Slow.N))
	if c.HasUsual {
		p.line("the median %s of the others is %s (n=%s); beyond it these took %s", c.Metric, quantity(c.Usual, c.Unit), grouped(c.UsualN), duration(c.ExcessUs))
	}
	if len(c.Findings) == 0 {
		p.line("nothing stands out: no value or pair of values that was compared holds more of them than chance would")
		return
	}
	var rows [][]string
	for i := range c.Findings {
		f := &c.Findings[i]
		rows = append(rows, []string{
			p.clip(where(f.Where), 50), shareWords(f.Lift.Here), shareWords(f.Lift.Elsewhere), liftWords(&f.Lift), duration(f.ExcessUs),
		})
	}
	p.table([]column{left("where"), right("slow here"), right("slow elsewhere"), right("lift"), right("excess")}, rows)
	for i := range c.Findings {
		f := &c.Findings[i]
		text := fmt.Sprintf("%s: p %s after correction; share %s to %s points higher", where(f.Where), pValue(f.Lift.Adjusted), points(f.Lift.Lo), points(f.Lift.Hi))
		for _, same := range f.Same {
			text += "; the same requests as " + where(same)
		}
		p.line("%s", text)
	}
}

func where(list []diagnose.KeyValue) string {
	var parts []string
	for _, k := range list {
		parts = append(parts, k.Column+"="+plainText(k.Value, 40))
	}
	return strings.Join(parts, " and ")
}

// shareWords returns a share with its counts: 4.0 % (12/300).
func shareWords(s stats.Share) string {
	if s.N == 0 {
		return absent
	}
	return fmt.Sprintf("%s (%s/%s)", percent(s.K, s.N), grouped(s.K), grouped(s.N))
}

func liftWords(l *stats.Lift) string {
	if !l.Ratio.OK {
		return "only here"
	}
	return times(l.Ratio.Value)
}

// times returns a factor: 1.15x, 24x.
func times(v float64) string {
	if v >= 10 {
		return strconv.FormatFloat(v, 'f', 0, 64) + "x"
	}
	return strconv.FormatFloat(v, 'f', 2, 64) + "x"
}

// share returns a fraction as a percentage: 1 %, 0.05 %.
func share(v float64) string { return strconv.FormatFloat(100*v, 'g', 4, 64) + " %" }

// points returns a difference of shares in percentage points.
func points(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) }

// pValue returns a p value with two digits, or the bound that it is below.
func pValue(p float64) string {
	if p < 0.0001 {
		return "< 0.0001"
	}
	return strconv.FormatFloat(p, 'g', 2, 64)
}
