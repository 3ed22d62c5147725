package mapping

import "ttdiag/ingest/timeline"

const httpPath = `."http.path"`

// agentgatewayJSON reads agentgateway's log with LOG_FORMAT=json. What the
// first token is depends on the route: any chunk on chat completions, content
// on messages, visible text on responses. Source: telemetry/log.rs,
// cel/types.rs, conversion/*.rs.
var agentgatewayJSON = Table{
	Name: "agentgateway_json", Family: "agentgateway", Title: "agentgateway log in JSON (LOG_FORMAT=json)", Vantage: "gateway",
	Match:  Match{All: []string{"scope", "http.status", "duration", "gateway"}},
	Only:   []Cond{is(".scope", "request")},
	Absent: []string{""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".time", Or: []string{".timestamp"}, Read: LatePadded},
		{Column: timeline.ColTotalHandler, Path: ".duration", Unit: timeline.Millisecond, Origin: "t0", Point: "response done"},
		{Column: timeline.ColUpstreamStart, Path: ".pre", Unit: timeline.Second, When: []Cond{lacks(`."retry.attempt"`)}, Config: true,
			Origin: "t0", Point: "upstream request starts"},
		{Column: timeline.ColUpstreamHeaders, Path: ".upstream_duration", Unit: timeline.Second, Config: true,
			Origin: "start of the upstream call", Point: "response headers"},
		{Column: timeline.ColFirstResponse, Path: `."agw.ai.time_to_first_token"`, Unit: timeline.Second,
			When: []Cond{contains(httpPath, "/v1/messages")}, Origin: "t0", Point: "first content delta, of text, thinking or a tool"},
		{Column: timeline.ColFirstTextDelta, Path: `."agw.ai.time_to_first_token"`, Unit: timeline.Second,
			When: []Cond{contains(httpPath, "/v1/responses")}, Origin: "t0", Point: "first delta of output text"},
		{Column: timeline.ColFirstSSEEvent, Path: `."agw.ai.time_to_first_token"`, Unit: timeline.Second,
			When: []Cond{contains(httpPath, "/chat/completions")}, Origin: "t0", Point: "first chunk of any kind"},
		{Column: timeline.ColStatus, Path: `."http.status"`},
		{Column: timeline.ColAttempt, Path: `."retry.attempt"`, Read: OneMore},
		// A time to the first token is written for streams only.
		{Column: timeline.ColStream, Const: "true", When: []Cond{has(`."agw.ai.time_to_first_token"`)}},
		{Column: timeline.ColModel, Path: `."gen_ai.request.model"`},
		{Column: timeline.ColProvider, Path: `."gen_ai.provider.name"`},
		{Column: timeline.ColGroup, Path: ".route"},
		{Column: timeline.ColChannel, Path: ".endpoint"},
		{Column: timeline.ColInputTokens, Path: `."gen_ai.usage.input_tokens"`},
		{Column: timeline.ColCachedInputTokens, Path: `."gen_ai.usage.cache_read.input_tokens"`},
		{Column: timeline.ColOutputTokens, Path: `."gen_ai.usage.output_tokens"`},
		{Column: timeline.ColReasoningTokens, Path: `."gen_ai.usage.reasoning_tokens"`},
	},
	StampsEnd:  true,
	FirstToken: "from t0: any first chunk on chat completions, first content on messages, first visible text on responses",
	More: "CEL fields upstream_duration: proxy.upstreamDuration (time to upstream headers) and pre: proxy.requestProcessingDuration " +
		"(t1-t0) in the log configuration",
}
