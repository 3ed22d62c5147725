package stats

import (
	"math/rand/v2"
	"testing"
)

const million = 1 << 20

func BenchmarkAddSlice(b *testing.B) {
	values := waits(rand.New(rand.NewPCG(1, 1)), million, 0.05, 1)
	valid := make([]uint64, million/64)
	for i := range valid {
		valid[i] = ^uint64(0) &^ (1 << (i % 64))
	}
	for _, c := range []struct {
		name  string
		valid []uint64
		times int
	}{{"dense", nil, 1}, {"one absent in 64", valid, 1}, {"sketch", nil, 4}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				var s Sample
				for i := range c.times {
					s.AddSlice(values, c.valid, nil, int64(i*million))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.times*million), "ns/value")
		})
	}
}

func BenchmarkAdd(b *testing.B) {
	values := waits(rand.New(rand.NewPCG(1, 1)), million, 0.05, 1)
	for b.Loop() {
		var s Sample
		for i, v := range values {
			s.Add(v, int64(i))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*million), "ns/value")
}

func BenchmarkFigures(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
	}{{"100", 100}, {"10k", 10_000}, {"1M", million}, {"sketch", million + 64}} {
		s := sampleOf(waits(rand.New(rand.NewPCG(1, 1)), c.n, 0.05, 1))
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				s.Figures(NearestRank, P50, P95, P99)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.n), "ns/value")
		})
	}
}

func BenchmarkIntervalRanks(b *testing.B) {
	for b.Loop() {
		IntervalRanks(10_000_000, P50)
	}
}

func BenchmarkChange(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
	}{{"300", 300}, {"10k", 10_000}, {"1M", million}} {
		rnd := rand.New(rand.NewPCG(1, 1))
		x, y := sampleOf(waits(rnd, c.n, 0.04, 1)), sampleOf(waits(rnd, c.n, 0.12, 1))
		b.Run("typical "+c.name, func(b *testing.B) {
			for b.Loop() {
				TypicalChange(x, y)
			}
		})
		b.Run("tail "+c.name, func(b *testing.B) {
			for b.Loop() {
				TailChange(x, y, P95)
			}
		})
		b.Run("share "+c.name, func(b *testing.B) {
			for b.Loop() {
				ShareChange(Share{int64(c.n / 25), int64(c.n)}, Share{int64(c.n / 20), int64(c.n)})
			}
		})
	}
}
