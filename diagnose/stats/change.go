package stats

import "math"

// A Change is the answer to one question about side B against side A.
//
// If OK is false, a side is too small: NeedsN says how many values each would
// have to have, NA and NB what there are, and nothing else is told.
type Change struct {
	Question Question
	Level    Level // percentile that A and B are, 0 where they are shares
	Method   string
	NA, NB   int64
	OK       bool
	NeedsN   int64

	A, B float64 // the median, the tail percentile or the share of either side
	// A lower bound counts with its recorded length. BoundsA and BoundsB say
	// how many there are on either side, LowerBoundA and LowerBoundB whether A
	// and B are such values, and the change therefore a guess.
	BoundsA, BoundsB         int64
	LowerBoundA, LowerBoundB bool

	// Effect is the change, Lo and Hi its interval with Confidence: a ratio
	// B/A for Typical and Slow, a difference B−A of shares for OverLimit.
	Effect, Lo, Hi float64
	// Ratio is the change as a ratio B/A whatever the question, to be held
	// against a minimum effect; +Inf from a share of 0.
	Ratio float64
	// Shift is the Hodges-Lehmann difference in the unit of the values, with
	// its interval, for Typical only.
	Shift, ShiftLo, ShiftHi float64

	P        float64 // two-sided
	Adjusted float64 // P after Adjust; P itself before
}

// TypicalChange answers whether the typical value moved: the Hodges-Lehmann
// ratio with the interval of the Mann-Whitney test, and the test's p value.
func TypicalChange(a, b *Sample) Change {
	c := newChange(Typical, a, b, typicalNeeds)
	c.Level = P50
	if min(a.n, b.n) < typicalNeeds {
		return c
	}
	ra, rb, binned := runsOf(a, b)
	test := mannWhitney(ra, rb)
	c.Method = MethodTypical
	if test.exact {
		c.Method = MethodTypicalExact
	}
	ratio, shift := hodgesLehmannRatio(ra, rb, test), hodgesLehmannShift(ra, rb, test)
	c.Effect, c.Lo, c.Hi = ratio.effect, ratio.lo, ratio.hi
	c.Shift, c.ShiftLo, c.ShiftHi = shift.effect, shift.lo, shift.hi
	c = c.between(a.value(P50), b.value(P50))
	return c.answer(test.p, c.Effect, binned)
}

// TailChange answers whether the bad tail moved: the ratio of the two
// nearest-rank percentiles, in rates those as far in the low tail, with the
// permutation test and an interval made of the two order-statistic intervals.
func TailChange(a, b *Sample, level Level) Change {
	level = a.Tail.Bad(level)
	lo, hi := IntervalNeeds(level)
	c := newChange(Slow, a, b, max(lo, hi, level.valueNeeds()))
	c.Level = level
	if min(a.n, b.n) < c.NeedsN {
		return c
	}
	c.Method = MethodTail
	c = c.between(a.value(level), b.value(level))
	low, high := squareAndAdd(a.logInterval(level), b.logInterval(level))
	c.Effect = max(c.B, 1) / max(c.A, 1)
	c.Lo, c.Hi = math.Exp(low), math.Exp(high)
	ra, rb, binned := runsOf(a, b)
	return c.answer(permutationP(ra, rb, level), c.Effect, binned)
}

// ShareChange answers whether a share moved: the difference with Newcombe's
// interval, and Fisher's exact test.
func ShareChange(a, b Share) Change {
	c := Change{Question: OverLimit, NA: a.N, NB: b.N, NeedsN: shareNeeds}
	if min(a.N, b.N) < shareNeeds {
		return c
	}
	c.Method = MethodShare
	c.A, c.B = a.Value(), b.Value()
	c.Effect = c.B - c.A
	c.Lo, c.Hi = Newcombe(a, b)
	ratio := 1.0
	if c.A != c.B {
		ratio = c.B / c.A
	}
	return c.answer(FisherExact(a, b), ratio, false)
}

func newChange(q Question, a, b *Sample, needs int64) Change {
	return Change{Question: q, NA: a.n, NB: b.n, BoundsA: a.nBounds, BoundsB: b.nBounds, NeedsN: needs}
}

// between sets the values of the two sides.
func (c Change) between(a, b Point) Change {
	c.A, c.LowerBoundA = float64(a.Value), a.LowerBound
	c.B, c.LowerBoundB = float64(b.Value), b.LowerBound
	return c
}

// answer completes a change that could be computed.
func (c Change) answer(p, ratio float64, binned bool) Change {
	c.OK, c.NeedsN = true, 0
	c.P, c.Adjusted, c.Ratio = p, p, ratio
	if binned {
		c.Method += MethodBinned
	}
	return c
}

// value returns the nearest-rank percentile of a sample that is not empty.
func (s *Sample) value(level Level) Point {
	return s.at([]int64{level.rank(s.n)})[0]
}

// logInterval returns a percentile and its interval as logarithms.
func (s *Sample) logInterval(level Level) interval {
	f := s.Figures(NearestRank, level)[0]
	log := func(p Point) float64 { return math.Log(positive(p.Value)) }
	return interval{log(f.Lo), log(f.Point), log(f.Hi)}
}
