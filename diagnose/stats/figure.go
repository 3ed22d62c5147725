package stats

import "slices"

// Method says how a percentile was computed. It stands beside it in every
// output.
type Method uint8

const (
	// NearestRank is type 1 of Hyndman and Fan (1996): the ⌈n·p⌉-th value,
	// always one that happened.
	NearestRank Method = iota
	// Linear is their type 7, as numpy, k6 and DuckDB's quantile_cont do it:
	// between the values around 1+(n−1)·p, rounded to a whole unit.
	Linear
	// DDSketch is the nearest rank among values known to RelativeError, in
	// samples beyond ExactLimit whichever method was asked for.
	DDSketch
)

// String returns the name of the method in outputs.
func (m Method) String() string { return [...]string{"nearest-rank", "linear", "ddsketch"}[m] }

// RelativeError returns the greatest relative error of a value: 0 but in a
// sketch.
func (m Method) RelativeError() float64 {
	if m == DDSketch {
		return RelativeError
	}
	return 0
}

// A Figure is one percentile of a sample and all that has to be said with it.
//
// Its Point is none below 1/(1−p) values (1/p in the lower half), where it
// would only be the extreme under another name; NeedsN says how many would do.
// Lo and Hi are the ends of the order-statistic interval with Confidence; one
// that the sample is too small for is none, and LoNeedsN or HiNeedsN says how
// many would do. These numbers are 0 where nothing is missing.
//
// A lower bound counts with its recorded length, and a Point that lands on one
// is marked. BoundsBelow counts the lower bounds that sort below the Point:
// each of them could have ended above it.
type Figure struct {
	Level  Level
	Method Method
	Point
	NeedsN             int64
	Lo, Hi             Point
	LoNeedsN, HiNeedsN int64
	N                  int64
	Bounds             int64 // lower bounds in the sample
	BoundsBelow        int64
}

// oneSidedFrom is the least sample of which a percentile's bound is said
// without the percentile: below, even p95 has no value.
const oneSidedFrom = 20

// AtLeast returns the lower end of the interval if the upper one is missing:
// what may be said as "p99 ≥ 6.2 s (n=80; 368 needed)", with 97.5 %
// confidence. Below 20 values nothing is said.
func (f Figure) AtLeast() (Point, bool) {
	return f.Lo, f.Lo.OK && !f.Hi.OK && f.N >= oneSidedFrom
}

// AtMost returns the upper end of the interval if the lower one is missing,
// which is what a small sample leaves to say of p5 and p1.
func (f Figure) AtMost() (Point, bool) {
	return f.Hi, f.Hi.OK && !f.Lo.OK && f.N >= oneSidedFrom
}

// Figures returns the percentiles of a sample at the given levels, in their
// order, from one pass over it.
func (s *Sample) Figures(method Method, levels ...Level) []Figure {
	if s.sketched {
		method = DDSketch
	}
	plan := make([][4]int64, len(levels))
	var ranks []int64
	for i, l := range levels {
		plan[i] = ranksOf(s.n, method, l)
		ranks = append(ranks, plan[i][:]...)
	}
	slices.Sort(ranks)
	ranks = slices.DeleteFunc(slices.Compact(ranks), func(r int64) bool { return r == 0 })
	at := make(map[int64]Point, len(ranks))
	for i, p := range s.at(ranks) {
		at[ranks[i]] = p
	}
	out := make([]Figure, len(levels))
	for i, l := range levels {
		out[i] = s.figure(method, l, plan[i], at)
	}
	return out
}

// ranksOf returns the ranks that a figure is made of: the value (twice, or
// the two neighbours it lies between) and the ends of the interval. 0 is none.
func ranksOf(n int64, method Method, l Level) [4]int64 {
	if n == 0 {
		return [4]int64{}
	}
	ends := IntervalRanks(n, l)
	below, above := l.rank(n), l.rank(n)
	if method == Linear {
		below, above, _ = l.between(n)
	}
	return [4]int64{below, above, ends.Lo, ends.Hi}
}

// figure puts a figure together from the values at its ranks r.
func (s *Sample) figure(method Method, l Level, r [4]int64, at map[int64]Point) Figure {
	f := Figure{Level: l, Method: method, N: s.n, Bounds: s.nBounds}
	f.Lo, f.Hi = at[r[2]], at[r[3]]
	loNeeds, hiNeeds := IntervalNeeds(l)
	if !f.Lo.OK {
		f.LoNeedsN = loNeeds
	}
	if !f.Hi.OK {
		f.HiNeedsN = hiNeeds
	}
	if needs := l.valueNeeds(); s.n < needs {
		f.NeedsN = needs
		return f
	}
	f.Point = at[r[0]]
	if method == Linear {
		_, _, part := l.between(s.n)
		f.Point = interpolate(at[r[0]], at[r[1]], part)
	}
	f.BoundsBelow = s.boundsBelow(f.Value)
	return f
}
