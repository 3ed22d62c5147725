package report

import (
	"strconv"

	"ttdiag/diagnose"
	"ttdiag/diagnose/stats"
	"ttdiag/rules"
)

func (e *encoder) peers(p *diagnose.Peers) {
	e.groupKey("of", p.Of)
	e.integer("n", p.N)
	e.integer("looked_at", p.Looked)
	e.array("ranks", len(p.Ranks), func(i int) { e.item(func() { e.rank(&p.Ranks[i]) }) })
	if p.AnySlow {
		e.str("counted", "slow")
	} else {
		e.str("counted", p.Class.String())
	}
	e.array("shares", len(p.Shares), func(i int) {
		s := &p.Shares[i]
		e.item(func() {
			e.str("column", s.Column)
			e.str("value", s.Value)
			e.shareOf("here", s.Here)
			e.shareOf("elsewhere", s.Elsewhere)
			e.difference(s.Lo, s.Hi)
			e.float("p_adjusted", s.P, 4)
		})
	})
	e.object("load", func() { e.load(&p.Load) })
	if p.Apart != nil {
		e.object("apart", func() {
			e.integer("looked_at", p.Apart.N)
			e.whyClass(&p.Apart.WhyClass)
			e.array("has", len(p.Apart.Has), func(i int) {
				e.sep()
				e.b = strconv.AppendBool(e.b, p.Apart.Has[i])
			})
		})
	}
	e.array("minutes", len(p.Minutes), func(i int) {
		m := p.Minutes[i]
		e.item(func() {
			e.number("start", m.Start, rules.Timestamp)
			e.integer("n", m.N)
			e.integer("counted", m.OfClass)
			e.integer("failed", m.Failed)
		})
	})
}

func (e *encoder) rank(r *diagnose.PeerRank) {
	e.optional("stage", r.Stage)
	e.str("metric", r.Metric)
	e.number("value", r.Value, r.Unit)
	e.boolean("lower_bound", r.LowerBound)
	e.integer("below", r.Position.Below)
	e.integer("equal", r.Position.Equal)
	e.integer("n", r.Position.N)
	if r.Position.N > 0 {
		e.object("median", func() { e.figure(&r.Median, r.Unit) })
	}
}

func (e *encoder) load(l *diagnose.PeerLoad) {
	if l.Inflight != nil {
		e.object("inflight", func() { e.rank(l.Inflight) })
	}
	e.integer("timed", l.Timed)
	if l.Known {
		e.integer("in_progress_at_start", l.AtStart)
		e.integer("overlapping", l.Overlap)
	}
	if l.Mean > 0 {
		e.float("in_progress_mean", l.Mean, 4)
	}
}

// beyond returns how many peers were better.
func beyond(r *diagnose.PeerRank) int64 {
	if r.Tail == stats.Low {
		return r.Position.N - r.Position.Below - r.Position.Equal
	}
	return r.Position.Below
}
