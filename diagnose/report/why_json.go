package report

import (
	"ttdiag/diagnose"
	"ttdiag/diagnose/stats"
)

// AppendWhy appends what sets slow requests apart as one JSON object, without a
// line end.
func AppendWhy(to []byte, w *diagnose.Why) []byte {
	e := encoder{b: to}
	e.item(func() { e.why(w) })
	return e.b
}

func (e *encoder) why(w *diagnose.Why) {
	e.str("schema", diagnose.WhySchema)
	e.integer("n", w.N)
	e.integer("looked_at", w.Looked)
	e.integer("tests", w.Tests)
	e.str("method", stats.MethodLift)
	e.str("correction", "benjamini-hochberg")
	e.float("false_discovery_rate", w.Rate, 6)
	e.float("min_lift", w.MinLift, 6)
	e.array("dimensions", len(w.Dimensions), func(i int) {
		d := w.Dimensions[i]
		e.item(func() {
			e.str("name", d.Name)
			e.integer("values", int64(d.Values))
			e.boolean("too_many_values", d.Too)
		})
	})
	e.array("classes", len(w.Classes), func(i int) { e.item(func() { e.whyClass(&w.Classes[i]) }) })
}

func (e *encoder) whyClass(c *diagnose.WhyClass) {
	e.str("class", c.Class.String())
	e.integer("slow", c.Slow.K)
	e.integer("n", c.Slow.N)
	e.share("share", c.Slow.K, c.Slow.N)
	e.str("metric", c.Metric)
	if c.HasUsual {
		e.object("usual", func() {
			e.number("value", c.Usual, c.Unit)
			e.str("p", stats.P50.String())
			e.integer("n", c.UsualN)
			e.str("method", "log-bins")
			e.float("relative_error", diagnose.WhyRelativeError, 4)
		})
		e.seconds("excess_s", c.ExcessUs)
	}
	e.boolean("nothing_stands_out", len(c.Findings) == 0)
	e.array("findings", len(c.Findings), func(i int) {
		f := &c.Findings[i]
		e.item(func() {
			e.groupKey("where", f.Where)
			e.lift(&f.Lift)
			if c.HasUsual {
				e.seconds("excess_s", f.ExcessUs)
				e.share("share_of_excess", f.ExcessUs, c.ExcessUs)
			}
			e.array("same_requests", len(f.Same), func(k int) {
				e.item(func() { e.groupKey("where", f.Same[k]) })
			})
		})
	})
}

// seconds writes microseconds as seconds with three decimals.
func (e *encoder) seconds(key string, us int64) {
	e.key(key)
	e.sep()
	e.b = diagnose.AppendScaled(e.b, us/1000, 1000)
}

func (e *encoder) lift(l *stats.Lift) {
	e.shareOf("here", l.Here)
	e.shareOf("elsewhere", l.Elsewhere)
	if l.Ratio.OK {
		e.float("lift", l.Ratio.Value, 6)
	}
	e.difference(l.Lo, l.Hi)
	e.float("p", l.P, 4)
	e.float("p_adjusted", l.Adjusted, 4)
}

func (e *encoder) shareOf(key string, s stats.Share) {
	e.object(key, func() {
		e.integer("count", s.K)
		e.integer("n", s.N)
		e.share("share", s.K, s.N)
	})
}

// difference writes the interval of a difference of two shares.
func (e *encoder) difference(lo, hi float64) {
	e.object("difference_interval", func() {
		e.float("confidence", stats.Confidence, 4)
		e.float("lo", lo, 6)
		e.float("hi", hi, 6)
		e.str("method", "newcombe")
	})
}
