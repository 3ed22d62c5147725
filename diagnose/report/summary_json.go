package report

import (
	"ttdiag/diagnose"
	"ttdiag/diagnose/stats"
	"ttdiag/rules"
)

// AppendSummary appends the summary as one JSON object, without a line end.
func AppendSummary(to []byte, s *diagnose.Summary) []byte {
	e := encoder{b: to}
	e.item(func() { e.summary(s) })
	return e.b
}

func (e *encoder) summary(s *diagnose.Summary) {
	e.str("schema", diagnose.SummarySchema)
	e.array("inputs", len(s.Inputs), func(i int) { e.item(func() { e.input(&s.Inputs[i]) }) })
	if s.HasRange {
		e.object("time_range", func() {
			e.number("from", s.From, rules.Timestamp)
			e.number("to", s.To, rules.Timestamp)
		})
	}
	e.thresholds("thresholds", s.Thresholds)
	e.str("percentile_method", s.Method.String())
	e.integer("records", s.Totals.Records)
	e.integer("judged", s.Totals.Judged)
	e.integer("warmup", s.Totals.Warmup)
	e.integer("filtered", s.Totals.Filtered)
	e.integer("requests", s.Totals.Requests)
	e.retries("retries", s.Retries)
	e.group(&s.Whole)
	if len(s.By) > 0 {
		e.strs("by", s.By)
		e.array("groups", len(s.Groups), func(i int) {
			e.item(func() {
				e.groupKey("key", s.Groups[i].Key)
				e.group(&s.Groups[i])
			})
		})
		e.integer("other", s.Other)
	}
	e.array("cleaning", len(s.Cleaning), func(i int) {
		e.item(func() {
			e.str("column", s.Cleaning[i].Column.String())
			e.str("note", s.Cleaning[i].Note.String())
			e.integer("count", s.Cleaning[i].Count)
		})
	})
	e.array("slowest", len(s.Slowest), func(i int) { e.item(func() { e.slow(&s.Slowest[i]) }) })
	if s.Record != nil {
		e.object("record_next", func() {
			e.str("column", s.Record.Column.String())
			e.integer("would_need", s.Record.Would)
			e.integer("would_decide", s.Record.Alone)
			e.integer("n", s.Record.N)
		})
	}
	if s.Why != nil {
		e.object("why", func() { e.why(s.Why) })
	}
}

func (e *encoder) input(in *diagnose.InputSummary) {
	e.str("name", in.Name)
	e.integer("bytes", in.Bytes)
	e.optional("format", in.Format)
	e.integer("lines", in.Lines)
	e.integer("records", in.Records)
	e.integer("rejected", in.Rejected)
	e.integer("blank", in.Blank)
	if in.Joined > 0 {
		e.integer("joined", in.Joined)
	}
	e.reasons("rejected_by", in.Reasons)
}

// reasons writes counts by reason, where there are any.
func (e *encoder) reasons(key string, list []diagnose.ReasonCount) {
	if len(list) == 0 {
		return
	}
	e.array(key, len(list), func(i int) {
		e.item(func() {
			e.str("reason", list[i].Reason)
			e.integer("count", list[i].Count)
		})
	})
}

func (e *encoder) thresholds(key string, t rules.InForce) {
	e.object(key, func() {
		e.limits(t.Rules)
		if len(t.Overrides) == 0 {
			return
		}
		e.array("overrides", len(t.Overrides), func(i int) {
			e.item(func() {
				e.optional("model", t.Overrides[i].Model)
				e.optional("workload", t.Overrides[i].Workload)
				e.limits(t.Overrides[i].Rules)
			})
		})
	})
}

func (e *encoder) limits(list []rules.Threshold) {
	for _, t := range list {
		e.number(t.Key, t.Value, t.Unit)
	}
}

func (e *encoder) retries(key string, r diagnose.Retries) {
	e.object(key, func() {
		e.integer("requests", r.Retried)
		e.integer("attempts", r.Attempts)
		e.integer("failed_attempts", r.Failed)
		e.integer("measured", r.Measured)
		if r.Measured > 0 {
			e.number("caller_wait_ms", r.CallerUs, rules.Milliseconds)
			e.number("lost_ms", r.LostUs, rules.Milliseconds)
			e.number("backoff_ms", r.BackoffUs, rules.Milliseconds)
		}
		e.boolean("partial", r.Partial)
		if r.OneIn > 0 {
			e.integer("one_in", r.OneIn)
		}
	})
}

func (e *encoder) groupKey(key string, parts []diagnose.KeyValue) {
	e.object(key, func() {
		for _, p := range parts {
			if !p.Absent {
				e.str(p.Column, p.Value)
			}
		}
	})
}

func (e *encoder) group(g *diagnose.GroupSummary) {
	e.integer("n", g.N)
	e.classes("classes", g.Classes, g.N)
	e.array("outcomes", len(g.Outcomes), func(i int) {
		o := &g.Outcomes[i]
		e.item(func() {
			e.str("outcome", o.Outcome.String())
			e.integer("count", o.Count)
			e.share("share", o.Count, g.N)
			e.classes("classes", o.Classes, o.Count)
		})
	})
	e.array("stages", len(g.Stages), func(i int) {
		st := &g.Stages[i]
		e.item(func() {
			e.str("stage", st.Stage.String())
			e.integer("evaluated", st.Evaluated)
			e.integer("slow", st.Slow)
			e.integer("n", st.N)
			e.share("share_evaluated", st.Evaluated, st.N)
		})
	})
	e.array("pools", len(g.Pools), func(i int) { e.item(func() { e.pool(&g.Pools[i]) }) })
	e.throughput("aggregate_throughput", g.Throughput)
	e.array("notes", len(g.Notes), func(i int) {
		e.item(func() {
			e.str("note", g.Notes[i].Reason)
			e.integer("count", g.Notes[i].Count)
		})
	})
}

func (e *encoder) classes(key string, list []diagnose.ClassCount, n int64) {
	e.array(key, len(list), func(i int) {
		c := &list[i]
		e.item(func() {
			e.str("class", c.Class.String())
			e.integer("count", c.Count)
			e.share("share", c.Count, n)
			if len(c.Between) == 0 {
				return
			}
			e.array("between", len(c.Between), func(k int) {
				e.item(func() {
					e.strs("between", c.Between[k].Between.Names())
					e.strs("would_need", names(c.Between[k].WouldNeed))
					e.integer("count", c.Between[k].Count)
					e.share("share", c.Between[k].Count, n)
				})
			})
		})
	})
}

func (e *encoder) throughput(key string, t diagnose.Throughput) {
	if t.N == 0 {
		return
	}
	e.object(key, func() {
		e.integer("n", t.N)
		e.integer("output_tokens", t.Tokens)
		e.number("span_ms", t.SpanUs, rules.Milliseconds)
		if t.SpanUs > 0 {
			e.float("output_tps", float64(t.Tokens)/(float64(t.SpanUs)/1e6), 6)
		}
	})
}

func (e *encoder) pool(p *diagnose.Pool) {
	e.str("mode", p.Mode)
	e.optional("vantage", p.Basis.Vantage)
	e.optional("first_token_basis", p.Basis.FirstToken)
	if p.Basis.Label != nil {
		e.approx(diagnose.ApproxOf(p.Basis.Label))
	}
	e.integer("n", p.N)
	e.array("metrics", len(p.Metrics), func(i int) { e.item(func() { e.metric(&p.Metrics[i]) }) })
}

func (e *encoder) metric(m *diagnose.MetricFigures) {
	e.str("metric", m.Metric)
	e.integer("n", m.N)
	e.integer("lower_bounds", m.Bounds)
	e.boolean("approximate", m.Approx != nil)
	e.reasons("absent", m.Absent)
	if m.N == 0 {
		return
	}
	e.array("percentiles", len(m.Figures), func(i int) { e.item(func() { e.figure(&m.Figures[i], m.Unit) }) })
	name := "max"
	if m.Tail == stats.Low {
		name = "min"
	}
	e.object(name, func() {
		e.number("value", m.Worst.Value, m.Unit)
		e.boolean("lower_bound", m.Worst.LowerBound)
		e.optional("request_id", m.Worst.RequestID)
		e.source("source", m.Worst.Source)
	})
}

func (e *encoder) figure(f *stats.Figure, unit rules.Unit) {
	e.str("p", f.Level.String())
	if f.OK {
		e.number("value", f.Value, unit)
		e.boolean("lower_bound", f.LowerBound)
	} else {
		e.integer("needs_n", f.NeedsN)
	}
	e.integer("n", f.N)
	e.object("interval", func() { e.interval(f, unit) })
	e.str("method", f.Method.String())
	if err := f.Method.RelativeError(); err > 0 {
		e.float("relative_error", err, 6)
	}
}

func (e *encoder) interval(f *stats.Figure, unit rules.Unit) {
	e.float("confidence", stats.Confidence, 4)
	e.end("lo", f.Lo, f.LoNeedsN, unit)
	e.end("hi", f.Hi, f.HiNeedsN, unit)
}

// end writes one end of an interval: null and the n that it would need where
// the sample is too small, and a mark where it lands on a wait that had not ended.
func (e *encoder) end(key string, p stats.Point, needs int64, unit rules.Unit) {
	if p.OK {
		e.number(key, p.Value, unit)
		if p.LowerBound {
			e.boolean(key+"_lower_bound", true)
		}
		return
	}
	e.null(key)
	if needs > 0 {
		e.integer(key+"_needs_n", needs)
	}
}

func (e *encoder) slow(r *diagnose.SlowRequest) {
	e.optional("request_id", r.RequestID)
	if r.Attempt > 0 {
		e.integer("attempt", r.Attempt)
	}
	e.number("end_to_end_ms", r.EndToEnd, rules.Milliseconds)
	e.boolean("lower_bound", r.LowerBound)
	e.str("class", r.Class.String())
	if r.Excess != nil {
		e.excess("largest_excess", r.Excess)
	}
	e.optional("model", r.Model)
	e.optional("channel", r.Channel)
	e.source("source", r.Source)
}
