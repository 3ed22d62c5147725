package stats

import (
	"math/bits"
)

// between returns the ranks around the type 7 position 1+(n−1)·p and how far
// the position is from the one to the other, in parts of whole. The ranks are
// equal if the position is a rank.
func (l Level) between(n int64) (below, above, part int64) {
	whole := int64(whole)
	rest := (n - 1) % whole * int64(l)
	below = 1 + (n-1)/whole*int64(l) + rest/whole
	part = rest % whole
	above = below
	if part > 0 {
		above++
	}
	return below, above, part
}

// interpolate returns the value part/whole of the way from a to b ≥ a, rounded
// half up, in integers. It is a lower bound if either is.
func interpolate(a, b Point, part int64) Point {
	if part == 0 || a.Value == b.Value {
		return Point{Value: b.Value, OK: b.OK, LowerBound: b.LowerBound}
	}
	hi, lo := bits.Mul64(uint64(b.Value)-uint64(a.Value), uint64(part))
	lo, carry := bits.Add64(lo, uint64(whole)/2, 0)
	step, _ := bits.Div64(hi+carry, lo, uint64(whole))
	v := int64(uint64(a.Value) + step)
	return Point{Value: v, OK: true, LowerBound: a.LowerBound || b.LowerBound}
}
