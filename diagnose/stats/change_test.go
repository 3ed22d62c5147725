package stats

import (
	"math"
	"testing"
)

// upTo returns a sample of n waits around a typical one.
func upTo(n int64, typical int64) *Sample {
	s := NewSample(High)
	for i := range n {
		s.Add(typical+i, i)
	}
	return s
}

func TestTooFewToCompare(t *testing.T) {
	for _, c := range []struct {
		name string
		got  Change
		want int64
	}{
		{"typical", TypicalChange(upTo(5, 100), upTo(500, 100)), 6},
		{"tail", TailChange(upTo(500, 100), upTo(71, 100), P95), 72},
		{"tail p99", TailChange(upTo(500, 100), upTo(300, 100), P99), 368},
		{"share", ShareChange(Share{3, 34}, Share{3, 500}), 35},
		{"nothing", TypicalChange(new(Sample), new(Sample)), 6},
	} {
		if c.got.OK || c.got.NeedsN != c.want || c.got.Verdict(0.05, 0.1) != TooFew || c.got.Enough(0.1) != c.want {
			t.Errorf("%s: %+v", c.name, c.got)
		}
	}
	enough := []Change{TypicalChange(upTo(6, 100), upTo(6, 100)), TailChange(upTo(72, 100), upTo(72, 100), P95), ShareChange(Share{0, 35}, Share{0, 35})}
	for _, c := range enough {
		if !c.OK || c.NeedsN != 0 || c.P != 1 {
			t.Errorf("%v: %+v", c.Question, c)
		}
	}
}

func TestEqualAndZeroSides(t *testing.T) {
	for _, v := range []int64{0, 7} {
		var a, b Sample
		for i := range int64(100) {
			a.Add(v, i)
			b.Add(v, i)
		}
		for _, c := range []Change{TypicalChange(&a, &b), TailChange(&a, &b, P95)} {
			if !near(c.Effect, 1, 1e-9) || c.P != 1 || !near(c.Lo, 1, 1e-9) || !near(c.Hi, 1, 1e-9) || c.Verdict(0.05, 0.1) != Same {
				t.Errorf("all %d: %+v", v, c)
			}
		}
	}
}

// A rate is compared at p5, and binned samples give the same answers as
// single values to 0.2 %.
func TestTailOfRates(t *testing.T) {
	a, b := NewSample(Low), NewSample(Low)
	for i := range int64(1000) {
		a.Add(40_000_000+i*1000, i)
		b.Add(20_000_000+i*1000, i)
	}
	c := TailChange(a, b, P95)
	if c.A != 40_049_000 || c.B != 20_049_000 || c.P > 1e-6 || c.Verdict(0.05, 0.1) != Changed || c.Ratio > 0.51 {
		t.Errorf("%+v", c)
	}
}

func TestChangeOfLowerBounds(t *testing.T) {
	a, b := upTo(100, 1000), NewSample(High)
	for i := range int64(100) {
		b.AddBound(60_000, i)
	}
	for _, c := range []Change{TypicalChange(a, b), TailChange(a, b, P95)} {
		if c.LowerBoundA || !c.LowerBoundB || c.BoundsA != 0 || c.BoundsB != 100 || c.P > 1e-6 {
			t.Errorf("%+v", c)
		}
	}
}

// The whole range of int64 neither hangs nor yields what is no number.
func TestChangeOfExtremeValues(t *testing.T) {
	var a, b Sample
	for i := range int64(80) {
		a.Add(math.MinInt64+i, i)
		b.Add(math.MaxInt64-i, i)
	}
	for _, c := range []Change{TypicalChange(&a, &b), TypicalChange(&b, &a), TailChange(&a, &b, P95), TailChange(&b, &a, P5)} {
		for _, v := range []float64{c.Effect, c.Lo, c.Hi, c.Shift, c.P} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%+v", c)
			}
		}
	}
}

func TestBinnedChangesAreClose(t *testing.T) {
	const n = 3000
	a, b := upTo(n, 5000), upTo(n, 5500)
	ra, rb := a.valueRuns(), b.valueRuns()
	ba, bb := a.binRuns(), b.binRuns()
	fine, coarse := mannWhitney(ra, rb), mannWhitney(ba, bb)
	x, y := hodgesLehmannRatio(ra, rb, fine), hodgesLehmannRatio(ba, bb, coarse)
	if !near(x.effect/y.effect, 1, 0.002) || !near(x.lo/y.lo, 1, 0.002) || !near(x.hi/y.hi, 1, 0.002) {
		t.Errorf("%v from bins, %v from values", y, x)
	}
	big := TypicalChange(upTo(binnedFrom, 5000), upTo(100, 5000))
	if big.Method != MethodTypical+MethodBinned {
		t.Errorf("method %q", big.Method)
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name   string
		change Change
		want   Verdict
	}{
		{"large and sure", Change{OK: true, Ratio: 1.3, Adjusted: 0.01, Lo: 1.1, Hi: 1.5}, Changed},
		{"as much faster", Change{OK: true, Ratio: 0.8, Adjusted: 0.01, Lo: 0.7, Hi: 0.9}, Changed},
		{"large, not sure", Change{OK: true, Ratio: 1.3, Adjusted: 0.2, Lo: 0.9, Hi: 1.7}, Unclear},
		{"sure, but small", Change{OK: true, Ratio: 1.05, Adjusted: 0.01, Lo: 1.02, Hi: 1.08}, Same},
		{"small, perhaps more", Change{OK: true, Ratio: 1.05, Adjusted: 0.01, Lo: 1.02, Hi: 1.2}, Unclear},
		{"from none to some", Change{OK: true, Question: OverLimit, Ratio: math.Inf(1), Adjusted: 0.01, Lo: 0.1, Hi: 0.2}, Changed},
		{"to none", Change{OK: true, Question: OverLimit, Ratio: 0, Adjusted: 0.01, A: 0.1, Lo: -0.2, Hi: -0.1}, Changed},
		{"share within a tenth", Change{OK: true, Question: OverLimit, Ratio: 1, Adjusted: 1, A: 0.5, Lo: -0.04, Hi: 0.04}, Same},
		{"share within more", Change{OK: true, Question: OverLimit, Ratio: 1, Adjusted: 1, A: 0.1, Lo: -0.04, Hi: 0.04}, Unclear},
	} {
		if got := c.change.Verdict(0.05, 0.1); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestEnough(t *testing.T) {
	wide := Change{OK: true, NA: 100, NB: 400, Lo: 1 / 1.21, Hi: 1.21}
	if got := wide.Enough(0.1); got != 400 && got != 401 {
		t.Errorf("twice as wide as wanted takes %d for 100, want four times as many", got)
	}
	none := Change{OK: true, Question: OverLimit, NA: 100, NB: 100, Lo: -0.1, Hi: 0.1}
	if got := none.Enough(0.1); got != 0 {
		t.Errorf("a share of 0 takes %d", got)
	}
}

func TestAdjustLeavesUnanswered(t *testing.T) {
	cs := []Change{{OK: true, P: 0.01}, {NeedsN: 6}, {OK: true, P: 0.04}}
	Adjust(cs)
	if cs[0].Adjusted != 0.02 || cs[1].Adjusted != 0 || cs[2].Adjusted != 0.04 {
		t.Errorf("%+v", cs)
	}
}
