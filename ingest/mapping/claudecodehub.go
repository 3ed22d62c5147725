package mapping

import (
	"sync"

	"ttdiag/ingest/scan"
	"ttdiag/ingest/timeline"
)

// claudeCodeHub reads rows of message_request and of the admin API. The column
// ttfb_ms holds the time to the first content since a gate on the stream was
// added; equal to first_byte_ms it says that no gate ran, and equal to the
// duration that there was no stream. Source: drizzle/schema.ts,
// _lib/proxy/session.ts, response-handler.ts.
var claudeCodeHub = Table{
	Name: "claude_code_hub", Family: "claude-code-hub", Title: "claude-code-hub request rows", Vantage: "gateway",
	Match: Match{Any: [][]string{
		{"ttfb_ms", "duration_ms", "provider_chain", "session_id"},
		{"ttftMs", "durationMs", "providerChain", "sessionId"},
	}},
	Absent: []string{""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".created_at", Or: []string{".createdAt"}},
		{Column: timeline.ColTotalHandler, Path: ".duration_ms", Or: []string{".durationMs"}, Unit: timeline.Millisecond,
			Origin: "t0", Point: "response done"},
		{Column: timeline.ColFirstResponse, Path: ".ttfb_ms", Or: []string{".ttftMs"}, Unit: timeline.Millisecond,
			NotSame: []string{".first_byte_ms", ".firstByteMs", ".duration_ms", ".durationMs"},
			Origin:  "t0", Point: "first frame with content"},
		{Column: timeline.ColFirstSSEEvent, Path: ".first_byte_ms", Or: []string{".firstByteMs"}, Unit: timeline.Millisecond,
			NotSame: []string{".duration_ms", ".durationMs"},
			Origin:  "t0", Point: "first byte of the body of the attempt that was served", Bias: "low"},
		{Column: timeline.ColStatus, Path: ".status_code", Or: []string{".statusCode"}},
		{Column: timeline.ColAttempt, Path: ".provider_chain", Or: []string{".providerChain"}, Via: realRequests},
		{Column: timeline.ColRequestID, Path: ".id"},
		{Column: timeline.ColModel, Path: ".model"},
		// Provider 0 is the hub itself.
		{Column: timeline.ColChannel, Path: ".provider_id", Or: []string{".providerName"}, Not: []string{"0"}},
		{Column: timeline.ColInputTokens, Path: ".input_tokens", Or: []string{".inputTokens"}},
		{Column: timeline.ColCachedInputTokens, Path: ".cache_read_input_tokens", Or: []string{".cacheReadInputTokens"}},
		{Column: timeline.ColOutputTokens, Path: ".output_tokens", Or: []string{".outputTokens"}},
	},
	Cumulative: true,
	FirstToken: "first frame with content, counted from t0, where the gate on the stream ran; otherwise the first byte",
	More:       "routing_trace (discovery mode) is the only place that holds t1",
}

var chainPaths = sync.OnceValue(func() *scan.Paths { return mustCompile(".reason", ".statusCode") })

// realRequests counts the items of a provider chain that went to a provider;
// others tell how one was chosen. A success without a status is such a choice.
func realRequests(chain []byte) (n int64, ok bool) {
	if len(chain) == 0 || chain[0] != '[' {
		return 0, false
	}
	x := chainPaths().NewExtractor()
	for item := range scan.Elements(chain) {
		if _, fault := x.Scan(item); fault != scan.OK {
			return 0, false
		}
		switch string(x.Plain(x.Get(0))) {
		case "request_success", "retry_success":
			if x.Get(1).Kind == scan.Num {
				n++
			}
		case "retry_failed", "system_error", "resource_not_found", "client_error_non_retryable", "vendor_type_all_timeout",
			"hedge_winner", "hedge_loser_cancelled", "client_abort":
			n++
		}
	}
	return n, true
}

// mustCompile compiles paths of a table; a fault there is a bug.
func mustCompile(paths ...string) *scan.Paths {
	p, err := scan.Compile(paths...)
	if err != nil {
		panic(err)
	}
	return p
}
