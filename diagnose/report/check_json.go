package report

import (
	"ttdiag/diagnose"
	"ttdiag/diagnose/stats"
	"ttdiag/rules"
)

// AppendCheck appends what became of requirements as one JSON object, without a
// line end.
func AppendCheck(to []byte, c *diagnose.Check) []byte {
	e := encoder{b: to}
	e.item(func() {
		e.str("schema", diagnose.CheckSchema)
		e.str("verdict", c.Verdict().String())
		e.integer("n", c.N)
		e.str("percentile_method", c.Method.String())
		if c.OnInterval {
			e.str("on_interval", "upper")
		} else {
			e.str("on_interval", "value")
		}
		e.thresholds("thresholds", c.Thresholds)
		if len(c.By) > 0 {
			e.strs("by", c.By)
			e.integer("other", c.Other)
		}
		e.array("results", len(c.Results), func(i int) { e.item(func() { e.checked(&c.Results[i]) }) })
	})
	return e.b
}

// AppendChecked appends one result as one JSON object, without a line end.
func AppendChecked(to []byte, c *diagnose.Checked) []byte {
	e := encoder{b: to}
	e.item(func() {
		e.str("schema", diagnose.CheckedSchema)
		e.checked(c)
	})
	return e.b
}

func (e *encoder) checked(c *diagnose.Checked) {
	e.str("requirement", c.Requirement)
	e.str("verdict", c.Verdict.String())
	e.optional("reason", c.Reason)
	if len(c.Group) > 0 {
		e.groupKey("group", c.Group)
	}
	e.optional("mode", c.Mode)
	e.optional("vantage", c.Basis.Vantage)
	e.optional("first_token_basis", c.Basis.FirstToken)
	e.str("op", c.Op)
	e.number("limit", c.Limit, c.Unit)
	e.str("unit", unitName(c.Unit))
	e.integer("n", c.N)
	if c.NeedsN > 0 {
		e.integer("needs_n", c.NeedsN)
	}
	if c.Figure != nil {
		e.boolean("approximate", c.Approximate)
		e.checkedFigure(c)
	}
	if c.Share != nil {
		e.checkedShare(c)
	}
}

func (e *encoder) checkedFigure(c *diagnose.Checked) {
	f := c.Figure
	if f.OK {
		e.number("value", f.Value, c.Unit)
		e.boolean("lower_bound", f.LowerBound)
	}
	e.integer("lower_bounds", f.Bounds)
	if f.Level > 0 {
		e.object("interval", func() { e.interval(f, c.Unit) })
		e.str("method", f.Method.String())
	}
}

func (e *encoder) checkedShare(c *diagnose.Checked) {
	e.integer("count", c.Share.K)
	if c.Unit != rules.Fraction {
		e.integer("value", c.Share.K)
		return
	}
	e.share("value", c.Share.K, c.Share.N)
	e.object("interval", func() {
		e.float("confidence", stats.Confidence, 4)
		e.float("lo", c.Lo, 6)
		e.float("hi", c.Hi, 6)
	})
	e.str("method", stats.MethodWilson)
}

// unitName names the unit of a number in outputs.
func unitName(u rules.Unit) string {
	switch u {
	case rules.Milliseconds:
		return "ms"
	case rules.TokensPerSecond:
		return "tokens/s"
	case rules.Fraction:
		return "share"
	}
	return "count"
}
