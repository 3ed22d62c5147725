package stats

import "math"

// logBinomial returns ln P(X = x) for X binomial with n trials of probability
// p = 1−q, 0 < p < 1, by Loader's saddle-point expansion ("Fast and accurate
// computation of binomial probabilities", 2000): it keeps full precision at
// n = 10⁹, where log-gamma terms have lost half of theirs.
func logBinomial(x, n int64, p, q float64) float64 {
	fx, fn := float64(x), float64(n)
	switch {
	case x < 0 || x > n:
		return math.Inf(-1)
	case n == 0:
		return 0
	case x == 0:
		return fn * logOf(q, p)
	case x == n:
		return fn * logOf(p, q)
	}
	return stirlingError(n) - stirlingError(x) - stirlingError(n-x) -
		deviance(fx, fn*p) - deviance(fn-fx, fn*q) -
		0.5*(math.Log(2*math.Pi)+math.Log(fx)+math.Log1p(-fx/fn))
}

// logOf returns ln p, from the complement where that is the smaller number.
func logOf(p, q float64) float64 {
	if q < p {
		return math.Log1p(-q)
	}
	return math.Log(p)
}

// stirlingError returns ln n! less Stirling's formula for it.
func stirlingError(n int64) float64 {
	x := float64(n)
	if n < 16 {
		lg, _ := math.Lgamma(x + 1)
		if n == 0 {
			return 0
		}
		return lg - (x+0.5)*math.Log(x) + x - 0.5*math.Log(2*math.Pi)
	}
	xx := x * x
	return (1./12 - (1./360-(1./1260-(1./1680-1./1188/xx)/xx)/xx)/xx) / x
}

// deviance returns x·ln(x/m) + m − x, by its series where the terms cancel.
func deviance(x, m float64) float64 {
	if math.Abs(x-m) >= 0.1*(x+m) {
		return x*math.Log(x/m) + m - x
	}
	v := (x - m) / (x + m)
	sum := (x - m) * v
	term := 2 * x * v
	for j := 1; ; j++ {
		term *= v * v
		next := sum + term/float64(2*j+1)
		if next == sum {
			return sum
		}
		sum = next
	}
}

// binomialFloor returns the greatest m with P(X ≤ m) ≤ alpha for X binomial
// with n trials of probability p = 1−q, or −1 if there is none. It starts at
// the normal approximation and corrects by exact sums, in about √n steps.
func binomialFloor(n int64, p, q, alpha float64) int64 {
	np := float64(n) * p
	m := int64(max(0, math.Floor(np-normalQuantile(1-alpha)*math.Sqrt(np*q))))
	sum := binomialTail(m, n, p, q)
	for sum > alpha && m >= 0 {
		m--
		sum = binomialTail(m, n, p, q)
	}
	for m < n {
		next := sum + math.Exp(logBinomial(m+1, n, p, q))
		if next > alpha {
			break
		}
		m, sum = m+1, next
	}
	return m
}

// binomialTail returns P(X ≤ m), summing from the largest term down.
// It is for m below the mean.
func binomialTail(m, n int64, p, q float64) float64 {
	term := math.Exp(logBinomial(m, n, p, q))
	sum := term
	for x := m; x > 0 && term > sum*1e-17; x-- {
		term *= float64(x) / float64(n-x+1) * (q / p)
		sum += term
	}
	return sum
}
