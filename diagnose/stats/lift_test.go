package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLift(t *testing.T) {
	l := NewLift(Share{40, 120}, Share{210, 9880})
	if !l.Ratio.OK || !near(l.Ratio.Value, 40.0/120/(210.0/9880), 1e-12) || !near(l.Excess, 40-120*210.0/9880, 1e-9) {
		t.Errorf("ratio %v, excess %v", l.Ratio, l.Excess)
	}
	if l.Lo < 0.2 || l.Hi > 0.5 || l.P > 1e-20 || l.P == 0 {
		t.Errorf("difference [%v, %v], p %v", l.Lo, l.Hi, l.P)
	}
}

func TestLiftWithoutValues(t *testing.T) {
	for _, c := range []struct {
		name            string
		here, elsewhere Share
		ratio           bool
		p               float64
	}{
		{"nothing here", Share{0, 0}, Share{5, 10}, false, 1},
		{"nothing elsewhere", Share{5, 10}, Share{0, 0}, false, 1},
		{"none slow elsewhere", Share{1, 2}, Share{0, 2}, false, 0.5},
		{"none slow here", Share{0, 10}, Share{5, 10}, true, 1},
		{"none slow", Share{0, 10}, Share{0, 10}, false, 1},
	} {
		l := NewLift(c.here, c.elsewhere)
		if l.Ratio.OK != c.ratio || !near(l.P, c.p, 1e-12) || math.IsNaN(l.Excess) {
			t.Errorf("%s: %+v", c.name, l)
		}
	}
}

func TestLiftBelowTheLeastFloat(t *testing.T) {
	a := NewLift(Share{5_000, 10_000}, Share{10_000, 1_000_000})
	b := NewLift(Share{5_100, 10_000}, Share{10_000, 1_000_000})
	if a.P != 0 || b.LogP >= a.LogP || math.IsInf(b.LogP, 0) {
		t.Errorf("ln p %v and %v", a.LogP, b.LogP)
	}
	below := NewLift(Share{10, 100_000}, Share{500_000, 1_000_000})
	if !near(below.P, 1, 1e-9) {
		t.Errorf("far below: p %v", below.P)
	}
}

// On noise nothing stands out: of logs with three hundred random parts, at
// most 5 % call one of them.
func TestLiftOnNoise(t *testing.T) {
	const seeds, parts, rows, slow = 200, 300, 2000, 100
	called := 0
	for seed := range uint64(seeds) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		log := rnd.Perm(rows) // rows under slow are the slow ones
		lifts := make([]Lift, parts)
		for i := range lifts {
			here := Share{N: int64(20 + rnd.IntN(200))}
			for k := range int(here.N) {
				j := k + rnd.IntN(rows-k)
				log[k], log[j] = log[j], log[k]
				if log[k] < slow {
					here.K++
				}
			}
			lifts[i] = NewLift(here, Share{slow - here.K, rows - here.N})
		}
		AdjustLifts(lifts)
		for _, l := range lifts {
			if l.Adjusted <= 0.05 {
				called++
				break
			}
		}
	}
	if called > seeds/20 {
		t.Errorf("%d of %d noise logs call something", called, seeds)
	}
}
