package diagnose

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// steps in microseconds that meet the thresholds, miss them by a hair, or mean
// nothing.
var hairs = []int64{
	0, 1, 400, 1000, 49_999, 50_000, 50_001, 200_000, 499_999, 500_000, 500_001, 999_999, 1_000_000, 1_000_001, 1_900_000,
	1_999_999, 2_000_000, 2_000_001, 2_900_000, 2_999_999, 3_000_000, 3_000_001, 3_999_999, 4_000_000, 4_000_001, 4_900_000,
	5_000_000, 5_000_001, 9_999_999, 10_000_000, 10_000_001, 15_000_000, 45_000_000, 60_000_000, 600_000_000,
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// randomRow makes a record in which anything may be absent, late, cut off or
// cleaned away.
func randomRow(rng *rand.Rand, r *timeline.Row, labels []*timeline.Label) {
	r.Reset()
	maybe := func(percent int) bool { return rng.IntN(100) < percent }
	at := int64(0)
	for _, c := range []timeline.Column{timeline.ColAuth, timeline.ColDistribution, timeline.ColBodyRead} {
		if maybe(25) {
			d := pick(rng, hairs[:24])
			r.SetNum(c, d)
			at += d
		}
	}
	if maybe(30) {
		r.SetNum(timeline.ColUpstreamStart, at+rng.Int64N(20_000))
	}
	headers := pick(rng, hairs[:28])
	if maybe(60) {
		r.SetNum(timeline.ColUpstreamHeaders, headers)
	}
	at += headers
	for _, c := range []timeline.Column{timeline.ColFirstSSEEvent, timeline.ColFirstResponse, timeline.ColFirstTextDelta, timeline.ColUpstreamDone, timeline.ColTotalHandler} {
		at += pick(rng, hairs)
		if maybe(3) {
			at -= rng.Int64N(3000)
		}
		if maybe(55) {
			r.SetNum(c, at)
		}
	}
	randomRest(rng, r, maybe)
	r.Label = pick(rng, labels)
}

func randomRest(rng *rand.Rand, r *timeline.Row, maybe func(int) bool) {
	if maybe(20) {
		r.SetNum(timeline.ColVisibleOutputTPS, pick(rng, []int64{1, 9_800_000, 14_999_999, 15_000_000, 15_000_001, 60_000_000}))
	}
	if maybe(50) {
		r.SetNum(timeline.ColOutputTokens, pick(rng, []int64{0, 1, 2, 15, 16, 64, 65, 75, 150, 600, 9000, 1 << 62}))
	}
	if maybe(20) {
		r.SetNum(timeline.ColReasoningTokens, pick(rng, []int64{0, 1, 60, 580, 10_000}))
	}
	if maybe(80) {
		r.SetFlag(timeline.ColStream, maybe(85))
	}
	if maybe(70) {
		r.SetNum(timeline.ColStatus, pick(rng, []int64{200, 200, 204, 101, 302, 400, 408, 429, 499, 500, 504, 599}))
	}
	if maybe(20) {
		r.SetText(timeline.ColOutcome, []byte(pick(rng, []string{"success", "client_cancelled", "rate_limited", "rejected", "timeout",
			"upstream_error", "incomplete", "unknown", "Timeout", "ok"})))
	}
	if maybe(40) {
		var mask timeline.Mask
		for c := range timeline.AllMarks.All {
			if maybe(60) {
				mask = mask.With(c)
			}
		}
		r.SetText(timeline.ColRecordable, []byte(timeline.Recordable(mask)))
	}
	if maybe(70) {
		r.SetText(timeline.ColModel, []byte(pick(rng, []string{"gpt", "o3-mini", "o3", "claude"})))
	}
	if maybe(70) {
		r.SetText(timeline.ColWorkload, []byte(pick(rng, []string{"chat", "agent", "tool_api"})))
	}
	if maybe(3) {
		r.Notes.Add(pick(rng, []timeline.Note{timeline.BufferedStream, timeline.ReplayedStream, timeline.CacheHit}))
	}
}

func rounded(columns ...timeline.Column) *timeline.Label {
	var items []timeline.Approx
	for k, c := range columns {
		items = append(items, timeline.Approx{Column: c.String(), Origin: "o", Point: "p", Bias: "b", PlusMinusMs: int64(1000 >> k)})
	}
	return timeline.NewLabel(items...)
}

// thresholdsFor are the thresholds that the differential test runs under.
func thresholdSets(t *testing.T) []rules.Thresholds {
	t.Helper()
	file, err := rules.ParseFile([]byte(`
rule: {headers_ms: 2500, generation_tps: 20.125, unknown_tokens_ms: 4000}
overrides:
  - {model: "o3*", rule: {first_response_ms: 1000, response_to_text_ms: 20000, first_event_ms: 1000}}
  - {workload: agent, rule: {headers_ms: 10000, generation_tps: 0, event_to_response_ms: 0}}
  - {model: "*mini", workload: agent, rule: {generation_tokens: 0, generation_window_ms: 0, relay_ms: 0, auth_ms: 0}}
`))
	if err != nil {
		t.Fatal(err)
	}
	return []rules.Thresholds{rules.Defaults(), rules.Combine(file, nil, nil)}
}

// batches are n random records in batches that differ in what is never there.
func randomBatches(rng *rand.Rand, n int) []*timeline.Batch {
	labels := []*timeline.Label{nil, nil, nil, nil, rounded(timeline.ColTotalHandler), rounded(timeline.ColFirstSSEEvent, timeline.ColUpstreamStart, timeline.ColAuth),
		rounded(timeline.ColUpstreamHeaders, timeline.ColFirstTextDelta), timeline.NewLabel(timeline.Approx{Column: "first_response_ms", Bias: "b"})}
	var list []*timeline.Batch
	b := timeline.NewBuilder()
	var r timeline.Row
	for left := n; left > 0; {
		size := min(left, pick(rng, []int{1, 2, 63, 64, 65, 1023, 1024, 1025, 3000}))
		left -= size
		var never timeline.Mask
		if rng.IntN(2) == 0 {
			never = timeline.Mask(rng.Uint64() & rng.Uint64())
		}
		use := labels[:1]
		if rng.IntN(3) == 0 {
			use = labels
		}
		for range size {
			randomRow(rng, &r, use)
			r.Drop(never)
			b.Append(&r)
		}
		list = append(list, b.Flush())
	}
	return list
}

func TestSecondReadingAgrees(t *testing.T) {
	for k, th := range thresholdSets(t) {
		rng := rand.New(rand.NewPCG(7, uint64(k)))
		engine := New(th)
		seen := map[string]int{}
		for _, b := range randomBatches(rng, 20_000) {
			v := engine.Classify(b)
			for i := range b.Len() {
				p := readPlain(b, i, th)
				want := readSpec(p)
				if text := differ(v, i, want); text != "" {
					t.Fatalf("thresholds %d: %s\nrecord %+v", k, text, *p)
				}
				seen[want.class]++
			}
			v.Release()
		}
		for c := range rules.Class(rules.NumClasses) {
			if seen[c.String()] < 20 {
				t.Errorf("thresholds %d: only %d records are %s", k, seen[c.String()], c)
			}
		}
	}
}

// differ says where the engine and the second reading part on row i.
func differ(v *Verdicts, i int, want plainVerdict) string {
	d := v.Diagnosis(i)
	var notes []string
	for _, n := range d.Notes {
		switch n {
		case "looks_non_streaming", "headers_with_first_event", "buffered_stream":
			if v.Notes[i] != 0 && !(n == "buffered_stream" && !v.Notes[i].Has(rules.NoteBufferedStream)) {
				notes = append(notes, n)
			}
		}
	}
	got := fmt.Sprint(d.Class, d.Outcome, d.AlsoSlow, d.Between, d.WouldNeed, v.LowerBound.Has(i), v.NonStreaming.Has(i), notes)
	exp := fmt.Sprint(want.class, want.outcome, want.also, want.between, want.need, want.lowerBound, want.nonStream, want.notes)
	if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(exp, " ", "") {
		return fmt.Sprintf("row %d\n got %s\nwant %s", i, got, exp)
	}
	if (d.Evidence == nil) != (d.Class == rules.NoSlowStage) || d.Evidence != nil && d.Evidence.LowerBound != want.lowerBound {
		return fmt.Sprintf("row %d: evidence %+v for %s", i, d.Evidence, d.Class)
	}
	return ""
}

func TestRandomRowsExplain(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, b := range randomBatches(rng, 4000) {
		v := New(rules.Defaults()).Classify(b)
		for i := range b.Len() {
			x := v.Explain(i)
			checkWalk(t, v, i, &x)
			end := int64(0)
			for _, c := range []timeline.Column{timeline.ColUpstreamStart, timeline.ColFirstSSEEvent, timeline.ColFirstResponse,
				timeline.ColFirstTextDelta, timeline.ColUpstreamDone, timeline.ColTotalHandler} {
				if us, ok := b.Num(c, i); ok {
					end = us
				}
			}
			if total, ok := b.Num(timeline.ColTotalHandler, i); ok {
				end = total
			}
			if len(x.Phases) > 0 {
				checkTiles(t, fmt.Sprint("row ", i), &x, x.Phases[len(x.Phases)-1].End)
				if last := x.Phases[len(x.Phases)-1].End; b.Has(timeline.ColTotalHandler, i) && last != end {
					t.Fatalf("row %d ends at %d, its phases at %d", i, end, last)
				}
			}
		}
	}
}

// checkWalk fails unless the walk tells the same as the verdicts.
func checkWalk(t *testing.T, v *Verdicts, i int, x *Explanation) {
	t.Helper()
	slow := v.AlsoSlow[i]
	if v.Class[i].Slow() {
		slow = slow.With(v.Class[i])
	}
	evaluated := map[string]bool{}
	for _, s := range x.Walk {
		if (s.Verdict == rules.SlowVerdict) != slow.Has(s.Class) {
			t.Fatalf("row %d: %s is %s, slow are %v", i, s.Class, s.Verdict, slow.Names())
		}
		if s.Verdict != rules.Absent && s.Verdict != rules.NotApplicable {
			evaluated[s.Stage] = true
		}
	}
	for _, s := range x.NotEvaluated {
		if evaluated[s] {
			t.Fatalf("row %d: stage %s counts as not evaluated, walk %s", i, s, walkText(x))
		}
	}
}
