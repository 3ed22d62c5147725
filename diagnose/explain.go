package diagnose

import (
	"slices"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// Explain returns the explanation of row i.
func (v *Verdicts) Explain(i int) Explanation {
	m := v.load(i)
	words := v.Class[i].Words()
	x := Explanation{
		Diagnosis:    v.Diagnosis(i),
		Why:          words.Why,
		DoesNotProve: slices.Clone(words.DoesNotProve),
		CompareNext:  append(slices.Clone(words.CompareNext), "the same model by route, region, provider and concurrent load"),
		CannotHelp:   slices.Clone(words.CannotHelp),
	}
	x.Schema = ExplanationSchema
	for c := range rules.Class(rules.NumSlow) {
		x.Walk = append(x.Walk, m.explainStep(v, c, i))
	}
	for k := range v.Fired[i].All {
		x.Intervals = append(x.Intervals, m.explainInterval(k, i))
	}
	x.Phases, x.Unplaced = m.phases(v, i)
	x.DoesNotProve = append(x.DoesNotProve, v.doubts(&x, i)...)
	return x
}

func (m *machine) explainStep(v *Verdicts, c rules.Class, i int) Step {
	step := &m.table.Steps[c]
	e := m.stepEvidence(c, i)
	code, _ := m.at(m.verdicts[c], i)
	s := Step{
		Class: c, Stage: step.Stage.String(), Verdict: rules.Verdict(code),
		Metric: e.Metric, Value: e.Value, Limit: e.Limit, Unit: e.Unit,
		Relation: e.Relation, Origin: e.Origin, LowerBound: e.LowerBound,
	}
	metric := m.stepMetric[c]
	if e.Metric == m.table.Metrics[m.otherMetric].Name {
		metric = m.otherMetric
	}
	s.HasValue = m.read(metric, i).ok
	s.Reason = m.reason(v, &s, i)
	return s
}

// reason says in plain words why the step has its verdict.
func (m *machine) reason(v *Verdicts, s *Step, i int) string {
	limit := amount(s.Limit, s.Unit)
	value := amount(s.Value, s.Unit)
	switch s.Verdict {
	case rules.SlowVerdict:
		switch {
		case s.LowerBound:
			return "it never arrived: at least " + value + " had passed when the request ended, beyond " + limit
		case s.Relation == "<":
			return value + " is below " + limit
		}
		return value + " is beyond " + limit
	case rules.Covered:
		if v.Fired[i] != 0 {
			return "contains a stage that was not recorded and may be the slow one"
		}
		return "contains an earlier stage that is already slow"
	case rules.NotApplicable:
		return m.notApplicable(v, i)
	case rules.OK:
		return m.inTime(s, value, limit)
	}
	return "not recorded"
}

func (m *machine) notApplicable(v *Verdicts, i int) string {
	switch {
	case v.NonStreaming.Has(i):
		return "the response was not streamed: its headers come with the finished body"
	case v.Notes[i].Has(rules.NoteBufferedStream):
		return "the stream came all at once: no speed is derived from it"
	}
	return "too little output, in too short a time or replayed, to speak of a speed"
}

func (m *machine) inTime(s *Step, value, limit string) string {
	switch {
	case !s.HasValue:
		return "not recorded, but a later mark came within " + limit + " of the upstream start"
	case s.LowerBound:
		return "it never arrived: " + value + " had passed when the request ended, not beyond " + limit
	case s.Relation == "<" && s.Value >= s.Limit:
		return value + " is not below " + limit
	case s.Relation == "<", s.Value > s.Limit:
		return value + " is rounded: it is not proven to miss " + limit
	}
	return value + " is not beyond " + limit
}

func (m *machine) explainInterval(k, i int) Finding {
	row := &m.table.Intervals[k]
	f := Finding{Evidence: m.intervalFinding(k, i).Evidence, Between: row.Between.Names(), WouldNeed: []string{}}
	for c := range row.WouldNeed.All {
		f.WouldNeed = append(f.WouldNeed, c.String())
	}
	f.Reason = amount(f.Evidence.Value, f.Evidence.Unit) + " is more than the " +
		amount(f.Evidence.Limit, f.Evidence.Unit) + " that all stages in it may take together"
	return f
}

// doubts are the reservations that this one record calls for.
func (v *Verdicts) doubts(x *Explanation, i int) []string {
	var list []string
	note := func(name, text string) {
		if slices.Contains(x.Notes, name) {
			list = append(list, text)
		}
	}
	note(rules.NoteEstimated.String(), "The upstream start was not recorded; the sum of the local phases stands for it, and it may have been later.")
	note(rules.NoteIncludesLocalTime.String(), "The upstream start was not recorded and no local phase either: the time includes whatever the gateway did before.")
	note(rules.NoteHeadersWithFirstEvent.String(), "The first event came within 50 ms of the headers: this server may send its headers only with the first token, and the header time then holds queue and prefill.")
	note(rules.NoteBufferedStream.String(), "Everything came at once: the stream was buffered or replayed on the way, and when the model produced it is not known.")
	note(rules.NoteLooksNonStreaming.String(), "The record does not say whether it was streamed; headers and end together look as if it was not.")
	if v.LowerBound.Has(i) && slices.ContainsFunc(x.Cleaned, func(c Cleaned) bool { return marks.Has(columnNamed(c.Column)) }) {
		list = append(list, "A recorded mark was not believed and counts as absent: it may have come all the same.")
	}
	for _, a := range x.Approx {
		list = append(list, a.Column+" is approximate: "+a.Bias+".")
	}
	return list
}

const marks = timeline.AllMarks

func columnNamed(name string) timeline.Column {
	c, _ := timeline.ColumnNamed(name)
	return c
}

// amount is a value with its unit, in words.
func amount(v int64, u rules.Unit) string {
	text := rules.FormatValue(v, u)
	switch u {
	case rules.Milliseconds:
		return text + " ms"
	case rules.TokensPerSecond:
		return text + " tokens/s"
	}
	return text
}
