package stats

import (
	"math"
	"testing"
)

func near(got, want, within float64) bool { return math.Abs(got-want) <= within }

// The score intervals of Newcombe, "Two-sided confidence intervals for the
// single proportion", Statistics in Medicine 17 (1998), table I, method 3.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		s      Share
		lo, hi float64
	}{
		{Share{81, 263}, 0.2553, 0.3662},
		{Share{15, 148}, 0.0624, 0.1605},
		{Share{0, 20}, 0, 0.1611},
		{Share{1, 29}, 0.0061, 0.1718},
		{Share{29, 29}, 0.8830, 1},
		{Share{0, 0}, 0, 1},
		{Share{0, 35}, 0, 0.0989},
	} {
		lo, hi := c.s.Wilson()
		if !near(lo, c.lo, 5e-5) || !near(hi, c.hi, 5e-5) || c.s.K == 0 && lo != 0 || c.s.K == c.s.N && hi != 1 {
			t.Errorf("%v: [%.4f, %.4f], want [%.4f, %.4f]", c.s, lo, hi, c.lo, c.hi)
		}
	}
}

// The examples of Newcombe, "Interval estimation for the difference between
// independent proportions" (1998), table II, method 10.
func TestNewcombe(t *testing.T) {
	for _, c := range []struct {
		b, a   Share // the difference is b − a
		lo, hi float64
	}{
		{Share{56, 70}, Share{48, 80}, 0.0524, 0.3339},
		{Share{9, 10}, Share{3, 10}, 0.1705, 0.8090},
		{Share{6, 7}, Share{2, 7}, 0.0582, 0.8062},
		{Share{5, 56}, Share{0, 29}, -0.0381, 0.1926},
		{Share{0, 10}, Share{0, 20}, -0.1611, 0.2775},
		{Share{0, 10}, Share{0, 10}, -0.2775, 0.2775},
		{Share{10, 10}, Share{0, 20}, 0.6791, 1},
		{Share{10, 10}, Share{0, 10}, 0.6075, 1},
		{Share{1, 2}, Share{0, 0}, -1, 1},
	} {
		lo, hi := Newcombe(c.a, c.b)
		if !near(lo, c.lo, 5e-5) || !near(hi, c.hi, 5e-5) {
			t.Errorf("%v − %v: [%.4f, %.4f], want [%.4f, %.4f]", c.b, c.a, lo, hi, c.lo, c.hi)
		}
	}
}

func TestFisherExact(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b Share
		want float64
	}{
		{"the lady tasting tea", Share{3, 4}, Share{1, 4}, 34.0 / 70},
		{"convictions of twins, R's fisher.test", Share{2, 17}, Share{10, 13}, 0.0005367241},
		{"no difference", Share{5, 50}, Share{5, 50}, 1},
		{"none on either side", Share{0, 50}, Share{0, 60}, 1},
		{"all on either side", Share{50, 50}, Share{60, 60}, 1},
		{"all against none", Share{10, 10}, Share{0, 10}, 2.0 / 184756},
		{"no values", Share{0, 0}, Share{3, 10}, 1},
	} {
		if got := FisherExact(c.a, c.b); !near(got, c.want, 1e-7*c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if back := FisherExact(c.b, c.a); !near(back, c.want, 1e-7*c.want) {
			t.Errorf("%s, swapped: %v, want %v", c.name, back, c.want)
		}
	}
}

func choose(n, k int64) float64 {
	if k < 0 || k > n {
		return 0
	}
	c := 1.0
	for i := int64(1); i <= k; i++ {
		c = c * float64(n-k+i) / float64(i)
	}
	return c
}

// Every table with sides of 9 and 6 against a sum over all its margins.
func TestFisherAgainstEnumeration(t *testing.T) {
	const n, m = 9, 6
	for k := int64(0); k <= n; k++ {
		for l := int64(0); l <= m; l++ {
			p := func(x int64) float64 { return choose(n, x) * choose(m, k+l-x) / choose(n+m, k+l) }
			two, above := 0.0, 0.0
			for x := int64(0); x <= k+l; x++ {
				if p(x) <= p(k)*(1+1e-7) {
					two += p(x)
				}
				if x >= k {
					above += p(x)
				}
			}
			if got := FisherExact(Share{k, n}, Share{l, m}); !near(got, two, 1e-12) {
				t.Errorf("%d of %d, %d of %d: %v, want %v", k, n, l, m, got, two)
			}
			if got := NewLift(Share{k, n}, Share{l, m}).P; !near(got, above, 1e-12) {
				t.Errorf("lift %d of %d, %d of %d: %v, want %v", k, n, l, m, got, above)
			}
		}
	}
}

// At ten million a side the exact test agrees with the normal one.
func TestFisherOfLargeShares(t *testing.T) {
	const n = 10_000_000
	a, b := Share{1_000_000, n}, Share{1_002_000, n}
	p := float64(a.K+b.K) / (2 * n)
	z := (b.Value() - a.Value() - 1.0/n) / math.Sqrt(p*(1-p)*2/n)
	if got, want := FisherExact(a, b), normalTwoSided(z); !near(got/want, 1, 1e-3) {
		t.Errorf("%v, want about %v", got, want)
	}
}
