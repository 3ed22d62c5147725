package report

import (
	"ttdiag/diagnose"
	"ttdiag/diagnose/stats"
	"ttdiag/rules"
)

// AppendComparison appends a comparison as one JSON object, without a line end.
func AppendComparison(to []byte, c *diagnose.Comparison) []byte {
	e := encoder{b: to}
	e.item(func() { e.comparison(c) })
	return e.b
}

func (e *encoder) comparison(c *diagnose.Comparison) {
	e.str("schema", diagnose.ComparisonSchema)
	e.object("a", func() { e.side(&c.A) })
	e.object("b", func() { e.side(&c.B) })
	e.optional("by", c.By)
	if len(c.Match) > 0 {
		e.strs("match", c.Match)
	}
	e.thresholds("thresholds", c.Thresholds)
	e.boolean("comparable", c.Comparable)
	e.array("not_comparable_by", len(c.Blocking), func(i int) { e.text(c.Blocking[i]) })
	e.array("conditions", len(c.Conditions), func(i int) {
		d := &c.Conditions[i]
		e.item(func() {
			e.str("name", d.Name)
			e.str("state", d.State.String())
			e.boolean("matters", d.Matters)
			e.str("how", d.How)
			e.optional("accepted", d.Accepted)
		})
	})
	e.float("min_effect", c.MinEffect, 6)
	e.float("false_discovery_rate", c.Rate, 6)
	e.str("correction", "benjamini-hochberg")
	if len(c.Match) > 0 {
		e.array("mix", len(c.Mix), func(i int) {
			m := &c.Mix[i]
			e.item(func() {
				e.str("mode", m.Mode)
				e.stratum(m.Stratum)
				e.shareOf("a", m.A)
				e.shareOf("b", m.B)
			})
		})
	}
	e.array("answers", len(c.Answers), func(i int) { e.item(func() { e.answer(&c.Answers[i]) }) })
	e.array("drift", len(c.Drift), func(i int) {
		d := &c.Drift[i]
		e.item(func() {
			e.str("side", d.Side)
			e.str("mode", d.Mode)
			e.str("metric", d.Metric)
			e.change(&d.Change, d.Unit)
		})
	})
}

func (e *encoder) side(s *diagnose.SideSummary) {
	e.str("name", s.Name)
	e.integer("n", s.N)
	e.integer("compared", s.Kept)
	e.integer("warmup", s.Warmup)
	if s.HasRange {
		e.number("from", s.From, rules.Timestamp)
		e.number("to", s.To, rules.Timestamp)
	}
}

// stratum writes the values of the matched columns; absent ones are null.
func (e *encoder) stratum(key []diagnose.KeyValue) {
	e.object("stratum", func() {
		for _, k := range key {
			if k.Absent {
				e.null(k.Column)
			} else {
				e.str(k.Column, k.Value)
			}
		}
	})
}

func (e *encoder) answer(a *diagnose.Answer) {
	e.str("mode", a.Mode)
	switch {
	case a.Fixed:
		e.str("scope", "fixed_mix")
	case len(a.Stratum) > 0:
		e.str("scope", "stratum")
		e.stratum(a.Stratum)
	default:
		e.str("scope", "whole")
	}
	e.str("subject", a.Subject)
	e.str("question", a.Change.Question.String())
	if a.Change.Level > 0 {
		e.str("level", a.Change.Level.String())
	}
	e.str("verdict", a.Verdict.String())
	if a.Enough > 0 {
		e.integer("enough_n", a.Enough)
	}
	e.change(&a.Change, a.Unit)
	if a.Crude != nil && a.Crude.OK {
		e.object("without_matching", func() { e.change(a.Crude, a.Unit) })
	}
}

// change writes an effect, always with its n, its interval and its method.
func (e *encoder) change(c *stats.Change, unit rules.Unit) {
	e.integer("n_a", c.NA)
	e.integer("n_b", c.NB)
	e.str("method", c.Method)
	if !c.OK {
		if c.NeedsN > 0 {
			e.integer("needs_n", c.NeedsN)
		}
		return
	}
	scale := 1.0
	if c.Question != stats.OverLimit {
		scale = float64(unit.Scale())
		e.str("unit", unitName(unit))
	}
	e.float("a", c.A/scale, 6)
	e.float("b", c.B/scale, 6)
	if c.BoundsA+c.BoundsB > 0 {
		e.integer("lower_bounds_a", c.BoundsA)
		e.integer("lower_bounds_b", c.BoundsB)
		e.boolean("a_lower_bound", c.LowerBoundA)
		e.boolean("b_lower_bound", c.LowerBoundB)
	}
	name := "ratio"
	if c.Question == stats.OverLimit {
		name = "difference"
	}
	e.object("effect", func() {
		e.float(name, c.Effect, 6)
		e.float("lo", c.Lo, 6)
		e.float("hi", c.Hi, 6)
		e.float("confidence", stats.Confidence, 4)
	})
	e.float("p", c.P, 4)
	e.float("p_adjusted", c.Adjusted, 4)
}
