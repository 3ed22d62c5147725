package mapping

import "ttdiag/ingest/timeline"

const forwardStart = "start of forwarding: after authentication, body, waits and account selection; anew for each account"

// sub2apiUsage reads sub2api's usage rows. request_id is the upstream's.
// Anthropic's input tokens leave cached ones out. Source: handler/dto/types.go,
// service/gateway_service.go.
var sub2apiUsage = Table{
	Name: "sub2api_usage", Family: "sub2api", Title: "sub2api usage rows", Vantage: "gateway",
	Match:  Match{All: []string{"account_id", "api_key_id", "duration_ms", "first_token_ms", "rate_multiplier"}},
	Absent: []string{""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".created_at"},
		{Column: timeline.ColTotalHandler, Path: ".duration_ms", Unit: timeline.Millisecond,
			Origin: forwardStart, Point: "forwarding returned", Bias: lowT0},
		{Column: timeline.ColFirstSSEEvent, Path: ".first_token_ms", Unit: timeline.Millisecond,
			Origin: forwardStart, Point: "first data line", Bias: lowT0},
		{Column: timeline.ColStream, Path: ".stream"},
		{Column: timeline.ColRequestID, Path: ".request_id"},
		{Column: timeline.ColModel, Path: ".model"},
		{Column: timeline.ColGroup, Path: ".group_id"},
		{Column: timeline.ColChannel, Path: ".account_id", Not: []string{"0"}},
		{Column: timeline.ColInputTokens, Path: ".input_tokens"},
		{Column: timeline.ColCachedInputTokens, Path: ".cache_read_tokens"},
		{Column: timeline.ColOutputTokens, Path: ".output_tokens"},
	},
	StampsEnd:  true,
	FirstToken: "first data line that is not empty (message_start on Anthropic), counted from the start of forwarding",
	More:       "the access log of the same gateway holds the total from t0; its ops rows hold the time to upstream headers of errors",
}

// sub2apiOps reads sub2api's rows of errors. auth_latency_ms is reading and
// checking the body, not authentication. Source: service/ops_models.go,
// service/ops_upstream_context.go.
var sub2apiOps = Table{
	Name: "sub2api_ops_error", Family: "sub2api", Title: "sub2api error rows", Vantage: "gateway",
	Match:  Match{All: []string{"phase", "error_owner", "auth_latency_ms", "routing_latency_ms", "upstream_latency_ms"}},
	Absent: []string{""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".created_at"},
		{Column: timeline.ColUpstreamHeaders, Path: ".upstream_latency_ms", Unit: timeline.Millisecond,
			Origin: "start of the last attempt", Point: "response headers"},
		{Column: timeline.ColBodyRead, Path: ".auth_latency_ms", Unit: timeline.Millisecond,
			Origin: "handler entered", Point: "body read, parsed and checked", Bias: "high"},
		{Column: timeline.ColDistribution, Path: ".routing_latency_ms", Unit: timeline.Millisecond,
			Origin: "body parsed", Point: "slot of the account taken", Bias: "high: holds waits in queues, and all accounts tried"},
		{Column: timeline.ColStatus, Path: ".status_code"},
		{Column: timeline.ColErrorClass, Path: ".type"},
		{Column: timeline.ColAttempt, Path: ".upstream_errors", Read: Items},
		// false is the zero value where the body was never read.
		{Column: timeline.ColStream, Path: ".stream", When: []Cond{has(".auth_latency_ms")}},
		{Column: timeline.ColRequestID, Path: ".request_id"},
		{Column: timeline.ColModel, Path: ".model"},
		{Column: timeline.ColGroup, Path: ".group_name"},
		{Column: timeline.ColChannel, Path: ".account_id", Not: []string{"0"}},
	},
	StampsEnd:  true,
	FirstToken: "time_to_first_token_ms is null on errors and is not used",
	More:       "rows exist for errors only; the usage rows and the access log hold the rest",
}

// sub2apiAccess reads the access lines in sub2api's application log; other
// lines are no requests. Keys that nobody needs stand in them twice. Source:
// server/middleware/logger.go.
var sub2apiAccess = Table{
	Name: "sub2api_access", Family: "sub2api", Title: "sub2api access lines", Vantage: "gateway",
	Match: Match{All: []string{"time", "level", "msg", "component"},
		Any: [][]string{{"latency_ms", "status_code", "completed_at"}}},
	Only:   []Cond{is(".msg", "http request completed"), has(".latency_ms")},
	Absent: []string{""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".completed_at", Or: []string{".time"}},
		// 0 is real: under a millisecond.
		{Column: timeline.ColTotalHandler, Path: ".latency_ms", Unit: timeline.Millisecond,
			Origin: "t0", Point: "handler returned"},
		{Column: timeline.ColStatus, Path: ".status_code"},
		{Column: timeline.ColRequestID, Path: ".request_id"},
		{Column: timeline.ColModel, Path: ".model"},
		{Column: timeline.ColChannel, Path: ".account_id", Not: []string{"0"}},
		{Column: timeline.ColProvider, Path: ".platform"},
	},
	StampsEnd:  true,
	FirstToken: "none",
	More:       "the usage rows hold the first event and tokens",
}
