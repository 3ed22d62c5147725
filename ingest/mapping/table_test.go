package mapping

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

func TestTables(t *testing.T) {
	names := map[string]bool{}
	for _, table := range Tables() {
		p, err := Compile(table)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		f := p.Format()
		if names[f.Name] {
			t.Errorf("%s: name taken twice", f.Name)
		}
		names[f.Name] = true
		if f.Title == "" || f.Family == "" || f.Vantage == "" || f.FirstToken == "" || f.More == "" {
			t.Errorf("%s: a text is missing", f.Name)
		}
		for _, field := range table.Fields {
			mark := field.Column.IsDuration()
			if mark && (field.Origin == "" || field.Point == "" || field.Unit == 0) {
				t.Errorf("%s: %s has no origin, point or unit", f.Name, field.Column)
			}
			if field.Bias == "" && field.PlusMinusMs != 0 {
				t.Errorf("%s: %s is rounded and does not say so", f.Name, field.Column)
			}
			if field.Column == timeline.ColVisibleOutputTPS {
				t.Errorf("%s: no gateway logs the window of visible text", f.Name)
			}
		}
	}
}

func TestEveryTableHasASample(t *testing.T) {
	have := map[string]bool{}
	for _, s := range samples(t) {
		have[s.Format] = true
	}
	for _, table := range Tables() {
		if !have[table.Name] {
			t.Errorf("no sample of %s", table.Name)
		}
	}
}

// madeUp is a format as CONTRIBUTING shows it: a table is all it takes.
var madeUp = Table{
	Name: "made_up", Family: "Examples", Title: "Made-up gateway", Vantage: "gateway",
	Match:     Match{All: []string{"when", "took_s"}},
	StampsEnd: true,
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".when"},
		{Column: timeline.ColTotalHandler, Path: ".took_s", Unit: timeline.Second, Origin: "t0", Point: "response done"},
		{Column: timeline.ColFirstSSEEvent, Path: ".first_ms", Unit: timeline.Millisecond, Not: []string{"-1"},
			Origin: "after routing", Point: "first chunk", Bias: "low"},
	},
}

func TestMadeUpFormat(t *testing.T) {
	p, err := Compile(&madeUp)
	if err != nil {
		t.Fatal(err)
	}
	line := []byte(`{"when":"2026-08-21T03:15:33Z","took_s":6.5,"first_ms":1200,"prompt":"x"}`)
	batch, rows, why := parse(p.Format(), source.Options{}, [][]byte{line, []byte(`{"when":"2026-08-21T03:15:33Z","first_ms":-1}`)})
	if rows[0] != 0 || rows[1] != 1 {
		t.Fatalf("rejected: %+v", why)
	}
	want := `{"timestamp":1787282126500000,"total_handler_ms":6500000,"first_sse_event_ms":1200000}`
	got := fmt.Sprintf(`{"timestamp":%d,"total_handler_ms":%d,"first_sse_event_ms":%d}`, num(batch, timeline.ColTimestamp, 0),
		num(batch, timeline.ColTotalHandler, 0), num(batch, timeline.ColFirstSSEEvent, 0))
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if batch.Has(timeline.ColFirstSSEEvent, 1) || batch.Text(timeline.ColTimestampBasis, 1) != "end" {
		t.Error("-1 is a first event, or the time of the end is taken for the start")
	}
	if sure := p.Format().Detect(window(line)); sure < source.Certain {
		t.Errorf("detected with %d", sure)
	}
}

func num(b *timeline.Batch, c timeline.Column, row int) int64 {
	v, ok := b.Num(c, row)
	if !ok {
		return -1
	}
	return v
}

func TestColumns(t *testing.T) {
	list := newAPI.Columns()
	byColumn := map[timeline.Column]source.Capability{}
	for _, c := range list {
		byColumn[c.Column] = c
	}
	total := byColumn[timeline.ColTotalHandler]
	if total.Quality != source.Approx || total.Field != ".use_time" || total.Unit != "s" || total.Bias == "" || total.Origin == "" {
		t.Errorf("total: %+v", total)
	}
	if _, ok := byColumn[timeline.ColUpstreamHeaders]; ok {
		t.Error("New API is said to log upstream headers")
	}
	kinds := map[source.Quality]bool{}
	for _, c := range kong.Columns() {
		if c.Column == timeline.ColUpstreamHeaders {
			kinds[c.Quality] = true
		}
	}
	if !kinds[source.Exact] || !kinds[source.Approx] {
		t.Errorf("Kong's time to headers is both exact and approximate by kind of response: %v", kinds)
	}
	for _, c := range laiskyTrace.Columns() {
		if c.Column == timeline.ColUpstreamDone && (c.Quality != source.Sometimes ||
			c.Field != ".timestamps.upstream_completed - .timestamps.request_received") {
			t.Errorf("%+v", c)
		}
	}
}

// TestFirstTokenBasis holds that a row says what its first token is.
func TestFirstTokenBasis(t *testing.T) {
	for _, tt := range []struct{ format, line, want string }{
		{"claude_code_hub", `{"created_at":"2026-08-21T03:15:27Z","duration_ms":6421,"ttfb_ms":1530,"first_byte_ms":1214}`, "first frame with content"},
		{"claude_code_hub", `{"created_at":"2026-08-21T03:15:27Z","duration_ms":6421,"ttfb_ms":1240,"first_byte_ms":1240}`,
			"first byte of the body of the attempt that was served"},
		{"nginx_json", `{"request_time":1,"status":200}`, ""},
	} {
		batch, _, _ := parse(formatNamed(t, tt.format), source.Options{}, [][]byte{[]byte(tt.line)})
		if got := batch.Text(timeline.ColFirstTokenBasis, 0); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.want)
		}
	}
}

// TestZones holds which times without a zone are in the user's.
func TestZones(t *testing.T) {
	opt := source.Options{Zone: time.FixedZone("", 8*3600)}
	for _, tt := range []struct {
		format, line string
		want         int64
	}{
		{"litellm_spendlogs", `{"startTime":"2026-08-21T03:15:27.5","endTime":"2026-08-21T03:15:28"}`, 1787282127500000},
		{"traefik", `{"StartUTC":"2026-08-21T03:15:27.512345678Z","Duration":1}`, 1787282127512345},
		{"bifrost", `{"timestamp":"2026-08-21 11:15:27","status":"success"}`, 1787282127000000},
	} {
		batch, _, _ := parse(formatNamed(t, tt.format), opt, [][]byte{[]byte(tt.line)})
		if got := num(batch, timeline.ColTimestamp, 0); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.format, got, tt.want)
		}
	}
}

// TestRecordable holds what a record says of marks that it lacks: not logged is
// not the same as never arrived.
func TestRecordable(t *testing.T) {
	for _, tt := range []struct {
		name, format, line string
		exact              bool
		want               string
	}{
		{"header time is not in the log format", "nginx_json", `{"request_time":"60.0","status":"504"}`, false, "total_handler_ms"},
		{"headers never came", "nginx_json", `{"request_time":"60.0","status":"504","upstream_header_time":"-"}`, false,
			"upstream_headers_ms,total_handler_ms"},
		{"null is logged", "envoy_json", `{"start_time":"2026-08-21T03:15:27Z","duration":3,"upstream_headers_ms":null,"first_body_ms":null,"upstream_done_ms":null}`,
			false, "upstream_headers_ms,first_sse_event_ms,upstream_done_ms,total_handler_ms"},
		{"no approximations", "envoy_json", `{"start_time":"2026-08-21T03:15:27Z","duration":3,"upstream_headers_ms":null,"first_body_ms":null}`,
			true, "upstream_headers_ms,total_handler_ms"},
		{"nothing exact", "litellm_spendlogs", `{"startTime":"2026-08-21T03:16:40","endTime":"2026-08-21T03:16:43"}`, true, "none"},
		{"equal to the end is unknown", "litellm_spendlogs",
			`{"startTime":"2026-08-21T03:16:40","endTime":"2026-08-21T03:16:43","completionStartTime":"2026-08-21T03:16:43"}`, false, "total_handler_ms"},
		{"no gate ran", "claude_code_hub", `{"created_at":"2026-08-21T03:15:27Z","duration_ms":6421,"ttfb_ms":1240,"first_byte_ms":1240}`, false,
			"first_sse_event_ms,total_handler_ms"},
		{"error rows record nothing", "new_api_consume", `{"type":5,"created_at":5}`, false, "none"},
		{"no stream event came", "new_api_consume", `{"type":2,"created_at":5,"use_time":4,"other":{"frt":-1000}}`, false,
			"first_sse_event_ms,total_handler_ms"},
	} {
		batch, rows, why := parse(formatNamed(t, tt.format), source.Options{Exact: tt.exact}, [][]byte{[]byte(tt.line)})
		if rows[0] < 0 {
			t.Errorf("%s: rejected: %+v", tt.name, why[0])
			continue
		}
		if got := batch.Text(timeline.ColRecordable, 0); got != tt.want {
			t.Errorf("%s: recordable %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestNotes(t *testing.T) {
	for _, tt := range []struct{ name, format, line, want string }{
		{"answered from a cache", "litellm_spendlogs", `{"startTime":"2026-08-21T03:16:40","endTime":"2026-08-21T03:16:43","cache_hit":"True"}`, "cache_hit"},
		{"whole seconds", "new_api_consume", `{"type":2,"created_at":5,"use_time":0}`, "bounded_total"},
		{"attempts before", "claude_code_hub",
			`{"created_at":"2026-08-21T03:15:27Z","duration_ms":1,"providerChain":[{"reason":"retry_failed"},{"reason":"retry_success","statusCode":200}]}`,
			"retries_inside"},
	} {
		batch, _, _ := parse(formatNamed(t, tt.format), source.Options{}, [][]byte{[]byte(tt.line)})
		if got := batch.Text(timeline.ColNotes, 0); got != tt.want {
			t.Errorf("%s: notes %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestCanary puts a marker into every text of every sample that no table reads,
// under hostile keys too, and looks for it in all that comes out.
func TestCanary(t *testing.T) {
	const canary = "CANARY-7f3a"
	for _, s := range samples(t) {
		wanted := wantedTexts(t, s.Format)
		var marked [][]byte
		for _, line := range lines(s.input) {
			var v map[string]any
			if json.Unmarshal(line, &v) != nil {
				marked = append(marked, append(bytes.Clone(line), canary...))
				continue
			}
			v["canary-prompt"] = []any{canary, map[string]any{canary: canary}}
			text, err := json.Marshal(mark(v, "", wanted, canary))
			if err != nil {
				t.Fatal(err)
			}
			marked = append(marked, text)
		}
		batch, _, why := parse(formatNamed(t, s.Format), source.Options{}, marked)
		if n := batch.Len(); n == 0 {
			t.Errorf("%s: no record is left", s.name)
		}
		for row := range batch.Len() {
			for c := timeline.FirstText; int(c) < timeline.NumColumns; c++ {
				if c != timeline.ColRequestID && strings.Contains(batch.Text(c, row), canary) {
					t.Errorf("%s: line %d: %s = %q", s.name, row+1, c, batch.Text(c, row))
				}
			}
		}
		if out := fmt.Sprintf("%s %+v", batch.RequestIDs().Data, why); strings.Contains(out, canary) {
			t.Errorf("%s: %s", s.name, out)
		}
	}
}

// wantedTexts returns the paths that a table reads.
func wantedTexts(t *testing.T, name string) map[string]bool {
	t.Helper()
	wanted := map[string]bool{}
	for _, table := range Tables() {
		if table.Name == name {
			p, err := Compile(table)
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range p.Paths() {
				path = strings.NewReplacer(`"`, "", "[0]", "[]", "[-1]", "[]").Replace(path)
				wanted[strings.TrimPrefix(path, ".")] = true
			}
		}
	}
	return wanted
}

// mark replaces the strings that nobody wants, and those inside of JSON in a
// string.
func mark(v any, path string, wanted map[string]bool, canary string) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = mark(value, strings.TrimPrefix(path+"."+key, "."), wanted, canary)
		}
	case []any:
		for i, value := range v {
			v[i] = mark(value, path+"[]", wanted, canary)
		}
	case string:
		var inner any
		if (strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[")) && json.Unmarshal([]byte(v), &inner) == nil {
			text, err := json.Marshal(mark(inner, path, wanted, canary))
			if err != nil {
				panic(err)
			}
			return string(text)
		}
		if !wanted[path] {
			return canary
		}
	}
	return v
}

// TestRows fills from values that never were JSON lines, as a column store
// hands them out.
func TestRows(t *testing.T) {
	p, err := Compile(&madeUp)
	if err != nil {
		t.Fatal(err)
	}
	row := timeline.Row{}
	values := columns{}
	for i, path := range p.Paths() {
		switch path {
		case ".when":
			values[i] = scan.Value{Kind: scan.Num, Raw: []byte("1787282133000")}
		case ".took_s":
			values[i] = scan.Value{Kind: scan.Num, Raw: []byte("6.5")}
		}
	}
	if r := p.NewFiller(source.Options{}).Fill(values, &row); r.Reason != source.OK {
		t.Fatalf("%+v", r)
	}
	if us, ok := row.Num(timeline.ColTotalHandler); !ok || us != 6500000 {
		t.Errorf("total %d, %v", us, ok)
	}
	if row.Has(timeline.ColFirstSSEEvent) {
		t.Error("an absent value has a first event")
	}
}

type columns map[int]scan.Value

func (c columns) Get(i int) scan.Value      { return c[i] }
func (c columns) Plain(v scan.Value) []byte { return v.Raw }

// FuzzFormats feeds anything to every table: no panic, the same answer twice,
// and never content.
func FuzzFormats(f *testing.F) {
	formats := Formats()
	for _, line := range []string{
		`{"type":2,"created_at":1787282133,"use_time":6,"other":"{\"frt\":1212,\"admin_info\":{\"use_channel\":[\"12\",\"15\"]}}"}`,
		`{"started_at":1787282127512,"latencies":{"kong":38,"proxy":1203,"request":6421,"receive":5178},"tries":[{},{}]}`,
		`{"startTime":1787282127.5,"endTime":"2026-08-21T03:15:33.9","completionStartTime":null,"status":"failure"}`,
		`{"request_time":"-, 1 : 2","upstream_addr":",,:,","upstream_header_time":" : "}`,
		`{"provider_chain":[{"reason":"retry_success","statusCode":{}}],"ttfb_ms":1e400,"created_at":"0000-00-00T00:00:00Z"}`,
		`{"requestOptions":[[{"createdAt":1}],{"executionTime":-0}],"status":1e2}`,
		`{"timestamps":"{\"request_received\":\"x\"}","upstream_errors":"[1,[2","id":"0198caf1-6b38-7c11-8d00-1f2a3b4c5d6e"}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, format := range formats {
			opt := source.Options{Map: []source.Mapping{{Column: timeline.ColTotalHandler, Path: ".request_time", Unit: timeline.Second}}}
			once, _, why := parse(format, opt, [][]byte{line, line})
			again, _, _ := parse(format, opt, [][]byte{line})
			if (why[0] != why[1]) || once.Len() != 2*again.Len() {
				t.Fatalf("%s: two answers: %+v", format.Name, why)
			}
			for c := range timeline.Column(timeline.NumColumns) {
				for row := range once.Len() {
					if !c.IsText() && num(once, c, row) != num(again, c, 0) && c != timeline.ColSourceLine {
						t.Fatalf("%s: %s differs", format.Name, c)
					}
				}
			}
		}
	})
}

func BenchmarkNginx(b *testing.B)   { benchmark(b, "nginx_json") }
func BenchmarkLiteLLM(b *testing.B) { benchmark(b, "litellm_standard_logging_payload") }
func BenchmarkNewAPI(b *testing.B)  { benchmark(b, "new_api_consume") }

func benchmark(b *testing.B, name string) {
	var format *source.Format
	for _, f := range Formats() {
		if f.Name == name {
			format = f
		}
	}
	list := lines(readSample(b, name))
	size := 0
	for _, line := range list {
		size += len(line) + 1
	}
	p := format.Lines(source.Options{})
	out := source.NewOut(format, nil)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range list {
			p.Parse(line, out)
		}
		if out.Len() > 2000 { // about what a chunk of a run holds
			out.Recycle(out.Flush().Batch)
		}
	}
}

func BenchmarkFormats(b *testing.B) {
	for b.Loop() {
		Formats()
	}
}
