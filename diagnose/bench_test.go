package diagnose

import (
	"math/rand/v2"
	"testing"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// leanRow is a request as a gateway logs it when all is well, or nearly.
func leanRow(rng *rand.Rand, r *timeline.Row) {
	exampleRow{
		headers: 100 + float64(rng.IntN(2500)), model: "m",
	}.row(r)
	h, _ := r.Num(timeline.ColUpstreamHeaders)
	at := h
	for _, c := range []timeline.Column{timeline.ColFirstSSEEvent, timeline.ColFirstResponse, timeline.ColFirstTextDelta} {
		at += rng.Int64N(900_000)
		r.SetNum(c, at)
	}
	at += rng.Int64N(20_000_000)
	r.SetNum(timeline.ColUpstreamDone, at)
	r.SetNum(timeline.ColTotalHandler, at+1000)
	r.SetNum(timeline.ColOutputTokens, rng.Int64N(900))
	if rng.IntN(50) == 0 {
		r.SetNum(timeline.ColStatus, 504)
		r.Drop(timeline.MaskOf(timeline.ColFirstTextDelta))
	}
}

func leanBatch(n int) *timeline.Batch {
	rng := rand.New(rand.NewPCG(1, 2))
	b := timeline.NewBuilder()
	var r timeline.Row
	for range n {
		leanRow(rng, &r)
		b.Append(&r)
	}
	return b.Flush()
}

func BenchmarkClassify(b *testing.B) {
	batch := leanBatch(timeline.BatchRows)
	engine := New(rules.Defaults())
	engine.Classify(batch)
	b.ReportAllocs()
	for b.Loop() {
		engine.Classify(batch)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch.Len()), "ns/row")
}

func BenchmarkFill(b *testing.B) {
	batch := leanBatch(timeline.BatchRows)
	v := New(rules.Defaults()).Classify(batch)
	var d Diagnosis
	b.ReportAllocs()
	for b.Loop() {
		for i := range batch.Len() {
			v.Fill(i, &d)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch.Len()), "ns/row")
}
