package report

import (
	"ttdiag/diagnose"
	"ttdiag/rules"
)

// AppendExplanation appends one explanation as one JSON object, without a line
// end.
func AppendExplanation(to []byte, x *diagnose.Explanation) []byte {
	e := encoder{b: to}
	e.item(func() { e.explanation(x) })
	return e.b
}

// AppendExplanations appends all attempts of a request, in order, as one JSON
// object: the explanation of the last attempt, with attempts listing all.
func AppendExplanations(to []byte, attempts []diagnose.Explanation) []byte {
	e := encoder{b: to}
	e.item(func() {
		e.explanation(&attempts[len(attempts)-1])
		e.attempts(attempts)
	})
	return e.b
}

func (e *encoder) attempts(list []diagnose.Explanation) {
	w := diagnose.WaitOf(list)
	if w.Known {
		e.number("caller_wait_ms", w.Whole, rules.Milliseconds)
		e.number("lost_ms", w.Lost, rules.Milliseconds)
		e.number("backoff_ms", w.Backoff, rules.Milliseconds)
	}
	e.array("attempts", len(list), func(i int) {
		e.item(func() {
			if list[i].Attempt > 0 {
				e.integer("attempt", list[i].Attempt)
			}
			e.str("outcome", list[i].Outcome.String())
			e.str("class", list[i].Class.String())
			if w.Known {
				e.number("start_ms", w.Spans[i][0], rules.Milliseconds)
				e.number("end_ms", w.Spans[i][1], rules.Milliseconds)
			}
			e.source("source", list[i].Source)
		})
	})
}

func (e *encoder) explanation(x *diagnose.Explanation) {
	e.diagnosis(&x.Diagnosis)
	e.array("walk", len(x.Walk), func(i int) { e.item(func() { e.step(&x.Walk[i]) }) })
	e.array("intervals", len(x.Intervals), func(i int) {
		f := &x.Intervals[i]
		e.item(func() {
			e.evidence("evidence", &f.Evidence)
			e.strs("between", f.Between)
			e.strs("would_need", f.WouldNeed)
			e.str("reason", f.Reason)
		})
	})
	e.array("phases", len(x.Phases), func(i int) {
		p := x.Phases[i]
		e.item(func() {
			e.str("name", p.Name)
			e.number("start_ms", p.Start, rules.Milliseconds)
			e.number("end_ms", p.End, rules.Milliseconds)
		})
	})
	e.strs("unplaced", x.Unplaced)
	e.optional("why", x.Why)
	e.strs("does_not_prove", x.DoesNotProve)
	e.strs("compare_next", x.CompareNext)
	e.strs("cannot_help", x.CannotHelp)
	if x.Peers != nil {
		e.object("peers", func() { e.peers(x.Peers) })
	}
}

func (e *encoder) step(s *diagnose.Step) {
	e.str("class", s.Class.String())
	e.str("stage", s.Stage)
	e.str("verdict", s.Verdict.String())
	e.optional("metric", s.Metric)
	if s.HasValue {
		e.number("value", s.Value, s.Unit)
	}
	e.number("limit", s.Limit, s.Unit)
	e.optional("relation", s.Relation)
	e.optional("origin", s.Origin)
	e.boolean("lower_bound", s.LowerBound)
	e.optional("reason", s.Reason)
}
