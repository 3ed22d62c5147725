package stats

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestIntervalRanks(t *testing.T) {
	for _, c := range []struct {
		n     int64
		level Level
		want  Ranks
	}{
		{0, P50, Ranks{}},
		{1, P50, Ranks{}},
		{5, P50, Ranks{}},
		{6, P50, Ranks{1, 6}},
		{35, P90, Ranks{28, 0}},
		{36, P90, Ranks{29, 36}},
		{71, P95, Ranks{63, 0}},
		{72, P95, Ranks{64, 72}},
		{367, P99, Ranks{359, 0}},
		{368, P99, Ranks{360, 368}},
		{100, P50, Ranks{40, 61}},
		{100, P95, Ranks{90, 100}},
		{100, P99, Ranks{97, 0}},
		{100, P5, Ranks{1, 11}},
		{100, P1, Ranks{0, 4}},
		{1000, P50, Ranks{469, 532}},
		{1000, P95, Ranks{936, 964}},
		{1000, P99, Ranks{983, 997}},
	} {
		if got := IntervalRanks(c.n, c.level); got != c.want {
			t.Errorf("%v n=%d: %v, want %v", c.level, c.n, got, c.want)
		}
	}
}

// The ranks come from sums of all terms within twelve standard deviations,
// made in another language without any approximation of the terms.
func TestIntervalRanksOfLargeSamples(t *testing.T) {
	for _, c := range []struct {
		n                   int64
		p1, p50, p95, three Ranks // three nines
	}{
		{10_000, Ranks{81, 121}, Ranks{4902, 5099}, Ranks{9457, 9543}, Ranks{9983, 9997}},
		{100_000, Ranks{939, 1063}, Ranks{49690, 50311}, Ranks{94864, 95136}, Ranks{99880, 99920}},
		{1_000_000, Ranks{9805, 10196}, Ranks{499020, 500981}, Ranks{949572, 950428}, Ranks{998938, 999062}},
		{10_000_000, Ranks{99384, 100618}, Ranks{4996901, 5003100}, Ranks{9498649, 9501351}, Ranks{9989804, 9990196}},
	} {
		got := [4]Ranks{IntervalRanks(c.n, P1), IntervalRanks(c.n, P50), IntervalRanks(c.n, P95), IntervalRanks(c.n, P999)}
		if want := [4]Ranks{c.p1, c.p50, c.p95, c.three}; got != want {
			t.Errorf("n=%d: %v, want %v", c.n, got, want)
		}
	}
}

// exactRanks sums the binomial distribution in whole numbers.
func exactRanks(n int64, level Level) Ranks {
	p, q := big.NewInt(int64(level)), big.NewInt(int64(whole-level))
	power := func(b *big.Int, e int64) *big.Int { return new(big.Int).Exp(b, big.NewInt(e), nil) }
	all := power(big.NewInt(int64(whole)), n)
	var r Ranks
	sum := new(big.Int)
	for k := int64(0); k < n; k++ {
		term := new(big.Int).Binomial(n, k)
		sum.Add(sum, term.Mul(term, power(p, k)).Mul(term, power(q, n-k)))
		if new(big.Int).Mul(sum, big.NewInt(40)).Cmp(all) <= 0 { // P(B ≤ k) ≤ 1/40
			r.Lo = k + 1
		}
		if r.Hi == 0 && new(big.Int).Mul(new(big.Int).Sub(all, sum), big.NewInt(40)).Cmp(all) <= 0 {
			r.Hi = k + 1
		}
	}
	return r
}

func TestIntervalRanksAgainstWholeNumbers(t *testing.T) {
	step := int64(1)
	if testing.Short() {
		step = 7
	}
	for n := int64(1); n <= 150; n += step {
		for _, l := range []Level{P1, P5, P10, P50, P90, P95, P99, 12_345} {
			if got, want := IntervalRanks(n, l), exactRanks(n, l); got != want {
				t.Errorf("%v n=%d: %v, want %v", l, n, got, want)
			}
		}
	}
}

func TestIntervalCoverage(t *testing.T) {
	runs := 4000
	if testing.Short() {
		runs = 500
	}
	for _, c := range []struct {
		n     int
		level Level
	}{{20, P50}, {72, P95}, {100, P95}, {400, P99}, {100, P5}, {3000, P50}} {
		p, _ := c.level.Fraction()
		truth := int64(p * 1e9)
		rnd := rand.New(rand.NewPCG(uint64(c.n), uint64(c.level)))
		covered := 0
		for range runs / max(1, c.n/400) {
			values := make([]int64, c.n)
			for i := range values {
				values[i] = int64(rnd.Float64() * 1e9)
			}
			f := sampleOf(values).Figures(NearestRank, c.level)[0]
			if f.Lo.Value <= truth && truth <= f.Hi.Value {
				covered++
			}
		}
		total := float64(runs / max(1, c.n/400))
		if share := float64(covered) / total; share < 0.95-3*math.Sqrt(0.05*0.95/total) {
			t.Errorf("%v n=%d: the interval covers %.3f of %v", c.level, c.n, share, total)
		}
	}
}

func TestLogBinomial(t *testing.T) {
	for _, c := range []struct {
		x, n int64
		p, q float64
		want float64
	}{
		{50, 100, 0.5, 0.5, 0.07958923738717877},
		{0, 10, 0.25, 0.75, 0.056313514709472656},
		{3, 10, 0.25, 0.75, 0.25028228759765625},
		{10, 10, 0.25, 0.75, 9.5367431640625e-07},
		{5_000_000, 10_000_000, 0.5, 0.5, 0.000252313245894},
		{0, 0, 0.5, 0.5, 1},
		{-1, 10, 0.5, 0.5, 0},
		{11, 10, 0.5, 0.5, 0},
	} {
		got := math.Exp(logBinomial(c.x, c.n, c.p, c.q))
		if math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%d of %d at %v: %v, want %v", c.x, c.n, c.p, got, c.want)
		}
	}
}
