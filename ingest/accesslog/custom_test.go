package accesslog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// tell returns the columns that a line gives, in schema order, or why it gives
// none. Columns that say where a record comes from are left out.
func tell(f *source.Format, opt source.Options, line string) string {
	got := parseLog(f, opt, []byte(line))
	if got.batch.Len() == 0 {
		return "rejected: " + string(got.rejected[1])
	}
	var b strings.Builder
	for c := range timeline.Column(timeline.NumColumns) {
		switch c {
		case timeline.ColSourceLine, timeline.ColSourceByte, timeline.ColFormat, timeline.ColVantage:
			continue
		case timeline.ColApprox:
			for _, a := range labelOf(got.batch).Items {
				fmt.Fprintf(&b, " ~%s", a.Column)
			}
			continue
		}
		if got.batch.Has(c, 0) {
			fmt.Fprintf(&b, " %s=%s", c, show(got.batch, 0, c))
		}
	}
	return strings.TrimSpace(b.String())
}

func labelOf(b *timeline.Batch) *timeline.Label {
	var row timeline.Row
	b.Row(0, &row)
	if row.Label == nil {
		return &timeline.Label{}
	}
	return row.Label
}

const (
	nginxDirectiveText = "log_format llm escape=default '$remote_addr [$time_local] \"$request\" '\n" +
		"    '$status rt=$request_time '\n\t\"uht=$upstream_header_time ua=\\\"$upstream_addr\\\"\";"
	envoySpans = `[%START_TIME%] %REQ(X-REQUEST-ID)% %RESPONSE_CODE% %RESPONSE_FLAGS% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% ` +
		`t1=%COMMON_DURATION(DS_RX_BEG:US_TX_BEG:us)% t2=%COMMON_DURATION(US_TX_BEG:US_RX_BEG:ms)% ` +
		`body=%COMMON_DURATION(DS_RX_BEG:US_RX_BODY_BEG)% done=%COMMON_DURATION(DS_RX_BEG:US_RX_END:ms)% n=%UPSTREAM_REQUEST_ATTEMPT_COUNT%`
)

func TestCustom(t *testing.T) {
	cases := []struct {
		name, format, line, want string
	}{
		{"nginx directive over lines", nginxDirectiveText,
			`1.2.3.4 [21/Aug/2026:03:15:33 +0000] "POST /x HTTP/1.1" 200 rt=6.421 uht=-, 0.812 ua="10.0.0.1:80, 10.0.0.2:80"`,
			`upstream_headers_ms=812000 total_handler_ms=6421000 timestamp=1787282126579000 attempt=2 status=200 channel=10.0.0.2:80 recordable=upstream_headers_ms,total_handler_ms`},
		{"nginx lists without quotes", `$status $upstream_addr $upstream_status $upstream_response_length $upstream_header_time $request_time $msec`,
			`200 10.0.0.1:80, 10.0.0.2:80 : 10.0.0.3:80 502, 502 : 200 0, 0 : 12 0.001, 0.240 : 0.021 0.545 1787282133.933`,
			`upstream_headers_ms=21000 total_handler_ms=545000 timestamp=1787282133388000 attempt=3 status=200 channel=10.0.0.3:80 recordable=upstream_headers_ms,total_handler_ms`},
		{"nginx without headers", `$time_iso8601|$status|$request_time`,
			`2026-08-21T05:15:33+02:00|504|60.003`,
			`total_handler_ms=60003000 timestamp=1787282072997000 status=504 recordable=total_handler_ms`},
		{"nginx as JSON with an empty value", `log_format j escape=json '{"t":$msec,"ua":"$http_user_agent","uht":"$upstream_header_time","rt":$request_time}';`,
			`{"t":1787282133.933,"ua":"a \",\"rt\":9 b","uht":"","rt":0.000}`,
			`total_handler_ms=0 timestamp=1787282133933000 recordable=upstream_headers_ms,total_handler_ms`},
		{"nginx time without brackets", `$time_local $status $request_time`, `21/Aug/2026:03:15:33 +0000 200 0.001`,
			`total_handler_ms=1000 timestamp=1787282132999000 status=200 recordable=total_handler_ms`},
		{"a date after the user agent", `"$http_user_agent" $time_local $request_time`, `"a 1.5 b" 21/Aug/2026:03:15:33 +0000 0.001`,
			`total_handler_ms=1000 timestamp=1787282132999000 recordable=total_handler_ms`},
		{"quotes at both ends", `"%REQ(X-REQUEST-ID)%" "%DURATION%"`, `"a" "12"`, `total_handler_ms=12000 request_id=a recordable=total_handler_ms`},
		{"quotes at both ends, nginx", `"$request_id" "$request_time"`, `"a" "0.012"`, `total_handler_ms=12000 request_id=a recordable=total_handler_ms`},
		{"in quotes, nginx", `"$request_id \"$request_time\""`, `a "0.012"`, `total_handler_ms=12000 request_id=a recordable=total_handler_ms`},
		{"nginx braces", `${status}x $request_time`, `200x 0.001`, `total_handler_ms=1000 status=200 recordable=total_handler_ms`},
		{"nginx cache", `$upstream_cache_status $request_time`, `HIT 0.001`, `total_handler_ms=1000 recordable=total_handler_ms notes=cache_hit`},
		{"APISIX from its configuration", `access_log_format: "$status \"$request_type\" $request_time $llm_time_to_first_token"`,
			`200 "ai_stream" 1.000 842`,
			`first_sse_event_ms=842000 total_handler_ms=1000000 stream=1 status=200 ~first_sse_event_ms recordable=first_sse_event_ms,total_handler_ms`},
		{"Envoy durations", envoySpans,
			`[2026-08-21T03:15:27.512Z] id-1 200 - 6421 1237 t1=38250 t2=1203 body=1246 done=6420 n=1`,
			`upstream_start_ms=38250 upstream_headers_ms=1203000 first_sse_event_ms=1246000 upstream_done_ms=6420000 total_handler_ms=6421000 timestamp=1787282127512000 attempt=1 status=200 request_id=id-1 ~first_sse_event_ms recordable=upstream_headers_ms,first_sse_event_ms,upstream_done_ms,total_handler_ms`},
		{"Envoy headers that never came", envoySpans,
			`[2026-08-21T03:15:27.512Z] id-1 504 UT 15004 3000 t1=38000 t2=- body=- done=- n=2`,
			`upstream_start_ms=38000 total_handler_ms=15004000 timestamp=1787282127512000 attempt=2 status=504 request_id=id-1 outcome=timeout recordable=upstream_headers_ms,first_sse_event_ms,upstream_done_ms,total_handler_ms`},
		{"Envoy response duration", `%START_TIME(%s.%3f)% %RESPONSE_DURATION% %COMMON_DURATION(DS_RX_BEG:US_TX_BEG:ms)% %DURATION% %REQUEST_DURATION%\n`,
			`1787282127.512 1241 38 6421 4`,
			`body_read_ms=4000 upstream_start_ms=38000 upstream_headers_ms=1203000 total_handler_ms=6421000 timestamp=1787282127512000 ~body_read_ms recordable=upstream_headers_ms,total_handler_ms`},
		{"Envoy response duration alone", `%RESPONSE_DURATION% %DURATION%`, `1241 6421`, `total_handler_ms=6421000 recordable=total_handler_ms`},
		{"Envoy dates", `%START_TIME(%Y/%m/%dT%H:%M:%S%z %s)% %DURATION%`, `2026/08/21T05:15:27+0200 1787282127 1`,
			`total_handler_ms=1000 timestamp=1787282127000000 recordable=total_handler_ms`},
		{"Envoy AI Gateway", `"%REQ(X-AI-EG-MODEL)%" %DYNAMIC_METADATA(io.envoy.ai_gateway:llm_input_token)% %DYNAMIC_METADATA(io.envoy.ai_gateway:token_latency_ttft)% %DURATION%`,
			`"gpt-4o" 512 1206 6421`,
			`first_sse_event_ms=1206000 total_handler_ms=6421000 stream=1 input_tokens=512 model=gpt-4o ~first_sse_event_ms recordable=total_handler_ms`},
		{"Envoy in YAML", `accessLogFormat: "%RESPONSE_CODE% %DURATION%\n"`, `200 12`, `total_handler_ms=12000 status=200 recordable=total_handler_ms`},
		{"Envoy quotes in a user agent", `"%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%" %DURATION%`, `"a" "b" 7" "id-1" 12`,
			`total_handler_ms=12000 request_id=id-1 recordable=total_handler_ms`},
		{"Apache %D", `LogFormat "%h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\" %D" combined_d`,
			`1.2.3.4 - bob smith [21/Aug/2026:03:15:27 +0000] "POST /x \"y\" HTTP/1.1" 200 9127 "-" "q \" 5" 6421337`,
			`total_handler_ms=6421337 timestamp=1787282127000000 status=200 recordable=total_handler_ms`},
		{"Apache ms", `%t %s %{ms}T %{X-Request-Id}i`, `[21/Aug/2026:03:15:27 +0000] 200 6421 r-1`,
			`total_handler_ms=6421000 timestamp=1787282127000000 status=200 request_id=r-1 recordable=total_handler_ms`},
		{"Apache seconds and a date", `%{%Y-%m-%d %H:%M:%S}t %T %{BALANCER_WORKER_NAME}e`, `2026-08-21 03:15:27 6 http://10.0.0.1:80`,
			`total_handler_ms=6000000 timestamp=1787282127000000 channel=http://10.0.0.1:80 recordable=total_handler_ms`},
		{"Apache end", `%{end:msec}t %D`, `1787282133933 6421000`, `total_handler_ms=6421000 timestamp=1787282127512000 recordable=total_handler_ms`},
		{"HAProxy", `log-format "%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %tsc %rc %hr %hs %ID"`,
			`1.2.3.4:5 [21/Aug/2026:03:15:27.512] in pool/a 3/0/2/1203/6421 200 ---- 0 {x|y z} {w} id-1`,
			`upstream_start_ms=3000 upstream_headers_ms=1205000 total_handler_ms=6421000 timestamp=1787282127512000 attempt=1 status=200 request_id=id-1 channel=pool/a recordable=upstream_headers_ms,total_handler_ms`},
		{"HAProxy with escaped blanks", `%tr\ %Ta\ %{+Q}[capture.req.hdr(0)]\ %ST`, `21/Aug/2026:03:15:27.512 6421 "x" -1`,
			`total_handler_ms=6421000 timestamp=1787282127512000 recordable=total_handler_ms`},
		{"a line of something else", `$status $request_time`, `hello`, `rejected: not a line of this format`},
		{"a torn line", `[$time_local] $status $request_time end`, `[21/Aug/2026:03:15:33 +0000] 200 0.`, `rejected: not a line of this format`},
		{"more than the format", `$status $request_time"`, `200 0.001" x`, `rejected: not a line of this format`},
		{"a status that is none", `$status $request_time`, `2x0 0.001`, `rejected: not a line of this format`},
		{"a time that is none", `$status $request_time`, `200 x`, `status=200 recordable=total_handler_ms notes=bad_value:total_handler_ms`},
	}
	for _, c := range cases {
		f, err := Custom(c.format)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := tell(f, source.Options{}, c.line); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		if !strings.HasPrefix(c.want, "rejected") && f.Detect(windowOf([]byte(c.line))) < source.Certain && c.name != "a time that is none" {
			t.Errorf("%s: not told from its line", c.name)
		}
	}
}

func TestCustomRefuses(t *testing.T) {
	cases := []struct{ format, part string }{
		{"", "no $variable"},
		{"plain", "no $variable"},
		{"$remote_addr $status", "no timing column in it; add: log_format"},
		{"$request_time$upstream_header_time", "$request_time and $upstream_header_time stand side by side"},
		{"$ $request_time", "$ without the name"},
		{"%START_TIME% %RESPONSE_CODE%", "no timing column in it; add: %COMMON_DURATION"},
		{"%START_TIME(% %DURATION%", "begins no operator"},
		{`%h %l %u %t "%r" %>s %b`, "no timing column in it; add: LogFormat"},
		{"%ci %tr %ST", "no timing column"},
	}
	for _, c := range cases {
		if _, err := Custom(c.format); !errors.Is(err, ErrLogFormat) || !strings.Contains(err.Error(), c.part) {
			t.Errorf("Custom(%q): %v, want %q in it", c.format, err, c.part)
		}
	}
}

// TestRecordable holds the marks that each line can have, which is what tells a
// mark that never came from one that no log line of the format has.
func TestRecordable(t *testing.T) {
	const nginx = `1.2.3.4 - - [21/Aug/2026:03:15:33 +0000] "POST /x HTTP/1.1" 504 1 "-" "-" `
	cases := []struct {
		name, format, line string
		exact              bool
		want               []string
	}{
		{"nginx with headers", "nginx_text", nginx + `rt=60.0 uht="0.2"`, false, []string{"upstream_headers_ms", "total_handler_ms"}},
		{"nginx without headers in time", "nginx_text", nginx + `rt=60.0 uht="-"`, false, []string{"upstream_headers_ms", "total_handler_ms"}},
		{"nginx without a header column", "nginx_text", nginx + `rt=60.0`, false, []string{"total_handler_ms"}},
		{"Envoy", "envoy_text_default", `[2026-08-21T03:16:02.004Z] "P / H" 504 UT 1 2 15004 - "-" "-" "-" "-" "-"`, false, []string{"upstream_headers_ms", "total_handler_ms"}},
		{"Envoy exactly, headers there", "envoy_text_default", `[2026-08-21T03:16:02.004Z] "P / H" 504 UT 1 2 15004 7 "-" "-" "-" "-" "-"`, true, []string{"total_handler_ms"}},
		{"Envoy exactly, no headers", "envoy_text_default", `[2026-08-21T03:16:02.004Z] "P / H" 504 UT 1 2 15004 - "-" "-" "-" "-" "-"`, true, []string{"upstream_headers_ms", "total_handler_ms"}},
		{"HAProxy logged early", "haproxy_http", `1.2.3.4:5 [21/Aug/2026:03:18:10.250] i p/a 0/0/2/1203/+1205 200 +312 - - ---- 14/12/9/4/0 0/0 "P / H"`, false, []string{"upstream_headers_ms"}},
		{"HAProxy that never left the queue", "haproxy_http", `1.2.3.4:5 [21/Aug/2026:03:16:02.004] i p/<NOSRV> 0/30000/-1/-1/30000 503 217 - - sQ-- 2/2/1/0/0 0/44 "P / H"`, false, []string{"total_handler_ms"}},
		{"HAProxy without headers in time", "haproxy_http", `1.2.3.4:5 [21/Aug/2026:03:16:02.004] i p/a 0/0/1/-1/60003 504 217 - - sH-- 2/2/1/0/0 0/44 "P / H"`, false, []string{"upstream_headers_ms", "total_handler_ms"}},
		{"APISIX stream", "apisix_access", `1.2.3.4 - - [21/Aug/2026:03:18:00 +0000] h "P / H" 504 1 60.004 "-" "-" 10.4.2.17:443 504 60001 "h://u" "i" "ai_stream" "0" "" "m"  "0" "0"`, false, []string{"first_sse_event_ms", "total_handler_ms"}},
		{"APISIX chat", "apisix_access", `1.2.3.4 - - [21/Aug/2026:03:18:00 +0000] h "P / H" 504 1 60.004 "-" "-" 10.4.2.17:443 504 60001 "h://u" "i" "ai_chat" "0" "" "m"  "0" "0"`, false, []string{"total_handler_ms"}},
		{"New API without a bill", "new_api_text", `[GIN] 2026/08/21 - 03:18:01 | id | 504 | 1m0s | 1.2.3.4 | POST /x`, false, []string{"total_handler_ms"}},
		{"New API with a bill of a stream", "new_api_text", `[INFO] 2026/08/21 - 03:18:01 | id | record consume log: userId=7, params={"use_time_seconds":9,"is_stream":true}`, false, []string{"first_sse_event_ms", "total_handler_ms"}},
	}
	for _, c := range cases {
		got := parseLog(formatNamed(t, c.format), source.Options{Exact: c.exact}, []byte(c.line))
		if got.batch.Len() != 1 {
			t.Errorf("%s: no record: %v", c.name, got.rejected)
			continue
		}
		var names []string
		for m := range timeline.ParseRecordable(got.batch.Text(timeline.ColRecordable, 0)).All {
			names = append(names, m.String())
		}
		if !slices.Equal(names, c.want) {
			t.Errorf("%s: %v, want %v", c.name, names, c.want)
		}
	}
}

// TestUntimed tells logs without a timing column, and says what to add.
func TestUntimed(t *testing.T) {
	const head = `1.2.3.4 - - [21/Aug/2026:03:15:33 +0000] "POST /x HTTP/1.1" 200 1`
	for _, line := range []string{
		head, head + ` "-" "agent"`, head + ` "-" "-" "1.2.3.4"`,
		head + ` "-" "-" 100000`, // 100 s or 0.1 s
		head + ` "-" "-" 0.512`,  // of which time it is nobody knows
	} {
		w := windowOf([]byte(line))
		for _, f := range Formats() {
			if c := f.Detect(w); c > source.No != (f.Name == "combined") {
				t.Errorf("%s: %s is sure to %d", line, f.Name, c)
			}
		}
	}
	f := formatNamed(t, "combined")
	if got := parseLog(f, source.Options{}, []byte(head)).rejected[1]; got != source.NotARecord {
		t.Errorf("rejected as %q", got)
	}
	for _, part := range []string{"--log-format", "$upstream_header_time", "%D"} {
		if !strings.Contains(f.More, part) {
			t.Errorf("what to add does not name %s", part)
		}
	}
}

// TestRecipes reads lines by the log formats that ttdiag itself recommends.
func TestRecipes(t *testing.T) {
	cases := []struct{ name, format, line, want string }{
		{"nginx", nginxMore, `1.2.3.4 - - [21/Aug/2026:03:15:33 +0000] "POST /x HTTP/1.1" 200 9127 "-" "-" rid=r1 rt=6.421 uct="0.002" uht="1.203" urt="6.418" ua="10.0.0.11:8000" us="200"`,
			"upstream_headers_ms=1203000 total_handler_ms=6421000 timestamp=1787282126579000 attempt=1 status=200 request_id=r1 channel=10.0.0.11:8000 recordable=upstream_headers_ms,total_handler_ms"},
		{"Apache", `LogFormat "%h %l %u %t \"%r\" %>s %b \"-\" \"-\" %D"`, `1.2.3.4 - - [21/Aug/2026:03:15:27 +0000] "POST /x HTTP/1.1" 200 9127 "-" "-" 6421337`,
			"total_handler_ms=6421337 timestamp=1787282127000000 status=200 recordable=total_handler_ms"},
		{"Envoy", "[%START_TIME%] %DURATION% " + envoyMore, `[2026-08-21T03:15:27.512Z] 6421 38 1203 1246 6420 1`,
			"upstream_start_ms=38000 upstream_headers_ms=1203000 first_sse_event_ms=1246000 upstream_done_ms=6420000 total_handler_ms=6421000 timestamp=1787282127512000 attempt=1 ~first_sse_event_ms recordable=upstream_headers_ms,first_sse_event_ms,upstream_done_ms,total_handler_ms"},
		{"Envoy, the default and more", envoyDefault + " " + envoyMore,
			`[2026-08-21T03:15:27.512Z] "POST /x HTTP/1.1" 200 - 1843 9127 6421 1237 "-" "a "b" c" "id-1" "h" "10.4.2.17:8000" 38 1203 1246 6420 1`,
			"upstream_start_ms=38000 upstream_headers_ms=1203000 first_sse_event_ms=1246000 upstream_done_ms=6420000 total_handler_ms=6421000 timestamp=1787282127512000 attempt=1 status=200 request_id=id-1 channel=10.4.2.17:8000 ~first_sse_event_ms recordable=upstream_headers_ms,first_sse_event_ms,upstream_done_ms,total_handler_ms"},
		{"HAProxy with a unique id", `log-format "` + strings.ReplaceAll(haproxyDefault, `"`, `\"`) + ` %ID"`,
			`1.2.3.4:5 [21/Aug/2026:03:15:27.512] in~ pool/a 3/0/2/1203/6421 200 9127 - - ---- 14/12/9/4/0 0/0 {x} "POST /x HTTP/1.1" id-1`,
			"upstream_start_ms=3000 upstream_headers_ms=1205000 total_handler_ms=6421000 timestamp=1787282127512000 attempt=1 status=200 inflight=9 request_id=id-1 channel=pool/a ~inflight recordable=upstream_headers_ms,total_handler_ms"},
		{"ingress-nginx", ingressFormat + ` uht="$upstream_header_time"`,
			`1.2.3.4 - - [21/Aug/2026:03:15:33 +0000] "POST /x HTTP/1.1" 200 9127 "-" "-" 1843 6.421 [llm-gw-80] [] 10.0.0.11:8000 9127 6.418 200 r1 uht="1.203"`,
			"upstream_headers_ms=1203000 total_handler_ms=6421000 timestamp=1787282126579000 attempt=1 status=200 request_id=r1 group=llm-gw-80 channel=10.0.0.11:8000 recordable=upstream_headers_ms,total_handler_ms"},
	}
	for _, c := range cases {
		f, err := Custom(c.format)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := tell(f, source.Options{}, c.line); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	// The nginx recipe is also told without its log format.
	if got := tell(formatNamed(t, "nginx_text"), source.Options{}, cases[0].line); got != cases[0].want {
		t.Errorf("nginx without a log format: %s", got)
	}
}
