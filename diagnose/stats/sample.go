package stats

import (
	"iter"
	"maps"
	"slices"
)

// ExactLimit is the number of values up to which a sample keeps each of them.
// One value more, and it keeps counts by grid bin instead (see DDSketch), in
// memory that no longer grows. Only the number of values decides, so the
// switch is the same for any order of adding and merging.
const ExactLimit = 1 << 20

// A Sample holds the values of one statistic. A value may be a lower bound: a
// wait that failed or was cancelled counts with the length it had by then.
// The zero value is an empty sample of waits, whose bad tail is the high one.
//
// Adding is for one goroutine at a time; reading changes nothing and is safe
// for many.
type Sample struct {
	Tail  Tail
	Crowd *Crowd // of samples to be merged with it; nil where there are none

	seen, bounds       values // all values, while n ≤ ExactLimit
	seenBins, boundBin bins   // counts by bin, beyond
	sketched           bool
	n, nBounds         int64
	min, max           Extreme
	absent             map[string]int64
}

// NewSample returns an empty sample whose bad end is the given tail.
func NewSample(tail Tail) *Sample { return &Sample{Tail: tail} }

// Add adds one value. The tag is the row it came from, by which Max and Min
// name it; rows need unique tags for the result not to depend on order.
func (s *Sample) Add(value, tag int64) {
	s.reserve(1)
	s.n++
	if s.sketched {
		s.seenBins.add(theGrid().bin(value), 1)
	} else {
		s.seen.add(value)
	}
	if !s.max.OK || value >= s.max.Value || value <= s.min.Value {
		s.extend(Point{Value: value, OK: true}, tag)
	}
}

// AddBound adds a wait that had not ended when it was last seen, with the
// length it had.
func (s *Sample) AddBound(value, tag int64) {
	s.reserve(1)
	s.n++
	s.nBounds++
	if s.sketched {
		s.boundBin.add(theGrid().bin(value), 1)
	} else {
		s.bounds.add(value)
	}
	s.extend(Point{Value: value, OK: true, LowerBound: true}, tag)
}

// AddAbsent counts n rows that have no value, for a reason in the caller's
// words. They are no part of the sample.
func (s *Sample) AddAbsent(reason string, n int64) {
	if n == 0 {
		return
	}
	if s.absent == nil {
		s.absent = make(map[string]int64)
	}
	s.absent[reason] += n
}

// Merge adds all that another sample holds, which stays as it is. Both must
// be samples of the same statistic.
func (s *Sample) Merge(o *Sample) {
	if s.Crowd != nil && s.Crowd == o.Crowd {
		s.reserve(0) // its values were counted when they were added
	} else {
		s.reserve(o.n)
	}
	if o.sketched && !s.sketched {
		s.toBins()
	}
	s.n += o.n
	s.nBounds += o.nBounds
	if s.sketched {
		o.binned(&s.seenBins, &s.boundBin)
	} else {
		s.seen.merge(&o.seen)
		s.bounds.merge(&o.bounds)
	}
	s.max.raise(o.max)
	s.min.lower(o.min)
	for reason, n := range o.absent {
		s.AddAbsent(reason, n)
	}
}

func (s *Sample) extend(p Point, tag int64) {
	s.max.raise(Extreme{p, tag})
	s.min.lower(Extreme{p, tag})
}

// reserve gives up the single values if n more would be too many to keep.
func (s *Sample) reserve(n int64) {
	if s.sketched {
		return
	}
	total, limit := s.n+n, int64(ExactLimit)
	if s.Crowd != nil {
		total, limit = s.Crowd.n.Add(n), s.Crowd.limit
	}
	if total > limit {
		s.toBins()
	}
}

func (s *Sample) toBins() {
	s.seen.count(&s.seenBins)
	s.bounds.count(&s.boundBin)
	s.seen, s.bounds, s.sketched = values{}, values{}, true
}

// binned adds the sample to counts by bin.
func (s *Sample) binned(seen, bounds *bins) {
	s.seen.count(seen)
	s.bounds.count(bounds)
	seen.merge(&s.seenBins)
	bounds.merge(&s.boundBin)
}

// N returns the number of values, lower bounds included.
func (s *Sample) N() int64 { return s.n }

// Bounds returns how many of the values are lower bounds.
func (s *Sample) Bounds() int64 { return s.nBounds }

// Max returns the greatest value and its row; of equal values a lower bound
// before a finished wait, then the least tag. It is exact in a sketch too.
func (s *Sample) Max() Extreme { return s.max }

// Min returns the least value and its row, as exact as Max.
func (s *Sample) Min() Extreme { return s.min }

// Worst returns the extreme of the bad tail: what is left to name where a
// sample is too small for a percentile.
func (s *Sample) Worst() Extreme {
	if s.Tail == Low {
		return s.min
	}
	return s.max
}

// Absent yields the reasons for absent values in alphabetical order, with
// their counts.
func (s *Sample) Absent() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for _, reason := range slices.Sorted(maps.Keys(s.absent)) {
			if !yield(reason, s.absent[reason]) {
				return
			}
		}
	}
}

// Bytes returns the memory that the values take, which is flat beyond
// ExactLimit.
func (s *Sample) Bytes() int {
	return s.seen.bytes() + s.bounds.bytes() + 8*(cap(s.seenBins.count)+cap(s.boundBin.count))
}
