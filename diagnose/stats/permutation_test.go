package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// ratioLog is the test statistic, from scratch.
func ratioLog(a, b []int64, level Level) float64 {
	at := func(v []int64) float64 {
		v = slices.Sorted(slices.Values(v))
		return math.Log(math.Max(1, float64(v[level.rank(int64(len(v)))-1])))
	}
	return math.Abs(at(a) - at(b))
}

func TestPermutationAgainstEnumeration(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 8))
	for _, c := range []struct {
		m, n, spread int
		level        Level
	}{
		{6, 6, 1000, P50}, {7, 5, 1000, 80_000}, {4, 9, 5, P90}, {9, 4, 1000, P10}, {8, 8, 3, P95},
		{5, 9, 1000, P5}, {1, 1, 10, P50}, {1, 12, 100, P95}, {6, 6, 1, P50},
	} {
		pooled := make([]int64, c.m+c.n)
		for i := range pooled {
			pooled[i] = int64(rnd.IntN(c.spread))
		}
		observed := ratioLog(pooled[:c.m], pooled[c.m:], c.level)
		all, far := 0, 0
		for mask := range uint(1) << len(pooled) {
			if bits.OnesCount(mask) != c.m {
				continue
			}
			var a, b []int64
			for i, v := range pooled {
				if mask>>i&1 != 0 {
					a = append(a, v)
				} else {
					b = append(b, v)
				}
			}
			all++
			if ratioLog(a, b, c.level) >= observed-1e-12 {
				far++
			}
		}
		ra, rb, _ := runsOf(sampleOf(pooled[:c.m]), sampleOf(pooled[c.m:]))
		if got, want := permutationP(ra, rb, c.level), float64(far)/float64(all); !near(got, want, 1e-12) {
			t.Errorf("%+v: p %v, want %v", c, got, want)
		}
	}
}

func TestPermutationAgainstDrawing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	a, b := waits(rnd, 200, 0.05, 1), waits(rnd, 300, 0.07, 1)
	ra, rb, _ := runsOf(sampleOf(a), sampleOf(b))
	got := permutationP(ra, rb, P95)
	pooled, observed := slices.Concat(a, b), ratioLog(a, b, P95)
	const draws = 4000
	far := 0
	for range draws {
		rnd.Shuffle(len(pooled), func(i, j int) { pooled[i], pooled[j] = pooled[j], pooled[i] })
		if ratioLog(pooled[:len(a)], pooled[len(a):], P95) >= observed-1e-12 {
			far++
		}
	}
	share := float64(far) / draws
	if !near(got, share, 4*math.Sqrt(got*(1-got)/draws)) {
		t.Errorf("p %v, by drawing %v", got, share)
	}
}

// All probability is found, whatever the sizes: a ratio of 1 is reached by
// every deal.
func TestPermutationSumsToOne(t *testing.T) {
	for _, d := range []deal{{1, 1, 1, 1}, {300, 300, 16, 16}, {5000, 72, 251, 4}, {72, 100_000, 4, 5001}, {1 << 20, 1 << 20, 52429, 52429}} {
		first, last := d.window()
		all := func(i, j int64) bool { return true }
		if sum := d.sum(first, last, all) + d.swapped().sum(first, last, all); !near(sum, 1, 1e-9) {
			t.Errorf("%v: sum %v", d, sum)
		}
	}
}
