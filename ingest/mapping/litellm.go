package mapping

import "ttdiag/ingest/timeline"

const (
	litellmOrigin  = "start of logging in the proxy: after authentication and body parsing, before hooks and routing"
	litellmAttempt = "start of the attempt"
	lowT0          = "low against t0"
)

// The routes on which LiteLLM stamps the first raw chunk.
var litellmRaw = []string{"anthropic_messages", "pass_through_endpoint", "allm_passthrough_route", "llm_passthrough_route"}

// litellmPayload reads the StandardLoggingPayload that LiteLLM's callbacks
// write: one per attempt, those of a request share trace_id. response_time is
// the time to the first token of streams and the total of others, so it is not
// used. completionStartTime equal to endTime says "never set". Source:
// litellm_logging.py, streaming_handler.py.
var litellmPayload = Table{
	Name: "litellm_standard_logging_payload", Family: "LiteLLM", Title: "LiteLLM StandardLoggingPayload (callbacks)", Vantage: "gateway",
	Match: Match{All: []string{"litellm_call_id", "startTime", "endTime"},
		Any: [][]string{{"call_type"}, {"model_group"}, {"hidden_params"}}},
	Absent: []string{"", "None"},
	UTC:    true,
	Fields: append([]Field{
		{Column: timeline.ColRequestID, Path: ".litellm_call_id", Or: []string{".id"}},
		{Column: timeline.ColStream, Path: ".stream"},
		{Column: timeline.ColStatus, Path: ".error_information.error_code", When: []Cond{is(".status", "failure")}},
		{Column: timeline.ColErrorClass, Path: ".error_information.error_class", When: []Cond{is(".status", "failure")}},
		{Column: timeline.ColTotalHandler, Path: ".endTime", Minus: []string{".startTime"}, Unit: timeline.Second, When: []Cond{is(".stream", "true"), is(".status", "success")},
			Origin: litellmOrigin, Point: "end of the upstream stream", Bias: lowT0},
		{Column: timeline.ColTotalHandler, Path: ".endTime", Minus: []string{".startTime"}, Unit: timeline.Second, When: []Cond{is(".status", "failure")},
			Origin: litellmOrigin, Point: "failure logged", Bias: "low against t0; one attempt, not the request"},
		{Column: timeline.ColTotalHandler, Path: ".endTime", Minus: []string{".startTime"}, Unit: timeline.Second,
			Origin: litellmAttempt, Point: "response parsed", Bias: "low against t0; without earlier attempts"},
	}, litellmFields()...),
	Notes:      []Doubt{{timeline.CacheHit, []Cond{is(".cache_hit", "true", "True")}}},
	FirstToken: litellmFirstToken,
	More:       litellmMore,
}

// litellmSpendLogs reads rows of the table LiteLLM_SpendLogs. Times are UTC,
// dumps leave the zone off; metadata is an object or a string, by exporter.
// Source: spend_tracking_utils.py, schema.prisma.
var litellmSpendLogs = Table{
	Name: "litellm_spendlogs", Family: "LiteLLM", Title: "LiteLLM SpendLogs rows", Vantage: "gateway",
	Match: Match{All: []string{"request_id", "call_type", "spend", "startTime", "endTime"},
		None: []string{"litellm_call_id"}},
	Absent: []string{"", "None"},
	UTC:    true,
	Fields: append([]Field{
		{Column: timeline.ColRequestID, Path: ".request_id"},
		{Column: timeline.ColStatus, Path: ".metadata.error_information.error_code", When: []Cond{is(".status", "failure")}},
		{Column: timeline.ColErrorClass, Path: ".metadata.error_information.error_class", When: []Cond{is(".status", "failure")}},
		{Column: timeline.ColTotalHandler, Path: ".endTime", Minus: []string{".startTime"}, Unit: timeline.Second,
			Origin: litellmOrigin, Point: "response parsed, stream ended or failure logged", Bias: lowT0},
	}, litellmFields()...),
	Notes:      []Doubt{{timeline.CacheHit, []Cond{is(".cache_hit", "true", "True")}}},
	FirstToken: litellmFirstToken,
	More:       litellmMore,
}

const (
	litellmFirstToken = "first processed chunk that is not empty, text, reasoning or tool; on pass-through routes and /v1/messages the " +
		"first raw chunk; equal to the end where it was never set"
	litellmMore = "nothing that LiteLLM logs: put a proxy with upstream header times in front of the providers"
)

func litellmFields() []Field {
	const details = ".metadata.usage_object."
	success := []Cond{isNot(".status", "failure")}
	return []Field{
		{Column: timeline.ColTimestamp, Path: ".startTime", Unit: timeline.Second},
		{Column: timeline.ColFirstResponse, Path: ".completionStartTime", Minus: []string{".startTime"}, Unit: timeline.Second, NotSame: []string{".endTime"},
			When: []Cond{isNot(".call_type", litellmRaw...)}, Sometimes: true,
			Origin: litellmOrigin, Point: "first processed chunk that is not empty", Bias: lowT0},
		{Column: timeline.ColFirstSSEEvent, Path: ".completionStartTime", Minus: []string{".startTime"}, Unit: timeline.Second, NotSame: []string{".endTime"},
			When: []Cond{is(".call_type", litellmRaw...)}, Sometimes: true,
			Origin: litellmOrigin, Point: "first raw chunk", Bias: lowT0},
		{Column: timeline.ColModel, Path: ".model"},
		{Column: timeline.ColChannel, Path: ".model_id"},
		{Column: timeline.ColProvider, Path: ".custom_llm_provider"},
		{Column: timeline.ColOutcome, Path: ".status", Words: []string{"success", "success"}},
		{Column: timeline.ColInputTokens, Path: ".prompt_tokens", When: success},
		{Column: timeline.ColOutputTokens, Path: ".completion_tokens", When: success},
		{Column: timeline.ColCachedInputTokens, Path: details + "prompt_tokens_details.cached_tokens", When: success},
		{Column: timeline.ColReasoningTokens, Path: details + "completion_tokens_details.reasoning_tokens", When: success},
	}
}
