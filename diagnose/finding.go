package diagnose

import (
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// finding is a slow step or an unexplained interval of one row.
type finding struct {
	Evidence
	stage    rules.Stage
	at       rules.Class // where it stands in the walk
	interval int         // index into the table, -1 for a step
	excess   int64       // microseconds beyond the limit
}

// findings returns what is beyond its limit in row i, in walk order: an interval
// stands before the first step in it. The list lives until the next call.
func (m *machine) findings(v *Verdicts, i int) []finding {
	list := m.found[:0]
	slow := v.AlsoSlow[i]
	if v.Class[i].Slow() {
		slow = slow.With(v.Class[i])
	}
	for c := range rules.Class(rules.NumSlow) {
		for k := range v.Fired[i].All {
			if m.table.Intervals[k].At == c {
				list = append(list, m.intervalFinding(k, i))
			}
		}
		if slow.Has(c) {
			list = append(list, m.stepFinding(c, i))
		}
	}
	m.found = list
	return list
}

func (m *machine) stepFinding(c rules.Class, i int) finding {
	step := &m.table.Steps[c]
	f := finding{Evidence: m.stepEvidence(c, i), stage: step.Stage, at: c, interval: -1}
	f.excess = f.Value - f.Limit
	if c == rules.GenerationSlow {
		f.excess = m.speedExcess(f.Evidence, i)
	}
	return f
}

// stepEvidence compares the metric of a step with its limit. Value is 0 where
// the metric is absent.
func (m *machine) stepEvidence(c rules.Class, i int) Evidence {
	step := &m.table.Steps[c]
	metric := m.stepMetric[c]
	if step.Other != nil && m.has(m.useOther, i) {
		metric = m.otherMetric
	}
	r := m.read(metric, i)
	q := m.table.Metrics[metric]
	limits := m.limitsOf(i)
	return Evidence{Metric: q.Name, Value: r.value, Limit: limits[step.Limit], Unit: q.Unit,
		Relation: step.Relation, Origin: m.origin(q, i), LowerBound: r.bound, since: q.Since}
}

func (m *machine) limitsOf(i int) *rules.Limits {
	if m.variants == nil {
		return &m.limits[0]
	}
	return &m.limits[m.variants[i]]
}

// origin names what the metric counts from in row i.
func (m *machine) origin(q *rules.Metric, i int) string {
	if !q.Since {
		return q.Origin
	}
	code, _ := m.at(m.sinceOrigin, i)
	return rules.Origin(code).String()
}

// speedExcess is the time that the output took beyond what it may take at the
// limit, so that slow speed can be compared with slow waits: window − tokens ÷
// limit. It is 0 where the window is not known.
func (m *machine) speedExcess(e Evidence, i int) int64 {
	metric := m.stepMetric[rules.GenerationSlow]
	if e.Metric == m.table.Metrics[m.otherMetric].Name {
		metric = m.otherMetric
	}
	window, ok := m.at(m.metrics[metric].whole, i)
	if !ok || e.Limit <= 0 {
		return 0
	}
	return window - quotient(window, e.Value, e.Limit)
}

func (m *machine) intervalFinding(k, i int) finding {
	v := &m.table.Intervals[k]
	r := m.read(m.waitMetric[k], i)
	e := Evidence{Metric: v.Metric.Name, Value: r.value, Limit: m.intervalLimit(v, i), Unit: v.Metric.Unit,
		Relation: ">", Origin: m.origin(v.Metric, i), LowerBound: r.bound, since: v.Metric.Since}
	return finding{Evidence: e, stage: m.table.Steps[v.At].Stage, at: v.At, interval: k, excess: e.Value - e.Limit}
}

// intervalLimit is the sum of the limits of the stages in the interval and,
// where the tokens are known, the time that they may take.
func (m *machine) intervalLimit(v *rules.Interval, i int) int64 {
	limits := m.limitsOf(i)
	var sum int64
	for _, p := range v.Limits {
		sum += limits[p]
	}
	if !v.PerToken {
		return sum
	}
	tokens, _ := m.batch.Num(timeline.ColOutputTokens, i)
	return sum + quotient(min(tokens, rules.MaxCount), 1e9, max(limits.Operand(rules.GenerationLimit), 1))
}

// largest returns the finding with the greatest excess, the first of equals.
func largest(list []finding) Excess {
	most := list[0]
	for _, f := range list[1:] {
		if f.excess > most.excess {
			most = f
		}
	}
	return Excess{Stage: most.stage.String(), Metric: most.Metric, Value: most.Value, Limit: most.Limit, Unit: most.Unit}
}
