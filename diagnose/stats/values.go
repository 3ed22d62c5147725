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
	full [][]uint32
	last []uint32 // the block being filled
	wide []int64  // what does not fit four bytes
	n    int64
}

const blockLen = 1 << 14

// room makes the last block take at least n ≤ 64 values more.
func (v *values) room(n int) {
	switch {
	case cap(v.last)-len(v.last) >= n:
	case len(v.last)+n > blockLen:
		v.full = append(v.full, v.last)
		v.last = make([]uint32, 0, blockLen)
	default:
		v.last = slices.Grow(v.last, min(max(n, len(v.last)), blockLen-len(v.last)))
	}
}

func (v *values) add(x int64) {
	v.n++
	if uint64(x) > math.MaxUint32 {
		v.wide = append(v.wide, x)
		return
	}
	if len(v.last) == cap(v.last) {
		v.room(1)
	}
	v.last = append(v.last, uint32(x))
}

// addAll appends at most 64 values of which all fit four bytes.
func (v *values) addAll(xs []int64) {
	v.n += int64(len(xs))
	v.room(len(xs))
	n := len(v.last)
	v.last = v.last[:n+len(xs)]
	to := v.last[n:]
	for i, x := range xs {
		to[i] = uint32(x)
	}
}

func (v *values) merge(o *values) {
	v.n += o.n
	v.wide = append(v.wide, o.wide...)
	v.full = append(v.full, o.full...) // both may hold them, for neither changes them
	for part := range slices.Chunk(o.last, 64) {
		v.room(len(part))
		v.last = append(v.last, part...)
	}
}

// blocks yields the blocks that have values.
func (v *values) blocks() iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		for _, b := range v.full {
			if !yield(b) {
				return
			}
		}
		if len(v.last) > 0 {
			yield(v.last)
		}
	}
}

// count adds every value to the counts of its bin.
func (v *values) count(to *bins) {
	for b := range v.blocks() {
		addAll(to, b, int64(slices.Min(b)), int64(slices.Max(b)))
	}
	for _, x := range v.wide {
		to.add(theGrid().bin(x), 1)
	}
}

// all yields every value, in the order of storage.
func (v *values) all() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for b := range v.blocks() {
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
	n := 4*cap(v.last) + 8*cap(v.wide)
	for _, b := range v.full {
		n += 4 * cap(b)
	}
	return n
}
