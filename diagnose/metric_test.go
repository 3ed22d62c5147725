package diagnose

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// plainMetrics computes the metrics of one record by their formulas.
func plainMetrics(p *plainRecord) map[string]opt {
	final, end := orElse(p.t6, p.t7), orElse(p.t7, p.t6)
	m := map[string]opt{
		"end_to_end_ms": end, "final_response_ms": final,
		"visible_generation_window_ms": minus(final, p.t5), "effective_generation_window_ms": minus(final, p.t4),
		"event_to_end_ms": minus(final, p.t3), "relay_tail_ms": minus(p.t7, p.t6), "final_since_upstream_ms": p.since(final),
		"visible_output_tps": p.tps,
	}
	w := &plainWalk{plainRecord: p, final: final, end: end}
	noSpeed := w.buffered() || strings.Contains(p.notes, "buffered_stream") || strings.Contains(p.notes, "replayed")
	tokens := opt{v: min(p.output.v, 1_000_000_000), ok: p.output.ok}
	if !noSpeed {
		m["effective_output_tps"] = ratioOpt(tokens, 1e12, minus(final, p.t4))
		if !p.tps.ok {
			m["visible_output_tps"] = ratioOpt(w.visible(), 1e12, minus(final, p.t5))
		}
		if tokens.ok && tokens.v >= 2 {
			m["inter_token_latency_ms"] = ratioOrZero(minus(final, p.t4), opt{v: tokens.v - 1, ok: true})
		}
	}
	return m
}

func ratioOpt(part opt, scale int64, whole opt) opt {
	if part.v == 0 {
		return opt{}
	}
	return scaledOpt(part, scale, whole)
}

func ratioOrZero(part, whole opt) opt { return scaledOpt(part, 1, whole) }

func scaledOpt(part opt, scale int64, whole opt) opt {
	if !part.ok || !whole.ok || whole.v == 0 {
		return opt{}
	}
	num := new(big.Int).Mul(big.NewInt(part.v), big.NewInt(scale))
	num.Add(num, big.NewInt(whole.v/2))
	if num.Div(num, big.NewInt(whole.v)); !num.IsInt64() {
		return opt{v: math.MaxInt64, ok: true}
	}
	return opt{v: num.Int64(), ok: true}
}

func TestMetricsFollowTheirFormulas(t *testing.T) {
	th := rules.Defaults()
	for _, b := range randomBatches(rand.New(rand.NewPCG(5, 5)), 5000) {
		v := New(th).Classify(b)
		columns := map[string]MetricColumn{}
		for _, name := range Metrics() {
			col, ok := v.Metric(name)
			if !ok {
				t.Fatalf("%s is no metric", name)
			}
			columns[name] = col
		}
		for i := range b.Len() {
			p := readPlain(b, i, th)
			want := plainMetrics(p)
			for _, name := range []string{"end_to_end_ms", "final_response_ms", "visible_generation_window_ms", "effective_generation_window_ms",
				"event_to_end_ms", "relay_tail_ms", "final_since_upstream_ms", "visible_output_tps", "effective_output_tps", "inter_token_latency_ms"} {
				col := columns[name]
				if col.Valid.Has(i) != want[name].ok || want[name].ok && col.Values[i] != want[name].v || col.Bound.Has(i) {
					t.Fatalf("%s of row %d: %v, want %+v\n%+v", name, i, col.Valid.Has(i), want[name], *p)
				}
			}
			checkDerived(t, v, i, columns)
		}
	}
}

// checkDerived holds the list of one row against the columns.
func checkDerived(t *testing.T, v *Verdicts, i int, columns map[string]MetricColumn) {
	t.Helper()
	got := map[string]int64{}
	for _, d := range v.Derived(nil, i) {
		if d.Unit != rules.Text {
			got[d.Name] = d.Num
		} else if d.Text == "" {
			t.Fatalf("%s of row %d is empty", d.Name, i)
		}
	}
	for _, name := range derivedNames {
		col := columns[name]
		have := col.Valid.Has(i) && !col.Bound.Has(i)
		value, ok := got[name]
		if ok != have || ok && value != col.Values[i] {
			t.Fatalf("%s of row %d: %d %v, column says %v", name, i, value, ok, have)
		}
	}
}

func TestMetricBounds(t *testing.T) {
	rows := []exampleRow{example(t, "timeout-headers"), example(t, "timeout-event"), example(t, "cancel-text"), example(t, "trace-b"),
		{status: 504, headers: 200, event: 400, total: 9000}}
	v := New(rules.Defaults()).Classify(exampleBatch(rows...))
	cases := map[string]string{
		"upstream_headers_ms":              "≥60000 200 200 240 200",
		"first_sse_event_ms":               "– ≥60000 240 – 400",
		"first_event_since_upstream_ms":    "– ≥60000 240 – 400",
		"first_response_ms":                "– – 900 2900 ≥9000",
		"event_to_response_gap_ms":         "– – 660 – ≥8600",
		"first_response_since_upstream_ms": "– – 900 2900 ≥9000",
		"first_text_delta_ms":              "– – ≥31000 8700 –",
		"response_to_text_gap_ms":          "– – ≥30100 5800 –",
		"total_handler_ms":                 "60000 60000 31000 10200 9000",
		"visible_output_tps":               "– – – 55 –",
		"auth_ms":                          "– – – – –",
	}
	for name, want := range cases {
		col, ok := v.Metric(name)
		var list []string
		for i := range rows {
			text := "–"
			if col.Valid.Has(i) {
				text = rules.FormatValue(col.Values[i], col.Unit)
			}
			if col.Bound.Has(i) {
				text = "≥" + text
			}
			list = append(list, text)
		}
		if got := strings.Join(list, " "); got != want || !ok {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if _, ok := v.Metric("ttft"); ok {
		t.Error("ttft is no metric")
	}
	if _, ok := v.MetricColumns("auth_ms", "ttft"); ok {
		t.Error("ttft is no metric among others")
	}
}

// TestDiagnosisHoldsTheRecord checks all that is copied.
func TestDiagnosisHoldsTheRecord(t *testing.T) {
	b := timeline.NewBuilder()
	var r timeline.Row
	example(t, "trace-b").row(&r)
	r.SetText(timeline.ColRequestID, []byte("trace-b"))
	r.SetText(timeline.ColModel, []byte("m"))
	r.SetText(timeline.ColChannel, []byte("c1"))
	r.SetNum(timeline.ColAttempt, 1)
	r.SetNum(timeline.ColTimestamp, 1_000_000)
	r.SetNum(timeline.ColTemperature, 700_000)
	r.SetNum(timeline.ColOutputTokens, 90)
	r.SetNum(timeline.ColSourceLine, 2)
	r.SetNum(timeline.ColSourceByte, 312)
	r.SetNum(timeline.ColUpstreamDone, -1)
	r.Notes.Add(timeline.CacheHit)
	r.Label = timeline.NewLabel(timeline.Approx{Column: "total_handler_ms", Origin: "o", Point: "p", Bias: "b", PlusMinusMs: 1})
	b.Append(&r)
	v := New(rules.Defaults()).Classify(b.Flush().WithSource("logs.jsonl"))
	d := v.Diagnosis(0)
	got := fmt.Sprint(d.Schema, d.RequestID, d.Attempt, d.Model, d.Outcome, d.Class, d.Stage, d.AlsoSlow, d.Between, d.WouldNeed,
		d.NotEvaluated, d.LookAt, d.Notes, d.Cleaned, d.Timings, d.Tokens, d.Metadata, d.Approx, d.Source)
	want := "ttdiag.diagnosis/1trace-b1msuccess response_to_text_slowtext[] [] [] [first_event] [tools reasoning composition] " +
		"[out_of_range cache_hit] [{upstream_done_ms out_of_range}] " +
		"[{upstream_headers_ms 0 240000 } {first_response_ms 0 2900000 } {first_text_delta_ms 0 8700000 } {total_handler_ms 0 10200000 }] " +
		"[{output_tokens 3 90 }] [{timestamp 6 1000000 } {stream 4 1 } {status 3 200 } {temperature 5 700000 } {channel 7 0 c1}] " +
		"[{total_handler_ms o p b 1000}] {logs.jsonl 2 312}"
	if strings.Join(strings.Fields(got), "") != strings.Join(strings.Fields(want), "") {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if again := v.Engine().Thresholds(); again.Base != rules.DefaultLimits() {
		t.Error("the engine has other thresholds")
	}
	var reused Diagnosis
	for range 2 {
		v.Fill(0, &reused)
	}
	if fmt.Sprintf("%+v", reused.Derived) != fmt.Sprintf("%+v", d.Derived) || len(reused.Notes) != len(d.Notes) {
		t.Errorf("a diagnosis used again differs: %+v", reused)
	}
}

func TestNothingToJudge(t *testing.T) {
	v := New(rules.Defaults()).Classify(timeline.NewBuilder().Flush())
	if len(v.Class) != 0 {
		t.Errorf("%d classes of no row", len(v.Class))
	}
	if col, ok := v.Metric("total_handler_ms"); !ok || col.Values != nil {
		t.Errorf("%+v, %v", col, ok)
	}
	b := timeline.NewBuilder()
	b.Append(&timeline.Row{})
	v = New(rules.Defaults()).Classify(b.Flush())
	d := v.Diagnosis(0)
	if d.Class != rules.NoSlowStage || d.Outcome != rules.Unknown || d.Evidence != nil || len(d.NotEvaluated) != 5 || d.Source.Byte != -1 {
		t.Errorf("%+v", d)
	}
}
