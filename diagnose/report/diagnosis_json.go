package report

import (
	"ttdiag/diagnose"
	"ttdiag/rules"
)

// AppendDiagnosis appends one diagnosis as one JSON object, without a line end.
func AppendDiagnosis(to []byte, d *diagnose.Diagnosis) []byte {
	e := encoder{b: to}
	e.item(func() { e.diagnosis(d) })
	return e.b
}

func (e *encoder) diagnosis(d *diagnose.Diagnosis) {
	e.str("schema", d.Schema)
	e.optional("request_id", d.RequestID)
	if d.Attempt > 0 {
		e.integer("attempt", d.Attempt)
	}
	e.optional("model", d.Model)
	e.str("outcome", d.Outcome.String())
	e.str("class", d.Class.String())
	e.optional("stage", d.Stage)
	e.strs("also_slow", d.AlsoSlow)
	e.strs("between", d.Between)
	e.strs("would_need", d.WouldNeed)
	if d.Evidence != nil {
		e.evidence("evidence", d.Evidence)
	}
	if d.LargestExcess != nil {
		e.excess("largest_excess", d.LargestExcess)
	}
	e.strs("not_evaluated", d.NotEvaluated)
	e.strs("look_at", d.LookAt)
	e.strs("notes", d.Notes)
	if len(d.Cleaned) > 0 {
		e.array("cleaned", len(d.Cleaned), func(i int) {
			e.item(func() {
				e.str("column", d.Cleaned[i].Column)
				e.str("note", d.Cleaned[i].Note)
			})
		})
	}
	e.values("timings", d.Timings)
	e.values("tokens", d.Tokens)
	e.values("derived", d.Derived)
	for _, v := range d.Metadata {
		e.value(v)
	}
	e.approx(d.Approx)
	e.optional("recordable", d.Recordable)
	e.source("source", d.Source)
}

func (e *encoder) values(key string, list []diagnose.Value) {
	e.object(key, func() {
		for _, v := range list {
			e.value(v)
		}
	})
}

func (e *encoder) evidence(key string, v *diagnose.Evidence) {
	e.object(key, func() {
		e.str("metric", v.Metric)
		e.number("value", v.Value, v.Unit)
		e.number("limit", v.Limit, v.Unit)
		e.str("relation", v.Relation)
		e.optional("origin", v.Origin)
		e.boolean("lower_bound", v.LowerBound)
	})
}

func (e *encoder) excess(key string, v *diagnose.Excess) {
	e.object(key, func() {
		e.str("stage", v.Stage)
		e.str("metric", v.Metric)
		e.number("value", v.Value, v.Unit)
		e.number("limit", v.Limit, v.Unit)
	})
}

func (e *encoder) approx(list []diagnose.Approx) {
	if len(list) == 0 {
		return
	}
	e.array("approx", len(list), func(i int) {
		e.item(func() {
			a := list[i]
			e.str("column", a.Column)
			e.str("origin", a.Origin)
			e.str("point", a.Point)
			e.str("bias", a.Bias)
			if a.PlusMinus > 0 {
				e.number("plus_minus_ms", a.PlusMinus, rules.Milliseconds)
			}
		})
	})
}

func (e *encoder) source(key string, s diagnose.Source) {
	e.object(key, func() {
		e.optional("file", s.File)
		if s.Line > 0 {
			e.integer("line", s.Line)
		}
		if s.Byte >= 0 {
			e.integer("byte", s.Byte)
		}
	})
}
