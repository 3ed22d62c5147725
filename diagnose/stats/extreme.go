package stats

// An Extreme is the least or the greatest value of a sample and the row that
// had it. The zero value is none.
type Extreme struct {
	Point
	Tag int64 // the row, as the caller numbered it; of equal values, the least
}

// A Point is one value of a sample, or none. The zero value is none.
type Point struct {
	Value      int64
	OK         bool
	LowerBound bool // the wait had not ended: print it with ≥
}

// compare orders points by value and, at the same value, a finished wait
// before an unfinished one, which would have gone on.
func (p Point) compare(o Point) int {
	switch {
	case p.Value < o.Value:
		return -1
	case p.Value > o.Value:
		return +1
	case p.LowerBound == o.LowerBound:
		return 0
	case o.LowerBound:
		return -1
	}
	return +1
}

// raise keeps the greater of two extremes, lower the lesser one.
func (e *Extreme) raise(o Extreme) { e.keep(o, +1) }
func (e *Extreme) lower(o Extreme) { e.keep(o, -1) }

func (e *Extreme) keep(o Extreme, sign int) {
	if !o.OK {
		return
	}
	c := sign * o.compare(e.Point)
	if !e.OK || c > 0 || c == 0 && o.Tag < e.Tag {
		*e = o
	}
}
