package stats

import "math"

// Adjust sets Adjusted of every answered change by Benjamini-Hochberg over all
// of them. Give it all questions of all groups of one comparison at once.
func Adjust(changes []Change) {
	var p []float64
	for _, c := range changes {
		if c.OK {
			p = append(p, c.P)
		}
	}
	p = BenjaminiHochberg(p)
	for i := range changes {
		if changes[i].OK {
			changes[i].Adjusted, p = p[0], p[1:]
		}
	}
}

// Verdict is what may be said of a change.
type Verdict uint8

const (
	// TooFew says that the sides are too small to answer at all.
	TooFew Verdict = iota
	// Unclear says that neither a change worth telling nor its absence is
	// shown; Enough estimates how many values would.
	Unclear
	// Same says that the change is shown to be less than the minimum effect.
	Same
	// Changed says that the change is significant and reaches the minimum
	// effect.
	Changed
)

// String returns the name of the verdict in outputs.
func (v Verdict) String() string {
	return [...]string{"not enough data", "unclear", "no change", "changed"}[v]
}

// Verdict judges a change at a false discovery rate (0.05) and a minimum
// effect (0.1 for 10 %). A ratio r reaches it at r ≥ 1.1 or r ≤ 1/1.1.
// Changed is the only alarm. A share is shown to be the same if its interval
// stays within the minimum effect of A's share.
func (c Change) Verdict(rate, minEffect float64) Verdict {
	switch {
	case !c.OK:
		return TooFew
	case c.Adjusted <= rate && math.Abs(math.Log(c.Ratio)) >= math.Log1p(minEffect):
		return Changed
	case c.within(minEffect):
		return Same
	}
	return Unclear
}

func (c Change) within(minEffect float64) bool {
	if c.Question == OverLimit {
		return max(-c.Lo, c.Hi) <= minEffect*c.A
	}
	return c.Lo >= 1/(1+minEffect) && c.Hi <= 1+minEffect
}

// Enough estimates how many values a side would tell a change of the minimum
// effect from none: the interval narrows with the square root of the smaller
// side. It is 0 where no number of values can be told, as from a share of 0.
func (c Change) Enough(minEffect float64) int64 {
	if !c.OK {
		return c.NeedsN
	}
	half, want := math.Log(c.Hi/c.Lo)/2, math.Log1p(minEffect)
	if c.Question == OverLimit {
		half, want = (c.Hi-c.Lo)/2, minEffect*c.A
	}
	n := float64(min(c.NA, c.NB)) * (half / want) * (half / want)
	if math.IsNaN(n) || n > 1e15 {
		return 0
	}
	return int64(math.Ceil(n))
}
