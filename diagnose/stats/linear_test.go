package stats

import (
	"math"
	"testing"
)

// The values are those of numpy.percentile and R's quantile(type = 7), times
// a thousand.
func TestLinear(t *testing.T) {
	odd := []int64{15_000, 20_000, 35_000, 40_000, 50_000}
	ten := []int64{1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000}
	twenty := append(append([]int64{}, ten...), 11_000, 12_000, 13_000, 14_000, 15_000, 16_000, 17_000, 18_000, 19_000, 20_000)
	for _, c := range []struct {
		name   string
		values []int64
		level  Level
		want   int64
	}{
		{"p40 of five", odd, 40_000, 29_000},
		{"median of five", odd, P50, 35_000},
		{"median of ten", ten, P50, 5_500},
		{"p90 of ten", ten, P90, 9_100},
		{"p10 of ten", ten, P10, 1_900},
		{"p95 of twenty", twenty, P95, 19_050},
		{"p5 of twenty", twenty, P5, 1_950},
		{"half a unit is rounded up", []int64{1, 2}, P50, 2},
		{"from end to end of int64", []int64{math.MinInt64, math.MaxInt64}, P50, 0},
	} {
		if f := sampleOf(c.values).Figures(Linear, c.level)[0]; !f.OK || f.Value != c.want {
			t.Errorf("%s: %d, want %d", c.name, f.Value, c.want)
		}
	}
}

func TestLinearBetweenBounds(t *testing.T) {
	var s Sample
	s.Add(10, 1)
	s.AddBound(20, 2)
	if f := s.Figures(Linear, P50)[0]; f.Value != 15 || !f.LowerBound {
		t.Errorf("%+v", f)
	}
}
