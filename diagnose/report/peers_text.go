package report

import (
	"fmt"
	"strings"

	"ttdiag/diagnose"
	"ttdiag/diagnose/stats"
)

// peers sets the request beside others like it.
func (p *page) peers(x *diagnose.Peers) {
	p.heading("Beside its peers (n=%s)", grouped(x.N))
	p.line("requests with %s, out of %s that were looked at", where(x.Of), grouped(x.Looked))
	if x.N > 0 {
		p.ranks(x)
		p.shares(x)
	}
	p.apart(x.Apart)
	for _, text := range loadWords(x) {
		p.line("%s", text)
	}
	p.minutes(x)
}

func (p *page) ranks(x *diagnose.Peers) {
	var rows [][]string
	for i := range x.Ranks {
		r := &x.Ranks[i]
		value := quantity(r.Value, r.Unit)
		if r.LowerBound {
			value = p.style.atLeast() + value
		}
		rows = append(rows, []string{r.Metric, value, p.figure(&r.Median, r.Unit), rankWords(r)})
	}
	p.table([]column{left("metric"), right("this"), right("median"), right("slower than")}, rows)
}

func rankWords(r *diagnose.PeerRank) string {
	if r.Position.N == 0 {
		return "no peer has it"
	}
	return fmt.Sprintf("%s of %s", grouped(beyond(r)), grouped(r.Position.N))
}

func (p *page) shares(x *diagnose.Peers) {
	var rows [][]string
	for i := range x.Shares {
		s := &x.Shares[i]
		rows = append(rows, []string{
			s.Column + "=" + plainText(s.Value, 24), shareWords(s.Here), shareWords(s.Elsewhere),
			points(s.Lo) + " to " + points(s.Hi), pValue(s.P),
		})
	}
	if len(rows) == 0 {
		return
	}
	p.line("of its peers, %s:", counted(x))
	p.table([]column{left("where"), right("here"), right("elsewhere"), right("points apart"), right("p")}, rows)
}

func counted(x *diagnose.Peers) string {
	if x.AnySlow {
		return "slow in any stage"
	}
	return x.Class.String()
}

// apart says what the requests of its class have in common, and whether it has
// that too.
func (p *page) apart(a *diagnose.PeerApart) {
	if a == nil {
		return
	}
	if len(a.Findings) == 0 {
		p.line("%s, %s of %s that were looked at: nothing sets these apart", a.Class, grouped(a.Slow.K), grouped(a.Slow.N))
		return
	}
	for i := range a.Findings {
		f := &a.Findings[i]
		has := "this request is one of them"
		if !a.Has[i] {
			has = "this request is none of them"
		}
		p.line("what sets %s apart: %s, %s here, %s elsewhere; %s", a.Class, where(f.Where), shareWords(f.Lift.Here), shareWords(f.Lift.Elsewhere), has)
	}
}

func loadWords(x *diagnose.Peers) []string {
	var lines []string
	if r := x.Load.Inflight; r != nil {
		text := fmt.Sprintf("load: inflight %d as logged", r.Value)
		if r.Position.N > 0 && r.Median.OK {
			text += fmt.Sprintf(", more than %s of %s peers (median %d)", grouped(r.Position.Below), grouped(r.Position.N), r.Median.Value)
		}
		lines = append(lines, text)
	}
	if x.Load.Known {
		text := fmt.Sprintf("load: %s requests were in progress when it started, %s overlapped it", grouped(x.Load.AtStart), grouped(x.Load.Overlap))
		if x.Load.Mean > 0 {
			text += fmt.Sprintf("; %.1f on average in the minutes around", x.Load.Mean)
		}
		lines = append(lines, text+fmt.Sprintf(" (n=%s with a start and an end)", grouped(x.Load.Timed)))
	}
	return lines
}

// minutes shows what happened around its start.
func (p *page) minutes(x *diagnose.Peers) {
	var most int64
	for _, m := range x.Minutes {
		most = max(most, m.N)
	}
	if most == 0 {
		return
	}
	p.line("the minutes around it, all requests that were looked at:")
	var rows [][]string
	for i, m := range x.Minutes {
		mark := ""
		if i == len(x.Minutes)/2 {
			mark = "its start"
		}
		rows = append(rows, []string{
			p.time(m.Start)[11:16], grouped(m.N), shareWords(stats.Share{K: m.OfClass, N: m.N}),
			shareWords(stats.Share{K: m.Failed, N: m.N}), mark,
		})
	}
	p.table([]column{left("minute"), right("n"), right(strings.ReplaceAll(counted(x), " in any stage", "")), right("failed"), left("")}, rows)
}
