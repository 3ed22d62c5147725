package diagnose

import (
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// Diagnosis returns all that is said of row i.
func (v *Verdicts) Diagnosis(i int) Diagnosis {
	var d Diagnosis
	v.Fill(i, &d)
	return d
}

// Fill is Diagnosis into d, whose slices and evidence are used again.
func (v *Verdicts) Fill(i int, d *Diagnosis) {
	m := v.load(i)
	class := v.Class[i]
	*d = Diagnosis{
		Schema: Schema, Outcome: v.Outcome[i], Class: class,
		AlsoSlow: d.AlsoSlow[:0], Between: d.Between[:0], WouldNeed: d.WouldNeed[:0],
		NotEvaluated: d.NotEvaluated[:0], Notes: d.Notes[:0], Cleaned: d.Cleaned[:0],
		Timings: d.Timings[:0], Tokens: d.Tokens[:0], Derived: d.Derived[:0], Metadata: d.Metadata[:0],
		Approx: d.Approx[:0],
	}
	if class.Slow() {
		d.Stage = m.table.Steps[class].Stage.String()
	}
	v.fillColumns(d, i)
	v.fillFindings(d, m, i)
	v.fillNotes(d, i)
	d.Derived = m.derived(d.Derived, i)
	keepKeys(d)
}

// keepKeys makes lists whose keys are always written empty rather than absent.
func keepKeys(d *Diagnosis) {
	for _, list := range []*[]string{&d.AlsoSlow, &d.Between, &d.WouldNeed, &d.NotEvaluated, &d.LookAt, &d.Notes} {
		if *list == nil {
			*list = []string{}
		}
	}
	for _, list := range []*[]Value{&d.Timings, &d.Tokens, &d.Derived} {
		if *list == nil {
			*list = []Value{}
		}
	}
}

func (v *Verdicts) fillFindings(d *Diagnosis, m *machine, i int) {
	for c := range v.AlsoSlow[i].All {
		d.AlsoSlow = append(d.AlsoSlow, c.String())
	}
	if v.Fired[i] != 0 {
		for c := range v.Between(i).All {
			d.Between = append(d.Between, c.String())
		}
		for c := range v.WouldNeed(i).All {
			d.WouldNeed = append(d.WouldNeed, c.String())
		}
	}
	for s := range v.NotEvaluated[i].All {
		d.NotEvaluated = append(d.NotEvaluated, s.String())
	}
	d.LookAt = v.Class[i].Words().LookAt
	if v.Class[i] == rules.Undetermined {
		d.LookAt = d.WouldNeed
	}
	if v.Class[i] == rules.NoSlowStage {
		return
	}
	found := m.findings(v, i)
	d.evidence, d.excess = found[0].Evidence, largest(found)
	d.Evidence, d.LargestExcess = &d.evidence, &d.excess
}

// fillColumns copies what the record says itself.
func (v *Verdicts) fillColumns(d *Diagnosis, i int) {
	b := v.Batch
	d.RequestID = string(b.RequestIDs().At(i))
	d.Attempt, _ = b.Num(timeline.ColAttempt, i)
	d.Model = b.Text(timeline.ColModel, i)
	d.Recordable = b.Text(timeline.ColRecordable, i)
	d.Source = Source{File: b.Text(timeline.ColSourceFile, i), Byte: -1}
	d.Source.Line, _ = b.Num(timeline.ColSourceLine, i)
	if at, ok := b.Num(timeline.ColSourceByte, i); ok {
		d.Source.Byte = at
	}
	for c := range v.binding.shown.All {
		value, ok := valueOf(b, c, i)
		if !ok {
			continue
		}
		switch c.Info().Group {
		case timeline.GroupTimings:
			d.Timings = append(d.Timings, value)
		case timeline.GroupTokens:
			d.Tokens = append(d.Tokens, value)
		default:
			d.Metadata = append(d.Metadata, value)
		}
	}
}

func valueOf(b *timeline.Batch, c timeline.Column, i int) (Value, bool) {
	if c.IsText() {
		text := b.Text(c, i)
		return Value{Name: c.String(), Unit: rules.Text, Text: text}, text != ""
	}
	v, ok := b.Num(c, i)
	return Value{Name: c.String(), Unit: unitOf(c), Num: v}, ok
}

func unitOf(c timeline.Column) rules.Unit {
	switch c.Info().Kind {
	case timeline.KindLength, timeline.KindReceipt, timeline.KindUpstreamStart:
		return rules.Milliseconds
	case timeline.KindRate:
		return rules.TokensPerSecond
	case timeline.KindTimestamp:
		return rules.Timestamp
	case timeline.KindFlag:
		return rules.Flag
	case timeline.KindFraction:
		return rules.Fraction
	}
	return rules.Plain
}

// fillNotes lists the engine's notes, then those of cleaning, then those of the
// source, each once.
func (v *Verdicts) fillNotes(d *Diagnosis, i int) {
	for n := range rules.Note(rules.NumNotes) {
		if v.Notes[i].Has(n) {
			d.Notes = append(d.Notes, n.String())
		}
	}
	if d.Evidence != nil && d.Evidence.since {
		switch d.Evidence.Origin {
		case rules.OriginEstimated.String():
			d.Notes = append(d.Notes, rules.NoteEstimated.String())
		case rules.OriginReceipt.String():
			d.Notes = append(d.Notes, rules.NoteIncludesLocalTime.String())
		}
	}
	if notes := v.Batch.Texts(timeline.ColNotes); notes.Valid.Has(i) {
		d.addNotes(timeline.ParseNotes(notes.At(i)))
	}
	if labels := v.Batch.Texts(timeline.ColApprox); labels.Valid.Has(i) {
		d.addApprox(v.binding.labels[labels.Codes[i]])
	}
}

func (d *Diagnosis) addNotes(notes timeline.Notes) {
	for why, columns := range notes.Cleaned {
		name := timeline.Cleaning(why).String()
		for c := range columns.All {
			d.Cleaned = append(d.Cleaned, Cleaned{Column: c.String(), Note: name})
		}
		if columns != 0 {
			d.addNote(name)
		}
	}
	for n := range timeline.Note(timeline.NumNotes) {
		if notes.Set>>n&1 != 0 {
			d.addNote(n.String())
		}
	}
}

func (d *Diagnosis) addNote(name string) {
	for _, known := range d.Notes {
		if known == name {
			return
		}
	}
	d.Notes = append(d.Notes, name)
}

func (d *Diagnosis) addApprox(l *timeline.Label) {
	if l == nil {
		return
	}
	for _, a := range l.Items {
		d.Approx = append(d.Approx, Approx{a.Column, a.Origin, a.Point, a.Bias, a.PlusMinusMs * 1000})
	}
}
