package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestGridKeepsItsPromise(t *testing.T) {
	g := theGrid()
	for i := 1; i < len(g.last); i++ {
		lo, hi, rep := g.last[i-1]+1, g.last[i], g.value(i)
		if rep < lo || rep > hi || rep-lo > lo/1000 || hi-rep > hi/1000 {
			t.Fatalf("bin %d: %d…%d stands for %d", i, lo, hi, rep)
		}
		if g.bin(lo) != i || g.bin(hi) != i || g.bin(-lo) != -i || g.value(-i) != -rep {
			t.Fatalf("bin %d: %d is in %d, %d in %d", i, lo, g.bin(lo), hi, g.bin(hi))
		}
	}
	for c := range len(g.cell) - 1 {
		if g.cell[c+1]-g.cell[c] > 1 {
			t.Fatalf("cell %d spans bins %d to %d", c, g.cell[c], g.cell[c+1])
		}
	}
	if g.last[len(g.last)-1] != math.MaxInt64 || g.bin(math.MinInt64) != -g.bin(math.MaxInt64) {
		t.Error("grid does not cover all of int64")
	}
	if g.bin(0) != 0 || g.value(0) != 0 {
		t.Error("zero has no bin of its own")
	}
	const week = 7 * 24 * 3600 * 1_000_000
	if n := g.bin(week); n >= 14_000 {
		t.Errorf("%d bins up to seven days", n)
	}
}

func TestGridIsMonotone(t *testing.T) {
	g, rnd := theGrid(), rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		a, b := int64(rnd.Uint64())>>rnd.IntN(64), int64(rnd.Uint64())>>rnd.IntN(64)
		if a > b {
			a, b = b, a
		}
		if g.bin(a) > g.bin(b) {
			t.Fatalf("bin of %d after that of %d", a, b)
		}
	}
}
