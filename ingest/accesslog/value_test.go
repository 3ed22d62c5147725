package accesslog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// TestNumber holds the quick way against the exact one.
func TestNumber(t *testing.T) {
	for _, lit := range []string{"0", "7", "123456789", "1234567890", "0.000", "6.421", "0.0005", "1.2", "1.23", "-1", "+5", "", "x", "1.", ".5",
		"1e3", "0.1x", "12:3", "NaN", "99999999999999999999", "000001.500", "999999999.999"} {
		for _, unit := range []timeline.Unit{0, timeline.Nanosecond, timeline.Microsecond, timeline.Millisecond, timeline.Second, timeline.Minute} {
			wantV, wantP := timeline.ParseScaled([]byte(lit), 1, 1)
			if unit != 0 {
				wantV, wantP = timeline.Micros([]byte(lit), unit)
			}
			if v, p := number([]byte(lit), unit); v != wantV || p != wantP {
				t.Errorf("number(%q, %d) = %d, %d; want %d, %d", lit, unit, v, p, wantV, wantP)
			}
		}
	}
}

func TestGoDuration(t *testing.T) {
	cases := []struct {
		text string
		us   int64
		ok   bool
	}{
		{"0", 0, true}, {"0s", 0, true}, {"812.345µs", 812, true}, {"812.5μs", 813, true}, {"6.431294518s", 6431295, true},
		{"1m3.201573904s", 63201574, true}, {"2h0m1s", 7201000000, true}, {"76ms", 76000, true}, {"900ns", 1, true},
		{"", 0, false}, {"s", 0, false}, {"5", 0, false}, {"5x", 0, false}, {"-5s", 0, false}, {"1.2.3s", 0, false}, {"5s ", 0, false},
		{"99999999999999999999h", 0, false},
	}
	for _, c := range cases {
		if us, ok := goDuration([]byte(c.text)); ok != c.ok || ok && us != c.us {
			t.Errorf("goDuration(%q) = %d, %v; want %d, %v", c.text, us, ok, c.us, c.ok)
		}
	}
}

func TestList(t *testing.T) {
	cases := []struct {
		text, last string
		n          int64
	}{
		{"0.001", "0.001", 1}, {"-, 0.812", "0.812", 2}, {"0.001, 0.240 : 0.300", "0.300", 3}, {"a : b", "b", 2}, {"0.001, -", "-", 2},
		{"", "", 1}, {"a, ", "", 2}, {" : ", "", 2},
	}
	for _, c := range cases {
		if got := string(list(c.text).last()); got != c.last {
			t.Errorf("last of %q is %q, want %q", c.text, got, c.last)
		}
		if got := list(c.text).len(); got != c.n {
			t.Errorf("%q has %d elements, want %d", c.text, got, c.n)
		}
	}
}

func TestClock(t *testing.T) {
	cases := []struct {
		pattern, text string
		us            int64
		ok            bool
	}{
		{"%d/%b/%Y:%H:%M:%S %z", "21/Aug/2026:03:15:33 +0000", 1787282133000000, true},
		{"%FT%T.%3fZ", "2026-08-21T03:15:33.512Z", 1787282133512000, true},
		{"%F %I:%M:%S %p %Z", "2026-08-21 03:15:33 AM UTC", 1787282133000000, true},
		{"%F %I:%M:%S %p", "2026-08-21 12:15:33 PM", 1787314533000000, true},
		{"%s.%6f", "1787282133.933102", 1787282133933102, true},
		{"%s%%", "1%", 1000000, true},
		{"%Y-%m-%d", "2026-13-21", 0, false},
		{"%Y-%m-%d", "2026-08-21x", 0, false},
		{"%Y-%m-%d", "2026-08", 0, false},
		{"%T", "25:00:00", 0, false},
		{"%q", "x", 0, false},
		{"%b", "Foo", 0, false},
		{"%z", "0000", 0, false},
		{"", "", 0, true},
	}
	for _, c := range cases {
		us, ok := (&clock{}).strftime(c.pattern, []byte(c.text))
		if c.pattern == "" {
			us = 0 // no date at all: the year 0
		}
		if ok != c.ok || ok && us != c.us {
			t.Errorf("strftime(%q, %q) = %d, %v; want %d, %v", c.pattern, c.text, us, ok, c.us, c.ok)
		}
	}
	c := &clock{}
	for _, text := range []string{"21/Aug/2026:03:15:33 +0000", "21/Aug/2026:03:15:33 +0000", "21/Aug/2026:05:15:33 +0200"} {
		if us, ok := c.common([]byte(text)); !ok || us != 1787282133000000 {
			t.Errorf("common(%q) = %d, %v", text, us, ok)
		}
	}
	for _, text := range []string{"", "21/Aug/2026", "99/Aug/2026:03:15:33 +0000", "21/Xyz/2026:03:15:33 +0000", "21/Aug/2026:03:15:33 +00"} {
		if _, ok := (&clock{}).common([]byte(text)); ok != strings.HasSuffix(text, "+00") {
			t.Errorf("common(%q): %v", text, ok)
		}
	}
}

// joinLog is a log of n requests whose lines stand gap requests apart.
func joinLog(n, gap int) []byte {
	var lines []string
	for i := range n + 2*gap {
		if i < n {
			lines = append(lines, fmt.Sprintf("[ERR] 2026/08/21 - 03:15:30 | id-%d | channel error (channel #12, status code: 429): canary ", i))
		}
		if k := i - gap; k >= 0 && k < n {
			lines = append(lines, fmt.Sprintf(`[INFO] 2026/08/21 - 03:15:33 | id-%d | record consume log: userId=7, params={"channel_id":15,"model_name":"m","use_time_seconds":3,"is_stream":true,"other":{"frt":1000}} `, k))
		}
		if k := i - 2*gap; k >= 0 && k < n {
			lines = append(lines, fmt.Sprintf("[GIN] 2026/08/21 - 03:15:33 | id-%d | 200 |  3.5s |    203.0.113.24 |    POST /v1", k))
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

// TestJoinInterleaved joins requests whose lines stand far apart, in the order
// of their first lines.
func TestJoinInterleaved(t *testing.T) {
	got := parseLog(formatNamed(t, "new_api_text"), source.Options{}, joinLog(3000, 1000))
	if got.batch.Len() != 3000 || got.joined != 6000 || len(got.rejected) != 0 {
		t.Fatalf("%d records, %d joined, %d rejected", got.batch.Len(), got.joined, len(got.rejected))
	}
	last := int64(0)
	for i := range got.batch.Len() {
		line, _ := got.batch.Num(timeline.ColSourceLine, i)
		total, _ := got.batch.Num(timeline.ColTotalHandler, i)
		if id := got.batch.Text(timeline.ColRequestID, i); id != fmt.Sprintf("id-%d", i) || line <= last || total != 3500000 {
			t.Fatalf("record %d: %s at line %d after %d, total %d", i, id, line, last, total)
		}
		last = line
	}
}

// TestJoinBounded holds how much a joiner keeps of requests that never end.
func TestJoinBounded(t *testing.T) {
	f := formatNamed(t, "new_api_text")
	out := source.NewOut(f, nil)
	j := newJoiner(source.Options{})
	for i := range 3 * horizon {
		line := fmt.Sprintf("[ERR] 2026/08/21 - 03:15:30 | id-%d | channel error (channel #12, status code: 429): x", i)
		j.Parse([]byte(line), out)
		if open := len(j.open); open > horizon+1 || len(j.queue) > 2*horizon+2048 {
			t.Fatalf("%d requests are open after %d lines, %d queued", open, i, len(j.queue))
		}
	}
	j.Close(out)
	if n := out.Len(); n != 0 || len(j.open) != 0 {
		t.Errorf("%d records of requests without an end, %d open", n, len(j.open))
	}
}

func TestJoinOddities(t *testing.T) {
	gin := func(id string) string {
		return "[GIN] 2026/08/21 - 03:15:33 | " + id + " | 200 | 1s | 1.2.3.4 | POST /x"
	}
	bill := func(id, params string) string {
		return "[INFO] 2026/08/21 - 03:15:33 | " + id + " | record consume log: userId=7, params=" + params
	}
	cases := []struct {
		name  string
		lines []string
		want  []string // ids with totals in ms, in order
		not   int      // lines that are rejected
	}{
		{"the bill after the end", []string{gin("a"), bill("a", `{"is_stream":true}`)}, []string{"a 1000"}, 0},
		{"an id twice", []string{gin("a"), gin("a")}, []string{"a 1000", "a 1000"}, 0},
		{"two bills", []string{bill("a", `{"use_time_seconds":2}`), bill("a", `{"use_time_seconds":3}`), gin("a")}, []string{"a 2000", "a 1000"}, 0},
		{"less than a second is no point in time", []string{bill("a", `{"use_time_seconds":0}`)}, []string{"a -"}, 0},
		{"a torn bill", []string{bill("a", `{"use_time_seconds":2`), gin("a")}, []string{"a 1000"}, 1},
		{"no id", []string{"[GIN] 2026/08/21 - 03:15:33 | 200 | 1s | 1.2.3.4 | POST /x", "[SYS] 2026/08/21 - 03:15:33 | x"}, nil, 2},
		{"a tag before the id", []string{"[GIN] 2026/08/21 - 03:15:33 | relay | a | 200 | 1s | 1.2.3.4 | POST /x"}, []string{"a 1000"}, 0},
		{"an id with blanks", []string{gin("a b"), "[ERR] x | a b | channel error (x"}, nil, 2},
		{"a long id", []string{gin(strings.Repeat("x", 600))}, nil, 1},
		{"two requests, the later one done first", []string{"[ERR] x | a | channel error (x", gin("b"), bill("b", "{}"), gin("a")}, []string{"a 1000", "b 1000"}, 0},
	}
	for _, c := range cases {
		got := parseLog(formatNamed(t, "new_api_text"), source.Options{}, []byte(strings.Join(c.lines, "\n")))
		var ids []string
		for i := range got.batch.Len() {
			total := "-"
			if us, ok := got.batch.Num(timeline.ColTotalHandler, i); ok {
				total = fmt.Sprint(us / 1000)
			}
			ids = append(ids, got.batch.Text(timeline.ColRequestID, i)+" "+total)
		}
		if !slices.Equal(ids, c.want) || len(got.rejected) != c.not {
			t.Errorf("%s: %v, %d rejected; want %v, %d", c.name, ids, len(got.rejected), c.want, c.not)
		}
	}
}

// TestHostile gives names and texts that try to be something else.
func TestHostile(t *testing.T) {
	const head = `1.2.3.4 - - [21/Aug/2026:03:15:33 +0000] "POST /x HTTP/1.1" 200 1 `
	cases := []struct{ name, format, line, want string }{
		{"pairs in another order, without quotes", "nginx_text", head + `us=502, 200 urt=0.001, 5.201 uht=-, 0.812 "-" ua=10.0.0.1:80, 10.0.0.2:80 : 10.0.0.3:80 rt=5.204 x=1 rid=r1`,
			"upstream_headers_ms=812000 total_handler_ms=5204000 timestamp=1787282127796000 attempt=3 status=200 request_id=r1 channel=10.0.0.3:80 recordable=upstream_headers_ms,total_handler_ms"},
		{"pairs in a user agent", "nginx_text", head + `"-" "x\" rt=9 ua=\"6.6.6.6:6" rt=1.000 ua="10.0.0.1:80"`,
			"total_handler_ms=1000000 timestamp=1787282132000000 attempt=1 status=200 channel=10.0.0.1:80 recordable=total_handler_ms"},
		{"a pair in the request", "nginx_text", `1.2.3.4 - a [b] "c [21/Aug/2026:03:15:33 +0000] "P /?rt=5 H" 200 1 rt=1.000`,
			"rejected: not a line of this format"},
		{"a request id with an escape", "nginx_text", head + "rid=a\x1b[31mb rt=1.000",
			"total_handler_ms=1000000 timestamp=1787282132000000 status=200 recordable=total_handler_ms"},
		{"bytes that are not UTF-8", "nginx_text", head + "rid=a\xff rt=1.000",
			"total_handler_ms=1000000 timestamp=1787282132000000 status=200 request_id=a\uFFFD recordable=total_handler_ms"},
		{"the first of two times", "nginx_text", head + "rt=1.000 rt=2.000",
			"total_handler_ms=1000000 timestamp=1787282132000000 status=200 recordable=total_handler_ms"},
		{"no quote at the end", "nginx_text", head + `rt=1.000 uht="0.5`,
			"total_handler_ms=1000000 timestamp=1787282132000000 status=200 recordable=upstream_headers_ms,total_handler_ms"},
		{"an upstream with credentials", "traefik_clf", head + `"-" "-" 7 "r@d" "http://u:secret@10.0.0.1:80/x?key=1" 12ms`,
			"total_handler_ms=12000 timestamp=1787282133000000 status=200 group=r@d channel=10.0.0.1:80"},
	}
	for _, c := range cases {
		got := tell(formatNamed(t, c.format), source.Options{}, c.line)
		got = strings.TrimSuffix(got, " recordable=total_handler_ms")
		want := strings.TrimSuffix(c.want, " recordable=total_handler_ms")
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, want)
		}
	}
	long := head + "rid=" + strings.Repeat("x", 1<<20) + " rt=1.000"
	if got := tell(formatNamed(t, "nginx_text"), source.Options{}, long); !strings.Contains(got, "too_long:request_id") {
		t.Errorf("a request id of a megabyte: %.200s", got)
	}
}
