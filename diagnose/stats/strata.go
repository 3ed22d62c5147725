package stats

import "math"

// FixedMix combines the answers to one question from strata, such as models,
// into the change at fixed mix: how side B differs from side A where like is
// compared with like, whatever the shares of the strata on either side.
//
// Each stratum weighs mn/(m+n), its precision at equal spread. The effect is
// the weighted mean, of ratios on logarithms; the interval squares and adds
// the distances of the strata (Zou and Donner 2008); P combines their signed
// normal scores (Stouffer et al., "The American Soldier", 1949, weighted as by
// Lipták, "On the combination of independent tests", 1958). A and B are the
// weighted means of the strata.
//
// Strata without an answer are left out; NA and NB count what is left. If none
// is left, neither is there an answer, and NeedsN is that of the strata.
func FixedMix(strata []Change) Change {
	var out Change
	var sum mix
	for _, c := range strata {
		if !c.OK {
			if !out.OK {
				out.Question, out.Level, out.NeedsN = c.Question, c.Level, c.NeedsN
			}
			continue
		}
		out.Question, out.Level, out.Method, out.OK, out.NeedsN = c.Question, c.Level, c.Method, true, 0
		out.NA += c.NA
		out.NB += c.NB
		out.BoundsA += c.BoundsA
		out.BoundsB += c.BoundsB
		out.LowerBoundA = out.LowerBoundA || c.LowerBoundA
		out.LowerBoundB = out.LowerBoundB || c.LowerBoundB
		sum.add(c)
	}
	if !out.OK {
		return out
	}
	out.Method += MethodFixedMix
	sum.into(&out)
	return out
}

// A mix is the weighted sums of strata.
type mix struct {
	weight, a, b, score             float64
	effect, below2, above2          float64 // of ratios, as logarithms
	shift, shiftBelow2, shiftAbove2 float64
}

func (s *mix) add(c Change) {
	w := float64(c.NA) * float64(c.NB) / float64(c.NA+c.NB)
	lo, effect, hi := c.Lo, c.Effect, c.Hi
	if c.Question != OverLimit {
		lo, effect, hi = math.Log(lo), math.Log(effect), math.Log(hi)
	}
	s.weight += w
	s.a += w * c.A
	s.b += w * c.B
	s.effect += w * effect
	s.below2 += square(w * (effect - lo))
	s.above2 += square(w * (hi - effect))
	s.shift += w * c.Shift
	s.shiftBelow2 += square(w * (c.Shift - c.ShiftLo))
	s.shiftAbove2 += square(w * (c.ShiftHi - c.Shift))
	// Beyond eight standard deviations a p value has no digits left.
	z := normalQuantile(1 - max(c.P, 1e-15)/2)
	s.score += math.Sqrt(w) * math.Copysign(z, effect)
}

// into sets the effects of the combined change.
func (s *mix) into(c *Change) {
	w := s.weight
	c.A, c.B = s.a/w, s.b/w
	c.Effect = s.effect / w
	c.Lo, c.Hi = c.Effect-math.Sqrt(s.below2)/w, c.Effect+math.Sqrt(s.above2)/w
	c.Shift = s.shift / w
	c.ShiftLo, c.ShiftHi = c.Shift-math.Sqrt(s.shiftBelow2)/w, c.Shift+math.Sqrt(s.shiftAbove2)/w
	if c.Question == OverLimit {
		c.Ratio = 1
		if c.A != c.B {
			c.Ratio = c.B / c.A
		}
	} else {
		c.Effect, c.Lo, c.Hi = math.Exp(c.Effect), math.Exp(c.Lo), math.Exp(c.Hi)
		c.Ratio = c.Effect
	}
	c.P = normalTwoSided(s.score / math.Sqrt(w))
	c.Adjusted = c.P
}

func square(x float64) float64 { return x * x }
