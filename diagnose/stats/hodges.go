package stats

import "math"

// An estimate is an effect with its interval; bounded is false if the sides
// are too small for an interval.
type estimate struct {
	effect, lo, hi float64
	bounded        bool
}

// hodgesLehmannShift returns the median of all differences b − a between a
// value of either side, with the interval that belongs to the Mann-Whitney
// test (Hodges and Lehmann, "Estimates of location based on rank tests",
// Annals of Mathematical Statistics 34, 1963). No pair is ever formed: a
// bisection over the difference counts pairs in one walk along both sides.
func hodgesLehmannShift(ra, rb []run, test rankSum) estimate {
	lo := float64(rb[0].value) - float64(ra[len(ra)-1].value)
	hi := float64(rb[len(rb)-1].value) - float64(ra[0].value)
	return pairwise(test, func(k int64) float64 {
		lo, hi := lo-1, hi
		for hi-lo > 1 { // count(lo) < k ≤ count(hi)
			mid := math.Floor(lo + (hi-lo)/2)
			if mid <= lo || mid >= hi {
				break // beyond 2⁵³, where a float64 has no whole number between
			}
			if countShifts(ra, rb, mid) >= k {
				hi = mid
			} else {
				lo = mid
			}
		}
		return hi
	})
}

// hodgesLehmannRatio returns the median of all ratios b/a, the shift on
// logarithms, to a relative precision of 1e-12. Values below one unit count
// as one, for they have no logarithm.
func hodgesLehmannRatio(ra, rb []run, test rankSum) estimate {
	lo := math.Log(positive(rb[0].value) / positive(ra[len(ra)-1].value))
	hi := math.Log(positive(rb[len(rb)-1].value) / positive(ra[0].value))
	return pairwise(test, func(k int64) float64 {
		lo, hi := lo-1e-9, hi+1e-9
		for hi-lo > 1e-12 {
			mid := lo + (hi-lo)/2
			if countRatios(ra, rb, math.Exp(mid)) >= k {
				hi = mid
			} else {
				lo = mid
			}
		}
		return math.Exp(lo + (hi-lo)/2)
	})
}

// pairwise takes the median and the interval ends from the function that
// finds the k-th of the m·n pairwise effects.
func pairwise(test rankSum, kth func(k int64) float64) estimate {
	pairs := test.m * test.n
	e := estimate{effect: kth((pairs + 1) / 2)}
	if pairs%2 == 0 {
		e.effect += (kth(pairs/2+1) - e.effect) / 2
	}
	if c := test.critical(); c >= 0 {
		e.lo, e.hi, e.bounded = kth(c+1), kth(pairs-c), true
	}
	return e
}

// countShifts returns the number of pairs with b − a ≤ d.
func countShifts(ra, rb []run, d float64) int64 {
	pairs, below, j := int64(0), int64(0), 0
	for _, a := range ra {
		for j < len(rb) && float64(rb[j].value)-float64(a.value) <= d {
			below += rb[j].n
			j++
		}
		pairs += a.n * below
	}
	return pairs
}

// countRatios returns the number of pairs with b/a ≤ t.
func countRatios(ra, rb []run, t float64) int64 {
	pairs, below, j := int64(0), int64(0), 0
	for _, a := range ra {
		limit := t * positive(a.value)
		for j < len(rb) && positive(rb[j].value) <= limit {
			below += rb[j].n
			j++
		}
		pairs += a.n * below
	}
	return pairs
}

func positive(v int64) float64 { return float64(max(v, 1)) }
