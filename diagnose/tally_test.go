package diagnose

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// rowsOf builds a batch; each row is a list of settings.
func batchOf(rows ...map[timeline.Column]any) *timeline.Batch {
	b := timeline.NewBuilder()
	for _, row := range rows {
		var r timeline.Row
		for c, v := range row {
			switch v := v.(type) {
			case int:
				r.SetNum(c, int64(v))
			case string:
				r.SetText(c, []byte(v))
			}
		}
		b.Append(&r)
	}
	return b.Flush()
}

func TestRetriesCountTheCallersWholeWait(t *testing.T) {
	const s = 1_000_000
	at := func(number, start, total, status int) map[timeline.Column]any {
		return map[timeline.Column]any{
			timeline.ColRequestID: "r", timeline.ColAttempt: number, timeline.ColTimestamp: 1000*s + start,
			timeline.ColTotalHandler: total, timeline.ColStatus: status,
		}
	}
	b := batchOf(at(1, 0, 400_000, 502), at(2, 5*s, 800_000, 200))
	e := New(rules.Defaults())
	tally := NewTally(e, TallyOptions{Top: 3})
	tally.Add(e.Classify(b))
	got := tally.Summary().Retries
	want := Retries{Retried: 1, Attempts: 2, Failed: 1, Measured: 1, CallerUs: 5_800_000, LostUs: 5_000_000, BackoffUs: 4_600_000}
	if got != want {
		t.Errorf("retries are %+v, want %+v", got, want)
	}
}

// Three attempts without numbers, in any order of lines, are told by their times.
func TestRetriesWithoutNumbers(t *testing.T) {
	const s = 1_000_000
	at := func(start, total, status int) map[timeline.Column]any {
		return map[timeline.Column]any{
			timeline.ColRequestID: "r", timeline.ColTimestamp: 1000*s + start,
			timeline.ColTotalHandler: total, timeline.ColStatus: status,
		}
	}
	e := New(rules.Defaults())
	tally := NewTally(e, TallyOptions{})
	tally.Add(e.Classify(batchOf(at(5*s, 800_000, 200), at(0, 400_000, 503), at(2*s, 1_000_000, 502))))
	got := tally.Summary()
	want := Retries{Retried: 1, Attempts: 3, Failed: 2, Measured: 1, CallerUs: 5_800_000, LostUs: 5_000_000, BackoffUs: 3_600_000}
	if got.Retries != want || got.Totals.Requests != 1 {
		t.Errorf("retries are %+v of %d requests, want %+v", got.Retries, got.Totals.Requests, want)
	}
}

// Requests that do not stream, or are warm-up, change no figure of those that do.
func TestOthersChangeNoStreamingFigure(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	rows := sideOf{n: 300, slow: 0.05}.rows(rng)
	e := New(rules.Defaults())
	count := func(rows []timeline.Row) Pool {
		tally := NewTally(e, TallyOptions{})
		tally.Add(verdictsOf(e, rows))
		return tally.Summary().Whole.Pools[0]
	}
	want := count(rows)
	more := append(slices.Clone(rows), sideOf{n: 200, stream: 2, scale: 5}.rows(rng)...)
	for _, r := range (sideOf{n: 100, scale: 9}).rows(rng) {
		r.SetNum(timeline.ColWarmup, 1)
		more = append(more, r)
	}
	if got := count(more); got.Mode != "streaming" || !reflect.DeepEqual(got, want) {
		t.Error("figures of streaming requests changed")
	}
}

// No figure stands without its n, and a small sample says what it lacks.
func TestSmallSamplesSayWhatTheyLack(t *testing.T) {
	e := New(rules.Defaults())
	for _, tt := range []struct {
		n        int
		p95, p99 bool // there is a value
		bound    bool // p99 is told as a bound
	}{{15, false, false, false}, {80, true, false, true}, {400, true, true, false}} {
		tally := NewTally(e, TallyOptions{})
		tally.Add(verdictsOf(e, sideOf{n: tt.n}.rows(rand.New(rand.NewPCG(7, 8)))))
		for _, m := range tally.Summary().Whole.Pools[0].Metrics {
			for _, f := range m.Figures {
				if f.N != m.N {
					t.Errorf("%s %s: n=%d of %d", m.Metric, f.Level, f.N, m.N)
				}
			}
			if m.Metric != "first_text_delta_ms" {
				continue
			}
			_, bound := m.Figures[2].AtLeast()
			if m.Figures[1].OK != tt.p95 || m.Figures[2].OK != tt.p99 || bound != tt.bound {
				t.Errorf("n=%d: %+v", tt.n, m.Figures)
			}
			if !tt.p99 && m.Figures[2].HiNeedsN != 368 {
				t.Errorf("n=%d: p99 needs %d", tt.n, m.Figures[2].HiNeedsN)
			}
		}
	}
}

// Any order of batches and any split among tallies gives the same summary.
func TestSummaryDoesNotDependOnOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	e := New(rules.Defaults())
	var parts []*Verdicts
	for k := range 20 {
		b := timeline.NewBuilder()
		var r timeline.Row
		for i := range 300 {
			r.Reset()
			r.SetText(timeline.ColRequestID, fmt.Appendf(nil, "r%d", (k*300+i)/2))
			r.SetNum(timeline.ColTimestamp, 1_700_000_000_000_000+rng.Int64N(600_000_000))
			r.SetNum(timeline.ColStream, rng.Int64N(2))
			r.SetNum(timeline.ColStatus, []int64{200, 200, 200, 504, 429}[rng.IntN(5)])
			r.SetNum(timeline.ColUpstreamHeaders, rng.Int64N(4000)*1000)
			r.SetNum(timeline.ColTotalHandler, 4_000_000+rng.Int64N(30)*1_000_000)
			r.SetNum(timeline.ColOutputTokens, rng.Int64N(500))
			r.SetText(timeline.ColChannel, fmt.Appendf(nil, "ch-%d", rng.IntN(5)))
			b.Append(&r)
		}
		parts = append(parts, e.Classify(b.Flush()))
	}
	opt := TallyOptions{Top: 7, By: []timeline.Column{timeline.ColChannel, timeline.ColStatus}, Every: time.Minute}
	few := opt
	few.MaxGroups, few.Jobs = 50, 3
	tight := opt
	tight.MaxMemory = 4 << 20
	for _, opt := range []TallyOptions{opt, few, tight} {
		checkOrder(t, rng, e, opt, parts)
	}
}

func checkOrder(t *testing.T, rng *rand.Rand, e *Engine, opt TallyOptions, parts []*Verdicts) {
	t.Helper()
	count := func(workers int) *Summary {
		tallies := make([]*Tally, workers)
		tallies[0] = NewTally(e, opt)
		for w := range tallies[1:] {
			tallies[1+w] = tallies[0].Sibling()
		}
		for _, k := range rng.Perm(len(parts)) {
			tallies[rng.IntN(workers)].Add(parts[k])
		}
		for _, o := range tallies[1:] {
			tallies[0].Merge(o)
		}
		return tallies[0].Summary()
	}
	want := count(1)
	if want.Totals.Requests != 3000 || want.Totals.Judged != 6000 || len(want.Groups) == 0 || len(want.Slowest) != 7 {
		t.Fatalf("totals are %+v with %d groups", want.Totals, len(want.Groups))
	}
	var kept int64
	for _, g := range want.Groups {
		kept += g.N
	}
	if kept+want.Other != want.Totals.Judged || opt.MaxGroups > 0 && len(want.Groups) != opt.MaxGroups {
		t.Errorf("%d in %d groups and %d in others of %d", kept, len(want.Groups), want.Other, want.Totals.Judged)
	}
	if opt.MaxMemory > 0 && (want.Other == 0 || len(want.Groups) == 0) {
		t.Errorf("%d groups and %d in others under %d bytes", len(want.Groups), want.Other, opt.MaxMemory)
	}
	for range 5 {
		if got := count(1 + rng.IntN(4)); !reflect.DeepEqual(got, want) {
			t.Fatal("the summary depends on the order")
		}
	}
}

// Columns that are shared hold what the rules would compute.
func TestSharedColumnsAreTheMetrics(t *testing.T) {
	e := New(rules.Defaults())
	rng := rand.New(rand.NewPCG(3, 3))
	rows := append(sideOf{n: 70}.rows(rng), checkRows(20, 20)...)
	for i := range rows {
		rows[i].SetNum(timeline.ColAuth, rng.Int64N(1000))
		rows[i].SetNum(timeline.ColUpstreamStart, 2000+rng.Int64N(1000))
	}
	m := newMeasured(verdictsOf(e, rows), new(measuredRoom))
	shared := 0
	for k, name := range summaryNames {
		want, ok := m.Metric(name)
		got := m.columns[k]
		if _, is := recordedOnly(name); is {
			shared++
		}
		for i := range rows {
			if !ok || got.Unit != want.Unit || got.Valid.Has(i) != want.Valid.Has(i) || got.Bound.Has(i) != want.Bound.Has(i) ||
				got.Valid.Has(i) && got.Values[i] != want.Values[i] {
				t.Fatalf("%s of row %d differs", name, i)
			}
		}
	}
	if shared != 6 {
		t.Errorf("%d columns are shared, want 6", shared)
	}
}
