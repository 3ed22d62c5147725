package timeline

import (
	"math"
	"math/bits"
)

// Exponent returns the power of ten that turns a number of the given unit into
// c's own unit, for [Row.SetDecimal]; false where there is none: c holds text or
// flags, or a timestamp whose unit only its magnitude tells, or unit counts
// minutes.
func Exponent(c Column, unit Unit) (exp int, ok bool) {
	if c.IsText() {
		return 0, false
	}
	switch fields[c].Kind {
	case KindRate, KindFraction:
		return 6, true
	case KindCount:
		return 0, true
	case KindFlag:
		return 0, false
	}
	switch unit {
	case Nanosecond:
		return -3, true
	case Microsecond:
		return 0, true
	case Millisecond:
		return 3, true
	case Second:
		return 6, true
	}
	return 0, false
}

// SetDecimal sets a numeric column to mant × 10^exp in the unit of its kind,
// rounded to the nearest whole number, half up. It is Parse for a reader that
// has the digits already; mant must be exact.
func (r *Row) SetDecimal(c Column, mant uint64, exp int) {
	if uint(exp) < uint(len(tens)) {
		if hi, lo := bits.Mul64(mant, tens[exp]); hi == 0 && lo <= math.MaxInt64 {
			r.num[c] = int64(lo)
			r.set |= 1 << (c & 63)
			return
		}
	}
	r.setScaled(c, mant, exp)
}

func (r *Row) setScaled(c Column, mant uint64, exp int) {
	v, p := decimal{mant: mant, exp: exp}.scale(1, 1)
	if p != ParsedOK {
		r.Refuse(c, OutOfRange)
		return
	}
	r.SetNum(c, v)
}

var tens = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6}

// Refused reports whether c is absent because of a note.
func (r *Row) Refused(c Column) bool {
	for _, m := range r.Notes.Cleaned {
		if m.Has(c) {
			return true
		}
	}
	return false
}

// Forget makes c absent as if it had never been set, with its notes.
func (r *Row) Forget(c Column) {
	r.set = r.set.Without(c)
	for i := range r.Notes.Cleaned {
		r.Notes.Cleaned[i] = r.Notes.Cleaned[i].Without(c)
	}
}
