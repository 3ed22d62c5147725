package stats

import (
	"math"
	"slices"
)

// permutationP returns the p value of the permutation test that two sides
// have the same percentile: the share of all C(m+n, m) ways to deal the pooled
// values onto the sides in which the ratio of the two nearest-rank percentiles
// is as far from 1 as the observed one, or further (Pitman, "Significance
// tests which may be applied to samples from any populations", JRSS Suppl. 4,
// 1937).
//
// All ways are counted, none is drawn: the ratio depends only on the places i
// and j in the pooled order at which the sides reach their rank, and the law
// of (i, j) is a product of two negative hypergeometric ones. So there is no
// seed, and no error of sampling.
func permutationP(ra, rb []run, level Level) float64 {
	sides, pooled := newDeal(ra, rb, level)
	observed := math.Abs(logAt(ra, level.rank(sides.m)) - logAt(rb, level.rank(sides.n)))
	if observed == 0 {
		return 1
	}
	first, last := sides.window()
	logs := logsAt(pooled, first, last)
	far := func(i, j int64) bool {
		return math.Abs(logs[i-first]-logs[j-first]) >= observed-1e-12
	}
	p := sides.sum(first, last, far) + sides.swapped().sum(first, last, far)
	return min(1, max(p, 1e-16))
}

// A deal is a pool of m and n values whose sides have reached their
// percentile once they have a and b values, in walking order: ascending for a
// low percentile, descending for a high one.
type deal struct{ m, n, a, b int64 }

// newDeal returns the deal and the pooled runs in walking order.
func newDeal(ra, rb []run, level Level) (deal, []run) {
	var d deal
	var all []run
	for p := range pool(ra, rb) {
		d.m += p.a
		d.n += p.b
		all = append(all, run{p.value, p.a + p.b})
	}
	d.a, d.b = level.rank(d.m), level.rank(d.n)
	if 2*level > whole {
		slices.Reverse(all)
		d.a, d.b = d.m-d.a+1, d.n-d.b+1
	}
	return d, all
}

func (d deal) swapped() deal { return deal{m: d.n, n: d.m, a: d.b, b: d.a} }

// window returns the places that either side may reach its percentile at.
func (d deal) window() (first, last int64) {
	first, last = waiting{d.a, d.m, d.m + d.n}.window()
	first2, last2 := waiting{d.b, d.n, d.m + d.n}.window()
	return min(first, first2), max(last, last2)
}

// sum returns the probability that the first side reaches its percentile
// before the second, at places that are far apart.
func (d deal) sum(first, last int64, far func(i, j int64) bool) float64 {
	total := d.m + d.n
	w := waiting{d.a, d.m, total}
	sum := 0.0
	for i := max(first, d.a); i <= min(last, d.a+d.n); i++ {
		need := d.b - (i - d.a) // values of the second side still to come
		if need <= 0 {
			break
		}
		rest := waiting{need, d.n - (i - d.a), total - i}
		p := math.Exp(w.logP(i))
		if p > negligible {
			sum += p * rest.sum(last-i, func(t int64) bool { return far(i, i+t) })
		}
	}
	return sum
}

// sum returns the probability of the times up to last that are counted.
func (w waiting) sum(last int64, counted func(t int64) bool) float64 {
	mode := min(w.mode(), last)
	top := math.Exp(w.logP(mode))
	sum := 0.0
	end := min(last, w.total-w.marked+w.r)
	for t, p := mode, top; t <= end && p > negligible; t++ {
		if counted(t) {
			sum += p
		}
		p *= w.rise(t)
	}
	for t, p := mode-1, top; t >= w.r && p > negligible; t-- {
		p /= w.rise(t)
		if counted(t) {
			sum += p
		}
	}
	return sum
}

// logsAt returns the logarithms of the values at places first…last of the
// pool, counted from 1.
func logsAt(pooled []run, first, last int64) []float64 {
	out := make([]float64, 0, last-first+1)
	place := int64(0)
	for _, r := range pooled {
		log := math.Log(positive(r.value))
		for k := max(first, place+1); k <= min(last, place+r.n); k++ {
			out = append(out, log)
		}
		place += r.n
	}
	return out
}

// logAt returns the logarithm of the value at a rank of a side.
func logAt(side []run, rank int64) float64 {
	for _, r := range side {
		if rank -= r.n; rank <= 0 {
			return math.Log(positive(r.value))
		}
	}
	return 0
}
