package mapping

import (
	"bytes"

	"ttdiag/ingest/scan"
	"ttdiag/ingest/timeline"
)

// countIn sets a column from what is in an array or an object, which may stand
// in a string.
func (f *Filler) countIn(s *step, v scan.Value) {
	doc := v.Raw
	if v.Kind == scan.Text {
		doc = bytes.TrimSpace(f.values.Plain(v))
		if end, fault := scan.Skip(doc, 0); fault != scan.OK || end != len(doc) {
			return
		}
	}
	n, ok := int64(scan.Count(doc)), true
	if s.Via != nil {
		n, ok = s.Via(doc)
	}
	if ok && n > 0 {
		f.row.SetNum(s.Column, n)
	}
}

// put sets the column of s from a literal.
func (f *Filler) put(s *step, lit []byte) {
	switch {
	case s.Column.IsText():
		f.row.SetText(s.Column, lit)
	case s.Read == Elements:
		f.row.SetNum(s.Column, int64(CountElements(lit)))
	case s.Read == OneMore:
		if f.row.Parse(s.Column, lit, 0, nil); f.row.Has(s.Column) {
			n, _ := f.row.Num(s.Column)
			f.row.SetNum(s.Column, n+1)
		}
	case s.Column == timeline.ColTimestamp:
		f.putTime(s, lit)
	case s.terms != nil:
		f.putSum(s, lit)
	default:
		if us, ok := namedUnits(s.Column, lit); ok {
			f.row.SetNum(s.Column, us)
			return
		}
		f.row.Parse(s.Column, lit, s.Unit, f.zone)
	}
}

// namedUnits reads a duration that names its units.
func namedUnits(c timeline.Column, lit []byte) (us int64, ok bool) {
	if !c.IsDuration() || len(lit) < 2 {
		return 0, false
	}
	switch lit[len(lit)-1] {
	case 's', 'm', 'h':
		return GoDuration(lit)
	}
	return 0, false
}

func (f *Filler) putTime(s *step, lit []byte) {
	f.atStart = s.AtStart
	switch s.Read {
	case UUIDTime:
		if us, ok := uuidTime(lit); ok {
			f.row.SetNum(s.Column, us)
		}
		return
	case AmericanTime:
		if us, ok := americanTime(lit, f.zone); ok {
			f.row.SetNum(s.Column, us)
		}
		return
	case LatePadded:
		lit = PadMicros(lit)
	}
	us, p := Moment(lit, s.Unit, f.zone)
	f.putNumber(s.Column, us, p)
}

func (f *Filler) putNumber(c timeline.Column, us int64, p timeline.Parsed) {
	switch p {
	case timeline.ParsedOK:
		f.row.SetNum(c, us)
	case timeline.ParsedRange:
		f.row.Refuse(c, timeline.OutOfRange)
	default:
		f.row.Refuse(c, timeline.BadValue)
	}
}

// putSum sets the value plus Plus less Minus. The terms may be numbers of one
// unit or points in time; a difference of points is a duration.
func (f *Filler) putSum(s *step, lit []byte) {
	sum, p := Moment(lit, s.Unit, f.zone)
	for _, t := range s.terms {
		v, ok := f.get(t.slot)
		if !ok || v.Kind == scan.Object || v.Kind == scan.Array {
			return
		}
		lit = f.values.Plain(v)
		if f.sentinel(s.Not, lit) {
			return
		}
		us, q := Moment(lit, s.Unit, f.zone)
		if q != timeline.ParsedOK {
			p = q
		}
		sum += t.sign * us
	}
	f.putNumber(s.Column, sum, p)
}
