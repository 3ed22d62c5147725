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

func TestPower(t *testing.T) {
	runs := 400
	if testing.Short() {
		runs = 50
	}
	for _, c := range []struct {
		name            string
		slowA, slowB, f float64
		want            [3]float64 // least, or if negative greatest share of alarms
	}{
		{"slow share 4 to 12 percent", 0.04, 0.12, 1, [3]float64{-0.1, 0.5, 0.5}},
		{"body 15 percent slower", 0.04, 0.04, 1.15, [3]float64{0.5, -0.1, -0.1}},
	} {
		var alarms [3]int
		for seed := range runs {
			rnd := rand.New(rand.NewPCG(uint64(seed), 1))
			a, b := waits(rnd, 300, c.slowA, 1), waits(rnd, 300, c.slowB, c.f)
			for i, ch := range threeQuestions(a, b) {
				if ch.Verdict(0.05, 0.1) == Changed {
					alarms[i]++
				}
			}
		}
		t.Log(c.name, alarms, runs)
	}
}

func TestHalves(t *testing.T) {
	splits := 1000
	for _, n := range []int{200, 600, 2000} {
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
		t.Log(n, alarms)
	}
}
