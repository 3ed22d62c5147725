package mapping

import (
	"testing"
	"time"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

func TestGoDuration(t *testing.T) {
	for _, tt := range []struct {
		lit string
		us  int64
		ok  bool
	}{
		{"812.345µs", 812, true},
		{"812.345\u03bcs", 812, true},
		{"812us", 812, true},
		{"6.431294518s", 6431295, true},
		{"1m3.201573904s", 63201574, true},
		{"1h2m3s", 3723e6, true},
		{"6421ms", 6421e3, true},
		{"500ns", 1, true},
		{"-3ms", -3000, true},
		{"0", 0, true},
		{"0s", 0, true},
		{"", 0, false},
		{"-", 0, false},
		{"6", 0, false},
		{"6.5", 0, false},
		{"ms", 0, false},
		{"5 ms", 0, false},
		{"1.2.3s", 0, false},
		{"5d", 0, false},
		{"9999999999999h", 0, false},
		{"600000h600000h", 0, false},
	} {
		us, ok := GoDuration([]byte(tt.lit))
		if ok != tt.ok || ok && us != tt.us {
			t.Errorf("GoDuration(%q) = %d, %v, want %d, %v", tt.lit, us, ok, tt.us, tt.ok)
		}
	}
}

func TestMoment(t *testing.T) {
	tokyo := time.FixedZone("", 9*3600)
	for _, tt := range []struct {
		lit  string
		unit timeline.Unit
		zone *time.Location
		us   int64
		p    timeline.Parsed
	}{
		{"2026-08-21T03:15:27.512Z", 0, nil, 1787282127512000, timeline.ParsedOK},
		{"2026-08-21 12:15:27.512", 0, tokyo, 1787282127512000, timeline.ParsedOK},
		{"21/Aug/2026:05:15:27 +0200", 0, nil, 1787282127000000, timeline.ParsedOK},
		{"2026/08/21 03:15:27.512", 0, nil, 1787282127512000, timeline.ParsedOK},
		{"21/Foo/2026:05:15:27 +0200", 0, nil, 0, timeline.ParsedBad},
		{"1787282127.512345", timeline.Second, nil, 1787282127512345, timeline.ParsedOK},
		{"1787282127512", timeline.Millisecond, nil, 1787282127512000, timeline.ParsedOK},
		{"1787282127512", 0, nil, 1787282127512000, timeline.ParsedOK},
		{"yesterday", 0, nil, 0, timeline.ParsedBad},
	} {
		us, p := Moment([]byte(tt.lit), tt.unit, tt.zone)
		if p != tt.p || p == timeline.ParsedOK && us != tt.us {
			t.Errorf("Moment(%q) = %d, %v, want %d, %v", tt.lit, us, p, tt.us, tt.p)
		}
	}
}

func TestAmericanTime(t *testing.T) {
	for in, want := range map[string]int64{
		"8/21/2026, 3:15:27 AM":       1787282127e6,
		"8/21/2026, 3:15:27\u202fAM":  1787282127e6,
		"8/21/2026, 3:15:27 PM":       1787282127e6 + 12*3600e6,
		"12/1/2026, 12:00:00 AM":      1796083200e6,
		"21/8/2026, 3:15:27 AM":       -1,
		"21.8.2026, 03:15:27":         -1,
		"8/21/2026, 15:15:27":         -1,
		"2026-08-21T03:15:27Z":        -1,
		"":                            -1,
		"8/21/2026, 3:15:27 AM extra": -1,
	} {
		us, ok := americanTime([]byte(in), nil)
		if !ok {
			us = -1
		}
		if us != want {
			t.Errorf("americanTime(%q) = %d, want %d", in, us, want)
		}
	}
}

func TestPadMicros(t *testing.T) {
	for in, want := range map[string]string{
		"2026-08-21T03:15:33.5123Z":   "2026-08-21T03:15:33.005123Z",
		"2026-08-21T03:15:33.933102Z": "2026-08-21T03:15:33.933102Z",
		"2026-08-21T03:15:33.0Z":      "2026-08-21T03:15:33.000000Z",
		"2026-08-21T03:15:33Z":        "2026-08-21T03:15:33Z",
		"2026-08-21T03:15:33.Z":       "2026-08-21T03:15:33.Z",
		"":                            "",
	} {
		if got := string(PadMicros([]byte(in))); got != want {
			t.Errorf("PadMicros(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLists(t *testing.T) {
	for _, tt := range []struct {
		list, last string
		n          int
	}{
		{"0.240", "0.240", 1},
		{"0.001, 0.240 : 0.300", "0.300", 3},
		{"-, 0.812", "0.812", 2},
		{"0.001 : 0.240, 0.300", "0.300", 3},
		{"unix:/run/a.sock, unix:/run/b.sock", "unix:/run/b.sock", 2},
		{"", "", 0},
		{" ", "", 0},
	} {
		if last, n := string(LastElement([]byte(tt.list))), CountElements([]byte(tt.list)); last != tt.last || n != tt.n {
			t.Errorf("%q: last %q of %d, want %q of %d", tt.list, last, n, tt.last, tt.n)
		}
	}
}

func TestUUIDTime(t *testing.T) {
	for id, want := range map[string]int64{
		"0198caf1-6b38-7c11-8d00-1f2a3b4c5d6e": 0x0198caf16b38 * 1000,
		"0198CAF1-6B38-7C11-8D00-1F2A3B4C5D6E": 0x0198caf16b38 * 1000,
		"0198caf1-6b38-4c11-8d00-1f2a3b4c5d6e": -1, // random
		"0198cag1-6b38-7c11-8d00-1f2a3b4c5d6e": -1,
		"0198caf1":                             -1,
	} {
		us, ok := uuidTime([]byte(id))
		if !ok {
			us = -1
		}
		if us != want {
			t.Errorf("uuidTime(%s) = %d, want %d", id, us, want)
		}
	}
}

func TestRealRequests(t *testing.T) {
	for chain, want := range map[string]int64{
		`[]`: 0,
		`[{"reason":"initial_selection"},{"reason":"request_success","statusCode":200}]`:                                     1,
		`[{"reason":"session_reuse"},{"reason":"retry_success"},{"reason":"request_success","statusCode":200}]`:              1,
		`[{"reason":"retry_failed","statusCode":529},{"reason":"system_error"},{"reason":"retry_success","statusCode":200}]`: 3,
		`[{"reason":"concurrent_limit_failed"},{"name":"x"}]`:                                                                0,
	} {
		if n, ok := realRequests([]byte(chain)); !ok || n != want {
			t.Errorf("%s: %d, %v, want %d", chain, n, ok, want)
		}
	}
	for _, chain := range []string{``, `{}`, `[1]`, `"x"`} {
		if n, ok := realRequests([]byte(chain)); ok {
			t.Errorf("%s: %d", chain, n)
		}
	}
}

// TestTraps holds values that a naive reader takes for others.
func TestTraps(t *testing.T) {
	tests := []struct {
		name   string
		format string
		line   string
		column timeline.Column
		want   int64 // -1 is absent
	}{
		{"nanoseconds", "traefik", `{"Duration":184211,"DownstreamStatus":200,"StartUTC":"2026-08-21T03:15:27Z"}`, timeline.ColTotalHandler, 184},
		{"never tried is no attempt", "traefik", `{"Duration":1,"OriginStatus":0,"RetryAttempts":0,"ServiceAddr":"a:1"}`, timeline.ColAttempt, -1},
		{"float seconds", "caddy", `{"logger":"http.log.access","duration":8.4212e-05,"ts":1}`, timeline.ColTotalHandler, 84},
		{"duration_format string", "caddy", `{"logger":"http.log.access.x","duration":"6.421337492s","ts":1}`, timeline.ColTotalHandler, 6421337},
		{"frt sentinel", "new_api_consume", `{"type":2,"created_at":5,"use_time":3,"other":"{\"frt\":-1000}"}`, timeline.ColFirstSSEEvent, -1},
		{"frt sentinel as a float", "new_api_consume", `{"type":2,"created_at":5,"use_time":3,"other":"{\"frt\":-1e3}"}`, timeline.ColFirstSSEEvent, -1},
		{"frt in an object", "new_api_consume", `{"type":2,"created_at":5,"use_time":3,"other":{"frt":1212.5}}`, timeline.ColFirstSSEEvent, 1212500},
		{"whole seconds", "new_api_consume", `{"type":2,"created_at":5,"use_time":3}`, timeline.ColTotalHandler, 3e6},
		{"under a second is no value", "new_api_consume", `{"type":2,"created_at":5,"use_time":0}`, timeline.ColTotalHandler, -1},
		{"old rows without the column", "one_api", `{"type":2,"created_at":5,"elapsed_time":0}`, timeline.ColTotalHandler, -1},
		{"milliseconds", "one_api", `{"type":2,"created_at":5,"elapsed_time":6380}`, timeline.ColTotalHandler, 6380e3},
		{"equal to the end", "litellm_spendlogs", `{"startTime":"2026-08-21T03:16:40.1","endTime":"2026-08-21T03:16:43.22","completionStartTime":"2026-08-21T03:16:43.220"}`, timeline.ColFirstResponse, -1},
		{"almost the end", "litellm_spendlogs", `{"startTime":"2026-08-21T03:16:40.1","endTime":"2026-08-21T03:16:43.22","completionStartTime":"2026-08-21T03:16:43.219"}`, timeline.ColFirstResponse, 3119e3},
		{"first raw chunk", "litellm_standard_logging_payload", `{"call_type":"anthropic_messages","startTime":1.0,"endTime":3.0,"completionStartTime":2.5}`, timeline.ColFirstSSEEvent, 1500e3},
		{"first raw chunk is no response", "litellm_standard_logging_payload", `{"call_type":"anthropic_messages","startTime":1.0,"endTime":3.0,"completionStartTime":2.5}`, timeline.ColFirstResponse, -1},
		{"tokens of a failure", "litellm_spendlogs", `{"startTime":"2026-08-21T03:16:40","endTime":"2026-08-21T03:16:43","status":"failure","prompt_tokens":0}`, timeline.ColInputTokens, -1},
		{"not proxied", "kong_file_log", `{"started_at":1,"latencies":{"kong":4,"proxy":-1,"request":5,"receive":0}}`, timeline.ColUpstreamHeaders, -1},
		{"kong's own latency is no t1", "kong_file_log", `{"started_at":1,"latencies":{"kong":4,"proxy":-1,"request":5,"receive":0}}`, timeline.ColUpstreamStart, -1},
		{"all three equal", "claude_code_hub", `{"created_at":"2026-08-21T03:15:27Z","duration_ms":3120,"ttfb_ms":3120,"first_byte_ms":3120.0}`, timeline.ColFirstSSEEvent, -1},
		{"no gate ran", "claude_code_hub", `{"created_at":"2026-08-21T03:15:27Z","duration_ms":6421,"ttfb_ms":1240,"first_byte_ms":1240}`, timeline.ColFirstResponse, -1},
		{"0 is real", "sub2api_access", `{"msg":"http request completed","latency_ms":0}`, timeline.ColTotalHandler, 0},
		{"empty string", "nginx_json", `{"request_time":"1","upstream_header_time":""}`, timeline.ColUpstreamHeaders, -1},
		{"number in a string", "apisix_logger", `{"latency":6421,"llm_summary":{"stream":"true","duration":"842"}}`, timeline.ColFirstSSEEvent, 842e3},
		{"whole response is no first chunk", "apisix_logger", `{"latency":1,"llm_summary":{"stream":"false","duration":842}}`, timeline.ColFirstSSEEvent, -1},
		{"default of a variable", "apisix_logger", `{"latency":1,"llm_summary":{"reasoning_tokens":"0"}}`, timeline.ColReasoningTokens, -1},
		{"measured zero", "apisix_logger", `{"latency":1,"llm_summary":{"reasoning_tokens":0}}`, timeline.ColReasoningTokens, 0},
		{"an object for a number", "nginx_json", `{"status":{"x":1},"request_time":1}`, timeline.ColStatus, -1},
		{"a word for a number", "nginx_json", `{"request_time":"fast","status":200}`, timeline.ColTotalHandler, -1},
		{"a negative duration", "nginx_json", `{"request_time":-0.5,"status":200}`, timeline.ColTotalHandler, -1},
		{"eight days", "nginx_json", `{"request_time":700000,"status":200}`, timeline.ColTotalHandler, -1},
		{"byte order mark", "nginx_json", "\xEF\xBB\xBF{\"request_time\":1}\r", timeline.ColTotalHandler, 1e6},
		{"exponent", "nginx_json", `{"request_time":6.421e0,"status":200}`, timeline.ColTotalHandler, 6421e3},
		{"client left first", "envoy_json", `{"start_time":"2026-08-21T03:15:27Z","response_code":0,"duration":3}`, timeline.ColStatus, -1},
		{"never attempted", "envoy_json", `{"start_time":"2026-08-21T03:15:27Z","duration":3,"upstream_attempts":0}`, timeline.ColAttempt, -1},
		{"t2 less t1", "envoy_json", `{"duration":3000,"response_duration":1241,"upstream_start_ms":38}`, timeline.ColUpstreamHeaders, 1203e3},
		{"service time is not t2 where t2 is logged as absent", "envoy_json", `{"duration":3000,"upstream_headers_ms":900,"upstream_service_time":"1237"}`, timeline.ColUpstreamHeaders, 900e3},
	}
	for _, tt := range tests {
		batch, rows, why := parse(formatNamed(t, tt.format), source.Options{}, [][]byte{[]byte(tt.line)})
		if rows[0] < 0 {
			t.Errorf("%s: rejected: %+v", tt.name, why[0])
			continue
		}
		got, ok := batch.Num(tt.column, 0)
		if !ok {
			got = -1
		}
		if got != tt.want {
			t.Errorf("%s: %s = %d, want %d", tt.name, tt.column, got, tt.want)
		}
	}
}

func TestRejections(t *testing.T) {
	for _, tt := range []struct {
		name, format, line string
		why                source.Reason
		field              string
	}{
		{"no JSON", "nginx_json", `hello`, source.InvalidJSON, ""},
		{"unquoted list", "nginx_json", `{"request_time":1,"upstream_header_time":-, 0.812}`, source.InvalidJSON, ""},
		{"cut", "nginx_json", `{"request_time":1,"status`, source.TruncatedJSON, ""},
		{"a byte order mark and no JSON", "nginx_json", "\xEF\xBB\xBFhello", source.InvalidJSON, ""},
		{"an array", "nginx_json", `[{"request_time":1}]`, source.NotAnObject, ""},
		{"not UTF-8", "nginx_json", "{\"request_time\":1,\"uri\":\"\xff\"}", source.InvalidUTF8, ""},
		{"wanted key twice", "nginx_json", `{"request_time":1,"request_time":2}`, source.DuplicateKey, "request_time"},
		{"nothing of the table", "nginx_json", `{"hello":1}`, source.NotARecord, ""},
		{"only names", "nginx_json", `{"request_id":"x"}`, source.NotARecord, ""},
		{"another type", "new_api_consume", `{"type":1,"created_at":5}`, source.NotARequest, ""},
	} {
		_, rows, why := parse(formatNamed(t, tt.format), source.Options{}, [][]byte{[]byte(tt.line)})
		if rows[0] >= 0 || why[0].Reason != tt.why || why[0].Field != tt.field {
			t.Errorf("%s: row %d, %+v, want %q in %q", tt.name, rows[0], why[0], tt.why, tt.field)
		}
	}
}
