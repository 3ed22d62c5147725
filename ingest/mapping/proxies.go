package mapping

import "ttdiag/ingest/timeline"

// traefik reads Traefik's access log in JSON. Durations are nanoseconds. The
// service handler's duration includes streaming to the client, so it is no time
// to headers; 0 there says that Traefik answered by itself. Source:
// pkg/middlewares/accesslog.
var traefik = Table{
	Name: "traefik", Family: "Traefik", Title: "Traefik access log in JSON", Vantage: "gateway",
	Match: Match{All: []string{"Duration", "DownstreamStatus"},
		Any: [][]string{{"StartUTC"}, {"StartLocal"}, {"RouterName"}, {"OriginDuration"}}},
	Absent: []string{"-", ""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".StartUTC", Or: []string{".StartLocal"}, Origin: "t0"},
		{Column: timeline.ColTotalHandler, Path: ".Duration", Unit: timeline.Nanosecond,
			Origin: "t0", Point: "handler returned"},
		{Column: timeline.ColStatus, Path: ".DownstreamStatus", Not: []string{"0"}},
		{Column: timeline.ColAttempt, Path: ".RetryAttempts", Read: OneMore, When: []Cond{has(".ServiceAddr"), isNot(".OriginStatus", "0")}},
		{Column: timeline.ColRequestID, Path: ".request_X-Request-Id", Or: []string{".downstream_X-Request-Id"}},
		{Column: timeline.ColGroup, Path: ".RouterName"},
		{Column: timeline.ColChannel, Path: ".ServiceAddr"},
	},
	Cumulative: true,
	FirstToken: "none: Traefik marks no response headers and no tokens",
	More: "accessLog.fields.headers.names.X-Request-Id=keep for the request id; Traefik cannot log the time to upstream headers, " +
		"a tracing span can",
}

// caddy reads Caddy's access log. Durations are seconds, or what
// duration_format makes of them where it names a unit. Source:
// modules/caddyhttp/server.go, marshalers.go.
var caddy = Table{
	Name: "caddy", Family: "Caddy", Title: "Caddy access log", Vantage: "gateway",
	Match: Match{All: []string{"ts", "logger", "duration", "status", "request"}},
	Only:  []Cond{starts(".logger", "http.log.access")},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".ts", Unit: timeline.Second},
		{Column: timeline.ColTotalHandler, Path: ".duration", Unit: timeline.Second,
			Origin: "t0", Point: "handler returned"},
		{Column: timeline.ColUpstreamHeaders, Path: ".upstream_latency_ms", Unit: timeline.Millisecond, Config: true,
			Origin: "start of the last attempt", Point: "response headers"},
		// 0 says that no handler wrote one.
		{Column: timeline.ColStatus, Path: ".status", Not: []string{"0"}},
		{Column: timeline.ColRequestID, Path: ".request.headers.X-Request-Id[0]", Or: []string{".resp_headers.X-Request-Id[0]"}},
	},
	Absent:     []string{""},
	StampsEnd:  true,
	FirstToken: "none: Caddy marks no tokens",
	More:       "log_append upstream_latency_ms {http.reverse_proxy.upstream.latency_ms}",
}

// kong reads the records of file-log, http-log and the like, with the ai-proxy
// plugin or without. kong-proxy-receive are lengths that follow each other.
// Source: kong/pdk/log.lua, kong/init.lua.
var kong = Table{
	Name: "kong_file_log", Family: "Kong", Title: "Kong log serializer (file-log, http-log), AI Proxy included", Vantage: "gateway",
	Match:  Match{All: []string{"latencies.kong", "latencies.proxy", "latencies.request", "started_at"}},
	Absent: []string{""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".started_at", Unit: timeline.Millisecond, Origin: "t0"},
		{Column: timeline.ColTotalHandler, Path: ".latencies.request", Unit: timeline.Millisecond,
			Origin: "t0", Point: "response sent"},
		{Column: timeline.ColUpstreamStart, Path: ".latencies.kong", Unit: timeline.Millisecond,
			When:   []Cond{has(".latencies.proxy"), isNot(".latencies.proxy", "-1")},
			Origin: "t0", Point: "request goes to the upstream; earlier attempts are before it"},
		{Column: timeline.ColUpstreamHeaders, Path: ".latencies.proxy", Unit: timeline.Millisecond, Not: []string{"-1"},
			When:   []Cond{contains(".response.headers.content-type", "text/event-stream")},
			Origin: "t1", Point: "response headers"},
		{Column: timeline.ColUpstreamHeaders, Path: ".latencies.proxy", Unit: timeline.Millisecond, Not: []string{"-1"},
			When:   []Cond{lacks(".ai")},
			Origin: "t1", Point: "response headers"},
		{Column: timeline.ColUpstreamHeaders, Path: ".latencies.proxy", Unit: timeline.Millisecond, Not: []string{"-1"},
			Origin: "t1", Point: "whole buffered response", Bias: "high: AI Proxy buffers responses that are not streamed"},
		{Column: timeline.ColUpstreamDone, Path: ".latencies.kong", Plus: []string{".latencies.proxy", ".latencies.receive"},
			Unit: timeline.Millisecond, Not: []string{"-1"}, When: []Cond{contains(".response.headers.content-type", "text/event-stream")},
			Origin: "t0, as the sum of three lengths", Point: "last byte of the response filtered", Bias: "rounded three times, ±2 ms",
			PlusMinusMs: 2},
		{Column: timeline.ColStatus, Path: ".response.status"},
		{Column: timeline.ColAttempt, Path: ".tries", Read: Items},
		{Column: timeline.ColRequestID, Path: ".request.id", Or: []string{".request.headers.x-request-id", ".request.headers.kong-request-id"}},
		{Column: timeline.ColGroup, Path: ".route.name"},
		{Column: timeline.ColChannel, Path: ".service.name"},
		{Column: timeline.ColModel, Path: ".ai.proxy.meta.request_model", Or: []string{`.ai."ai-proxy".meta.request_model`, ".ai.meta.request_model"}},
		{Column: timeline.ColProvider, Path: ".ai.proxy.meta.provider_name", Or: []string{`.ai."ai-proxy".meta.provider_name`, ".ai.meta.provider_name"}},
		{Column: timeline.ColStream, Path: ".ai.proxy.meta.request_mode", Words: []string{"stream", "true", "oneshot", "false"}},
		{Column: timeline.ColInputTokens, Path: ".ai.proxy.usage.prompt_tokens", Or: []string{`.ai."ai-proxy".usage.prompt_tokens`, ".ai.usage.prompt_tokens"}},
		{Column: timeline.ColOutputTokens, Path: ".ai.proxy.usage.completion_tokens",
			Or: []string{`.ai."ai-proxy".usage.completion_tokens`, ".ai.usage.completion_tokens"}},
		{Column: timeline.ColCachedInputTokens, Path: ".ai.proxy.usage.prompt_tokens_details.cached_tokens"},
		{Column: timeline.ColReasoningTokens, Path: ".ai.proxy.usage.completion_tokens_details.reasoning_tokens"},
	},
	Cumulative: true,
	FirstToken: "time_to_first_token (Enterprise) counts from a point that is not public and is not used; time_per_token is the whole " +
		"latency over all tokens",
	More: "nothing: latencies.kong, proxy and receive are all there is",
}
