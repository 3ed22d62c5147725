package stats

import "slices"

// sortBelow is the number of values under which sorting beats selection.
const sortBelow = 1 << 11

// at returns the values at the given ranks, which are ascending and within
// 1…n. Exact samples answer exactly: by sorting if small, else by counting
// all values into grid bins, and sorting only the bins that hold a rank.
// (Selection of several order statistics at once by one counting pass; the
// grid is monotone, so no value of an earlier bin is greater.)
func (s *Sample) at(ranks []int64) []Point {
	if len(ranks) == 0 {
		return nil
	}
	if !s.sketched && s.n < sortBelow {
		return pick(nil, s.seen.sorted(), s.bounds.sorted(), ranks)
	}
	seen, bounds := &s.seenBins, &s.boundBin
	if !s.sketched {
		seen, bounds = new(bins), new(bins)
		s.binned(seen, bounds)
	}
	targets := locate(seen, bounds, ranks)
	if s.sketched {
		return s.represent(targets)
	}
	return s.within(targets)
}

// A target is a grid bin and the ranks in it that are looked for, counted
// from the start of the bin.
type target struct {
	bin   int
	seen  int64 // finished waits in the bin
	ranks []int64
}

// locate finds the bins that hold the ranks.
func locate(seen, bounds *bins, ranks []int64) []target {
	var out []target
	first, end := span(seen, bounds)
	for bin, below := first, int64(0); bin < end && len(ranks) > 0; bin++ {
		in := seen.at(bin) + bounds.at(bin)
		t := target{bin: bin, seen: seen.at(bin)}
		for len(ranks) > 0 && ranks[0] <= below+in {
			t.ranks = append(t.ranks, ranks[0]-below)
			ranks = ranks[1:]
		}
		if t.ranks != nil {
			out = append(out, t)
		}
		below += in
	}
	return out
}

// represent answers from a sketch: with the value that stands for the bin.
// Within a bin, finished waits come before lower bounds.
func (s *Sample) represent(targets []target) []Point {
	var out []Point
	for _, t := range targets {
		v := min(max(theGrid().value(t.bin), s.min.Value), s.max.Value)
		for _, r := range t.ranks {
			out = append(out, Point{Value: v, OK: true, LowerBound: r > t.seen})
		}
	}
	return out
}

// within answers exactly, from the values of the target bins.
func (s *Sample) within(targets []target) []Point {
	// Which target each bin of the sample is, from 1; 0 is none.
	first, last := theGrid().bin(s.min.Value), theGrid().bin(s.max.Value)
	which := make([]int16, last-first+1)
	for i, t := range targets {
		which[t.bin-first] = int16(i + 1)
	}
	seen, bounds := s.seen.gather(which, first), s.bounds.gather(which, first)
	var out []Point
	for i, t := range targets {
		out = pick(out, seen[i+1], bounds[i+1], t.ranks)
	}
	return out
}

// gather returns the values of each target, sorted, by what which says of it.
func (v *values) gather(which []int16, first int) [][]int64 {
	g, out := theGrid(), make([][]int64, slices.Max(which)+1)
	for b := range v.blocks() {
		for _, x := range b {
			if t := which[g.near(uint64(x))-first]; t != 0 {
				out[t] = append(out[t], int64(x))
			}
		}
	}
	for _, x := range v.wide {
		if t := which[g.bin(x)-first]; t != 0 {
			out[t] = append(out[t], x)
		}
	}
	for _, xs := range out {
		slices.Sort(xs)
	}
	return out
}

// pick appends to out the points at ascending ranks of two sorted slices
// taken together; at the same value, finished waits come before bounds.
func pick(out []Point, seen, bounds []int64, ranks []int64) []Point {
	i, j := 0, 0
	var p Point
	for _, r := range ranks {
		for int64(i+j) < r {
			if j == len(bounds) || i < len(seen) && seen[i] <= bounds[j] {
				p = Point{Value: seen[i], OK: true}
				i++
			} else {
				p = Point{Value: bounds[j], OK: true, LowerBound: true}
				j++
			}
		}
		out = append(out, p)
	}
	return out
}
