package stats

// Ranks are the order statistics that enclose a percentile with Confidence:
// the interval is [x(Lo), x(Hi)]. A rank of 0 means that the sample is too
// small to have an end on that side.
type Ranks struct{ Lo, Hi int64 }

// IntervalRanks returns the ranks for a sample of n values: the greatest Lo
// with P(B ≤ Lo−1) ≤ 2.5 % and the least Hi with P(B ≤ Hi−1) ≥ 97.5 %, B
// binomial with n trials of the level's probability. No shape of the
// distribution is assumed. See David and Nagaraja, "Order Statistics", 3rd
// ed. (2003), 7.1, and Conover, "Practical Nonparametric Statistics", 3rd ed.
// (1999), 3.2. It takes about √n steps.
//
// Note: no bootstrap, whose nominal 95 % interval for p99 covers 26 % at n = 30.
func IntervalRanks(n int64, level Level) Ranks {
	p, q := level.Fraction()
	r := Ranks{Lo: binomialFloor(n, p, q, alpha) + 1}
	// P(B ≥ hi) ≤ alpha, said of the complement n−B.
	if m := binomialFloor(n, q, p, alpha); m >= 0 {
		r.Hi = n - m
	}
	return r
}

// IntervalNeeds returns the least numbers of values with which the interval
// of a percentile has a lower and an upper end: (2, 72) for p95.
func IntervalNeeds(level Level) (lo, hi int64) {
	p, q := level.Fraction()
	return powerNeeds(q, alpha), powerNeeds(p, alpha)
}
