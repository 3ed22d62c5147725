package stats

import (
	"iter"
	"math"
	"slices"
)

// values keeps whole numbers in no particular order, four bytes each as long
// as they fit: waits up to 71 minutes do. Blocks are never moved once full, so
// that a growing sample neither copies nor leaves garbage. The zero value is
// empty.
type values struct {
	blocks [][]uint32
	wide   []int64 // what does not fit four bytes
	n      int64
}

const blockLen = 1 << 14

// tail returns the block to append to, with room for at least n ≤ 64 values.
func (v *values) tail(n int) *[]uint32 {
	last := len(v.blocks) - 1
	if last < 0 {
		v.blocks = append(v.blocks, make([]uint32, 0, max(n, 4)))
		return &v.blocks[0]
	}
	b := &v.blocks[last]
	if len(*b)+n <= blockLen {
		if cap(*b)-len(*b) < n {
			*b = slices.Grow(*b, min(max(n, len(*b)), blockLen-len(*b)))
		}
		return b
	}
	v.blocks = append(v.blocks, make([]uint32, 0, blockLen))
	return &v.blocks[last+1]
}

func (v *values) add(x int64) {
	v.n++
	if uint64(x) > math.MaxUint32 {
		v.wide = append(v.wide, x)
		return
	}
	b := v.tail(1)
	*b = append(*b, uint32(x))
}

// addAll appends at most 64 values of which all fit four bytes.
func (v *values) addAll(xs []int64) {
	v.n += int64(len(xs))
	b := v.tail(len(xs))
	n := len(*b)
	to := (*b)[n : n+len(xs)]
	for i, x := range xs {
		to[i] = uint32(x)
	}
	*b = (*b)[:n+len(xs)]
}

func (v *values) merge(o *values) {
	v.n += o.n
	v.wide = append(v.wide, o.wide...)
	for _, b := range o.blocks {
		for part := range slices.Chunk(b, 64) {
			to := v.tail(len(part))
			*to = append(*to, part...)
		}
	}
}

// count adds every value to the counts of its bin.
func (v *values) count(to *bins) {
	for _, b := range v.blocks {
		if len(b) > 0 {
			addAll(to, b, int64(slices.Min(b)), int64(slices.Max(b)))
		}
	}
	for _, x := range v.wide {
		to.add(theGrid().bin(x), 1)
	}
}

// all yields every value, in the order of storage.
func (v *values) all() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for _, b := range v.blocks {
			for _, x := range b {
				if !yield(int64(x)) {
					return
				}
			}
		}
		for _, x := range v.wide {
			if !yield(x) {
				return
			}
		}
	}
}

// sorted returns a sorted copy of the values.
func (v *values) sorted() []int64 {
	out := make([]int64, 0, v.n)
	for x := range v.all() {
		out = append(out, x)
	}
	slices.Sort(out)
	return out
}

// bytes returns the memory held.
func (v *values) bytes() int {
	n := 8 * cap(v.wide)
	for _, b := range v.blocks {
		n += 4 * cap(b)
	}
	return n
}
