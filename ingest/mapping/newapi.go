package mapping

import "ttdiag/ingest/timeline"

const (
	distributeEnd = "end of channel selection: after token check and body parsing"
	firstDataLine = "first data line of the upstream stream other than [DONE], an empty chunk included"
)

// newAPI reads rows of New API's table logs, from its API or a dump. use_time
// is a difference of whole seconds; frt is -1000 where no stream event came.
// Rows of type 5 are of one failed attempt and leave most fields at zero for
// "not recorded". Source: model/log.go, service/log_info_generate.go,
// middleware/distributor.go.
var newAPI = Table{
	Name: "new_api_consume", Family: "New API and One API", Title: "New API log rows", Vantage: "gateway",
	Match:  Match{All: []string{"created_at", "type", "model_name", "use_time", "prompt_tokens"}},
	Only:   []Cond{is(".type", "2", "5")},
	Absent: []string{""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".created_at", Unit: timeline.Second},
		// 0 is real and means less than a second: a bound and no value.
		{Column: timeline.ColTotalHandler, Path: ".use_time", Unit: timeline.Second, Not: []string{"0"}, When: []Cond{is(".type", "2")},
			Origin: distributeEnd, Point: "billing, after the stream ended", Bias: "rounded to whole seconds, ±1 s", PlusMinusMs: 1000},
		{Column: timeline.ColFirstSSEEvent, Path: ".other.frt", Unit: timeline.Millisecond, Not: []string{"-1000"}, When: []Cond{is(".type", "2")},
			Origin: distributeEnd, Point: firstDataLine, Bias: "low against t0; holds earlier attempts"},
		{Column: timeline.ColStatus, Path: ".other.status_code", When: []Cond{is(".type", "5")}},
		{Column: timeline.ColErrorClass, Path: ".other.error_type", When: []Cond{is(".type", "5")}},
		{Column: timeline.ColStream, Path: ".is_stream", When: []Cond{is(".type", "2")}},
		{Column: timeline.ColAttempt, Path: ".other.admin_info.use_channel", Read: Items},
		{Column: timeline.ColRequestID, Path: ".request_id"},
		{Column: timeline.ColModel, Path: ".model_name"},
		{Column: timeline.ColGroup, Path: ".group"},
		{Column: timeline.ColChannel, Path: ".channel", Or: []string{".channel_id"}, Not: []string{"0"}},
		{Column: timeline.ColInputTokens, Path: ".prompt_tokens", When: []Cond{is(".type", "2")}},
		{Column: timeline.ColCachedInputTokens, Path: ".other.cache_tokens", When: []Cond{is(".type", "2")}},
		{Column: timeline.ColOutputTokens, Path: ".completion_tokens", When: []Cond{is(".type", "2")}},
	},
	Notes:      []Doubt{{timeline.BoundedTotal, []Cond{is(".type", "2"), has(".use_time")}}},
	StampsEnd:  true,
	Cumulative: true,
	FirstToken: "frt: first data line of the stream, counted from the end of channel selection, failed attempts included",
	More:       "the text log joined on the request id: its [GIN] lines hold the exact total from t0",
}

// oneAPI reads rows of One API's table logs. elapsed_time is milliseconds, and 0
// in rows of versions that did not have it. Source: model/log.go,
// relay/meta/relay_meta.go.
var oneAPI = Table{
	Name: "one_api", Family: "New API and One API", Title: "One API log rows", Vantage: "gateway",
	Match:  Match{All: []string{"created_at", "type", "model_name", "elapsed_time", "prompt_tokens"}},
	Only:   []Cond{is(".type", "2")},
	Absent: []string{""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".created_at", Unit: timeline.Second},
		{Column: timeline.ColTotalHandler, Path: ".elapsed_time", Unit: timeline.Millisecond, Not: []string{"0"},
			Origin: "relay handler of the last attempt: after authentication and channel selection", Point: "billing",
			Bias: "low against t0; last attempt only"},
		{Column: timeline.ColStream, Path: ".is_stream"},
		{Column: timeline.ColRequestID, Path: ".request_id"},
		{Column: timeline.ColModel, Path: ".model_name"},
		{Column: timeline.ColChannel, Path: ".channel", Or: []string{".channel_id"}, Not: []string{"0"}},
		{Column: timeline.ColInputTokens, Path: ".prompt_tokens"},
		{Column: timeline.ColOutputTokens, Path: ".completion_tokens"},
	},
	StampsEnd:  true,
	FirstToken: "none: One API records no first event",
	More:       "nothing that One API logs; its fork by Laisky records traces with t0, t1, t2, t6 and t7",
}

// oneHub reads rows of one-hub's table logs. Source: model/log.go,
// relay/relay_util/quota.go.
var oneHub = Table{
	Name: "one_hub", Family: "New API and One API", Title: "one-hub log rows", Vantage: "gateway",
	Match: Match{All: []string{"created_at", "type", "model_name", "request_time", "prompt_tokens"},
		None: []string{"use_time", "elapsed_time"}},
	Only:   []Cond{is(".type", "2")},
	Absent: []string{""},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".created_at", Unit: timeline.Second},
		{Column: timeline.ColTotalHandler, Path: ".request_time", Unit: timeline.Millisecond, Not: []string{"0"},
			Origin: "t0", Point: "after the writes of billing", Bias: "high"},
		{Column: timeline.ColFirstSSEEvent, Path: ".metadata.first_response", Unit: timeline.Millisecond, Not: []string{"0"},
			Origin: "t0", Point: "first event of the upstream stream"},
		{Column: timeline.ColStream, Path: ".is_stream"},
		{Column: timeline.ColRequestID, Path: ".request_id"},
		{Column: timeline.ColModel, Path: ".model_name"},
		{Column: timeline.ColGroup, Path: ".metadata.group_name"},
		{Column: timeline.ColChannel, Path: ".channel_id", Not: []string{"0"}},
		{Column: timeline.ColInputTokens, Path: ".prompt_tokens"},
		{Column: timeline.ColCachedInputTokens, Path: ".metadata.cached_tokens", Or: []string{".metadata.cached_read_tokens"}},
		{Column: timeline.ColOutputTokens, Path: ".completion_tokens"},
		{Column: timeline.ColReasoningTokens, Path: ".metadata.reasoning_tokens"},
	},
	StampsEnd:  true,
	Cumulative: true,
	FirstToken: "first event of the upstream stream, counted from t0",
	More:       "nothing that one-hub logs",
}

// laiskyTrace reads traces of Laisky's one-api: absolute milliseconds under
// timestamps, an object from the API and a string in the table. A key that is
// missing did not happen; upstream_completed is written by OpenAI-like channels
// only. A retry overwrites the marks of the upstream. Source: model/trace.go,
// relay/adaptor/common.go.
var laiskyTrace = Table{
	Name: "laisky_one_api_trace", Family: "New API and One API", Title: "Laisky one-api traces", Vantage: "gateway",
	Match: Match{All: []string{"trace_id", "timestamps", "body_size", "status"}},
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".timestamps.request_received", Or: []string{".created_at"}, Unit: timeline.Millisecond},
		{Column: timeline.ColUpstreamStart, Path: ".timestamps.request_forwarded", Minus: []string{".timestamps.request_received"},
			Unit: timeline.Millisecond, Origin: "t0", Point: "request forwarded, last attempt"},
		{Column: timeline.ColUpstreamHeaders, Path: ".timestamps.first_upstream_response", Minus: []string{".timestamps.request_forwarded"},
			Unit: timeline.Millisecond, Origin: "t1 of the last attempt", Point: "response headers"},
		{Column: timeline.ColUpstreamDone, Path: ".timestamps.upstream_completed", Minus: []string{".timestamps.request_received"},
			Unit: timeline.Millisecond, Sometimes: true, Origin: "t0", Point: "upstream stream ended"},
		{Column: timeline.ColTotalHandler, Path: ".timestamps.request_completed", Minus: []string{".timestamps.request_received"},
			Unit: timeline.Millisecond, Origin: "t0", Point: "handler returned"},
		{Column: timeline.ColStatus, Path: ".status", Not: []string{"0"}},
		{Column: timeline.ColRequestID, Path: ".trace_id"},
	},
	Absent:     []string{""},
	FirstToken: "none: first_client_response is the first write to the client, which may be a comment",
	More:       "nothing: t0, t1, t2, t6 and t7 are there; the log rows of the same gateway hold models and tokens",
}
