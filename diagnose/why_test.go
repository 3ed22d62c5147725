package diagnose

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// noiseColumns each hold ten dimensions of four values, two bits each.
var noiseColumns = []timeline.Column{timeline.ColInputTokens, timeline.ColCachedInputTokens, timeline.ColEventCount}

func noiseDimensions() []dimension {
	dims := []dimension{labelOf(timeline.ColChannel), labelOf(timeline.ColRegion), labelOf(timeline.ColRequestID)}
	for _, c := range noiseColumns {
		for k := range 10 {
			dims = append(dims, binned(fmt.Sprintf("noise-%s-%d", c, k), c,
				func(v int64) int64 { return v >> (2 * k) & 3 }, func(v int64) string { return fmt.Sprint(v) }))
		}
	}
	return dims
}

// noisyRow is a request of noise: 3 % of headers are slow whatever it is.
func noisyRow(rng *rand.Rand, r *timeline.Row, i int) {
	r.Reset()
	r.SetText(timeline.ColRequestID, fmt.Appendf(nil, "r%d", i))
	r.SetText(timeline.ColChannel, fmt.Appendf(nil, "ch-%02d", rng.IntN(12)))
	r.SetText(timeline.ColRegion, []byte([]string{"eu-west", "us-east", "ap-south"}[rng.IntN(3)]))
	r.SetText(timeline.ColModel, []byte([]string{"m1", "m2"}[rng.IntN(2)]))
	r.SetText(timeline.ColRoute, fmt.Appendf(nil, "route-%d", rng.IntN(6)))
	r.SetText(timeline.ColGroup, fmt.Appendf(nil, "g-%d", rng.IntN(9)))
	for _, c := range noiseColumns {
		r.SetNum(c, rng.Int64N(1<<20))
	}
	r.SetNum(timeline.ColTimestamp, 1_700_000_000_000_000+rng.Int64N(6*hourUs))
	r.SetNum(timeline.ColStream, 1)
	r.SetNum(timeline.ColStatus, 200)
	headers := 200_000 + rng.Int64N(200_000)
	if rng.IntN(100) < 3 {
		headers += 2_000_000
	}
	setHeaders(r, headers)
}

func setHeaders(r *timeline.Row, us int64) {
	r.SetNum(timeline.ColUpstreamHeaders, us)
	r.SetNum(timeline.ColFirstResponse, us+100_000)
	r.SetNum(timeline.ColFirstTextDelta, us+110_000)
	r.SetNum(timeline.ColTotalHandler, us+2_000_000)
}

func addRows(tally interface{ Add(*Verdicts) }, e *Engine, n int, row func(r *timeline.Row, i int)) {
	b := timeline.NewBuilder()
	var r timeline.Row
	for i := range n {
		row(&r, i)
		b.Append(&r)
		if i%1000 == 999 || i == n-1 {
			tally.Add(e.Classify(b.Flush()))
		}
	}
}

func TestWhyFindsThePlantedPairFirst(t *testing.T) {
	e := New(rules.Defaults())
	for _, dims := range map[string][]dimension{"thirty noise dimensions": noiseDimensions(), "the usual dimensions": whyDimensions()} {
		rng := rand.New(rand.NewPCG(3, 4))
		tally := newWhyTally(WhyOptions{}, dims)
		planted := int64(0)
		addRows(tally, e, 20_000, func(r *timeline.Row, i int) {
			noisyRow(rng, r, i)
			if string(r.Text(timeline.ColChannel)) == "ch-07" && string(r.Text(timeline.ColRegion)) == "eu-west" {
				us, _ := r.Num(timeline.ColUpstreamHeaders)
				setHeaders(r, us+4_000_000)
				planted++
			}
		})
		w := tally.Why()
		if len(w.Classes) != 1 || w.Classes[0].Class != rules.UpstreamHeadersSlow {
			t.Fatalf("classes are %+v", w.Classes)
		}
		got := w.Classes[0]
		want := []KeyValue{{Column: "channel", Value: "ch-07"}, {Column: "region", Value: "eu-west"}}
		if len(got.Findings) == 0 || !slices.Equal(got.Findings[0].Where, want) {
			t.Fatalf("findings are %+v, want %v first", got.Findings, want)
		}
		f := got.Findings[0]
		if f.Lift.Here.N != planted || f.Lift.Here.K != planted {
			t.Errorf("%d of %d are slow, want %d", f.Lift.Here.K, f.Lift.Here.N, planted)
		}
		if excess := float64(f.ExcessUs) / 1e6; excess < 3.9*float64(planted) || excess > 4.1*float64(planted) {
			t.Errorf("excess is %.1f s, want 4 s for each of %d", excess, planted)
		}
		if len(got.Findings) > 1 {
			t.Errorf("further findings %+v", got.Findings[1:])
		}
		for _, d := range w.Dimensions {
			if d.Name == "request_id" && !d.Too {
				t.Error("the request id is offered")
			}
		}
	}
}

func TestWhySaysNothingStandsOutOfNoise(t *testing.T) {
	e := New(rules.Defaults())
	seeds := 200
	if testing.Short() {
		seeds = 40
	}
	alarms := 0
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		tally := newWhyTally(WhyOptions{}, noiseDimensions())
		addRows(tally, e, 2000, func(r *timeline.Row, i int) { noisyRow(rng, r, i) })
		for _, c := range tally.Why().Classes {
			if len(c.Findings) > 0 {
				alarms++
				break
			}
		}
	}
	if alarms > seeds/20 {
		t.Errorf("something stands out of noise in %d of %d", alarms, seeds)
	}
}

// Whatever the order and the number of workers, and also where only a sample of
// the rows is kept, the findings are the same.
func TestWhyDoesNotDependOnOrder(t *testing.T) {
	e := New(rules.Defaults())
	for _, limit := range []int{0, 3000} {
		rng := rand.New(rand.NewPCG(8, 9))
		var parts []*Verdicts
		for k := range 20 {
			b := timeline.NewBuilder()
			var r timeline.Row
			for i := range 500 {
				noisyRow(rng, &r, k*500+i)
				if string(r.Text(timeline.ColChannel)) == "ch-03" {
					us, _ := r.Num(timeline.ColUpstreamHeaders)
					setHeaders(&r, us+3_000_000)
				}
				b.Append(&r)
			}
			parts = append(parts, e.Classify(b.Flush()))
		}
		find := func(workers int) *Why {
			tallies := make([]*WhyTally, workers)
			for w := range tallies {
				tallies[w] = NewWhyTally(WhyOptions{MaxRows: limit})
			}
			for _, k := range rng.Perm(len(parts)) {
				tallies[rng.IntN(workers)].Add(parts[k])
			}
			for _, o := range tallies[1:] {
				tallies[0].Merge(o)
			}
			return tallies[0].Why()
		}
		want := find(1)
		if f := want.Classes[0].Findings; len(f) != 1 || f[0].Where[0].Value != "ch-03" {
			t.Fatalf("findings are %+v", f)
		}
		if limit > 0 && (want.Looked > int64(limit) || want.N != 10_000) {
			t.Errorf("looked at %d of %d, limit %d", want.Looked, want.N, limit)
		}
		for range 4 {
			if got := find(1 + rng.IntN(3)); !reflect.DeepEqual(got, want) {
				t.Errorf("findings depend on the order: %+v, want %+v", got, want)
			}
		}
	}
}

// A filter by class chooses what is told, not what is compared.
func TestWhyOfOneClass(t *testing.T) {
	e := New(rules.Defaults())
	for class, want := range map[rules.Class]int{rules.UpstreamHeadersSlow: 1, rules.GenerationSlow: 0} {
		rng := rand.New(rand.NewPCG(8, 9))
		tally := NewWhyTally(WhyOptions{Filter: Filter{Classes: []rules.Class{class}}})
		addRows(tally, e, 1000, func(r *timeline.Row, i int) { noisyRow(rng, r, i) })
		if w := tally.Why(); w.N != 1000 || len(w.Classes) != want {
			t.Errorf("%s: %d classes of %d requests", class, len(w.Classes), w.N)
		}
	}
}

func TestWhyOfNothing(t *testing.T) {
	w := NewWhyTally(WhyOptions{}).Why()
	if w.N != 0 || len(w.Classes) != 0 || len(w.Dimensions) != 0 {
		t.Errorf("of no request: %+v", w)
	}
}

// Slow generation costs the time beyond what the tokens take at the usual speed.
func TestWhyCountsTheTimeThatSlowGenerationCosts(t *testing.T) {
	e := New(rules.Defaults())
	tally := NewWhyTally(WhyOptions{})
	addRows(tally, e, 400, func(r *timeline.Row, i int) {
		r.Reset()
		r.SetNum(timeline.ColStream, 1)
		r.SetNum(timeline.ColStatus, 200)
		r.SetNum(timeline.ColUpstreamHeaders, 100_000)
		r.SetNum(timeline.ColFirstResponse, 200_000)
		r.SetNum(timeline.ColFirstTextDelta, 200_000)
		r.SetNum(timeline.ColOutputTokens, 200)
		window := int64(4_000_000) // 50 tokens/s
		r.SetText(timeline.ColProvider, []byte("good"))
		if i%8 == 0 {
			window = 20_000_000 // 10 tokens/s
			r.SetText(timeline.ColProvider, []byte("bad"))
		}
		r.SetNum(timeline.ColTotalHandler, 200_000+window)
	})
	w := tally.Why()
	if len(w.Classes) != 1 || len(w.Classes[0].Findings) != 1 {
		t.Fatalf("classes are %+v", w.Classes)
	}
	c := w.Classes[0]
	if c.Class != rules.GenerationSlow || c.Findings[0].Where[0].Value != "bad" {
		t.Fatalf("finding is %+v", c)
	}
	if got := float64(c.Findings[0].ExcessUs) / 50 / 1e6; got < 15.9 || got > 16.1 {
		t.Errorf("excess is %.2f s each, want 16", got)
	}
}
