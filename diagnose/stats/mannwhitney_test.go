package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Permeability constants of the human chorioamnion at term and at 12 to 26
// weeks (Hollander and Wolfe 1999, table 4.1, also in R's wilcox.test), times
// a hundred.
var (
	atTerm  = []int64{80, 83, 189, 104, 145, 138, 191, 164, 73, 146}
	earlier = []int64{115, 88, 90, 74, 121}
)

func TestMannWhitneyOfPublishedData(t *testing.T) {
	x, y := sampleOf(earlier), sampleOf(atTerm)
	ra, rb, _ := runsOf(x, y)
	test := mannWhitney(ra, rb)
	if test.u != 35 || !test.exact || !near(test.p, 0.2544123, 1e-7) {
		t.Errorf("%v, p %v", test.u, test.p)
	}
	if shift := hodgesLehmannShift(ra, rb, test); shift.effect != 30.5 {
		t.Errorf("shift %v", shift)
	}
}

// The two-sided 5 % points of U in common tables: the greatest U that is
// significant, -1 if none is.
func TestMannWhitneyTable(t *testing.T) {
	for _, c := range []struct{ m, n, u int64 }{
		{3, 3, -1}, {3, 4, -1}, {3, 5, 0}, {4, 4, 0}, {5, 5, 2}, {5, 10, 8}, {6, 6, 5}, {7, 7, 8},
		{8, 8, 13}, {10, 10, 23}, {12, 15, 49}, {15, 15, 64}, {20, 20, 127},
	} {
		test := rankSum{m: c.m, n: c.n, exact: true, dist: rankSumDistribution(int(c.m), int(c.n))}
		if got := test.critical(); got != c.u {
			t.Errorf("%d and %d: %d, want %d", c.m, c.n, got, c.u)
		}
	}
}

// With ties: three values of 2, two of 4 and two of 5, so Σ(t³−t) is 24+6+6.
func TestMannWhitneyTies(t *testing.T) {
	ra, rb, _ := runsOf(sampleOf([]int64{1, 2, 2, 3, 5}), sampleOf([]int64{2, 4, 4, 5, 6, 7}))
	test := mannWhitney(ra, rb)
	n := 11.0
	sd := math.Sqrt(30.0 / 12 * (n + 1 - (24+6+6)/(n*(n-1))))
	if want := normalTwoSided((24.5 - 15 - 0.5) / sd); test.u != 24.5 || !near(test.p, want, 1e-12) || test.exact {
		t.Errorf("u %v, p %v, want %v", test.u, test.p, want)
	}
	ra, rb, _ = runsOf(sampleOf([]int64{4, 4, 4}), sampleOf([]int64{4, 4}))
	if test := mannWhitney(ra, rb); test.p != 1 || test.u != 3 {
		t.Errorf("all equal: %v", test)
	}
}

// The exact and the normal distribution meet where the one takes over.
func TestMannWhitneyExactMeetsNormal(t *testing.T) {
	exact := rankSum{m: 49, n: 49, exact: true, dist: rankSumDistribution(49, 49)}
	normal := rankSum{m: 49, n: 49}
	if e, n := exact.critical(), normal.critical(); max(e-n, n-e) > 2 {
		t.Errorf("critical %d exactly, %d by the normal distribution", e, n)
	}
	sum := 0.0
	for _, p := range exact.dist {
		sum += p
	}
	if !near(sum, 1, 1e-12) || len(exact.dist) != 49*49+1 {
		t.Errorf("sum %v of %d", sum, len(exact.dist))
	}
}

func TestHodgesLehmannAgainstAllPairs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 6))
	for _, c := range []struct{ m, n, spread int }{{6, 6, 1000}, {7, 12, 10}, {40, 35, 1_000_000}, {60, 80, 50}, {90, 51, 1}} {
		a, b := make([]int64, c.m), make([]int64, c.n)
		for i := range a {
			a[i] = int64(1 + rnd.IntN(c.spread))
		}
		for i := range b {
			b[i] = int64(1 + rnd.IntN(2*c.spread))
		}
		var shifts, ratios []float64
		for _, x := range a {
			for _, y := range b {
				shifts = append(shifts, float64(y-x))
				ratios = append(ratios, float64(y)/float64(x))
			}
		}
		slices.Sort(shifts)
		slices.Sort(ratios)
		ra, rb, _ := runsOf(sampleOf(a), sampleOf(b))
		test := mannWhitney(ra, rb)
		for _, pair := range []struct {
			got estimate
			all []float64
		}{{hodgesLehmannShift(ra, rb, test), shifts}, {hodgesLehmannRatio(ra, rb, test), ratios}} {
			k, last := test.critical(), len(pair.all)-1
			want := estimate{(pair.all[last/2] + pair.all[(last+1)/2]) / 2, pair.all[k], pair.all[last-int(k)], true}
			if !near(pair.got.effect, want.effect, 1e-9*math.Abs(want.effect)) ||
				!near(pair.got.lo, want.lo, 1e-9*math.Abs(want.lo)) || !near(pair.got.hi, want.hi, 1e-9*want.hi) {
				t.Errorf("%v: %v, want %v", c, pair.got, want)
			}
		}
	}
}
