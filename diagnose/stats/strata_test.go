package stats

import (
	"math/rand/v2"
	"testing"
)

// byModel asks a question of a fast and a slow model apart, and of both at
// once; sizes are how many rows of each a side has.
func byModel(rnd *rand.Rand, sizesA, sizesB [2]int, factor float64, ask func(a, b []int64) Change) (fixed, pooled Change) {
	var strata []Change
	var allA, allB []int64
	for i, speed := range []float64{1, 5} {
		a, b := waits(rnd, sizesA[i], 0, speed), waits(rnd, sizesB[i], 0, speed*factor)
		strata = append(strata, ask(a, b))
		allA, allB = append(allA, a...), append(allB, b...)
	}
	return FixedMix(strata), ask(allA, allB)
}

var questions = [3]func(a, b []int64) Change{
	func(a, b []int64) Change { return TypicalChange(sampleOf(a), sampleOf(b)) },
	func(a, b []int64) Change { return TailChange(sampleOf(a), sampleOf(b), P95) },
	func(a, b []int64) Change { return ShareChange(over(a, 3e6), over(b, 3e6)) },
}

func TestOtherMixIsNoChange(t *testing.T) {
	for i, ask := range questions {
		rnd := rand.New(rand.NewPCG(1, uint64(i)))
		fixed, pooled := byModel(rnd, [2]int{8000, 400}, [2]int{400, 8000}, 1, ask)
		if pooled.Verdict(0.05, 0.1) != Changed || fixed.Verdict(0.05, 0.1) == Changed {
			t.Errorf("%v: fixed mix %+v, pooled %+v", fixed.Question, fixed, pooled)
		}
		if fixed.NA != 8400 || fixed.Question != Question(i) {
			t.Errorf("%+v", fixed)
		}
	}
}

func TestChangeAtFixedMix(t *testing.T) {
	for i, ask := range questions {
		rnd := rand.New(rand.NewPCG(2, uint64(i)))
		fixed, _ := byModel(rnd, [2]int{900, 500}, [2]int{500, 900}, 1.5, ask)
		if fixed.Verdict(0.05, 0.1) != Changed || i < 2 && (fixed.Lo > 1.5 || fixed.Hi < 1.5 || fixed.Lo < 1.3) {
			t.Errorf("%+v", fixed)
		}
	}
}

func TestFixedMixKeepsItsRates(t *testing.T) {
	runs := 400
	if testing.Short() {
		runs = 80
	}
	for i, ask := range questions {
		rnd := rand.New(rand.NewPCG(3, uint64(i)))
		alarms, missed := 0, 0
		for range runs {
			fixed, _ := byModel(rnd, [2]int{120, 80}, [2]int{80, 120}, 1, ask)
			if fixed.P <= 0.05 {
				alarms++
			}
			if null := map[bool]float64{true: 0, false: 1}[i == 2]; fixed.Lo > null || fixed.Hi < null {
				missed++
			}
		}
		if most := runs * 9 / 100; alarms > most || missed > most {
			t.Errorf("%v: %d false alarms, %d intervals beside the truth in %d", Question(i), alarms, missed, runs)
		}
	}
}

func TestFixedMixWithoutAnswers(t *testing.T) {
	if c := FixedMix(nil); c.OK || c.NeedsN != 0 {
		t.Errorf("no strata: %+v", c)
	}
	small := TailChange(upTo(10, 5), upTo(500, 5), P95)
	if c := FixedMix([]Change{small, small}); c.OK || c.NeedsN != 72 || c.Question != Slow {
		t.Errorf("small strata: %+v", c)
	}
	one := TailChange(upTo(500, 1000), upTo(500, 1100), P95)
	c := FixedMix([]Change{small, one, small})
	if !near(c.Effect, one.Effect, 1e-12) || !near(c.P, one.P, 1e-9) || !near(c.Lo, one.Lo, 1e-12) || c.NA != 500 {
		t.Errorf("one stratum: %+v, want %+v", c, one)
	}
}
