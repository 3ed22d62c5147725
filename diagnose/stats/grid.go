package stats

import (
	"math"
	"slices"
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
	cell []uint16 // the bin of the first value of each cell
}

// A cell is what the exponent and nine bits of the mantissa of v+1 as a
// float64 tell: the quickest way to a rough logarithm, and exact up to 2⁵³.
const (
	cellShift = 52 - 9
	firstCell = 1023 << 9 // that of 1.0
	cellsEnd  = (1023 + 53) << 9
	cellLimit = 1<<53 - 1 // values from here on are searched for
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
	g.cell = make([]uint16, cellsEnd-firstCell)
	i := 0
	for c := range g.cell {
		v := int64(math.Ceil(math.Float64frombits(uint64(c+firstCell)<<cellShift))) - 1
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

// positive returns the bin of 0 ≤ v ≤ MaxInt64. A cell is narrower than a bin,
// so v is in the bin of its first value or in the next.
func (g *grid) positive(v uint64) int {
	if v >= cellLimit {
		return g.search(v)
	}
	return g.near(v)
}

// near is positive for 0 ≤ v < cellLimit, small enough to be inlined.
func (g *grid) near(v uint64) int {
	i := g.cell[math.Float64bits(float64(int64(v+1)))>>cellShift-firstCell]
	// One more if v is past the last value of i: a branch would be guessed
	// wrong half of the time.
	return int(i) + int(uint64(g.last[i]-int64(v))>>63)
}

func (g *grid) search(v uint64) int {
	i, _ := slices.BinarySearch(g.last, int64(v))
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
