package mapping

import "ttdiag/ingest/timeline"

// apisixLogger reads what APISIX's loggers (file-logger, http-logger, …) write
// by default, with the summary of ai-proxy. Times are milliseconds. The
// summary's duration is the time to the first chunk; its numbers may be strings,
// and the string "0" is the default of a variable nobody set. Source:
// apisix/utils/log-util.lua, plugins/ai-proxy/base.lua.
var apisixLogger = Table{
	Name: "apisix_logger", Family: "APISIX", Title: "APISIX logger plugins (file-logger, http-logger), ai-proxy included", Vantage: "gateway",
	Match:  Match{All: []string{"start_time", "latency", "upstream_latency", "apisix_latency"}},
	Absent: []string{"", "0"}, // as texts: measured numbers are not quoted
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".start_time", Unit: timeline.Millisecond, Origin: "t0"},
		{Column: timeline.ColTotalHandler, Path: ".latency", Unit: timeline.Millisecond,
			Origin: "t0", Point: "log phase"},
		{Column: timeline.ColFirstSSEEvent, Path: ".llm_summary.duration", Unit: timeline.Millisecond, Not: []string{"0"},
			When:   []Cond{is(".llm_summary.stream", "true")},
			Origin: "start of the upstream call of the last attempt, about t1", Point: "first chunk of the response body", Bias: lowT0},
		{Column: timeline.ColStatus, Path: ".response.status"},
		{Column: timeline.ColStream, Path: ".llm_summary.stream"},
		{Column: timeline.ColModel, Path: ".llm_summary.request_model", Or: []string{".llm_summary.model"}},
		{Column: timeline.ColGroup, Path: ".route_id"},
		{Column: timeline.ColChannel, Path: ".upstream"},
		{Column: timeline.ColInputTokens, Path: ".llm_summary.prompt_tokens"},
		{Column: timeline.ColCachedInputTokens, Path: ".llm_summary.cache_read_input_tokens"},
		{Column: timeline.ColOutputTokens, Path: ".llm_summary.completion_tokens"},
		{Column: timeline.ColReasoningTokens, Path: ".llm_summary.reasoning_tokens"},
	},
	FirstToken: "llm_summary.duration: first chunk of the response body, counted from the start of the last upstream call",
	More:       "ai-proxy logging.summaries: true, without which there is no llm_summary; a custom log_format with $request_id",
}
