package diagnose

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"ttdiag/diagnose/stats"
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// manyRows returns a batch of n rows with a total and an id each.
func manyRows(rng *rand.Rand, n int) *timeline.Batch {
	b := timeline.NewBuilder()
	var r timeline.Row
	for range n {
		r.Reset()
		r.SetText(timeline.ColRequestID, []byte{byte(rng.IntN(256)), byte(rng.IntN(256)), 'x'})
		r.SetNum(timeline.ColStream, 1)
		r.SetNum(timeline.ColStatus, 200)
		r.SetNum(timeline.ColTotalHandler, 1_000_000+rng.Int64N(5_000_000))
		b.Append(&r)
	}
	return b.Flush()
}

// Under a ceiling samples become sketches, and say so, together and in every
// order; and what they hold stays within it.
func TestSiblingsKeepWithinTheCeiling(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	e := New(rules.Defaults())
	var parts []*Verdicts
	for range 40 {
		parts = append(parts, e.Classify(manyRows(rng, 500)))
	}
	count := func(workers int) (*Summary, int64) {
		tallies := []*Tally{NewTally(e, TallyOptions{MaxMemory: 1 << 20})}
		for range workers - 1 {
			tallies = append(tallies, tallies[0].Sibling())
		}
		most := int64(0)
		for _, k := range rng.Perm(len(parts)) {
			tallies[rng.IntN(workers)].Add(parts[k])
			exact := int64(0)
			for _, tally := range tallies {
				for _, p := range tally.whole.pools {
					for k := range p.metrics {
						if s := &p.metrics[k].sample; s.Figures(stats.NearestRank, s.Tail.Levels()...)[0].Method == stats.NearestRank {
							exact = max(exact, s.N())
						}
					}
				}
			}
			most = max(most, exact)
		}
		for _, o := range tallies[1:] {
			tallies[0].Merge(o)
		}
		return tallies[0].Summary(), most
	}
	want, most := count(1)
	for _, m := range want.Whole.Pools[0].Metrics {
		if m.N == 20_000 && m.Figures[0].Method != stats.DDSketch {
			t.Errorf("%s of %d values is %s", m.Metric, m.N, m.Figures[0].Method)
		}
	}
	if most > 4096 {
		t.Errorf("a sample kept %d values", most)
	}
	for workers := 2; workers < 5; workers++ {
		got, most := count(workers)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the summary of %d tallies differs", workers)
		}
		if most > 4096 {
			t.Errorf("a sample of %d siblings kept %d values", workers, most)
		}
	}
}
