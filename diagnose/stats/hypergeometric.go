package stats

import "math"

// logHypergeometric returns ln P(X = x) for X the number of marked among
// drawn items out of total, of which marked are marked, in Loader's form of
// three binomial terms (see logBinomial). It is −Inf outside the support.
func logHypergeometric(x, marked, drawn, total int64) float64 {
	if x < 0 || x > marked || drawn-x < 0 || drawn-x > total-marked {
		return math.Inf(-1)
	}
	if drawn == 0 || drawn == total {
		return 0
	}
	p := float64(drawn) / float64(total)
	q := float64(total-drawn) / float64(total)
	return logBinomial(x, marked, p, q) + logBinomial(drawn-x, total-marked, p, q) -
		logBinomial(drawn, total, p, q)
}

// negligible is the size of a term, against the greatest, from which on a sum
// of falling terms is left.
const negligible = 1e-20

// A waiting is the law of the number of draws, without putting back, until
// the r-th marked item comes: the negative hypergeometric distribution.
type waiting struct{ r, marked, total int64 }

// logP returns ln P(T = t).
func (w waiting) logP(t int64) float64 {
	return math.Log(float64(w.r)/float64(t)) + logHypergeometric(w.r, w.marked, t, w.total)
}

// mode returns a value of T near the most likely one.
func (w waiting) mode() int64 {
	t := int64(float64(w.r) * float64(w.total+1) / float64(w.marked+1))
	return min(max(t, w.r), w.total-w.marked+w.r)
}

// rise returns P(T = t+1)/P(T = t).
func (w waiting) rise(t int64) float64 {
	return float64(t) / float64(t-w.r+1) *
		float64(w.total-t-(w.marked-w.r)) / float64(w.total-t)
}

// window returns the range outside which P(T = t) is negligible.
func (w waiting) window() (first, last int64) {
	first, last = w.mode(), w.mode()
	for p := 1.0; first > w.r && p > negligible; first-- {
		p /= w.rise(first - 1)
	}
	for p := 1.0; last < w.total-w.marked+w.r && p > negligible; last++ {
		p *= w.rise(last)
	}
	return first, last
}
