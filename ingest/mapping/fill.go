package mapping

import (
	"bytes"
	"time"

	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// Values are the values of one record, by the number of their path in
// [Plan.Paths]. A [scan.Extractor] is one; a row of a column store hands out its
// values as JSON would spell them.
type Values interface {
	// Get returns a value; of kind [scan.Absent] where there is none.
	Get(path int) scan.Value
	// Plain returns the text of a value, without escapes. It must stay as it is
	// until the row is added.
	Plain(scan.Value) []byte
}

// Filler turns records into rows. It is not safe for concurrent use.
type Filler struct {
	plan    *Plan
	exact   bool
	zone    *time.Location
	values  Values
	row     *timeline.Row
	approx  uint64        // fields set that are approximate
	can     timeline.Mask // marks that this record could have recorded
	assumed timeline.Mask // marks that a record without a word on it could have

	atStart bool            // the timestamp is of the start whatever the table says
	latest  timeline.Column // of the first-token marks that are set

	labels     map[uint64]*timeline.Label // by the set of approximate fields
	recordable map[timeline.Mask][]byte
}

// NewFiller returns a filler for the options of one run.
func (p *Plan) NewFiller(opt source.Options) *Filler {
	f := &Filler{
		plan: p, exact: opt.Exact, zone: opt.Zone,
		labels: map[uint64]*timeline.Label{}, recordable: map[timeline.Mask][]byte{},
	}
	if p.table.UTC {
		f.zone = time.UTC
	}
	f.assumed = p.format.Recordable()
	return f
}

// Fill fills row, which must be empty, from v. It returns why the record is no
// row, or OK. Texts of the row alias v.
func (f *Filler) Fill(v Values, row *timeline.Row) source.Rejection {
	f.values, f.row, f.approx, f.can, f.latest, f.atStart = v, row, 0, 0, 0, false
	if !f.holds(f.plan.only) {
		return source.Reject(source.NotARequest, 0)
	}
	for i := range f.plan.steps {
		f.step(&f.plan.steps[i])
	}
	if row.Present()&recordMask == 0 {
		return source.Reject(source.NotARecord, 0)
	}
	row.TimestampIsEnd = f.plan.table.StampsEnd && !f.atStart
	f.addNotes()
	f.addLabel()
	f.addRecordable()
	return source.Rejection{}
}

// recordMask is what makes a record worth a row: anything but names.
const recordMask = timeline.Mask(1)<<timeline.FirstText - 1

func (f *Filler) step(s *step) {
	if f.exact && s.label >= 0 || f.row.Has(s.Column) || !f.holds(s.when) {
		return
	}
	applies := true
	switch {
	case s.Const != "":
		f.put(s, s.constant)
	default:
		applies = f.read(s)
	}
	set := f.row.Has(s.Column)
	if set && s.label >= 0 && !f.voidMark(s.Column) {
		f.approx |= 1 << s.label
	}
	if applies && (set || !s.Sometimes) {
		f.can = f.can.With(s.Column)
	}
	if set && s.basis != nil && s.Column >= f.latest {
		f.latest = s.Column
		f.row.SetText(timeline.ColFirstTokenBasis, s.basis)
	}
}

// voidMark reports whether c is a mark of 0, which the builder takes out again.
func (f *Filler) voidMark(c timeline.Column) bool {
	v, _ := f.row.Num(c)
	return v == 0 && c != timeline.ColTotalHandler && timeline.AllMarks.Has(c)
}

// read sets the column of s from its value. It reports false if the record does
// not say, either way, whether there was something to record.
func (f *Filler) read(s *step) (applies bool) {
	v, ok, found := f.first(s.values)
	if !ok {
		return found || !s.Config
	}
	if s.Via != nil || s.Read == Items {
		f.countIn(s, v)
		return true
	}
	if v.Kind == scan.Object || v.Kind == scan.Array {
		f.row.Refuse(s.Column, timeline.BadValue)
		return true
	}
	lit := f.values.Plain(v)
	if s.Read == Last {
		if lit = LastElement(lit); IsAbsent(lit, f.plan.table.Absent) {
			return true
		}
	}
	if f.sentinel(s.Not, lit) {
		return true
	}
	for _, slot := range s.same {
		if other, ok := f.get(slot); ok && equal(lit, f.values.Plain(other)) {
			return false
		}
	}
	if s.Words != nil {
		if lit = s.translate(lit); lit == nil {
			return true
		}
	}
	f.put(s, lit)
	return true
}

// first returns the first value that is there. found says that one of the keys
// is, at least.
func (f *Filler) first(slots []int) (v scan.Value, ok, found bool) {
	for _, slot := range slots {
		if v, ok = f.get(slot); ok {
			return v, true, true
		}
		found = found || f.values.Get(slot).Kind != scan.Absent
	}
	return scan.Value{}, false, found
}

// get returns a value, and false where the record spells it as absent.
func (f *Filler) get(slot int) (scan.Value, bool) {
	v := f.values.Get(slot)
	switch v.Kind {
	case scan.Absent, scan.Null:
		return v, false
	case scan.Text:
		if IsAbsent(v.Raw, f.plan.table.Absent) {
			return v, false
		}
	}
	return v, true
}

func (f *Filler) sentinel(not []string, lit []byte) bool {
	for _, s := range not {
		if equal(lit, []byte(s)) {
			return true
		}
	}
	return false
}

// translate returns the value of a word, nil for a word that says nothing.
func (s *step) translate(word []byte) []byte {
	for i, w := range s.Words {
		if i%2 == 0 && string(word) == w {
			return s.words[i/2]
		}
	}
	return nil
}

func (f *Filler) holds(conds []cond) bool {
	for i := range conds {
		if !f.hold(&conds[i]) {
			return false
		}
	}
	return true
}

func (f *Filler) hold(c *cond) bool {
	v, ok := f.get(c.slot)
	switch c.op {
	case OpHas:
		return ok
	case OpLacks:
		return !ok
	}
	if !ok || v.Kind == scan.Object || v.Kind == scan.Array {
		return c.op == OpIsNot
	}
	text := f.values.Plain(v)
	for _, want := range c.values {
		switch c.op {
		case OpStarts:
			ok = bytes.HasPrefix(text, []byte(want))
		case OpContains:
			ok = bytes.Contains(text, []byte(want))
		default:
			ok = string(text) == want
		}
		if ok {
			return c.op != OpIsNot
		}
	}
	return c.op == OpIsNot
}

func (f *Filler) addNotes() {
	for _, d := range f.plan.doubts {
		if f.holds(d.when) {
			f.row.Notes.Add(d.note)
		}
	}
	if n, _ := f.row.Num(timeline.ColAttempt); n > 1 && f.plan.table.Cumulative {
		f.row.Notes.Add(timeline.RetriesInside)
	}
}

func (f *Filler) addLabel() {
	if f.approx == 0 {
		return
	}
	label, ok := f.labels[f.approx]
	if !ok {
		label = f.plan.labels.of(f.approx)
		f.labels[f.approx] = label
	}
	f.row.Label = label
}

// addRecordable says which marks this record could have held, where they are
// not those of the format.
func (f *Filler) addRecordable() {
	can := f.can & timeline.AllMarks
	if can == f.assumed {
		return
	}
	text, ok := f.recordable[can]
	if !ok {
		text = []byte(timeline.Recordable(can))
		f.recordable[can] = text
	}
	f.row.SetText(timeline.ColRecordable, text)
}
