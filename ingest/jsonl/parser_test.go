package jsonl

import (
	"strings"
	"testing"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// read parses lines with one parser and returns the batch and the rejections.
func read(lines ...string) (*timeline.Batch, []source.Rejection) {
	f := Formats()[0]
	out := source.NewOut(f, nil)
	p := f.Lines(source.Options{})
	var rejected []source.Rejection
	for i, line := range lines {
		out.At(source.Position{Line: int64(i + 1)})
		out.Line()
		if r := p.Parse([]byte(line), out); r.Reason != source.OK {
			rejected = append(rejected, r)
		}
	}
	return out.Flush().Batch, rejected
}

func TestNumbers(t *testing.T) {
	const c = timeline.ColTotalHandler
	cases := []struct {
		name, fields string
		want         int64
		ok           bool
		notes        string
	}{
		{"whole", `"total_handler_ms":9200`, 9200000, true, ""},
		{"fraction", `"total_handler_ms":9200.5`, 9200500, true, ""},
		{"rounded half up", `"total_handler_ms":0.0005`, 1, true, ""},
		{"rounded down", `"total_handler_ms":0.00049999`, 0, true, ""},
		{"exponent", `"total_handler_ms":1.5e3`, 1500000, true, ""},
		{"zero is a value", `"total_handler_ms":0`, 0, true, ""},
		{"text", `"total_handler_ms":"9200"`, 9200000, true, ""},
		{"escaped text", `"total_handler_ms":"9\u00320"`, 920000, true, ""},
		{"seconds", `"total_handler_s":9.2`, 9200000, true, ""},
		{"microseconds", `"total_handler_us":9200123`, 9200123, true, ""},
		{"nanoseconds", `"total_handler_ns":9200123499`, 9200123, true, ""},
		{"camel case", `"totalHandlerMs":9200`, 9200000, true, ""},
		{"nested", `"timings":{"total_handler_ms":9200}`, 9200000, true, ""},
		{"long name", `"total_handler_milliseconds":9200`, 9200000, true, ""},
		{"blanks", ` "total_handler_ms" : 9200 `, 9200000, true, ""},
		{"null", `"total_handler_ms":null`, 0, false, ""},
		{"empty text", `"total_handler_ms":""`, 0, false, ""},
		{"negative", `"total_handler_ms":-1`, 0, false, "out_of_range:total_handler_ms"},
		{"eight days", `"total_handler_ms":691200000`, 0, false, "out_of_range:total_handler_ms"},
		{"huge", `"total_handler_ms":1e999`, 0, false, "out_of_range:total_handler_ms"},
		{"nineteen digits", `"total_handler_ns":9200123499000000000`, 0, false, "out_of_range:total_handler_ms"},
		{"many digits", `"total_handler_ms":1.00000000000000000000000000001`, 1000, true, ""},
		{"word", `"total_handler_ms":"soon"`, 0, false, "bad_value:total_handler_ms"},
		{"NaN in quotes", `"total_handler_ms":"NaN"`, 0, false, "out_of_range:total_handler_ms"},
		{"boolean", `"total_handler_ms":true`, 0, false, "bad_value:total_handler_ms"},
		{"array", `"total_handler_ms":[1]`, 0, false, "bad_value:total_handler_ms"},
		{"own name wins, first", `"total_handler_ms":1,"total_handler_s":2`, 1000, true, ""},
		{"own name wins, last", `"total_handler_s":2,"total_handler_ms":1`, 1000, true, ""},
		{"own name wins over a bad one", `"total_handler_s":"x","total_handler_ms":1`, 1000, true, ""},
		{"beside wins over nested", `"timings":{"total_handler_ms":2},"total_handler_s":1`, 1000000, true, ""},
		{"null does not win, first", `"total_handler_ms":null,"total_handler_s":2`, 2000000, true, ""},
		{"null does not win, last", `"total_handler_s":2,"total_handler_ms": null`, 2000000, true, ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			b, rejected := read("{"+tc.fields+"}", `{"request_id":"r",`+tc.fields+`}`, "{"+tc.fields+"}")
			if len(rejected) != 0 || b.Len() != 3 {
				t.Fatalf("%d records, rejected %v", b.Len(), rejected)
			}
			for i := range 3 {
				got, ok := b.Num(c, i)
				if got != tc.want || ok != tc.ok || b.Text(timeline.ColNotes, i) != tc.notes {
					t.Errorf("row %d: %d, %v, notes %q; want %d, %v, %q", i, got, ok, b.Text(timeline.ColNotes, i), tc.want, tc.ok, tc.notes)
				}
			}
		})
	}
}

func TestColumns(t *testing.T) {
	b, rejected := read(`{"request_id":"a\"\u00e9","model":7,"stream":true,"tools":"false","status":"200","temperature":0.7,` +
		`"ts":"2026-08-21T05:15:33.5+02:00","input_tokens":12,"channel":{"a":1},"route":true,"auth_ms":0,` +
		`"derived":{"visible_output_tps":55.5,"visible_output_tps_basis":"recorded"}}`)
	if len(rejected) != 0 || b.Len() != 1 {
		t.Fatalf("%d records, rejected %v", b.Len(), rejected)
	}
	for c, want := range map[timeline.Column]int64{
		timeline.ColStream: 1, timeline.ColTools: 0, timeline.ColStatus: 200, timeline.ColTemperature: 700000,
		timeline.ColTimestamp: 1787282133500000, timeline.ColInputTokens: 12, timeline.ColAuth: 0,
		timeline.ColVisibleOutputTPS: 55500000, timeline.ColSourceLine: 1,
	} {
		if got, ok := b.Num(c, 0); got != want || !ok {
			t.Errorf("%s = %d, %v; want %d", c, got, ok, want)
		}
	}
	for c, want := range map[timeline.Column]string{
		timeline.ColRequestID: `a"é`, timeline.ColModel: "7", timeline.ColFormat: "jsonl", timeline.ColVantage: "gateway",
		timeline.ColNotes: "bad_value:channel;bad_value:route",
	} {
		if got := b.Text(c, 0); got != want {
			t.Errorf("%s = %q; want %q", c, got, want)
		}
	}
}

func TestDerivedSpeedIsNotRecorded(t *testing.T) {
	b, _ := read(`{"timings":{"total_handler_ms":1},"derived":{"visible_output_tps":55,"visible_output_tps_basis":"output_tokens"}}`)
	if b.Has(timeline.ColVisibleOutputTPS, 0) {
		t.Error("a derived speed was taken for a recorded one")
	}
}

func TestDiagnosisReadAgain(t *testing.T) {
	const said = `"timings":{"upstream_headers_ms":240,"total_handler_ms":10200},"tokens":{"output_tokens":9},"recordable":"total_handler_ms",` +
		`"approx":[{"column":"total_handler_ms","origin":"o","point":"p","bias":"low","plus_minus_ms":1000}],"source":{"line":7}`
	b, rejected := read(`{"schema":"ttdiag.diagnosis/1","request_id":"a",`+said+`}`, `{`+said+`}`)
	if len(rejected) != 0 || b.Len() != 2 {
		t.Fatalf("%d records, rejected %v", b.Len(), rejected)
	}
	for i := range 2 {
		if v, _ := b.Num(timeline.ColTotalHandler, i); v != 10200000 {
			t.Errorf("row %d: total %d", i, v)
		}
	}
	for c, want := range map[timeline.Column]string{
		timeline.ColApprox:     `[{"column":"total_handler_ms","origin":"o","point":"p","bias":"low","plus_minus_ms":1000}]`,
		timeline.ColRecordable: "total_handler_ms",
	} {
		if got := b.Text(c, 0); got != want {
			t.Errorf("%s %q; want %q", c, got, want)
		}
		if got := b.Text(c, 1); got != "" {
			t.Errorf("%s %q without the schema", c, got)
		}
	}
}

func TestRejections(t *testing.T) {
	deep := strings.Repeat(`[`, 20000)
	cases := []struct {
		name, line string
		want       source.Rejection
	}{
		{"bare NaN", `{"total_handler_ms":NaN}`, source.Reject(source.InvalidJSON, 20)},
		{"bare NaN nobody wants", `{"total_handler_ms":1,"x":NaN}`, source.Reject(source.InvalidJSON, 26)},
		{"trailing comma", `{"total_handler_ms":1,}`, source.Reject(source.InvalidJSON, 22)},
		{"leading zero", `{"total_handler_ms":01}`, source.Reject(source.InvalidJSON, 21)},
		{"no fraction", `{"total_handler_ms":1.}`, source.Reject(source.InvalidJSON, 22)},
		{"plus", `{"total_handler_ms":+1}`, source.Reject(source.InvalidJSON, 20)},
		{"letters after a number", `{"total_handler_ms":1ms}`, source.Reject(source.InvalidJSON, 21)},
		{"control character", "{\"total_handler_ms\":1,\"x\":\"a\tb\"}", source.Reject(source.InvalidJSON, 28)},
		{"bad escape", `{"total_handler_ms":1,"x":"a\x"}`, source.Reject(source.InvalidJSON, 28)},
		{"bad unicode escape", `{"total_handler_ms":1,"x":"\u12g4"}`, source.Reject(source.InvalidJSON, 31)},
		{"not UTF-8", "{\"total_handler_ms\":1,\"x\":\"a\xff\"}", source.Reject(source.InvalidUTF8, 28)},
		{"overlong", "{\"total_handler_ms\":1,\"x\":\"\xc0\xaf\"}", source.Reject(source.InvalidUTF8, 27)},
		{"surrogate in UTF-8", "{\"total_handler_ms\":1,\"x\":\"\xed\xa0\x80\"}", source.Reject(source.InvalidUTF8, 27)},
		{"something after", `{"total_handler_ms":1} x`, source.Reject(source.InvalidJSON, 23)},
		{"second object", `{"total_handler_ms":1}{"total_handler_ms":1}`, source.Reject(source.InvalidJSON, 22)},
		{"torn", `{"total_handler_ms":1,"mod`, source.Reject(source.TruncatedJSON, 26)},
		{"torn in a number", `{"total_handler_ms":1`, source.Reject(source.TruncatedJSON, 21)},
		{"torn after a colon", `{"total_handler_ms":`, source.Reject(source.TruncatedJSON, 20)},
		{"array", `[{"total_handler_ms":1}]`, source.Reject(source.NotAnObject, 0)},
		{"number", `12`, source.Reject(source.NotAnObject, 0)},
		{"banner", `starting up`, source.Reject(source.InvalidJSON, 0)},
		{"too deep", `{"x":` + deep, source.Reject(source.TooDeep, 5+512)},
		{"too deep, an array", deep, source.Reject(source.TooDeep, 512)},
		{"no column", `{"level":"info","msg":"up"}`, source.Reject(source.NotARecord, 0)},
		{"no column but a time", `{"ts":1787282133,"msg":"up"}`, source.Reject(source.NotARecord, 0)},
		{"twice", `{"total_handler_ms":1,"total_handler_ms":1}`, source.Rejection{Reason: source.DuplicateKey, Offset: 41, Field: "total_handler_ms"}},
		{"twice, escaped", `{"total_handler_ms":1,"total\u005fhandler_ms":1}`, source.Rejection{Reason: source.DuplicateKey, Offset: 46, Field: "total_handler_ms"}},
		{"twice, null", `{"total_handler_ms":null,"total_handler_ms":1}`, source.Rejection{Reason: source.DuplicateKey, Offset: 44, Field: "total_handler_ms"}},
		{"twice, with another between", `{"total_handler_s":1,"total_handler_ms":1,"total_handler_s":1}`, source.Rejection{Reason: source.DuplicateKey, Offset: 60, Field: "total_handler_ms"}},
		{"schema twice", `{"schema":1,"schema":1}`, source.Rejection{Reason: source.DuplicateKey, Offset: 21, Field: "schema"}},
		{"speed twice", `{"derived":{"visible_output_tps":1,"visible_output_tps":1}}`, source.Rejection{Reason: source.DuplicateKey, Offset: 56, Field: "visible_output_tps"}},
		{"objects of each kind twice", `{"timings":{},"tokens":{},"derived":{},"tokens":{}}`, source.Rejection{Reason: source.DuplicateKey, Offset: 48, Field: "tokens"}},
		{"object twice", `{"timings":null,"timings":{}}`, source.Rejection{Reason: source.DuplicateKey, Offset: 26, Field: "timings"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			good := `{"total_handler_ms":1,"x":"y"}`
			for _, lines := range [][]string{{tc.line}, {good, good, tc.line}} {
				b, rejected := read(lines...)
				if len(rejected) != 1 || rejected[0] != tc.want {
					t.Errorf("rejected %+v; want %+v", rejected, tc.want)
				}
				if b.Len() != len(lines)-1 {
					t.Errorf("%d records", b.Len())
				}
			}
		})
	}
}

// A failure that took no time worth recording counts all the same.
func TestFailureWithoutTimesIsARecord(t *testing.T) {
	for line, want := range map[string]source.Reason{
		`{"request_id":"x","status":429,"model":"m"}`: source.OK,
		`{"request_id":"x","outcome":"timeout"}`:      source.OK,
		`{"request_id":"x","model":"m"}`:              source.NotARecord,
		`{"status":429}`:                              source.NotARecord,
	} {
		f := Formats()[0]
		out := source.NewOut(f, nil)
		if got := f.Lines(source.Options{}).Parse([]byte(line), out).Reason; got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
