package stats

import (
	"math"
	"math/bits"
)

// AddSlice adds the values of a column. Bit i%64 of word i/64 of valid says
// that values[i] is there, the same bit of bounds that it is a lower bound;
// nil means that all are there, and that none is a bound. What stands in
// values where valid is 0 is never read as a value. The tag of values[i] is
// tag+i. The rows that valid leaves out are for the caller to count, with
// AddAbsent, for only the caller knows the reason.
func (s *Sample) AddSlice(values []int64, valid, bounds []uint64, tag int64) {
	for at := 0; at < len(values); at += 64 {
		chunk := values[at:min(at+64, len(values))]
		mask := ^uint64(0) >> (64 - len(chunk))
		here, open := mask, uint64(0)
		if valid != nil {
			here &= valid[at/64]
		}
		if bounds != nil {
			open = bounds[at/64] & here
		}
		for ; open != 0; open &= open - 1 {
			i := bits.TrailingZeros64(open)
			here &^= 1 << i
			s.AddBound(chunk[i], tag+int64(at+i))
		}
		s.addSeen(chunk, here, tag+int64(at))
	}
}

// addSeen adds those of at most 64 finished waits whose bit is set in here.
func (s *Sample) addSeen(chunk []int64, here uint64, tag int64) {
	xs := chunk
	if n := bits.OnesCount64(here); n < len(chunk) {
		if n == 0 {
			return
		}
		var buf [64]int64
		xs = buf[:n]
		for k, rest := 0, here; k < len(xs); k, rest = k+1, rest&(rest-1) {
			xs[k] = chunk[bits.TrailingZeros64(rest)&63]
		}
	}
	lo, hi := s.addDense(xs)
	if s.max.OK && hi < s.max.Value && lo > s.min.Value {
		return
	}
	for ; here != 0; here &= here - 1 {
		i := bits.TrailingZeros64(here)
		if v := chunk[i]; v == lo || v == hi {
			s.extend(Point{Value: v, OK: true}, tag+int64(i))
		}
	}
}

// addDense adds 1 to 64 values, except for their extremes, which it returns.
func (s *Sample) addDense(xs []int64) (lo, hi int64) {
	s.reserve(int64(len(xs)))
	s.n += int64(len(xs))
	lo, hi = xs[0], xs[0]
	for _, v := range xs {
		lo, hi = min(lo, v), max(hi, v)
	}
	switch {
	case s.sketched:
		addAll(&s.seenBins, xs, lo, hi)
	case lo >= 0 && hi <= math.MaxUint32:
		s.seen.addAll(xs)
	default:
		for _, v := range xs {
			s.seen.add(v)
		}
	}
	return lo, hi
}
