package mapping

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

func TestParseMapping(t *testing.T) {
	for _, tt := range []struct {
		text string
		want source.Mapping
		err  string // part of it
	}{
		{text: "total_handler_ms=.latency.total:s,origin=receipt",
			want: source.Mapping{Column: timeline.ColTotalHandler, Path: ".latency.total", Unit: timeline.Second, Origin: "receipt"}},
		{text: "total_handler_ms=.latency.total",
			want: source.Mapping{Column: timeline.ColTotalHandler, Path: ".latency.total", Unit: timeline.Millisecond}},
		{text: "upstream_headers_ms=.t:us,origin=upstream_start",
			want: source.Mapping{Column: timeline.ColUpstreamHeaders, Path: ".t", Unit: timeline.Microsecond, Origin: "upstream_start"}},
		{text: "model=.request.model", want: source.Mapping{Column: timeline.ColModel, Path: ".request.model"}},
		{text: `status=."http:status"`, want: source.Mapping{Column: timeline.ColStatus, Path: `."http:status"`}},
		{text: `total_handler_ms=."a:b":s`, want: source.Mapping{Column: timeline.ColTotalHandler, Path: `."a:b"`, Unit: timeline.Second}},
		{text: "timestamp=.ts", want: source.Mapping{Column: timeline.ColTimestamp, Path: ".ts"}},
		{text: "timestamp=.ts:ns", want: source.Mapping{Column: timeline.ColTimestamp, Path: ".ts", Unit: timeline.Nanosecond}},
		{text: "visible_output_tps=.tps", want: source.Mapping{Column: timeline.ColVisibleOutputTPS, Path: ".tps"}},
		{text: "attempt=.tries[-1].n", want: source.Mapping{Column: timeline.ColAttempt, Path: ".tries[-1].n"}},

		{text: "total_handler_ms", err: "COLUMN=PATH"},
		{text: "ttft=.x", err: `no column "ttft"`},
		{text: "approx=.x", err: "no column"},
		{text: "source_file=.x", err: "no column"},
		{text: "total_handler_ms=", err: "empty"},
		{text: "total_handler_ms=.a..b", err: "not a path"},
		{text: "total_handler_ms=.a:lightyears", err: `no unit "lightyears"`},
		{text: "status=.a:ms", err: "takes no unit"},
		{text: "total_handler_ms=.a,origin=", err: "origin is"},
		{text: "total_handler_ms=.a,origin=client", err: "origin is"},
		{text: "model=.a,origin=receipt", err: "counts from no origin"},
		{text: "auth_ms=.a,origin=receipt", err: "counts from no origin"},
		{text: "upstream_headers_ms=.a,origin=receipt", err: "upstream_headers_ms counts from upstream_start, and a value from receipt is another time"},
		{text: "first_sse_event_ms=.a:s,origin=upstream_start", err: "first_sse_event_ms counts from receipt"},
	} {
		got, err := ParseMapping(tt.text)
		switch {
		case tt.err == "" && (err != nil || got != tt.want):
			t.Errorf("%s: %+v, %v", tt.text, got, err)
		case tt.err != "" && (err == nil || !errors.Is(err, ErrMapping) || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%s: error %v, want %q", tt.text, err, tt.err)
		}
	}
}

func mappings(t *testing.T, texts ...string) []source.Mapping {
	t.Helper()
	var list []source.Mapping
	for _, text := range texts {
		m, err := ParseMapping(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

func TestMapFormat(t *testing.T) {
	opt := source.Options{Map: mappings(t, "total_handler_ms=.latency.total:s,origin=receipt", "timestamp=.at", "model=.req.model",
		"first_text_delta_ms=.latency.first:ms", "first_text_delta_ms=.latency.token")}
	batch, rows, why := parse(formatNamed(t, MapFormatName), opt, [][]byte{
		[]byte(`{"at":"2026-08-21T03:15:27Z","latency":{"total":2.5,"first":null,"token":300},"req":{"model":"m","prompt":"x"}}`),
		[]byte(`{"at":"2026-08-21T03:15:27Z","latency":{"total":"-"},"req":{"model":{"prompt":"x"}}}`),
		[]byte(`{"other":1}`),
	})
	if rows[0] != 0 || rows[1] != 1 || why[2].Reason != source.NotARecord {
		t.Fatalf("%v %+v", rows, why)
	}
	if got := fmt.Sprint(num(batch, timeline.ColTotalHandler, 0), num(batch, timeline.ColFirstTextDelta, 0), num(batch, timeline.ColTimestamp, 0)); got != "2500000 300000 1787282127000000" {
		t.Errorf("got %s", got)
	}
	if batch.Text(timeline.ColModel, 0) != "m" || batch.Has(timeline.ColModel, 1) || batch.Has(timeline.ColTotalHandler, 1) {
		t.Error("text of an object became a model, or - a total")
	}
	if got := batch.Text(timeline.ColRecordable, 0); got != "first_text_delta_ms,total_handler_ms" {
		t.Errorf("recordable %q", got)
	}
	if got := batch.Text(timeline.ColFormat, 0); got != "map" {
		t.Errorf("format %q", got)
	}
}

func TestMapFormatOfARun(t *testing.T) {
	f, err := MapFormat(mappings(t, "total_handler_ms=.latency.total:s"))
	if err != nil {
		t.Fatal(err)
	}
	for log, want := range map[string]source.Confidence{
		`{"latency":{"total":1}}`:        60,
		"x\n{\"latency\":{\"total\":1}}": 60,
		`{"latency":{"other":1}}`:        source.No,
		"hello":                          source.No,
	} {
		if got := f.Detect(window([]byte(log))); got != want {
			t.Errorf("%s: %d, want %d", log, got, want)
		}
	}
	batch, _, _ := parse(f, source.Options{}, [][]byte{[]byte(`{"latency":{"total":1}}`)})
	if got := batch.Text(timeline.ColRecordable, 0); got != "total_handler_ms" {
		t.Errorf("recordable %q", got)
	}
	for _, list := range [][]source.Mapping{nil, {{Column: timeline.ColStatus, Path: "["}}} {
		if _, err := MapFormat(list); !errors.Is(err, ErrMapping) {
			t.Errorf("%v: %v", list, err)
		}
	}
}

func TestMapFormatWithoutMappings(t *testing.T) {
	for _, list := range [][]source.Mapping{nil, {{Column: timeline.ColStatus, Path: "["}}} {
		_, rows, why := parse(formatNamed(t, MapFormatName), source.Options{Map: list}, [][]byte{[]byte(`{"a":1}`)})
		if rows[0] >= 0 || why[0].Reason != source.UnsupportedShape {
			t.Errorf("%v: %+v", rows, why)
		}
	}
}

func TestCheckMagnitudes(t *testing.T) {
	for _, tt := range []struct {
		name, mapping, values, want string
	}{
		{"seconds taken for milliseconds", "total_handler_ms=.v", "2.1 1.4 0.9 7.25 3.3",
			"total_handler_ms: median 2.1 looks like seconds, not milliseconds: write total_handler_ms=.v:s"},
		{"milliseconds", "total_handler_ms=.v", "2100 1400 900", ""},
		{"milliseconds taken for seconds", "total_handler_ms=.v:s", "2100 1400 6400",
			"total_handler_ms: median 2.1e+03 looks like milliseconds, not seconds: write total_handler_ms=.v:ms"},
		{"nanoseconds taken for milliseconds", "total_handler_ms=.v", "6421337492 2418920118 3184211000",
			"total_handler_ms: median 3.18e+09 looks like nanoseconds, not milliseconds: write total_handler_ms=.v:ns"},
		{"microseconds taken for milliseconds", "first_sse_event_ms=.v", "1250000 900000 700000",
			"first_sse_event_ms: median 9e+05 looks like microseconds, not milliseconds: write first_sse_event_ms=.v:us"},
		{"quick refusals among slow answers", "total_handler_ms=.v", "3 4 2 3 6421", ""},
		{"a quick phase", "auth_ms=.v", "2.1 1.4 0.9", ""},
		{"too few numbers", "total_handler_ms=.v", "2.1 1.4", ""},
		{"no numbers", "total_handler_ms=.v", `null "-" {} -1 0`, ""},
		{"numbers in strings", "total_handler_ms=.v", `"2.1" "1.4" "0.9"`,
			"total_handler_ms: median 1.4 looks like seconds, not milliseconds: write total_handler_ms=.v:s"},
		{"no duration", "output_tokens=.v", "1 2 3", ""},
		{"no unit makes sense", "total_handler_ms=.v", "1e-9 1e-9 1e-9", ""},
	} {
		var log strings.Builder
		for v := range strings.FieldsSeq(tt.values) {
			fmt.Fprintf(&log, "{\"v\":%s}\n", v)
		}
		got := ""
		err := CheckMagnitudes(window([]byte(log.String()+"broken\n")), mappings(t, tt.mapping))
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if absurd := new(AbsurdUnit); err != nil && !errors.As(err, &absurd) {
			t.Errorf("%s: %T", tt.name, err)
		}
	}
}

func FuzzParseMapping(f *testing.F) {
	for _, text := range []string{"total_handler_ms=.a.b:s,origin=receipt", `model=."x:y"`, "status=[0][-1]", "a=b", "="} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseMapping(text)
		if err != nil {
			return
		}
		if _, err := Compile(mapTable([]source.Mapping{m})); err != nil {
			t.Fatalf("taken and not to be compiled: %v", err)
		}
	})
}
