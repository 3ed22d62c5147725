package stats

import "math"

// fisher returns the two-sided p value of Fisher's exact test that k of n and
// l of m are shares of one probability: the sum over all tables with the same
// margins that are no more likely than this one (Fisher 1935; the two-sided
// rule and the tolerance are those of R's fisher.test).
func fisher(k, n, l, m int64) float64 {
	h := draw{marked: k + l, drawn: n, total: n + m}
	limit := logHypergeometric(k, h.marked, h.drawn, h.total) + 1e-7
	mode := h.mode()
	sum := 0.0
	for _, step := range []int64{-1, +1} {
		x := mode
		if step > 0 {
			x++
		}
		sum += h.tail(x, step, limit)
	}
	return min(1, sum)
}

// enriched returns ln P(X ≥ k), the one-sided p value that k of n are marked
// where l of m others are. As a logarithm it tells even those apart that are
// too small for a float64.
func enriched(k, n, l, m int64) float64 {
	h := draw{marked: k + l, drawn: n, total: n + m}
	first := logHypergeometric(k, h.marked, h.drawn, h.total)
	sum, term := 1.0, 1.0
	for x := k; x < min(h.marked, h.drawn) && term > sum*negligible; x++ {
		term *= h.rise(x)
		sum += term
	}
	return min(0, first+math.Log(sum))
}

// A draw is a hypergeometric distribution.
type draw struct{ marked, drawn, total int64 }

func (h draw) mode() int64 {
	return int64(float64(h.marked+1) * float64(h.drawn+1) / float64(h.total+2))
}

// rise returns P(X = x+1)/P(X = x).
func (h draw) rise(x int64) float64 {
	return float64(h.marked-x) / float64(x+1) *
		float64(h.drawn-x) / float64(h.total-h.marked-h.drawn+x+1)
}

// tail sums the probabilities up to exp(limit), from x away from the mode.
func (h draw) tail(x, step int64, limit float64) float64 {
	lo, hi := max(0, h.drawn+h.marked-h.total), min(h.marked, h.drawn)
	if x < lo || x > hi {
		return 0
	}
	log := logHypergeometric(x, h.marked, h.drawn, h.total)
	sum, most := 0.0, 0.0
	for x >= lo && x <= hi {
		if log <= limit {
			p := math.Exp(log)
			sum, most = sum+p, max(most, p)
			if p <= most*negligible {
				break
			}
		}
		if step > 0 {
			log += math.Log(h.rise(x))
		} else {
			log -= math.Log(h.rise(x - 1))
		}
		x += step
	}
	return sum
}
