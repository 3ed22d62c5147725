package diagnose

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// gatewayBatch is a batch as a gateway's log gives it.
func gatewayBatch(n int) *timeline.Batch {
	rng := rand.New(rand.NewPCG(1, 2))
	b := timeline.NewBuilder()
	var r timeline.Row
	for i := range n {
		r.Reset()
		headers := 100_000 + rng.Int64N(400_000)
		if rng.IntN(20) == 0 {
			headers += 3_000_000
		}
		r.SetText(timeline.ColRequestID, fmt.Appendf(nil, "request-%08d", i))
		r.SetText(timeline.ColModel, fmt.Appendf(nil, "model-%d", rng.IntN(4)))
		r.SetText(timeline.ColChannel, fmt.Appendf(nil, "ch-%02d", rng.IntN(20)))
		r.SetNum(timeline.ColTimestamp, 1_700_000_000_000_000+int64(i)*1000)
		r.SetNum(timeline.ColStream, 1)
		r.SetNum(timeline.ColStatus, 200)
		r.SetNum(timeline.ColUpstreamHeaders, headers)
		r.SetNum(timeline.ColFirstResponse, headers+100_000)
		r.SetNum(timeline.ColFirstTextDelta, headers+110_000)
		r.SetNum(timeline.ColOutputTokens, 100+rng.Int64N(900))
		r.SetNum(timeline.ColTotalHandler, headers+2_000_000+rng.Int64N(9_000_000))
		b.Append(&r)
	}
	return b.Flush()
}

func BenchmarkTally(b *testing.B) {
	e := New(rules.Defaults())
	batch := gatewayBatch(8192)
	for _, bench := range []struct {
		name string
		opt  TallyOptions
	}{{"whole", TallyOptions{Top: 10}}, {"by channel", TallyOptions{Top: 10, By: []timeline.Column{timeline.ColChannel}}}} {
		b.Run(bench.name, func(b *testing.B) {
			v := e.Classify(batch)
			t := NewTally(e, bench.opt)
			for b.Loop() {
				if t.totals.Records >= 1<<19 {
					t = NewTally(e, bench.opt)
				}
				t.Add(v)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(batch.Len()), "ns/row")
		})
	}
}

func BenchmarkWhy(b *testing.B) {
	e := New(rules.Defaults())
	v := e.Classify(gatewayBatch(8192))
	t := NewWhyTally(WhyOptions{})
	for b.Loop() {
		if t.rows.seen >= 1<<19 {
			t = NewWhyTally(WhyOptions{})
		}
		t.Add(v)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/8192, "ns/row")
}
