package diagnose

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

func TestBins(t *testing.T) {
	tokens, doubles, hour := inTokens(timeline.ColInputTokens), inDoubles(timeline.ColInflight), byHour()
	cases := []struct {
		d    dimension
		v    int64
		want string
	}{
		{tokens, 0, "0..255"}, {tokens, 255, "0..255"}, {tokens, 256, "256..1023"}, {tokens, 1023, "256..1023"},
		{tokens, 1024, "1024..4095"}, {tokens, 200_000, "65536..262143"},
		{doubles, 0, "0"}, {doubles, 1, "1"}, {doubles, 2, "2..3"}, {doubles, 3, "2..3"}, {doubles, 4, "4..7"}, {doubles, 1000, "512..1023"},
		{hour, 0, "1970-01-01T00Z"}, {hour, -1, "1969-12-31T23Z"}, {hour, 1_700_000_000_000_000, "2023-11-14T22Z"},
		{byTimeOfDay(), -1, "23h"}, {byTimeOfDay(), 1_700_000_000_000_000, "22h"},
		{exactly(timeline.ColTemperature), 700_000, "0.7"}, {flagged(timeline.ColTools), 1, "true"},
	}
	for _, tt := range cases {
		if got := tt.d.label(tt.d.bin(tt.v)); got != tt.want {
			t.Errorf("%s of %d is %s, want %s", tt.d.name, tt.v, got, tt.want)
		}
	}
}

// The table of the chi-square distribution, to what the approximation is good for.
func TestChiSquareTail(t *testing.T) {
	for _, tt := range []struct{ x, df, p float64 }{
		{3.841, 1, 0.05}, {10.828, 1, 0.001}, {5.991, 2, 0.05}, {13.816, 2, 0.001}, {18.307, 10, 0.05}, {29.588, 10, 0.001}, {124.342, 100, 0.05},
	} {
		if got := chiSquareTail(tt.x, tt.df); math.Abs(got-tt.p) > 0.2*tt.p {
			t.Errorf("P(X² ≥ %g) with %g degrees is %g, want %g", tt.x, tt.df, got, tt.p)
		}
	}
	if got := chiSquareTail(9, 0); got != 1 {
		t.Errorf("without a degree of freedom: %g", got)
	}
}

// Beyond its limit a set of rows keeps a fair sample, and rows stay whole.
func TestRowsetKeepsAFairSample(t *testing.T) {
	e := New(rules.Defaults())
	set := newRowset(1000, 10, 1, labelOf(timeline.ColChannel), labelOf(timeline.ColRequestID))
	b := timeline.NewBuilder()
	var r timeline.Row
	rng := rand.New(rand.NewPCG(2, 3))
	for i := range 20_000 {
		r.Reset()
		k := rng.IntN(4)
		r.SetText(timeline.ColRequestID, fmt.Appendf(nil, "r%d", i))
		r.SetText(timeline.ColChannel, fmt.Appendf(nil, "ch-%d", k))
		r.SetNum(timeline.ColTotalHandler, int64(k)*1000)
		b.Append(&r)
	}
	v := e.Classify(b.Flush())
	columns, _ := v.MetricColumns("end_to_end_ms")
	set.add(v, keepRows(v, &Filter{}, false), columns)
	if set.seen != 20_000 || set.len() > 1000 || set.len() < 400 || !set.dims[1].dead {
		t.Fatalf("%d rows seen, %d kept, ids given up: %v", set.seen, set.len(), set.dims[1].dead)
	}
	counts := map[string]int{}
	for i := range set.len() {
		value, _ := set.dims[0].value(set.dims[0].codes[i])
		counts[value]++
		if want := fmt.Sprintf("ch-%d", set.nums[0].values[i]/1000); value != want {
			t.Fatalf("row %d has the channel %s and the number of %s", i, value, want)
		}
	}
	for value, n := range counts {
		if share := float64(n) / float64(set.len()); share < 0.17 || share > 0.33 {
			t.Errorf("%s is %.2f of the sample, want a quarter", value, share)
		}
	}
}
