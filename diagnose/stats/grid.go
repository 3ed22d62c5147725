package stats

import (
	"math"
	"math/bits"
	"sync"
)

// RelativeError is the relative error α of a sketched percentile: 0.1 %.
const RelativeError = 0.001

// A grid cuts the whole numbers into bins such that one number stands for its
// whole bin with a relative error of at most 1/1000. It is the logarithmic
// mapping of DDSketch (Masson, Rim and Lee, "DDSketch: a fast and
// fully-mergeable quantile sketch with relative-error guarantees", VLDB 2019)
// laid out in integers: a bin starts at lo, is represented by
// rep = ⌊lo·(1+α)⌋ and ends at the last value hi with hi−rep ≤ α·hi. So the
// guarantee is exact, bins are the same on every machine, numbers up to 1000
// have a bin each, and 1 µs to 7 days take under 14 000 bins.
//
// Bin 0 is zero; negative values have the mirrored, negative bins.
//
// Note: a floating-point logarithm gives up all three, and costs more than the
// two table look-ups of bin.
type grid struct {
	last []int64  // last[i] is the greatest value of bin i
	cell []uint16 // bin of the first value of each of 512 cells per power of two
}

const (
	gridDirect   = 1 << 10 // below, every value is a cell of its own
	gridCellBits = 9       // above, 512 cells per power of two
)

// theGrid builds the only grid there is, on first use: it takes 0.2 ms, which
// a run without large samples need not pay.
var theGrid = sync.OnceValue(newGrid)

func newGrid() *grid {
	g := &grid{last: []int64{0}}
	for lo := int64(1); ; {
		rep := representative(lo)
		hi := rep + rep/999
		if rep < lo || hi < rep { // past the last int64
			hi = math.MaxInt64
		}
		g.last = append(g.last, hi)
		if hi == math.MaxInt64 {
			break
		}
		lo = hi + 1
	}
	g.fillCells()
	return g
}

// representative returns the value that stands for the bin starting at lo.
func representative(lo int64) int64 { return lo + lo/1000 }

func (g *grid) fillCells() {
	const perPower = 1 << gridCellBits
	g.cell = make([]uint16, gridDirect+(63-10)*perPower)
	i := 0
	for c := range g.cell {
		v := int64(c)
		if c >= gridDirect {
			power, sub := (c-gridDirect)/perPower, (c-gridDirect)%perPower
			v = (perPower + int64(sub)) << (power + 1)
		}
		for g.last[i] < v {
			i++
		}
		g.cell[c] = uint16(i)
	}
}

// bin returns the bin of v.
func (g *grid) bin(v int64) int {
	if v >= 0 {
		return g.positive(uint64(v))
	}
	return -g.positive(min(-uint64(v), math.MaxInt64))
}

func (g *grid) positive(v uint64) int {
	c := v
	if v >= gridDirect {
		shift := uint(bits.Len64(v)) - 1 - gridCellBits
		c = gridDirect + uint64(shift-1)<<gridCellBits + v>>shift&(1<<gridCellBits-1)
	}
	i := int(g.cell[c])
	for g.last[i] < int64(v) {
		i++
	}
	return i
}

// value returns the representative of a bin.
func (g *grid) value(bin int) int64 {
	switch {
	case bin < 0:
		return -g.value(-bin)
	case bin == 0:
		return 0
	}
	rep := representative(g.last[bin-1] + 1)
	if rep < 0 {
		return math.MaxInt64
	}
	return min(rep, g.last[bin])
}
