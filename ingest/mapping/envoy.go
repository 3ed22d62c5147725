package mapping

import "ttdiag/ingest/timeline"

// Where Envoy's own marks miss the definitions.
const (
	serviceOrigin = "end of the client's request at the router; holds earlier attempts, pool wait and connect"
	bodyByte      = "first byte of the upstream response body"
)

// envoyFlags are the response flags that say how a request ended, where the
// status does not.
var envoyFlags = []string{"DC", "client_cancelled", "DPE", "client_cancelled", "UT", "timeout", "SI", "timeout",
	"UMSDR", "timeout", "DT", "timeout", "RL", "rate_limited", "UF", "upstream_error", "UC", "upstream_error",
	"UR", "upstream_error", "LR", "upstream_error", "UH", "upstream_error", "UPE", "upstream_error"}

// envoyJSON reads Envoy's JSON access log. The names are the user's own; those
// of Istio, of Envoy Gateway and of the operators are known. Absent is null, "-"
// or a missing key, as configured. Source: stream_info_formatter.cc, router.cc.
var envoyJSON = Table{
	Name: "envoy_json", Family: "Envoy", Title: "Envoy access log in JSON", Vantage: "gateway",
	Match: Match{
		All: []string{"start_time", "response_code", "duration"},
		Any: [][]string{{"response_flags"}, {"upstream_cluster"}, {"upstream_host"}, {"upstream_service_time"}, {"response_code_details"}},
		None: []string{"ai_log", "token_latency_ttft", "gen_ai.provider.name", "gen_ai.request.model", "genai_model_name",
			"genai_backend_name"},
	},
	Absent: []string{"-", ""},
	Fields: append(envoyCommon(), []Field{
		{Column: timeline.ColUpstreamStart, Path: ".upstream_start_ms", Unit: timeline.Millisecond, Config: true,
			Origin: "t0", Point: "upstream request starts"},
		{Column: timeline.ColUpstreamHeaders, Path: ".upstream_headers_ms", Unit: timeline.Millisecond, Config: true,
			Origin: "t1 of the last attempt", Point: "response headers"},
		{Column: timeline.ColUpstreamHeaders, Path: ".response_duration", Minus: []string{".upstream_start_ms"}, Unit: timeline.Millisecond,
			Config: true, Origin: "t1 of the last attempt", Point: "response headers"},
		{Column: timeline.ColUpstreamHeaders, Path: ".upstream_service_time", Or: []string{`."x-envoy-upstream-service-time"`},
			Unit: timeline.Millisecond, Config: true, Origin: serviceOrigin, Point: "t2", Bias: "high",
			When: []Cond{lacks(".upstream_headers_ms")}},
		{Column: timeline.ColUpstreamDone, Path: ".upstream_done_ms", Unit: timeline.Millisecond, Config: true,
			Origin: "t0", Point: "upstream body done"},
		{Column: timeline.ColFirstSSEEvent, Path: ".first_body_ms", Unit: timeline.Millisecond, Config: true,
			Origin: "t0", Point: bodyByte, Bias: "low: a comment or part of an event counts"},
		{Column: timeline.ColBodyRead, Path: ".request_duration", Unit: timeline.Millisecond,
			Origin: "t0", Point: "last byte of the request read", Bias: "high: includes reading the headers"},
	}...),
	FirstToken: "none: the nearest is the first byte of the upstream body, a comment included",
	More: `json_format keys upstream_start_ms: "%COMMON_DURATION(DS_RX_BEG:US_TX_BEG:ms)%", upstream_headers_ms: ` +
		`"%COMMON_DURATION(US_TX_BEG:US_RX_BEG:ms)%", first_body_ms: "%COMMON_DURATION(DS_RX_BEG:US_RX_BODY_BEG:ms)%", ` +
		`upstream_done_ms: "%COMMON_DURATION(DS_RX_BEG:US_RX_END:ms)%", upstream_attempts: "%UPSTREAM_REQUEST_ATTEMPT_COUNT%"`,
}

func envoyCommon() []Field {
	return []Field{
		{Column: timeline.ColTimestamp, Path: ".start_time", Origin: "t0"},
		{Column: timeline.ColTotalHandler, Path: ".duration", Unit: timeline.Millisecond,
			Origin: "t0", Point: "last byte to the client"},
		// 0 says that the client left before anything was sent.
		{Column: timeline.ColStatus, Path: ".response_code", Not: []string{"0"}},
		{Column: timeline.ColAttempt, Path: ".upstream_attempts", Or: []string{".upstream_request_attempt_count"}, Not: []string{"0"}},
		{Column: timeline.ColRequestID, Path: ".request_id", Or: []string{`."x-request-id"`, ".x_request_id"}},
		{Column: timeline.ColChannel, Path: ".upstream_host"},
		{Column: timeline.ColOutcome, Path: ".response_flags", Words: envoyFlags},
	}
}

// envoyAIGateway reads the access log of Envoy AI Gateway. Token counts come
// under the names of its documentation. Source: processor_impl.go,
// metrics_impl.go.
var envoyAIGateway = Table{
	Name: "envoy_ai_gateway", Family: "Envoy", Title: "Envoy AI Gateway access log in JSON", Vantage: "gateway",
	Match: Match{
		All: []string{"start_time", "response_code", "duration"},
		Any: [][]string{{"token_latency_ttft"}, {"gen_ai.provider.name"}, {"gen_ai.request.model"}, {"genai_model_name"},
			{"genai_backend_name"}},
		None: []string{"ai_log"},
	},
	Absent: []string{"-", ""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".start_time", Origin: "t0"},
		{Column: timeline.ColTotalHandler, Path: ".duration", Unit: timeline.Millisecond,
			Origin: "t0", Point: "last byte to the client"},
		{Column: timeline.ColStatus, Path: ".response_code", Not: []string{"0"}},
		{Column: timeline.ColRequestID, Path: `."x-request-id"`, Or: []string{".request_id", ".x_request_id"}},
		{Column: timeline.ColChannel, Path: `."gen_ai.provider.name"`, Or: []string{".genai_backend_name"}},
		{Column: timeline.ColOutcome, Path: ".response_flags", Words: envoyFlags},
		{Column: timeline.ColUpstreamHeaders, Path: ".upstream_headers_ms", Unit: timeline.Millisecond, Config: true,
			Origin: "t1 of the last attempt", Point: "response headers"},
		{Column: timeline.ColUpstreamHeaders, Path: `."x-envoy-upstream-service-time"`, Or: []string{".upstream_service_time"},
			Unit: timeline.Millisecond, Config: true, Origin: serviceOrigin, Point: "t2", Bias: "high"},
		{Column: timeline.ColFirstSSEEvent, Path: ".token_latency_ttft", Or: []string{".genai_token_latency_ttft"},
			Unit: timeline.Millisecond, Config: true, Sometimes: true,
			Origin: "start of the last attempt, about t1", Point: "first chunk of the response body", Bias: "low: t1-t0 is not logged"},
		// The gateway writes the latency of tokens for streams only.
		{Column: timeline.ColStream, Const: "true", When: []Cond{has(".token_latency_ttft")}},
		{Column: timeline.ColModel, Path: `."gen_ai.request.model"`, Or: []string{".genai_model_name"}},
		{Column: timeline.ColInputTokens, Path: `."gen_ai.usage.input_tokens"`, Or: []string{".genai_tokens_input", ".llm_input_token"}},
		{Column: timeline.ColCachedInputTokens, Path: `."gen_ai.usage.cached_input_tokens"`,
			Or: []string{`."gen_ai.usage.cache_read.input_tokens"`, ".llm_cached_input_token"}},
		{Column: timeline.ColOutputTokens, Path: `."gen_ai.usage.output_tokens"`, Or: []string{".genai_tokens_output", ".llm_output_token"}},
	},
	FirstToken: "first chunk of the response body, counted from the start of the last upstream attempt",
	More: `llmRequestCosts, without which no token latency is written; a key upstream_headers_ms: ` +
		`"%COMMON_DURATION(US_TX_BEG:US_RX_BEG:ms)%"`,
}
