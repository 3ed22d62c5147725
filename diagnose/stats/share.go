package stats

import "math"

// A Share is k of n, with 0 ≤ k ≤ n.
type Share struct{ K, N int64 }

// Value returns k/n. It is not a number if n is 0; ask N first.
func (s Share) Value() float64 { return float64(s.K) / float64(s.N) }

// MethodWilson names the interval of a share in outputs.
const MethodWilson = "wilson"

// Wilson returns the score interval of a share with Confidence (Wilson,
// "Probable inference, the law of succession, and statistical inference",
// JASA 22, 1927). Without values it is [0, 1]: nothing is known.
func (s Share) Wilson() (lo, hi float64) {
	if s.N == 0 {
		return 0, 1
	}
	z := normalQuantile(1 - alpha)
	n, p := float64(s.N), s.Value()
	mid := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n)) / (1 + z*z/n)
	lo, hi = mid-half, mid+half
	if s.K == 0 {
		lo = 0
	}
	if s.K == s.N {
		hi = 1
	}
	return max(0, lo), min(1, hi)
}

// Newcombe returns the interval with Confidence of the difference b − a of
// two shares: the distances to the Wilson limits, squared and added (method
// 10 of Newcombe, "Interval estimation for the difference between independent
// proportions", Statistics in Medicine 17, 1998).
func Newcombe(a, b Share) (lo, hi float64) {
	if a.N == 0 || b.N == 0 {
		return -1, 1
	}
	loA, hiA := a.Wilson()
	loB, hiB := b.Wilson()
	return squareAndAdd(interval{loA, a.Value(), hiA}, interval{loB, b.Value(), hiB})
}

// An interval is an estimate between its limits.
type interval struct{ lo, mid, hi float64 }

// squareAndAdd returns the interval of the difference b − a of two
// independent estimates from their own intervals (Zou and Donner,
// "Construction of confidence limits about effect measures: a general
// approach", Statistics in Medicine 27, 2008).
func squareAndAdd(a, b interval) (lo, hi float64) {
	d := b.mid - a.mid
	return d - math.Hypot(b.mid-b.lo, a.hi-a.mid), d + math.Hypot(b.hi-b.mid, a.mid-a.lo)
}

// FisherExact returns the two-sided p value of Fisher's exact test of two
// shares; 1 if either has no values.
func FisherExact(a, b Share) float64 {
	return fisher(a.K, a.N, b.K, b.N)
}
