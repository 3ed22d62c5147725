package diagnose

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cespare/xxhash/v2"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// Where attempts that tell something are too many, those of one request in so
// many are joined: the same ones whoever counts them in whatever order, and never
// more than may be.
func TestRetriesOfOneRequestInSoMany(t *testing.T) {
	const requests, perRequest, batchRows = 5000, 4, 500
	rng := rand.New(rand.NewPCG(9, 1))
	e := New(rules.Defaults())
	var parts []*Verdicts
	places := rng.Perm(requests * perRequest)
	for from := 0; from < len(places); from += batchRows {
		b := timeline.NewBuilder()
		for _, at := range places[from : from+batchRows] {
			var r timeline.Row
			r.SetText(timeline.ColRequestID, fmt.Appendf(nil, "req-%d", at/perRequest))
			r.SetNum(timeline.ColAttempt, int64(at%perRequest+1))
			r.SetNum(timeline.ColStatus, 502)
			r.SetNum(timeline.ColTimestamp, int64(at%perRequest)*1_000_000)
			r.SetNum(timeline.ColTotalHandler, 400_000)
			b.Append(&r)
		}
		parts = append(parts, e.Classify(b.Flush()))
	}
	followed := newSiblings(1 << 20).followed
	count := func(workers int) (Retries, int64) {
		tallies := []*Tally{NewTally(e, TallyOptions{MaxMemory: 1 << 20, Jobs: workers})}
		for range workers - 1 {
			tallies = append(tallies, tallies[0].Sibling())
		}
		for _, k := range rng.Perm(len(parts)) {
			one := tallies[rng.IntN(workers)]
			one.Add(parts[k])
			if int64(one.retries.kept()) > followed {
				t.Fatalf("%d attempts are kept, %d may be", one.retries.kept(), followed)
			}
		}
		for _, o := range tallies[1:] {
			tallies[0].Merge(o)
		}
		s := tallies[0].Summary()
		return s.Retries, s.Totals.Requests
	}
	first, distinct := count(1)
	if distinct != requests || !first.Partial || first.OneIn < 4 {
		t.Fatalf("%d requests, %+v", distinct, first)
	}
	want := Retries{Partial: true, OneIn: first.OneIn}
	for k := range requests {
		if xxhash.Sum64String(fmt.Sprintf("req-%d", k))%uint64(first.OneIn) == 0 {
			want.include(Retries{Retried: 1, Attempts: 4, Failed: 4, Measured: 1, CallerUs: 3_400_000, LostUs: 3_000_000, BackoffUs: 1_800_000})
		}
	}
	for workers := range 4 {
		if got, _ := count(workers + 1); got != want {
			t.Errorf("%d workers: %+v, want %+v", workers+1, got, want)
		}
	}
}

// The parts of the hashes that are counted side by side make the whole.
func TestRetriesInParts(t *testing.T) {
	var whole retryTally
	rng := rand.New(rand.NewPCG(3, 3))
	for range 3000 {
		whole.append(attempt{id: rng.Uint64() % 2000 * 0x9E3779B97F4A7C15, start: rng.Int64N(1000), timed: true, failed: rng.IntN(2) == 0})
	}
	want, requests := whole.result(3000, 1)
	if want.Retried < 500 || requests != 3000-want.Attempts+want.Retried {
		t.Fatalf("%+v of %d", want, requests)
	}
	for _, jobs := range []int{2, 3, 8, 100} {
		if got, n := whole.result(3000, jobs); got != want || n != requests {
			t.Errorf("%d jobs: %+v of %d, want %+v of %d", jobs, got, n, want, requests)
		}
	}
}
