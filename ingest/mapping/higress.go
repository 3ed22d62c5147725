package mapping

import "ttdiag/ingest/timeline"

const statisticsStart = "ai-statistics plugin, request headers: after earlier plugins, before the body"

// higress reads the access log of Higress: Envoy text shaped as JSON, all
// values strings, with what the ai-statistics plugin wrote as JSON in the string
// ai_log. Other values are not escaped, so a quote in a user agent breaks the
// line. Source: helm configmap.yaml, ai-statistics/main.go.
var higress = Table{
	Name: "higress_ai_log", Family: "Higress", Title: "Higress access log with ai_log", Vantage: "gateway",
	Match:  Match{All: []string{"ai_log", "start_time", "duration", "response_code"}},
	Absent: []string{"-", ""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".start_time", Origin: "t0"},
		{Column: timeline.ColTotalHandler, Path: ".duration", Unit: timeline.Millisecond,
			Origin: "t0", Point: "last byte to the client"},
		{Column: timeline.ColUpstreamStart, Path: ".upstream_start_ms", Unit: timeline.Millisecond, Config: true,
			Origin: "t0", Point: "upstream request starts"},
		{Column: timeline.ColUpstreamHeaders, Path: ".upstream_headers_ms", Unit: timeline.Millisecond, Config: true,
			Origin: "t1 of the last attempt", Point: "response headers"},
		{Column: timeline.ColUpstreamDone, Path: ".upstream_done_ms", Unit: timeline.Millisecond, Config: true,
			Origin: "t0", Point: "upstream body done"},
		{Column: timeline.ColUpstreamHeaders, Path: ".upstream_service_time", Unit: timeline.Millisecond,
			Origin: serviceOrigin, Point: "t2", Bias: "high"},
		{Column: timeline.ColFirstSSEEvent, Path: ".ai_log.llm_first_token_duration", Unit: timeline.Millisecond, Not: []string{"0"},
			Origin: statisticsStart, Point: "first chunk of the response body", Bias: "low"},
		{Column: timeline.ColUpstreamDone, Path: ".ai_log.llm_service_duration", Unit: timeline.Millisecond, Not: []string{"0"},
			Origin: statisticsStart, Point: "end of the response body", Bias: lowT0},
		{Column: timeline.ColStatus, Path: ".response_code", Not: []string{"0"}},
		{Column: timeline.ColStream, Path: ".ai_log.response_type", Words: []string{"stream", "true", "normal", "false"}},
		{Column: timeline.ColRequestID, Path: ".request_id"},
		{Column: timeline.ColModel, Path: ".ai_log.model"},
		{Column: timeline.ColGroup, Path: ".route_name"},
		{Column: timeline.ColChannel, Path: ".upstream_cluster"},
		{Column: timeline.ColOutcome, Path: ".response_flags", Words: envoyFlags},
		{Column: timeline.ColInputTokens, Path: ".ai_log.input_token"},
		{Column: timeline.ColCachedInputTokens, Path: ".ai_log.cached_tokens"},
		{Column: timeline.ColOutputTokens, Path: ".ai_log.output_token"},
		{Column: timeline.ColReasoningTokens, Path: ".ai_log.reasoning_tokens"},
	},
	FirstToken: "first chunk of the response body, counted from the plugin's request headers phase",
	More: `in accessLogFormat: "upstream_start_ms":"%COMMON_DURATION(DS_RX_BEG:US_TX_BEG:ms)%", "upstream_headers_ms":` +
		`"%COMMON_DURATION(US_TX_BEG:US_RX_BEG:ms)%", "upstream_done_ms":"%COMMON_DURATION(DS_RX_BEG:US_RX_END:ms)%"`,
}
