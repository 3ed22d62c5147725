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
		if here == mask && open == 0 {
			s.addDense(chunk, tag+int64(at))
		} else {
			s.addSparse(chunk, here, open, tag+int64(at))
		}
	}
}

// addDense adds at most 64 values that are all there and finished.
func (s *Sample) addDense(chunk []int64, tag int64) {
	s.reserve(int64(len(chunk)))
	s.n += int64(len(chunk))
	lo, hi := chunk[0], chunk[0]
	for _, v := range chunk {
		lo, hi = min(lo, v), max(hi, v)
	}
	switch {
	case s.sketched:
		g := theGrid()
		for _, v := range chunk {
			s.seenBins.add(g.bin(v), 1)
		}
	case lo >= 0 && hi <= math.MaxUint32:
		s.seen.addAll(chunk)
	default:
		for _, v := range chunk {
			s.seen.add(v)
		}
	}
	if s.max.OK && hi < s.max.Value && lo > s.min.Value {
		return
	}
	for i, v := range chunk {
		if v == lo || v == hi {
			s.extend(Point{Value: v, OK: true}, tag+int64(i))
		}
	}
}

// addSparse adds the values of a chunk whose bit is set in here, those with a
// bit in open as lower bounds.
func (s *Sample) addSparse(chunk []int64, here, open uint64, tag int64) {
	for ; here != 0; here &= here - 1 {
		i := bits.TrailingZeros64(here)
		if open>>i&1 != 0 {
			s.AddBound(chunk[i], tag+int64(i))
		} else {
			s.Add(chunk[i], tag+int64(i))
		}
	}
}
