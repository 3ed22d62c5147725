package mapping

import "ttdiag/ingest/timeline"

// openRouter reads what GET /api/v1/generation returns. latency and
// generation_time are ambiguous, so no timing is read. Source: the API's
// documentation.
var openRouter = Table{
	Name: "openrouter_generation", Family: "Exports", Title: "OpenRouter generations", Vantage: "gateway",
	Match:  Match{All: []string{"id", "created_at", "native_tokens_prompt", "native_tokens_completion", "generation_time"}},
	Absent: []string{""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".created_at"},
		{Column: timeline.ColStream, Path: ".streamed"},
		{Column: timeline.ColRequestID, Path: ".id"},
		{Column: timeline.ColModel, Path: ".model"},
		{Column: timeline.ColChannel, Path: ".provider_name"},
		{Column: timeline.ColProvider, Path: ".provider_name"},
		{Column: timeline.ColFinishReason, Path: ".finish_reason"},
		{Column: timeline.ColOutcome, Path: ".cancelled", Words: []string{"true", "client_cancelled"}},
		{Column: timeline.ColInputTokens, Path: ".native_tokens_prompt"},
		{Column: timeline.ColCachedInputTokens, Path: ".native_tokens_cached"},
		{Column: timeline.ColOutputTokens, Path: ".native_tokens_completion"},
		{Column: timeline.ColReasoningTokens, Path: ".native_tokens_reasoning"},
	},
	FirstToken: "latency is documented as total but often shorter than generation_time: it is not used",
	More:       "record the stream at the client: OpenRouter exports no timing that is defined",
}

// cloudflare reads the logs API of Cloudflare AI Gateway and its Logpush data
// set ai_gateway_events. Source: the documentation of both.
var cloudflare = Table{
	Name: "cloudflare_ai_gateway", Family: "Exports", Title: "Cloudflare AI Gateway logs (API and Logpush)", Vantage: "gateway",
	Match: Match{Any: [][]string{
		{"cached", "created_at", "duration", "provider", "tokens_in"},
		{"Gateway", "Provider", "Model", "StatusCode", "Metrics"},
		{"Gateway", "Provider", "Model", "StatusCode", "Cached"},
	}},
	Absent: []string{""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".created_at", Or: []string{".Timestamp"},
			Origin: "1970", Point: "not documented: the start or the end of the request"},
		{Column: timeline.ColTotalHandler, Path: ".duration", Or: []string{".Metrics.durationMs"}, Unit: timeline.Millisecond,
			Origin: "not documented, about t0", Point: "not documented for streams", Bias: "unknown"},
		{Column: timeline.ColStatus, Path: ".status_code", Or: []string{".StatusCode"}, Not: []string{"0"}},
		{Column: timeline.ColRequestID, Path: ".id"},
		{Column: timeline.ColModel, Path: ".model", Or: []string{".Model"}},
		{Column: timeline.ColProvider, Path: ".provider", Or: []string{".Provider"}},
		{Column: timeline.ColChannel, Path: ".provider", Or: []string{".Provider"}},
		{Column: timeline.ColOutcome, Path: ".RateLimited", Words: []string{"true", "rate_limited"}},
		{Column: timeline.ColInputTokens, Path: ".tokens_in", When: []Cond{isNot(".success", "false")}},
		{Column: timeline.ColOutputTokens, Path: ".tokens_out", When: []Cond{isNot(".success", "false")}},
	},
	Notes:      []Doubt{{timeline.CacheHit, []Cond{is(".cached", "true")}}, {timeline.CacheHit, []Cond{is(".Cached", "true")}}},
	FirstToken: "none",
	More:       "nothing that Cloudflare logs",
}

// helicone reads rows of Helicone's request_response_rmt and requests as its
// API returns them. Codes below 100 are Helicone's own. Source: DBLoggable.ts,
// the ClickHouse migrations.
var helicone = Table{
	Name: "helicone", Family: "Exports", Title: "Helicone requests (rows and API)", Vantage: "gateway",
	Match: Match{All: []string{"request_created_at", "time_to_first_token"},
		Any: [][]string{{"latency"}, {"delay_ms"}, {"response_created_at"}}},
	Absent: []string{""},
	UTC:    true,
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".request_created_at"},
		{Column: timeline.ColTotalHandler, Path: ".latency", Or: []string{".delay_ms"}, Unit: timeline.Millisecond, Not: []string{"0"},
			Origin: "request created at the proxy", Point: "response body read", Bias: lowT0},
		{Column: timeline.ColFirstSSEEvent, Path: ".time_to_first_token", Unit: timeline.Millisecond, Not: []string{"0"}, Sometimes: true,
			Origin: "request created at the proxy", Point: "first chunk of the body, comments included", Bias: "low"},
		{Column: timeline.ColStatus, Path: ".status", Or: []string{".response_status"}, Not: []string{"0", "-1", "-2", "-3", "-4"}},
		{Column: timeline.ColRequestID, Path: ".request_id"},
		{Column: timeline.ColModel, Path: ".model", Or: []string{".response_model", ".request_model"}},
		{Column: timeline.ColProvider, Path: ".provider"},
		{Column: timeline.ColChannel, Path: ".provider"},
		{Column: timeline.ColInputTokens, Path: ".prompt_tokens"},
		{Column: timeline.ColCachedInputTokens, Path: ".prompt_cache_read_tokens"},
		{Column: timeline.ColOutputTokens, Path: ".completion_tokens"},
		{Column: timeline.ColOutcome, Path: ".status", Or: []string{".response_status"}, Words: []string{"-3", "client_cancelled"}},
	},
	FirstToken: "first chunk of the body at the proxy, comments included; 0 and null are unknown",
	More:       "nothing that Helicone stores",
}

// tensorZero reads rows of ChatInference and JsonInference, one per inference,
// and of ModelInference, one per call of a model that was answered, with times
// from the start of that call. The id of an inference is a UUID of version 7 and
// holds the time of its making. Source: inference/types/mod.rs,
// endpoints/inference.rs.
var tensorZero = Table{
	Name: "tensorzero", Family: "Exports", Title: "TensorZero rows of ChatInference, JsonInference and ModelInference", Vantage: "gateway",
	Match: Match{All: []string{"id"}, Any: [][]string{
		{"function_name", "variant_name", "processing_time_ms"},
		{"inference_id", "model_name", "model_provider_name", "response_time_ms"},
	}},
	Absent: []string{""},
	UTC:    true,
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".inference_id", Or: []string{".id"}, Read: UUIDTime},
		{Column: timeline.ColTimestamp, Path: ".timestamp"},
		{Column: timeline.ColTotalHandler, Path: ".processing_time_ms", Unit: timeline.Millisecond, Not: []string{"0"},
			When:   []Cond{lacks(".inference_id")},
			Origin: "inference handler: after authentication and body", Point: "inference done", Bias: lowT0},
		{Column: timeline.ColUpstreamDone, Path: ".response_time_ms", Unit: timeline.Millisecond, Not: []string{"0"},
			When:   []Cond{has(".inference_id"), isNot(".cached", "true")},
			Origin: "t1", Point: "response read", Bias: lowT0},
		{Column: timeline.ColFirstSSEEvent, Path: ".ttft_ms", Unit: timeline.Millisecond, Not: []string{"0"}, Sometimes: true,
			When:   []Cond{lacks(".inference_id")},
			Origin: "inference handler: after authentication and body", Point: "first chunk", Bias: lowT0},
		{Column: timeline.ColFirstSSEEvent, Path: ".ttft_ms", Unit: timeline.Millisecond, Not: []string{"0"}, Sometimes: true,
			When:   []Cond{has(".inference_id"), isNot(".cached", "true")},
			Origin: "t1", Point: "first chunk", Bias: lowT0},
		{Column: timeline.ColStream, Const: "true", When: []Cond{has(".ttft_ms")}},
		{Column: timeline.ColRequestID, Path: ".inference_id", Or: []string{".id"}},
		{Column: timeline.ColRoute, Path: ".function_name"},
		{Column: timeline.ColModel, Path: ".model_name", Or: []string{".variant_name"}},
		{Column: timeline.ColProvider, Path: ".model_provider_name"},
		{Column: timeline.ColChannel, Path: ".model_provider_name"},
		{Column: timeline.ColFinishReason, Path: ".finish_reason"},
		{Column: timeline.ColInputTokens, Path: ".input_tokens"},
		{Column: timeline.ColOutputTokens, Path: ".output_tokens"},
	},
	Notes:      []Doubt{{timeline.CacheHit, []Cond{is(".cached", "true")}}},
	FirstToken: "first chunk, counted from the inference handler, in rows of ModelInference from t1; 0 on rows answered from the cache",
	More:       "export ModelInference beside ChatInference: it holds tokens, and times from t1; failed calls are not stored",
}

// bifrost reads log entries of Bifrost; a fallback is an entry of its own.
// Source: framework/logstore/tables.go.
var bifrost = Table{
	Name: "bifrost", Family: "Exports", Title: "Bifrost log entries", Vantage: "gateway",
	Match: Match{All: []string{"timestamp", "object", "provider", "model", "status"},
		Any: [][]string{{"number_of_retries"}, {"fallback_index"}, {"parent_request_id"}, {"token_usage"}, {"selected_key_id"}}},
	Only:   []Cond{isNot(".status", "processing")},
	Absent: []string{""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".timestamp"},
		{Column: timeline.ColTotalHandler, Path: ".latency", Unit: timeline.Millisecond, Not: []string{"0"},
			Origin: "request enters the plugins: after transport and authentication", Point: "response or last chunk", Bias: lowT0},
		{Column: timeline.ColAttempt, Path: ".number_of_retries", Read: OneMore},
		{Column: timeline.ColStream, Path: ".stream"},
		{Column: timeline.ColRequestID, Path: ".id"},
		{Column: timeline.ColModel, Path: ".model"},
		{Column: timeline.ColProvider, Path: ".provider"},
		{Column: timeline.ColChannel, Path: ".selected_key_id", Or: []string{".provider"}},
		{Column: timeline.ColOutcome, Path: ".status", Words: []string{"success", "success"}},
		{Column: timeline.ColStatus, Path: ".error_details.status_code", When: []Cond{is(".status", "error")}},
		{Column: timeline.ColFinishReason, Path: ".stop_reason"},
		{Column: timeline.ColInputTokens, Path: ".token_usage.prompt_tokens"},
		{Column: timeline.ColCachedInputTokens, Path: ".token_usage.prompt_tokens_details.cached_tokens",
			Or: []string{".token_usage.prompt_tokens_details.cached_read_tokens"}},
		{Column: timeline.ColOutputTokens, Path: ".token_usage.completion_tokens"},
		{Column: timeline.ColReasoningTokens, Path: ".token_usage.completion_tokens_details.reasoning_tokens"},
	},
	Cumulative: true,
	FirstToken: "none: Bifrost measures one but does not store it",
	More:       "nothing that Bifrost stores",
}

// portkey reads what the open-source gateway of Portkey sends to its log
// console. duration ends where the handler returns, before a stream does; the
// time of the entry has no zone and no order of day and month, so that of the
// last upstream call stands in. Source: src/middlewares/log/index.ts,
// handlers/services/logsService.ts.
var portkey = Table{
	Name: "portkey", Family: "Exports", Title: "Portkey gateway log entries", Vantage: "gateway",
	Match:     Match{All: []string{"requestOptions", "duration", "endpoint", "status", "method"}},
	Absent:    []string{""},
	StampsEnd: true,
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".time", Read: AmericanTime},
		{Column: timeline.ColTimestamp, Path: ".requestOptions[0].createdAt", AtStart: true,
			Origin: "1970", Point: "start of the first upstream call", Bias: "late by t1-t0"},
		{Column: timeline.ColTotalHandler, Path: ".duration", Unit: timeline.Millisecond,
			When:   []Cond{isNot(".requestOptions[-1].requestParams.stream", "true")},
			Origin: "t0", Point: "handler returned", Bias: "low: before the response is written"},
		{Column: timeline.ColUpstreamHeaders, Path: ".requestOptions[-1].executionTime", Unit: timeline.Millisecond,
			When:   []Cond{is(".requestOptions[-1].requestParams.stream", "true")},
			Origin: "start of the upstream call, its retries included", Point: "response headers", Bias: "high"},
		{Column: timeline.ColStatus, Path: ".status", Not: []string{"0"}},
		{Column: timeline.ColAttempt, Path: ".requestOptions", Read: Items},
		{Column: timeline.ColStream, Path: ".requestOptions[-1].requestParams.stream"},
		{Column: timeline.ColModel, Path: ".requestOptions[-1].requestParams.model"},
		{Column: timeline.ColProvider, Path: ".requestOptions[-1].providerOptions.provider"},
		{Column: timeline.ColChannel, Path: ".requestOptions[-1].providerOptions.provider"},
		{Column: timeline.ColMaxOutputTokens, Path: ".requestOptions[-1].requestParams.max_tokens"},
	},
	Notes:      []Doubt{{timeline.CacheHit, []Cond{is(".requestOptions[-1].cacheStatus", "HIT", "SEMANTIC HIT")}}},
	FirstToken: "none",
	More:       "nothing that the open-source gateway logs",
}
