package stats

// bins counts values by grid bin, over the range of bins seen so far. The
// zero value is empty. Two bins hold the same counts if they were given the
// same values, in whatever order and through whatever merges.
type bins struct {
	first int // bin of count[0]
	count []int64
	n     int64
}

// add counts n values in a bin.
func (b *bins) add(bin int, n int64) {
	i := bin - b.first
	if uint(i) >= uint(len(b.count)) {
		b.cover(bin)
		i = bin - b.first
	}
	b.count[i] += n
	b.n += n
}

// addAll counts values of which lo is the least and hi the greatest, or that
// lie between them.
func addAll[V int64 | uint32](b *bins, xs []V, lo, hi int64) {
	g := theGrid()
	for _, end := range [2]int64{lo, hi} {
		if bin := g.bin(end); uint(bin-b.first) >= uint(len(b.count)) {
			b.cover(bin)
		}
	}
	b.n += int64(len(xs))
	first, count := b.first, b.count
	if lo < 0 || hi >= cellLimit {
		for _, x := range xs {
			count[g.bin(int64(x))-first]++
		}
		return
	}
	for _, x := range xs {
		count[g.near(uint64(x))-first]++
	}
}

// cover widens the range to take in a bin, with some room beyond it, so that
// a sample that widens slowly is not copied at every value.
func (b *bins) cover(bin int) {
	const room = 256
	first, end := b.first, b.first+len(b.count)
	if len(b.count) == 0 {
		first, end = bin, bin+1
	}
	if bin < first {
		first = bin - room
	}
	if bin >= end {
		end = bin + 1 + room
	}
	wide := make([]int64, end-first)
	if len(b.count) > 0 {
		copy(wide[b.first-first:], b.count)
	}
	b.first, b.count = first, wide
}

func (b *bins) merge(o *bins) {
	for i, n := range o.count {
		if n > 0 {
			b.add(o.first+i, n)
		}
	}
}

// at returns the count of a bin, which may be out of range.
func (b *bins) at(bin int) int64 {
	if i := bin - b.first; uint(i) < uint(len(b.count)) {
		return b.count[i]
	}
	return 0
}

// span returns the range of bins that two counters cover together.
func span(a, b *bins) (first, end int) {
	switch {
	case len(a.count) == 0:
		return b.first, b.first + len(b.count)
	case len(b.count) == 0:
		return a.first, a.first + len(a.count)
	}
	return min(a.first, b.first), max(a.first+len(a.count), b.first+len(b.count))
}
