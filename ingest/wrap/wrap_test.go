package wrap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ttdiag/ingest/accesslog"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func byteArray(s string) string {
	var parts []string
	for _, c := range []byte(s) {
		parts = append(parts, fmt.Sprint(c))
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// halves cuts a line in two, as engines do with long ones.
func halves(s string) (a, b string) { return s[:len(s)/2], s[len(s)/2:] }

// wrappers puts each wrapper around a line, as one or more lines. Numbers are
// those of the line.
var wrappers = []struct {
	name    string
	nesting string
	wrap    func(i int, s string) []string
}{
	{"docker", "docker", func(i int, s string) []string {
		return []string{`{"log":` + quoted(s+"\n") + `,"stream":"stdout","time":"2026-08-21T03:15:33.933102345Z"}`}
	}},
	{"docker cut", "docker", func(i int, s string) []string {
		a, b := halves(s)
		lines := []string{
			`{"log":` + quoted(a) + `,"stream":"stdout","time":"2026-08-21T03:15:33.933102345Z"}`,
			`{"log":"on the other stream\n","stream":"stderr","time":"2026-08-21T03:15:33.933102345Z"}`,
			`{"log":` + quoted(b+"\r\n") + `,"stream":"stdout","time":"2026-08-21T03:15:33.933102345Z"}`,
		}
		if i > 0 {
			return slices.Delete(lines, 1, 2)
		}
		return lines
	}},
	{"cri", "cri", func(i int, s string) []string { return []string{"2026-08-21T03:15:33.933102345Z stdout F " + s} }},
	{"cri cut", "cri", func(i int, s string) []string {
		a, b := halves(s)
		return []string{"2026-08-21T03:15:33.933102345+02:00 stdout P " + a, "2026-08-21T03:15:33.933102345+02:00 stdout F:x " + b}
	}},
	{"kubectl", "kubectl", func(i int, s string) []string { return []string{"[pod/gw-7d9c/proxy] " + s} }},
	{"kubectl timestamps", "kubectl>timestamp", func(i int, s string) []string {
		return []string{"[pod/gw-7d9c/proxy] 2026-08-21T03:15:33.933102345Z " + s}
	}},
	{"timestamps", "timestamp", func(i int, s string) []string { return []string{"2026-08-21T03:15:33.933Z " + s} }},
	{"compose", "compose", func(i int, s string) []string { return []string{"gateway-1  | " + s} }},
	{"journald", "journald", func(i int, s string) []string {
		return []string{`{"__CURSOR":"s=1","__REALTIME_TIMESTAMP":"1787282133933102","MESSAGE":` + quoted(s) + `,"_HOSTNAME":"lb1"}`}
	}},
	{"journald bytes", "journald", func(i int, s string) []string {
		return []string{`{"__CURSOR":"s=1","MESSAGE":` + byteArray(s) + `}`}
	}},
	{"rfc3164", "syslog", func(i int, s string) []string { return []string{"<134>Aug  2 03:19:08 lb1 gateway[2417]: " + s} }},
	{"rfc3164 without a priority", "syslog", func(i int, s string) []string { return []string{"Aug 21 03:19:08 lb1 gateway: " + s} }},
	{"rfc3164 with an ISO time", "syslog", func(i int, s string) []string {
		return []string{"2026-08-21T03:19:08.123456+00:00 lb1 gateway[2417]: " + s}
	}},
	{"rfc5424", "syslog", func(i int, s string) []string {
		return []string{`<134>1 2026-08-21T03:19:08.003Z lb1 gateway 2417 - - ` + s}
	}},
	{"rfc5424 with data", "syslog", func(i int, s string) []string {
		return []string{`<134>1 2026-08-21T03:19:08.003Z lb1 gateway 2417 ID47 [x@1 a="] \" [" b="2"][y@1] ` + "\xef\xbb\xbf" + s}
	}},
	{"octet counting", "syslog", func(i int, s string) []string {
		m := `<134>1 2026-08-21T03:19:08.003Z lb1 gateway 2417 - - ` + s
		return []string{fmt.Sprint(len(m)) + " " + m}
	}},
	{"loki jsonl", "loki", func(i int, s string) []string {
		return []string{`{"labels":{"app":"gw"},"line":` + quoted(s) + `,"timestamp":"2026-08-21T03:15:33Z"}`}
	}},
	{"loki text", "loki_text", func(i int, s string) []string {
		return []string{`2026-08-21T03:15:33Z {app="gw", odd="} \" {"} ` + s}
	}},
	{"cloudwatch", "cloudwatch", func(i int, s string) []string {
		return []string{`{"timestamp":1787282133933,"message":` + quoted(s+"\n") + `,"ingestionTime":1787282134000}`}
	}},
	{"aws tail", "aws_tail", func(i int, s string) []string {
		return []string{"2026-08-21T03:15:33.933000+00:00 ecs/gw/0123abc " + s}
	}},
	{"fluent", "fluent", func(i int, s string) []string {
		return []string{`{"date":1787282133.9,"log":` + quoted(s+"\n") + `,"kubernetes":{"pod_name":"gw"}}`}
	}},
	{"vector", "vector", func(i int, s string) []string {
		return []string{`{"message":` + quoted(s) + `,"source_type":"docker_logs","container_id":"x"}`}
	}},
	{"gcp", "gcp", func(i int, s string) []string {
		return []string{`{"textPayload":` + quoted(s) + `,"logName":"projects/p/logs/stdout","insertId":"i"}`}
	}},
	{"cri in docker", "docker>cri", func(i int, s string) []string {
		return []string{`{"log":` + quoted("2026-08-21T03:15:33.9Z stderr F "+s+"\n") + `,"stream":"stderr","time":"2026-08-21T03:15:33Z"}`}
	}},
	{"syslog in journald in loki", "loki>journald>syslog", func(i int, s string) []string {
		inner := `{"__CURSOR":"s","MESSAGE":` + quoted("<13>Aug 21 03:19:08 lb1 gw[1]: "+s) + `}`
		return []string{`{"labels":{},"line":` + quoted(inner) + `,"timestamp":"2026-08-21T03:15:33Z"}`}
	}},
}

// logs are formats whose lines are put into every wrapper.
var logs = []string{"nginx_text", "envoy_text_default", "haproxy_http", "new_api_text", "agentgateway", "traefik_clf"}

func readLog(t *testing.T, name string) []string {
	t.Helper()
	log, err := os.ReadFile(filepath.Join("../../testdata/formats", name, "log"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(log), "\n"), "\n")
}

func formatNamed(t *testing.T, name string) *source.Format {
	t.Helper()
	for _, f := range accesslog.Formats() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no format %s", name)
	return nil
}

// rows parses lines and returns each record as text, its place in the file left
// out.
func rows(f *source.Format, lines []string) []string {
	out := source.NewOut(f, nil)
	var p source.LineParser
	if f.Session != nil {
		p = f.Session(source.Options{})
	} else {
		p = f.Lines(source.Options{})
	}
	for i, line := range lines {
		out.At(source.Position{Line: int64(i + 1)})
		out.Line()
		out.Reject(p.Parse([]byte(line), out))
	}
	if s, ok := p.(source.SessionParser); ok {
		s.Close(out)
	}
	part := out.Flush()
	if sum := int64(part.Batch.Len()+len(part.Rejected)) + part.Joined; sum != part.Lines {
		return []string{fmt.Sprintf("%d records, %d rejected, %d joined of %d lines", part.Batch.Len(), len(part.Rejected), part.Joined, part.Lines)}
	}
	var all []string
	for i := range part.Batch.Len() {
		var b strings.Builder
		for c := range timeline.Column(timeline.NumColumns) {
			if c == timeline.ColSourceLine || c == timeline.ColSourceByte || !part.Batch.Has(c, i) {
				continue
			}
			if c.IsText() {
				fmt.Fprintf(&b, "%s=%q ", c, part.Batch.Text(c, i))
			} else {
				v, _ := part.Batch.Num(c, i)
				fmt.Fprintf(&b, "%s=%d ", c, v)
			}
		}
		all = append(all, b.String())
	}
	return all
}

// TestIdentical wraps each log in each wrapper, and again in a second one: the
// nesting is told, and the records are those of the bare log.
func TestIdentical(t *testing.T) {
	for _, name := range logs {
		f := formatNamed(t, name)
		bare := readLog(t, name)
		want := rows(f, bare)
		for _, outer := range wrappers {
			var lines []string
			for i, line := range bare {
				lines = append(lines, outer.wrap(i, line)...)
			}
			checkNesting(t, name+" in "+outer.name, f, lines, outer.nesting, want)
			lines = nil
			for i, line := range bare {
				lines = append(lines, outer.wrap(i, wrappers[0].wrap(i, line)[0])...)
			}
			checkNesting(t, name+" in docker in "+outer.name, f, lines, outer.nesting+">docker", want)
		}
	}
}

func checkNesting(t *testing.T, title string, f *source.Format, lines []string, nesting string, want []string) {
	t.Helper()
	var window [][]byte
	for _, line := range lines {
		window = append(window, []byte(line))
	}
	n := Detect(window)
	if n.String() != nesting {
		t.Errorf("%s: taken for %q", title, n)
		return
	}
	inner := n.Inner(&source.Window{Lines: window})
	if f.Detect(inner) < source.Likely {
		t.Errorf("%s: %s does not know the inner lines", title, f.Name)
	}
	if got := rows(n.Around(f), lines); !slices.Equal(got, want) {
		t.Errorf("%s: records differ\n got %q\nwant %q", title, got, want)
	}
}

// TestBare asks whether a bare log is taken for a wrapped one.
func TestBare(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/formats/*/log*")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := Detect(bytes.Split(bytes.TrimSpace(text), []byte("\n"))); len(n) > 0 {
			t.Errorf("%s is taken for lines in %s", path, n)
		}
		if d := DetectDocument(text); d != NoDocument {
			t.Errorf("%s is taken for %s", path, d)
		}
	}
}

func TestDamage(t *testing.T) {
	cases := []struct {
		name, nesting, line string
		want                source.Reason
	}{
		{"torn JSON", "docker", `{"log":"abc`, source.TruncatedJSON},
		{"not JSON", "docker", `plain`, source.InvalidJSON},
		{"no text", "docker", `{"stream":"stdout","time":"x"}`, source.NotThisFormat},
		{"text of another kind", "fluent", `{"log":7}`, source.NotThisFormat},
		{"bytes beyond 255", "journald", `{"MESSAGE":[1,256]}`, source.BadEncoding},
		{"bytes that are none", "journald", `{"MESSAGE":["x"]}`, source.BadEncoding},
		{"no tag", "cri", `2026-08-21T03:15:33Z stdout Q x`, source.BadEncoding},
		{"no time", "timestamp", `x`, source.BadEncoding},
		{"NUL", "cri", "\x00\x00\x00", source.BadEncoding},
		{"empty", "syslog", "", source.BadEncoding},
	}
	for _, c := range cases {
		k := Kind(slices.Index(kindNames[:], c.nesting))
		if _, why := NewUnwrapper(Nesting{k}).Line([]byte(c.line)); why.Reason != c.want {
			t.Errorf("%s: %q, want %q", c.name, why.Reason, c.want)
		}
	}
}

// TestRest reads what is left of a line whose last part never came.
func TestRest(t *testing.T) {
	f := formatNamed(t, "traefik_clf")
	line := readLog(t, "traefik_clf")[0]
	u := NewUnwrapper(Nesting{CRI})
	if _, why := u.Line([]byte("2026-08-21T03:15:33Z stdout P " + line)); why.Reason != source.Joined {
		t.Fatal(why)
	}
	var got []string
	for inner := range u.Rest {
		got = append(got, string(inner))
	}
	if !slices.Equal(got, []string{line}) {
		t.Errorf("rest is %q", got)
	}
	for range u.Rest {
		t.Error("a rest was given twice")
	}
	out := source.NewOut(f, nil)
	p := Nesting{CRI}.Around(f).Session(source.Options{})
	out.Line()
	out.Reject(p.Parse([]byte("2026-08-21T03:15:33Z stdout P "+line), out))
	p.Close(out)
	if n := out.Flush().Batch.Len(); n != 1 {
		t.Errorf("%d records of an open line, want 1", n)
	}
}

func TestDocuments(t *testing.T) {
	cases := []struct {
		name, text string
		kind       Document
		want       string
		damaged    bool
	}{
		{"loki", `{"status":"success","data":{"resultType":"streams","result":[{"stream":{"app":"gw","values":"x"},"values":[["1787282133000000000","one"],["1787282134000000000","t\"wo",{"k":"v"}]]},{"stream":{},"values":[["1","three"]]}]}}`,
			LokiAnswer, "one\nt\"wo\nthree\n", false},
		{"loki push", `{"streams":[{"stream":{},"values":[["1","a"]]}]}`, LokiAnswer, "a\n", false},
		{"cloudwatch", "{\n \"events\": [\n {\"timestamp\":1,\"message\":\"one\\n\",\"ingestionTime\":2},\n{\"message\":\"two\",\"eventId\":\"3\"}],\"searchedLogStreams\":[{\"message\":{\"message\":\"x\"}}]}",
			CloudWatchEvents, "one\ntwo\n", false},
		{"subscription", `{"messageType":"DATA_MESSAGE","logGroup":"g","logEvents":[{"id":"1","message":"a"},{"id":"2","message":"b"}]}{"logGroup":"g","logEvents":[{"message":"c"}]}`,
			CloudWatchEvents, "a\nb\nc\n", false},
		{"insights", `{"results":[[{"field":"@timestamp","value":"2026"},{"field":"@message","value":"one"},{"field":"@ptr","value":"x"}]],"status":"Complete"}`,
			CloudWatchResults, "one\n", false},
		{"grafana", "[\n {\"line\":\"one\",\"timestamp\":\"1\",\"fields\":{\"line\":\"x\"}},\n {\"line\":\"two\"}]", Entries, "one\ntwo\n", false},
		{"json-pretty", "{\n\t\"__CURSOR\" : \"s\",\n\t\"MESSAGE\" : \"one\"\n}\n{\n\t\"MESSAGE\" : \"two\"\n}\n", Entries, "one\ntwo\n", false},
		{"objects, one a line", "{\"line\":\"one\",\"labels\":{}}\n{\"line\":\"two\",\"labels\":{}}\n", NoDocument, "", false},
		{"an array of records", `[{"total_handler_ms":1,"message":"x","line":"y"}]`, NoDocument, "", false},
		{"cut off", `{"events":[{"message":"one","ingestionTime":2},{"message":"tw`, CloudWatchEvents, "one\n", true},
		{"damaged", `{"events":[{"message":"one","ingestionTime":2},}`, CloudWatchEvents, "one\n", true},
		{"another document", `{"events":[{"message":"one"}]}`, NoDocument, "", false},
		{"no document", "plain", NoDocument, "", false},
		{"empty", "", NoDocument, "", false},
	}
	for _, c := range cases {
		d := DetectDocument([]byte(c.text))
		if d != c.kind {
			t.Errorf("%s: taken for %s, want %s", c.name, d, c.kind)
			continue
		}
		if d == NoDocument {
			continue
		}
		got, err := io.ReadAll(d.Reader(iotest{strings.NewReader(c.text)}))
		if string(got) != c.want || errors.Is(err, ErrDocument) != c.damaged || err != nil && !c.damaged {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

// iotest reads one byte at a time.
type iotest struct{ r io.Reader }

func (r iotest) Read(p []byte) (int, error) { return r.r.Read(p[:min(1, len(p))]) }

func FuzzUnwrap(f *testing.F) {
	for i, w := range wrappers {
		for _, line := range w.wrap(i, "GET / \"x\" 200") {
			f.Add([]byte(line))
		}
	}
	f.Add([]byte("\x00\xff{\"log\":\"\\ud800\"}"))
	f.Fuzz(func(t *testing.T, line []byte) {
		for k := range Kind(numKinds) {
			first, why := NewUnwrapper(Nesting{k}).Line(bytes.Clone(line))
			first = bytes.Clone(first)
			second, again := NewUnwrapper(Nesting{k}).Line(bytes.Clone(line))
			if !bytes.Equal(first, second) || why != again {
				t.Errorf("%s: two readings differ", k)
			}
			if why.Reason == source.OK && len(first) > len(line) {
				t.Errorf("%s: more came out than went in", k)
			}
		}
		Detect([][]byte{line, line})
	})
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(`{"streams":[{"stream":{},"values":[["1","a"]]}]}`))
	f.Add([]byte(`{"events":[{"message":"one","ingestionTime":2}]}`))
	f.Add([]byte(`{"results":[[{"field":"@message","value":"one"}]]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		DetectDocument(text)
		for _, d := range []Document{LokiAnswer, CloudWatchEvents, CloudWatchResults, Entries} {
			first, err := io.ReadAll(d.Reader(bytes.NewReader(text)))
			second, again := io.ReadAll(d.Reader(bytes.NewReader(text)))
			if !bytes.Equal(first, second) || (err == nil) != (again == nil) {
				t.Errorf("%s: two readings differ", d)
			}
		}
	})
}
