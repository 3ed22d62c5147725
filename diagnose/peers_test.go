package diagnose

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// peerBatches holds 400 requests a second apart, 3 s long each. Those of ch-07
// have slow headers; every other one is of another model. The target is r200.
func peerBatches(e *Engine) (parts []*Verdicts, at, row int) {
	const s = 1_000_000
	b := timeline.NewBuilder()
	var r timeline.Row
	for i := range 400 {
		r.Reset()
		r.SetText(timeline.ColRequestID, fmt.Appendf(nil, "r%d", i))
		r.SetText(timeline.ColModel, fmt.Appendf(nil, "m%d", i%2))
		r.SetText(timeline.ColChannel, []byte("ch-01"))
		r.SetText(timeline.ColRegion, []byte("eu"))
		r.SetNum(timeline.ColStream, 1)
		r.SetNum(timeline.ColStatus, 200)
		r.SetNum(timeline.ColInputTokens, 300)
		r.SetNum(timeline.ColInflight, int64(i%10))
		r.SetNum(timeline.ColTimestamp, 1_700_000_000*s+int64(i)*s)
		headers := int64(100_000 + 1000*i)
		if i%10 == 0 {
			r.SetText(timeline.ColChannel, []byte("ch-07"))
			headers = 2_200_000 + 1000*int64(i)
		}
		r.SetNum(timeline.ColUpstreamHeaders, headers)
		r.SetNum(timeline.ColTotalHandler, 3*s)
		b.Append(&r)
		if i%100 == 99 {
			parts = append(parts, e.Classify(b.Flush()))
		}
	}
	return parts, 2, 0
}

func TestPeers(t *testing.T) {
	e := New(rules.Defaults())
	parts, at, row := peerBatches(e)
	tally := NewPeerTally(parts[at], row)
	for _, v := range parts {
		tally.Add(v)
	}
	p := tally.Peers()
	if p.N != 199 || p.Looked != 400 || p.Class != rules.UpstreamHeadersSlow || p.AnySlow {
		t.Fatalf("peers are %+v", p)
	}
	want := []KeyValue{{Column: "model", Value: "m0"}, {Column: "stream", Value: "streaming"}, {Column: "input_tokens", Value: "256..1023"}}
	if !reflect.DeepEqual(p.Of, want) {
		t.Errorf("in common: %+v", p.Of)
	}
	headers := p.Ranks[0]
	if headers.Metric != "upstream_headers_ms" || headers.Position.Below != 180 || headers.Position.N != 199 {
		t.Errorf("rank of the headers is %+v", headers)
	}
	if len(p.Shares) != 1 || p.Shares[0].Value != "ch-07" || p.Shares[0].Here.N != 39 || p.Shares[0].Here.K != 39 || p.Shares[0].Elsewhere.K != 0 || p.Shares[0].Lo < 0.8 {
		t.Errorf("shares are %+v", p.Shares)
	}
	// r198 and r199 had not ended when r200 started; r201 and r202 started in it.
	// r197 ended at that very moment, r203 started when it ended.
	if !p.Load.Known || p.Load.AtStart != 2 || p.Load.Overlap != 4 || p.Load.Inflight == nil || p.Load.Inflight.Value != 0 {
		t.Errorf("load is %+v", p.Load)
	}
	if p.Load.Mean < 2.9 || p.Load.Mean > 3.1 {
		t.Errorf("%.2f were in progress on average, want 3", p.Load.Mean)
	}
	var n, slow int64
	for _, m := range p.Minutes {
		n += m.N
		slow += m.OfClass
	}
	if len(p.Minutes) != 11 || n != 400 || slow != 40 {
		t.Errorf("minutes are %+v", p.Minutes)
	}
}

func TestPeersDoNotDependOnOrder(t *testing.T) {
	e := New(rules.Defaults())
	parts, at, row := peerBatches(e)
	rng := rand.New(rand.NewPCG(1, 1))
	find := func() *Peers {
		tallies := []*PeerTally{NewPeerTally(parts[at], row), NewPeerTally(parts[at], row)}
		for _, k := range rng.Perm(len(parts)) {
			tallies[rng.IntN(2)].Add(parts[k])
		}
		tallies[0].Merge(tallies[1])
		return tallies[0].Peers()
	}
	want := find()
	for range 5 {
		if got := find(); !reflect.DeepEqual(got, want) {
			t.Fatalf("peers depend on the order: %+v, want %+v", got, want)
		}
	}
}

// A request without a start, a label or a peer is told of as far as it can be.
func TestPeersOfALoneRequest(t *testing.T) {
	e := New(rules.Defaults())
	v := e.Classify(batchOf(map[timeline.Column]any{timeline.ColTotalHandler: 1000}))
	tally := NewPeerTally(v, 0)
	tally.Add(v)
	p := tally.Peers()
	if p.N != 0 || p.Looked != 1 || len(p.Shares) != 0 || len(p.Minutes) != 0 || p.Load.Known || p.Ranks[0].Median.OK {
		t.Errorf("peers are %+v", p)
	}
}
