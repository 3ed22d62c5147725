package mapping

import "ttdiag/ingest/timeline"

// aiproxy reads log rows of labring/aiproxy, in milliseconds since 1970. Zero
// values are left out. Source: core/model/log.go, core/relay/controller/dohelper.go.
var aiproxy = Table{
	Name: "aiproxy", Family: "Relays", Title: "labring/aiproxy log rows", Vantage: "gateway",
	Match: Match{All: []string{"request_at", "created_at", "model", "request_id"},
		Any: [][]string{{"ttfb_milliseconds"}, {"code", "channel"}, {"usage", "price"}}},
	Absent: []string{""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".request_at", Unit: timeline.Millisecond},
		{Column: timeline.ColTotalHandler, Path: ".created_at", Minus: []string{".request_at"}, Unit: timeline.Millisecond,
			Origin: "t0", Point: "response done"},
		{Column: timeline.ColFirstSSEEvent, Path: ".ttfb_milliseconds", Unit: timeline.Millisecond, Not: []string{"0"},
			Origin: "t0", Point: "first byte written to the client", Bias: "a comment or part of an event counts"},
		{Column: timeline.ColStatus, Path: ".code", Not: []string{"0"}},
		{Column: timeline.ColAttempt, Path: ".retry_times", Read: OneMore},
		{Column: timeline.ColRequestID, Path: ".request_id"},
		{Column: timeline.ColModel, Path: ".model"},
		{Column: timeline.ColGroup, Path: ".group"},
		{Column: timeline.ColChannel, Path: ".channel"},
		{Column: timeline.ColInputTokens, Path: ".usage.input_tokens"},
		{Column: timeline.ColCachedInputTokens, Path: ".usage.cached_tokens"},
		{Column: timeline.ColOutputTokens, Path: ".usage.output_tokens"},
		{Column: timeline.ColReasoningTokens, Path: ".usage.reasoning_tokens"},
	},
	Cumulative: true,
	FirstToken: "first byte written to the client, counted from t0",
	More:       "nothing that aiproxy logs",
}

// cliProxyAPI reads the usage records of CLIProxyAPI's queue. Its two durations
// count from different moments, and 0 is unknown. Source:
// internal/redisqueue/plugin.go, helps/usage_helpers.go.
var cliProxyAPI = Table{
	Name: "cliproxyapi", Family: "Relays", Title: "CLIProxyAPI usage records", Vantage: "gateway",
	Match:  Match{All: []string{"timestamp", "latency_ms", "tokens", "auth_index", "failed"}},
	Absent: []string{"", "unknown"},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".timestamp"},
		{Column: timeline.ColTotalHandler, Path: ".latency_ms", Unit: timeline.Millisecond, Not: []string{"0"},
			Origin: "start of the executor: after authentication and account selection", Point: "usage published", Bias: lowT0},
		{Column: timeline.ColFirstSSEEvent, Path: ".ttft_ms", Unit: timeline.Millisecond, Not: []string{"0"}, Sometimes: true,
			Origin: "start of the upstream call, about t1", Point: "first data of the response", Bias: lowT0},
		{Column: timeline.ColStatus, Path: ".fail.status_code", Not: []string{"0"}},
		{Column: timeline.ColStream, Path: ".stream"},
		{Column: timeline.ColRequestID, Path: ".request_id"},
		{Column: timeline.ColModel, Path: ".model"},
		{Column: timeline.ColProvider, Path: ".provider"},
		{Column: timeline.ColReasoningEffort, Path: ".reasoning_effort"},
		{Column: timeline.ColInputTokens, Path: ".tokens.input_tokens", When: []Cond{is(".failed", "false")}},
		{Column: timeline.ColCachedInputTokens, Path: ".tokens.cached_tokens", When: []Cond{is(".failed", "false")}},
		{Column: timeline.ColOutputTokens, Path: ".tokens.output_tokens", When: []Cond{is(".failed", "false")}},
		{Column: timeline.ColReasoningTokens, Path: ".tokens.reasoning_tokens", When: []Cond{is(".failed", "false")}},
	},
	FirstToken: "first data of the response, counted from the upstream call; 0 is unknown",
	More:       "nothing that CLIProxyAPI logs",
}

// gptLoad reads gpt-load's request logs. Rows of retries are cumulative; the
// final one counts. Source: internal/models/types.go, internal/proxy/server.go.
var gptLoad = Table{
	Name: "gpt_load", Family: "Relays", Title: "gpt-load request logs", Vantage: "gateway",
	Match:  Match{All: []string{"timestamp", "group_name", "is_success", "duration_ms", "is_stream"}},
	Only:   []Cond{isNot(".request_type", "retry")},
	Absent: []string{""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".timestamp"},
		{Column: timeline.ColTotalHandler, Path: ".duration_ms", Unit: timeline.Millisecond,
			Origin: "proxy handler: after authentication", Point: "response copied; in old versions, response headers",
			Bias: "low against t0; holds earlier attempts"},
		{Column: timeline.ColStatus, Path: ".status_code", Not: []string{"0"}},
		{Column: timeline.ColAttempt, Path: ".retries", Not: []string{"0"}}, // counts the first attempt too
		{Column: timeline.ColStream, Path: ".is_stream"},
		{Column: timeline.ColRequestID, Path: ".id"},
		{Column: timeline.ColModel, Path: ".model"},
		{Column: timeline.ColGroup, Path: ".group_name"},
		{Column: timeline.ColChannel, Path: ".upstream_addr"},
	},
	StampsEnd:  true,
	Cumulative: true,
	FirstToken: "none: gpt-load records no first event",
	More:       "nothing that gpt-load logs",
}
