package diagnose

import (
	"testing"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// TestThresholdHair puts one value on its threshold, where nothing is slow yet,
// and one unit beyond it.
func TestThresholdHair(t *testing.T) {
	const us = 0.001 // in milliseconds
	quick := exampleRow{headers: 200, event: 210, response: 220, text: 230, done: 1000, total: 1001, tps: 60}
	cases := []struct {
		name   string
		class  string
		at     func(*exampleRow)
		beyond func(*exampleRow)
	}{
		{"headers", "upstream_headers_slow",
			func(r *exampleRow) { r.headers = 2000 }, func(r *exampleRow) { r.headers = 2000 + us }},
		{"first event", "first_event_slow",
			func(r *exampleRow) { *r = exampleRow{headers: 200, event: 3000, tps: 60, total: 3001} },
			func(r *exampleRow) { *r = exampleRow{headers: 200, event: 3000 + us, tps: 60, total: 3001} }},
		{"event to response", "event_to_response_slow",
			func(r *exampleRow) { *r = exampleRow{headers: 200, event: 300, response: 2300, total: 2400, tps: 60} },
			func(r *exampleRow) {
				*r = exampleRow{headers: 200, event: 300, response: 2300 + us, total: 2400, tps: 60}
			}},
		{"first response", "first_response_slow",
			func(r *exampleRow) { *r = exampleRow{headers: 200, response: 3000, total: 3100, tps: 60} },
			func(r *exampleRow) { *r = exampleRow{headers: 200, response: 3000 + us, total: 3100, tps: 60} }},
		{"text", "response_to_text_slow",
			func(r *exampleRow) { r.text, r.done, r.total = 2220, 3000, 3001 },
			func(r *exampleRow) { r.text, r.done, r.total = 2220+us, 3000, 3001 }},
		{"recorded speed", "generation_slow",
			func(r *exampleRow) { r.tps, r.done, r.total = 15, 3000, 3001 },
			func(r *exampleRow) { r.tps, r.done, r.total = 14.999999, 3000, 3001 }},
		{"recorded speed, window", "generation_slow",
			func(r *exampleRow) { r.tps, r.done, r.total = 9, 1230-us, 1230 },
			func(r *exampleRow) { r.tps, r.done, r.total = 9, 1230, 1230 }},
		{"recorded speed, tokens", "generation_slow",
			func(r *exampleRow) { r.tps, r.done, r.total, r.output = 9, 3000, 3001, 15 },
			func(r *exampleRow) { r.tps, r.done, r.total, r.output = 9, 3000, 3001, 16 }},
		{"derived speed", "generation_slow",
			func(r *exampleRow) { r.tps, r.done, r.total, r.output = 0, 2230, 2240, 30 },
			func(r *exampleRow) { r.tps, r.done, r.total, r.output = 0, 2230+us, 2240, 30 }},
		{"derived speed, reasoning", "generation_slow",
			func(r *exampleRow) { r.tps, r.done, r.total, r.output, r.reasoning = 0, 2230, 2240, 100, 70 },
			func(r *exampleRow) { r.tps, r.done, r.total, r.output, r.reasoning = 0, 2230, 2240, 100, 71 }},
		{"effective speed", "generation_slow",
			func(r *exampleRow) { *r = exampleRow{headers: 200, response: 300, done: 2300, output: 30} },
			func(r *exampleRow) { *r = exampleRow{headers: 200, response: 300, done: 2300 + us, output: 30} }},
		{"auth", "local_auth_slow", func(r *exampleRow) { r.auth = 500 }, func(r *exampleRow) { r.auth = 500 + us }},
		{"distribution", "local_distribution_slow", func(r *exampleRow) { r.distribution = 500 }, func(r *exampleRow) { r.distribution = 500 + us }},
		{"body read", "local_body_read_slow", func(r *exampleRow) { r.body = 1000 }, func(r *exampleRow) { r.body = 1000 + us }},
		{"relay", "local_relay_slow", func(r *exampleRow) { r.total = 2000 }, func(r *exampleRow) { r.total = 2000 + us }},
		{"event without headers", "undetermined",
			func(r *exampleRow) { *r = exampleRow{event: 3000, tps: 60, total: 3001} },
			func(r *exampleRow) { *r = exampleRow{event: 3000 + us, tps: 60, total: 3001} }},
		{"response without headers", "undetermined",
			func(r *exampleRow) { *r = exampleRow{response: 3000, tps: 60, total: 3001} },
			func(r *exampleRow) { *r = exampleRow{response: 3000 + us, tps: 60, total: 3001} }},
		{"text after event", "undetermined",
			func(r *exampleRow) { *r = exampleRow{headers: 1, event: 100, text: 4100, tps: 60, total: 4101} },
			func(r *exampleRow) { *r = exampleRow{headers: 1, event: 100, text: 4100 + us, tps: 60, total: 4101} }},
		{"text since upstream", "undetermined",
			func(r *exampleRow) { *r = exampleRow{headers: 1, text: 5000, tps: 60, total: 5001} },
			func(r *exampleRow) { *r = exampleRow{headers: 1, text: 5000 + us, tps: 60, total: 5001} }},
		{"text without headers", "undetermined",
			func(r *exampleRow) { *r = exampleRow{text: 5000, tps: 60, total: 5001} },
			func(r *exampleRow) { *r = exampleRow{text: 5000 + us, tps: 60, total: 5001} }},
		{"end with tokens", "undetermined",
			func(r *exampleRow) { *r = exampleRow{total: 45000, output: 600} },
			func(r *exampleRow) { *r = exampleRow{total: 45000 + us, output: 600} }},
		{"end after event with tokens", "undetermined",
			func(r *exampleRow) { *r = exampleRow{event: 1000, total: 45000, output: 600} },
			func(r *exampleRow) { *r = exampleRow{event: 1000, total: 45000 + us, output: 600} }},
		{"end without tokens", "undetermined",
			func(r *exampleRow) { *r = exampleRow{total: 10000} }, func(r *exampleRow) { *r = exampleRow{total: 10000 + us} }},
		{"end after response", "undetermined",
			func(r *exampleRow) { *r = exampleRow{headers: 1, response: 100, total: 10100} },
			func(r *exampleRow) { *r = exampleRow{headers: 1, response: 100, total: 10100 + us} }},
		{"end after text", "undetermined",
			func(r *exampleRow) { *r = exampleRow{headers: 1, response: 100, text: 110, total: 10110} },
			func(r *exampleRow) { *r = exampleRow{headers: 1, response: 100, text: 110, total: 10110 + us} }},
		{"non-streaming with tokens", "undetermined",
			func(r *exampleRow) { *r = exampleRow{notStream: true, total: 15000, output: 150} },
			func(r *exampleRow) { *r = exampleRow{notStream: true, total: 15000 + us, output: 150} }},
		{"non-streaming without tokens", "undetermined",
			func(r *exampleRow) { *r = exampleRow{notStream: true, total: 10000} },
			func(r *exampleRow) { *r = exampleRow{notStream: true, total: 10000 + us} }},
		{"headers proven", "undetermined", // 2000 proves them in time, so that 3b may fire on its own limit
			func(r *exampleRow) { *r = exampleRow{event: 2000, response: 3000, tps: 60, total: 3001} },
			func(r *exampleRow) { *r = exampleRow{event: 2000 + us, response: 3000 + us, tps: 60, total: 3001} }},
	}
	engine := New(rules.Defaults())
	for _, c := range cases {
		at, beyond := quick, quick
		c.at(&at)
		c.beyond(&beyond)
		v := engine.Classify(exampleBatch(at, beyond))
		if v.Class[0] != rules.NoSlowStage {
			t.Errorf("%s: %s at the threshold", c.name, v.Class[0])
		}
		if v.Class[1].String() != c.class {
			t.Errorf("%s: %s beyond the threshold, want %s", c.name, v.Class[1], c.class)
		}
	}
}

// TestRoundedValues sees to it that no verdict rests on rounding.
func TestRoundedValues(t *testing.T) {
	cases := []struct {
		name  string
		in    exampleRow
		label *timeline.Label
		class string
	}{
		{"six seconds, give or take one, is beyond nothing", exampleRow{total: 10000}, rounded(timeline.ColTotalHandler), "no_slow_stage"},
		{"ten seconds at least", exampleRow{total: 11000}, rounded(timeline.ColTotalHandler), "undetermined"},
		{"ten seconds, less a bit", exampleRow{total: 10999.999}, rounded(timeline.ColTotalHandler), "no_slow_stage"},
		{"exact", exampleRow{total: 10999.999}, nil, "undetermined"},
		{"headers", exampleRow{headers: 2999.999, response: 3000, text: 3000, total: 3000, tps: 60}, rounded(timeline.ColUpstreamHeaders), "no_slow_stage"},
		{"headers beyond", exampleRow{headers: 3000, response: 3000, text: 3000, total: 3000, tps: 60}, rounded(timeline.ColUpstreamHeaders), "upstream_headers_slow"},
		{"not proven in time", exampleRow{event: 1500, response: 3500, total: 3600, tps: 60}, rounded(timeline.ColFirstSSEEvent), "undetermined"},
		{"proven in time", exampleRow{event: 1000, response: 3000, total: 3600, tps: 60}, rounded(timeline.ColFirstSSEEvent), "no_slow_stage"},
	}
	for _, c := range cases {
		b := timeline.NewBuilder()
		var r timeline.Row
		c.in.row(&r)
		r.Label = c.label
		b.Append(&r)
		v := New(rules.Defaults()).Classify(b.Flush())
		if got := v.Class[0].String(); got != c.class {
			t.Errorf("%s: %s, want %s", c.name, got, c.class)
		}
	}
}
