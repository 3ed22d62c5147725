package stats

import "math"

// exactBelow is the size of either side under which, without ties, the
// Mann-Whitney distribution is computed exactly (as R's wilcox.test does).
const exactBelow = 50

// A rankSum is the outcome of a Mann-Whitney test of side b against side a.
type rankSum struct {
	u     float64 // pairs in which b is greater, ties counting half
	p     float64 // two-sided
	exact bool
	m, n  int64
	dist  []float64 // P(U = u) if exact
}

// mannWhitney tests whether one side tends to greater values (Mann and
// Whitney, "On a test of whether one of two random variables is stochastically
// larger than the other", Annals of Mathematical Statistics 18, 1947). Small
// samples without ties get the exact distribution, all others the normal one,
// corrected for ties and continuity (Conover 1999, 5.1).
func mannWhitney(ra, rb []run) rankSum {
	var r rankSum
	var twice, ties float64 // 2U; Σ(t³−t)
	for p := range pool(ra, rb) {
		twice += float64(p.b) * float64(2*r.m+p.a)
		t := float64(p.a + p.b)
		ties += t*t*t - t
		r.m += p.a
		r.n += p.b
	}
	r.u = twice / 2
	m, n := float64(r.m), float64(r.n)
	if r.exact = ties == 0 && max(r.m, r.n) < exactBelow; r.exact {
		r.dist = rankSumDistribution(int(r.m), int(r.n))
		r.p = r.exactP()
		return r
	}
	sd := math.Sqrt(m * n / 12 * (m + n + 1 - ties/((m+n)*(m+n-1))))
	r.p = 1
	if off := math.Abs(r.u-m*n/2) - 0.5; off > 0 && sd > 0 {
		r.p = normalTwoSided(off / sd)
	}
	return r
}

// exactP doubles the smaller tail of the exact distribution.
func (r rankSum) exactP() float64 {
	u := min(int64(r.u), r.m*r.n-int64(r.u))
	sum := 0.0
	for _, p := range r.dist[:u+1] {
		sum += p
	}
	return min(1, 2*sum)
}

// critical returns the number c of pairwise differences to leave out below
// and above, so that the rest encloses the shift with Confidence; −1 if the
// sides are too small for that. (Hollander and Wolfe, "Nonparametric
// Statistical Methods", 2nd ed. 1999, 4.3.)
func (r rankSum) critical() int64 {
	if r.exact {
		c, sum := -1, 0.0
		for sum += r.dist[0]; sum <= alpha; sum += r.dist[c+1] {
			c++
		}
		return int64(c)
	}
	m, n := float64(r.m), float64(r.n)
	c := m*n/2 - 0.5 - normalQuantile(1-alpha)*math.Sqrt(m*n*(m+n+1)/12)
	return int64(max(-1, math.Floor(c)))
}

// rankSumDistribution returns P(U = u), u = 0…mn, for samples of m and n
// values without ties, by the recursion of Mann and Whitney: the greatest
// value is of the one side with probability m/(m+n), and then beats all n.
func rankSumDistribution(m, n int) []float64 {
	row := make([][]float64, n+1) // row[j] is the distribution for i and j
	for j := range row {
		row[j] = []float64{1}
	}
	for i := 1; i <= m; i++ {
		for j := 1; j <= n; j++ {
			next := make([]float64, i*j+1)
			wi := float64(i) / float64(i+j)
			for u, p := range row[j] { // of i−1 and j
				next[u+j] += wi * p
			}
			for u, p := range row[j-1] { // of i and j−1
				next[u] += (1 - wi) * p
			}
			row[j] = next
		}
	}
	return row[n]
}
