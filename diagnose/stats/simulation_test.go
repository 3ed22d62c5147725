package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// waits draws n waits in microseconds: a log-normal body around one second, of
// which a share is slow by five to fifteen seconds more.
func waits(rnd *rand.Rand, n int, slow, factor float64) []int64 {
	out := make([]int64, n)
	for i := range out {
		v := 1e6 * factor * math.Exp(0.4*rnd.NormFloat64())
		if rnd.Float64() < slow {
			v += 5e6 + 10e6*rnd.Float64()
		}
		out[i] = int64(v)
	}
	return out
}

func sampleOf(values []int64) *Sample {
	s := NewSample(High)
	s.AddSlice(values, nil, nil, 0)
	return s
}

func over(values []int64, limit int64) Share {
	s := Share{N: int64(len(values))}
	for _, v := range values {
		if v > limit {
			s.K++
		}
	}
	return s
}

// threeQuestions asks all three of two sides and adjusts the answers.
func threeQuestions(a, b []int64) [3]Change {
	sa, sb := sampleOf(a), sampleOf(b)
	c := [3]Change{TypicalChange(sa, sb), TailChange(sa, sb, P95), ShareChange(over(a, 4e6), over(b, 4e6))}
	Adjust(c[:])
	return c
}

// The promise of a comparison: with 300 waits a side, a slow share that goes
// from 4 to 12 % is seen by the tail question, a body that slows by 15 % by the
// first, and each is left alone by the other question.
func TestPlantedChanges(t *testing.T) {
	runs := 200
	if testing.Short() {
		runs = 40
	}
	for _, c := range []struct {
		name            string
		slowA, slowB, f float64
		seen, unseen    Question
	}{
		{"slow share from 4 to 12 percent", 0.04, 0.12, 1, Slow, Typical},
		{"body slower by 15 percent", 0.04, 0.04, 1.15, Typical, Slow},
	} {
		var alarms [3]int
		for seed := range runs {
			rnd := rand.New(rand.NewPCG(uint64(seed), 1))
			a, b := planted(rnd, 300, c.slowA, 1), planted(rnd, 300, c.slowB, c.f)
			for _, ch := range threeQuestions(a, b) {
				if ch.Verdict(0.05, 0.1) == Changed {
					alarms[ch.Question]++
				}
			}
		}
		if alarms[c.seen] < runs*85/100 || alarms[c.unseen] > runs*25/100 {
			t.Errorf("%s: alarms %v in %d runs", c.name, alarms, runs)
		}
		t.Log(c.name, alarms, runs)
	}
}

// planted draws waits like waits does, with exactly the given share slow.
func planted(rnd *rand.Rand, n int, slow, factor float64) []int64 {
	fast := int(math.Round(float64(n) * (1 - slow)))
	return append(waits(rnd, fast, 0, factor), waits(rnd, n-fast, 1, factor)...)
}

// Two random halves of one log are the same: alarms stay under 6 %.
func TestHalvesRaiseNoAlarm(t *testing.T) {
	splits := 1000
	sizes := []int{150, 600}
	if testing.Short() {
		sizes = sizes[1:]
		splits = 250
	}
	for _, n := range sizes {
		rnd := rand.New(rand.NewPCG(7, 1))
		log := waits(rnd, n, 0.05, 1)
		alarms := 0
		for range splits {
			rnd.Shuffle(n, func(i, j int) { log[i], log[j] = log[j], log[i] })
			for _, ch := range threeQuestions(log[:n/2], log[n/2:]) {
				if ch.Verdict(0.05, 0.1) == Changed {
					alarms++
					break
				}
			}
		}
		if alarms*100 >= splits*6 {
			t.Errorf("n=%d: %d alarms in %d splits", n, alarms, splits)
		}
	}
}

// The intervals of the three effects hold the truth as often as they say.
func TestEffectCoverage(t *testing.T) {
	runs := 1000
	if testing.Short() {
		runs = 200
	}
	for _, n := range []int{12, 80, 300} {
		var covered, asked [3]int
		for seed := range runs {
			rnd := rand.New(rand.NewPCG(uint64(seed), 11))
			a, b := waits(rnd, n, 0, 1), waits(rnd, n, 0, 1.5)
			truth := [3]float64{1.5, 1.5, normalTwoSided(math.Log(2/1.5)/0.4)/2 - normalTwoSided(math.Log(2)/0.4)/2}
			for i, ch := range []Change{TypicalChange(sampleOf(a), sampleOf(b)), TailChange(sampleOf(a), sampleOf(b), P95),
				ShareChange(over(a, 2e6), over(b, 2e6))} {
				if !ch.OK {
					continue
				}
				asked[i]++
				if ch.Lo <= truth[i] && truth[i] <= ch.Hi {
					covered[i]++
				}
			}
		}
		for i := range asked {
			least := 0.95 - 3*math.Sqrt(0.05*0.95/float64(runs)) // three standard errors
			if asked[i] > 0 && float64(covered[i]) < least*float64(asked[i]) {
				t.Errorf("n=%d: %v covers %d of %d", n, Question(i), covered[i], asked[i])
			}
			t.Log(n, Question(i), covered[i], asked[i])
		}
	}
}
