package diagnose

import (
	"testing"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// exampleRow is one record in the units of the documents: milliseconds, tokens,
// tokens per second.
type exampleRow struct {
	auth, distribution, body, start, headers float64
	event, response, text, done, total       float64
	tps                                      float64
	output, reasoning                        int64
	status                                   int64 // 0 is 200
	notStream                                bool
	zeroText                                 bool
	model, workload, outcome, recordable     string
}

func (f exampleRow) row(r *timeline.Row) {
	r.Reset()
	set := func(c timeline.Column, ms float64) {
		if ms != 0 {
			r.SetNum(c, int64(ms*1000+0.5))
		}
	}
	set(timeline.ColAuth, f.auth)
	set(timeline.ColDistribution, f.distribution)
	set(timeline.ColBodyRead, f.body)
	set(timeline.ColUpstreamStart, f.start)
	set(timeline.ColUpstreamHeaders, f.headers)
	set(timeline.ColFirstSSEEvent, f.event)
	set(timeline.ColFirstResponse, f.response)
	set(timeline.ColFirstTextDelta, f.text)
	set(timeline.ColUpstreamDone, f.done)
	set(timeline.ColTotalHandler, f.total)
	set(timeline.ColVisibleOutputTPS, f.tps*1000)
	if f.zeroText {
		r.SetNum(timeline.ColFirstTextDelta, 0)
	}
	if f.output != 0 {
		r.SetNum(timeline.ColOutputTokens, f.output)
	}
	if f.reasoning != 0 {
		r.SetNum(timeline.ColReasoningTokens, f.reasoning)
	}
	r.SetFlag(timeline.ColStream, !f.notStream)
	r.SetNum(timeline.ColStatus, 200)
	if f.status != 0 {
		r.SetNum(timeline.ColStatus, f.status)
	}
	r.SetText(timeline.ColModel, []byte(f.model))
	r.SetText(timeline.ColWorkload, []byte(f.workload))
	r.SetText(timeline.ColOutcome, []byte(f.outcome))
	r.SetText(timeline.ColRecordable, []byte(f.recordable))
}

func exampleBatch(list ...exampleRow) *timeline.Batch {
	b := timeline.NewBuilder()
	var r timeline.Row
	for _, f := range list {
		f.row(&r)
		b.Append(&r)
	}
	return b.Flush()
}

// worked are the worked examples of the specification.
var worked = []struct {
	name    string
	in      exampleRow
	class   string
	also    string
	between string
	need    string
}{
	{"trace-a", exampleRow{headers: 6100, response: 6350, text: 6400, total: 9200, tps: 42}, "upstream_headers_slow", "", "", ""},
	{"trace-b", exampleRow{headers: 240, response: 2900, text: 8700, total: 10200, tps: 55}, "response_to_text_slow", "", "", ""},
	{"trace-c", exampleRow{headers: 260, response: 420, text: 430, total: 20430, tps: 9.8}, "generation_slow", "", "", ""},
	{"event-late", exampleRow{headers: 200, event: 4100, response: 4150, text: 4160, total: 6000, tps: 60}, "first_event_slow", "", "", ""},
	{"event-early", exampleRow{headers: 200, event: 260, response: 5400, text: 5420, total: 7000, tps: 60}, "event_to_response_slow", "", "", ""},
	{"no-event", exampleRow{headers: 200, response: 5400, text: 5420, total: 7000, tps: 60}, "first_response_slow", "", "", ""},
	{"creeping", exampleRow{headers: 1900, event: 2900, response: 4800, text: 4850, total: 6000, tps: 60, start: 10}, "first_response_slow", "", "", ""},
	{"slow-upload", exampleRow{body: 5000, start: 5010, headers: 200, event: 5250, response: 5600, text: 5650, total: 7000, tps: 60}, "local_body_read_slow", "", "", ""},
	{"slow-upload-no-t1", exampleRow{body: 5000, headers: 200, event: 5250, response: 5600, text: 5650, total: 7000, tps: 60}, "local_body_read_slow", "", "", ""},
	{"slow-auth", exampleRow{auth: 900, distribution: 20, body: 5, headers: 200, response: 1300, text: 1310, total: 2500, tps: 60}, "local_auth_slow", "", "", ""},
	{"slow-relay", exampleRow{headers: 200, response: 400, text: 410, done: 2000, total: 9000, tps: 60}, "local_relay_slow", "", "", ""},
	{"short-answer", exampleRow{headers: 200, response: 400, text: 410, done: 910, total: 915, output: 3}, "no_slow_stage", "", "", ""},
	{"tool-api", exampleRow{headers: 200, event: 260, response: 900, done: 2900, total: 2905, output: 120}, "no_slow_stage", "", "", ""},
	{"reasoning-share", exampleRow{headers: 200, response: 400, text: 1400, done: 3400, total: 3405, output: 600, reasoning: 580}, "generation_slow", "", "", ""},
	{"zero-text", exampleRow{headers: 240, response: 2900, zeroText: true, total: 10200, output: 300}, "no_slow_stage", "", "", ""},
	{"backwards", exampleRow{headers: 240, event: 3000, response: 2500, text: 2600, total: 4000, tps: 60}, "no_slow_stage", "", "", ""},
	{"no-headers", exampleRow{event: 6000, response: 6100, text: 6150, total: 8000, tps: 60}, "undetermined", "", "upstream_headers_slow first_event_slow", "upstream_headers_ms"},
	{"total-only", exampleRow{total: 45000}, "undetermined", "", "upstream_headers_slow first_response_slow response_to_text_slow generation_slow", "upstream_headers_ms first_response_ms first_text_delta_ms output_tokens"},
	{"total-and-tokens", exampleRow{total: 45000, output: 600}, "no_slow_stage", "", "", ""},
	{"non-stream", exampleRow{notStream: true, headers: 19800, total: 20000, output: 250}, "no_slow_stage", "", "", ""},
	{"non-stream-slow", exampleRow{notStream: true, headers: 39800, total: 40000, output: 250}, "undetermined", "", "upstream_headers_slow first_response_slow generation_slow", "first_response_ms"},
	{"timeout-headers", exampleRow{status: 504, total: 60000}, "upstream_headers_slow", "", "", ""},
	{"timeout-event", exampleRow{status: 504, headers: 200, total: 60000}, "first_event_slow", "", "", ""},
	{"cancel-text", exampleRow{status: 499, headers: 200, event: 240, response: 900, total: 31000}, "response_to_text_slow", "", "", ""},
	{"quick-429", exampleRow{status: 429, total: 50}, "no_slow_stage", "", "", ""},
	{"exact", exampleRow{headers: 2000, response: 2400, text: 2410, total: 4000, tps: 15}, "no_slow_stage", "", "", ""},
	{"nginx-like", exampleRow{headers: 200, total: 45000}, "undetermined", "", "first_response_slow response_to_text_slow generation_slow", "first_response_ms first_text_delta_ms output_tokens"},
	{"long-or-slow", exampleRow{headers: 200, response: 400, text: 410, total: 45000}, "undetermined", "", "generation_slow", "output_tokens"},
	{"two-slow", exampleRow{headers: 2500, response: 2700, text: 32700, total: 34000, tps: 60}, "upstream_headers_slow", "response_to_text_slow", "", ""},
}

func joined(list []string) string {
	text := ""
	for i, s := range list {
		if i > 0 {
			text += " "
		}
		text += s
	}
	return text
}

func TestWorkedExamples(t *testing.T) {
	var list []exampleRow
	for _, c := range worked {
		list = append(list, c.in)
	}
	v := New(rules.Defaults()).Classify(exampleBatch(list...))
	for i, c := range worked {
		alone := New(rules.Defaults()).Classify(exampleBatch(c.in))
		for _, d := range []Diagnosis{v.Diagnosis(i), alone.Diagnosis(0)} {
			got := []string{d.Class.String(), joined(d.AlsoSlow), joined(d.Between), joined(d.WouldNeed)}
			want := []string{c.class, c.also, c.between, c.need}
			for k := range got {
				if got[k] != want[k] {
					t.Errorf("%s: got %q, want %q", c.name, got[k], want[k])
				}
			}
		}
	}
}
