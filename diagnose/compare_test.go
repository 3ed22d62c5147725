package diagnose

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"ttdiag/diagnose/stats"
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// sideOf describes requests of one side.
type sideOf struct {
	n        int
	slow     float64 // share with headers of 4 s more
	scale    float64 // of every time; 0 is 1
	stream   int64   // 0 is 1, 2 is not streaming
	effort   string
	model    func(i int) string
	tokens   int64 // input; 0 is about 1000, -1 is absent
	duration func(model string) float64
	drift    float64 // of the second half
}

func (s sideOf) rows(rng *rand.Rand) []timeline.Row {
	var rows []timeline.Row
	for i := range s.n {
		var r timeline.Row
		scale := max(s.scale, 0)
		if scale == 0 {
			scale = 1
		}
		model := "m"
		if s.model != nil {
			model = s.model(i)
		}
		if s.duration != nil {
			scale *= s.duration(model)
		}
		if s.drift > 0 && i >= s.n/2 {
			scale *= s.drift
		}
		headers := 300_000 * math.Exp(rng.NormFloat64()*0.25) * scale
		if s.slow > 0 && i%int(1/s.slow+0.5) == 0 {
			headers += 4_000_000
		}
		r.SetText(timeline.ColRequestID, fmt.Appendf(nil, "r%d", i))
		r.SetText(timeline.ColModel, []byte(model))
		if s.effort != "" {
			r.SetText(timeline.ColReasoningEffort, []byte(s.effort))
		}
		r.SetNum(timeline.ColTimestamp, 1_700_000_000_000_000+int64(i)*10_000_000)
		r.SetNum(timeline.ColStatus, 200)
		r.SetFlag(timeline.ColStream, s.stream != 2)
		if s.tokens >= 0 {
			r.SetNum(timeline.ColInputTokens, max(s.tokens, 1000)+rng.Int64N(200))
		}
		r.SetNum(timeline.ColOutputTokens, 200+rng.Int64N(100))
		r.SetNum(timeline.ColUpstreamHeaders, int64(headers))
		if s.stream != 2 {
			r.SetNum(timeline.ColFirstSSEEvent, int64(headers+20_000*scale))
			r.SetNum(timeline.ColFirstResponse, int64(headers+60_000*scale))
			r.SetNum(timeline.ColFirstTextDelta, int64(headers+100_000*scale))
		}
		r.SetNum(timeline.ColTotalHandler, int64(headers+(2_000_000+1_000_000*rng.Float64())*scale))
		rows = append(rows, r)
	}
	return rows
}

func verdictsOf(e *Engine, rows []timeline.Row) *Verdicts {
	b := timeline.NewBuilder()
	for i := range rows {
		b.Append(&rows[i])
	}
	return e.Classify(b.Flush())
}

func compareRows(t testing.TB, e *Engine, a, b []timeline.Row, opt CompareOptions) *Comparison {
	t.Helper()
	tally := NewCompareTally("a", "b", opt)
	tally.AddA(verdictsOf(e, a))
	tally.AddB(verdictsOf(e, b))
	c, err := tally.Compare()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func changed(c *Comparison, q stats.Question) []string {
	var out []string
	for _, a := range c.Answers {
		if a.Verdict == stats.Changed && a.Change.Question == q {
			out = append(out, a.Subject)
		}
	}
	return out
}

func TestCompareTellsTheTailFromTheBody(t *testing.T) {
	e := New(rules.Defaults())
	cases := []struct {
		name          string
		a, b          sideOf
		typical, slow bool
	}{
		{"the slow share goes from 4 to 12.5 %", sideOf{n: 300, slow: 0.04}, sideOf{n: 300, slow: 0.125}, false, true},
		{"the body grows by 15 %", sideOf{n: 300, slow: 0.01}, sideOf{n: 300, slow: 0.01, scale: 1.15}, true, false},
	}
	for _, tt := range cases {
		right := 0
		const seeds = 20
		for seed := range uint64(seeds) {
			rng := rand.New(rand.NewPCG(seed, 6))
			c := compareRows(t, e, tt.a.rows(rng), tt.b.rows(rng), CompareOptions{})
			if !c.Comparable {
				t.Fatalf("%s: not comparable: %v", tt.name, c.Blocking)
			}
			typical := slices.Contains(changed(c, stats.Typical), "upstream_headers_ms")
			slow := slices.Contains(changed(c, stats.Slow), "upstream_headers_ms")
			// A tail of 1 % lies beyond p95, so that a body that grew takes p95 along.
			if typical == tt.typical && (slow == tt.slow || tt.typical) {
				right++
			}
		}
		if right < seeds*9/10 {
			t.Errorf("%s: seen as it is in %d of %d", tt.name, right, seeds)
		}
	}
}

func TestRandomHalvesRaiseFewAlarms(t *testing.T) {
	e := New(rules.Defaults())
	rng := rand.New(rand.NewPCG(10, 11))
	rows := sideOf{n: 600, slow: 0.05}.rows(rng)
	for i := range rows {
		rows[i].Drop(timeline.MaskOf(timeline.ColTimestamp)) // without a time there is no drift to look for
	}
	splits := 1000
	if testing.Short() {
		splits = 100
	}
	alarms, blocked := 0, 0
	for range splits {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		c := compareRows(t, e, rows[:300], rows[300:], CompareOptions{})
		if !c.Comparable {
			blocked++
		}
		if slices.ContainsFunc(c.Answers, func(a Answer) bool { return a.Verdict == stats.Changed }) {
			alarms++
		}
	}
	if alarms*100 >= splits*6 {
		t.Errorf("%d alarms in %d splits", alarms, splits)
	}
	if blocked*100 >= splits {
		t.Errorf("%d of %d splits are not comparable", blocked, splits)
	}
}

func TestCompareAtFixedMix(t *testing.T) {
	e := New(rules.Defaults())
	rng := rand.New(rand.NewPCG(12, 13))
	mixed := func(share int) func(i int) string {
		return func(i int) string {
			if i%10 < share {
				return "heavy"
			}
			return "light"
		}
	}
	weight := func(model string) float64 {
		if model == "heavy" {
			return 3
		}
		return 1
	}
	a := sideOf{n: 600, model: mixed(2), duration: weight}.rows(rng)
	b := sideOf{n: 600, model: mixed(7), duration: weight}.rows(rng)
	if c := compareRows(t, e, a, b, CompareOptions{}); c.Comparable || !slices.Equal(c.Blocking, []string{"model"}) || len(c.Answers) > 0 {
		t.Errorf("without matching: comparable %v, blocked by %v, %d answers", c.Comparable, c.Blocking, len(c.Answers))
	}
	c := compareRows(t, e, a, b, CompareOptions{Match: []timeline.Column{timeline.ColModel}})
	if !c.Comparable {
		t.Fatalf("matched: not comparable: %v", c.Blocking)
	}
	fixed := 0
	for _, ans := range c.Answers {
		if ans.Verdict == stats.Changed {
			t.Errorf("%s %s at %v changed: %+v", ans.Subject, ans.Change.Question, ans.Stratum, ans.Change)
		}
		if ans.Fixed && ans.Subject == "end_to_end_ms" && ans.Change.Question == stats.Typical {
			fixed++
			if ans.Crude == nil || ans.Crude.Ratio < 1.5 || ans.Change.Ratio > 1.1 {
				t.Errorf("all together %+v, at fixed mix %+v", ans.Crude, ans.Change)
			}
		}
	}
	if fixed != 1 || len(c.Mix) != 2 || c.Mix[0].A.K != 120 && c.Mix[1].A.K != 120 {
		t.Errorf("%d answers at fixed mix; mix is %+v", fixed, c.Mix)
	}
}

func TestNotComparable(t *testing.T) {
	e := New(rules.Defaults())
	cases := []struct {
		name string
		a, b sideOf
		want []string
	}{
		{"one side does not stream", sideOf{n: 200}, sideOf{n: 200, stream: 2}, []string{"streaming"}},
		{"reasoning effort", sideOf{n: 200, effort: "low"}, sideOf{n: 200, effort: "high"}, []string{"reasoning_effort"}},
		{"prompts of another length", sideOf{n: 200}, sideOf{n: 200, tokens: 9000}, []string{"input_tokens"}},
		{"two requests of which one streams", sideOf{n: 1}, sideOf{n: 1, stream: 2}, []string{"streaming"}},
	}
	for _, tt := range cases {
		rng := rand.New(rand.NewPCG(14, 15))
		c := compareRows(t, e, tt.a.rows(rng), tt.b.rows(rng), CompareOptions{})
		if c.Comparable || !slices.Equal(c.Blocking, tt.want) || len(c.Answers) != 0 {
			t.Errorf("%s: comparable %v, blocked by %v, want %v; %d answers", tt.name, c.Comparable, c.Blocking, tt.want, len(c.Answers))
		}
	}
	rng := rand.New(rand.NewPCG(16, 17))
	low, high := sideOf{n: 200, effort: "low"}.rows(rng), sideOf{n: 200, effort: "high"}.rows(rng)
	if c := compareRows(t, e, low, high, CompareOptions{Accept: []string{"reasoning_effort"}}); !c.Comparable || len(c.Answers) == 0 {
		t.Errorf("accepted, and yet blocked by %v", c.Blocking)
	}
	streamed, whole := sideOf{n: 200}.rows(rng), sideOf{n: 200, stream: 2}.rows(rng)
	if c := compareRows(t, e, streamed, whole, CompareOptions{Accept: []string{"streaming"}}); c.Comparable {
		t.Error("streaming and not: a difference of meaning was accepted")
	}
	matched := CompareOptions{Match: []timeline.Column{timeline.ColModel}}
	if c := compareRows(t, e, streamed, whole, matched); c.Comparable || !slices.Equal(c.Blocking, []string{"streaming"}) {
		t.Errorf("streaming and not, matched by model: blocked by %v", c.Blocking)
	}
	ones := sideOf{n: 50, model: func(int) string { return "m1" }}.rows(rng)
	if c := compareRows(t, e, streamed, ones, matched); c.Comparable || !slices.Equal(c.Blocking, []string{"model"}) {
		t.Errorf("no model in common, matched by model: blocked by %v", c.Blocking)
	}
	both := append(slices.Clone(streamed), whole[:100]...)
	matched.Match = []timeline.Column{timeline.ColStream}
	if c := compareRows(t, e, both, append(slices.Clone(streamed[:100]), whole...), matched); !c.Comparable || len(c.Answers) == 0 {
		t.Errorf("matched by stream: blocked by %v", c.Blocking)
	}
}

// Models are never compared on prompts that are not known to be alike.
func TestModelsOnUnknownPrompts(t *testing.T) {
	e := New(rules.Defaults())
	by := timeline.ColModel
	for _, tt := range []struct {
		name   string
		tokens int64
		want   bool
	}{{"prompt lengths are alike", 0, true}, {"prompt lengths are not recorded", -1, false}} {
		rng := rand.New(rand.NewPCG(18, 19))
		rows := sideOf{n: 400, tokens: tt.tokens, model: func(i int) string { return fmt.Sprintf("m%d", i%2) }}.rows(rng)
		tally := NewCompareTally("m0", "m1", CompareOptions{By: &by})
		tally.AddBy(verdictsOf(e, rows))
		c, err := tally.Compare()
		if err != nil || c.Comparable != tt.want || c.A.N != 200 || c.B.N != 200 {
			t.Errorf("%s: comparable %v, blocked by %v, %v", tt.name, c.Comparable, c.Blocking, err)
		}
	}
}

func TestDriftInsideASide(t *testing.T) {
	e := New(rules.Defaults())
	rng := rand.New(rand.NewPCG(20, 21))
	c := compareRows(t, e, sideOf{n: 400}.rows(rng), sideOf{n: 400, drift: 1.6}.rows(rng), CompareOptions{})
	if len(c.Drift) == 0 {
		t.Fatal("a drift of 60 % is not seen")
	}
	for _, d := range c.Drift {
		if d.Side != "b" || d.Change.Ratio < 1.3 && d.Change.Ratio > 0.8 {
			t.Errorf("drift %+v", d)
		}
	}
}

func TestConditionsAreNamedOnce(t *testing.T) {
	names := Conditions()
	if len(names) != 19 || names[0] != "model" || names[17] != "time_of_day" {
		t.Errorf("conditions are %v", names)
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != 19 {
		t.Error("a name stands twice")
	}
}

func TestComparisonDoesNotDependOnOrder(t *testing.T) {
	e := New(rules.Defaults())
	rng := rand.New(rand.NewPCG(22, 23))
	rows := sideOf{n: 2000, slow: 0.05, model: func(i int) string { return fmt.Sprintf("m%d", i%3) }}.rows(rng)
	for i := range rows {
		rows[i].SetText(timeline.ColChannel, fmt.Appendf(nil, "c%d", i*7%5%2))
	}
	by := timeline.ColChannel
	for _, limit := range []int{0, 300} {
		opt := CompareOptions{By: &by, Match: []timeline.Column{timeline.ColModel}, MaxRows: limit}
		find := func() *Comparison {
			tallies := []*CompareTally{NewCompareTally("c0", "c1", opt), NewCompareTally("c0", "c1", opt)}
			for _, k := range rng.Perm(20) {
				tallies[rng.IntN(2)].AddBy(verdictsOf(e, rows[100*k:100*k+100]))
			}
			tallies[0].Merge(tallies[1])
			c, err := tallies[0].Compare()
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		want := find()
		if limit > 0 && (want.A.Kept > 300 || want.A.N+want.B.N != 2000) {
			t.Errorf("kept %d of %d", want.A.Kept, want.A.N)
		}
		for range 3 {
			if got := find(); !reflect.DeepEqual(got, want) {
				t.Error("the comparison depends on the order")
			}
		}
	}
}

func TestCompareWithNothing(t *testing.T) {
	e := New(rules.Defaults())
	tally := NewCompareTally("a", "b", CompareOptions{})
	tally.AddA(verdictsOf(e, sideOf{n: 3}.rows(rand.New(rand.NewPCG(1, 1)))))
	if _, err := tally.Compare(); !errors.Is(err, ErrSides) {
		t.Errorf("error is %v", err)
	}
}

func TestLargestValues(t *testing.T) {
	e := New(rules.Defaults())
	rows := sideOf{n: 60, model: func(i int) string { return []string{"a", "b", "b", "c", "c", "c"}[i%6] }}.rows(rand.New(rand.NewPCG(1, 1)))
	tally := NewValueTally(timeline.ColModel, Filter{})
	tally.Add(verdictsOf(e, rows[:30]))
	tally.Add(verdictsOf(e, rows[30:]))
	if a, b, err := tally.Largest(); a != "b" || b != "c" || err != nil {
		t.Errorf("largest are %q and %q, %v", a, b, err)
	}
	if _, _, err := NewValueTally(timeline.ColModel, Filter{}).Largest(); !errors.Is(err, ErrValues) {
		t.Errorf("of nothing: %v", err)
	}
}

// The bad end of a speed is the low one: the tail question asks for p5.
func TestTailOfASpeedIsLow(t *testing.T) {
	side := func(slowest int64) []timeline.Row {
		rows := sideOf{n: 400}.rows(rand.New(rand.NewPCG(1, 2)))
		for i := range rows {
			rows[i].SetNum(timeline.ColVisibleOutputTPS, 60_000)
			if i%10 == 0 {
				rows[i].SetNum(timeline.ColVisibleOutputTPS, slowest)
			}
		}
		return rows
	}
	c := compareRows(t, New(rules.Defaults()), side(50_000), side(20_000), CompareOptions{})
	for _, a := range c.Answers {
		if a.Subject == "visible_output_tps" && a.Change.Question == stats.Slow {
			if a.Change.Level != stats.P5 || a.Change.A != 50_000 || a.Change.B != 20_000 {
				t.Errorf("tail %v against %v, want 50 000, 20 000", a.Change.A, a.Change.B)
			}
			return
		}
	}
	t.Error("no answer about the tail of the speed")
}
