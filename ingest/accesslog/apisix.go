package accesslog

import (
	"bytes"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// finishAPISIX reads what APISIX adds to an nginx log. A first-token time is
// one only of a stream: for ai_chat it is the whole response, and 0 is how the
// plugin writes that there was none. Tokens of 0 are unset too.
func finishAPISIX(f *filler, row *timeline.Row) (approx timeline.Mask) {
	r := &f.record
	kind := string(r.get(slotRequestType))
	for _, t := range counted {
		if n, ok := row.Num(t.to); ok && n == 0 {
			row.Drop(timeline.MaskOf(t.to))
		}
	}
	switch kind {
	case "ai_stream":
		row.SetFlag(timeline.ColStream, true)
	case "ai_chat":
		row.SetFlag(timeline.ColStream, false)
	}
	if kind != "ai_stream" {
		f.marks = f.marks.Without(timeline.ColFirstSSEEvent)
		return 0
	}
	if v := r.get(slotFirstChunk); v != nil && string(v) != "0" && bytes.IndexByte(v, '.') < 0 {
		if f.duration(row, slotFirstChunk, timeline.ColFirstSSEEvent) {
			return timeline.MaskOf(timeline.ColFirstSSEEvent)
		}
	}
	return 0
}

var apisixItems = []timeline.Approx{{
	Column: "first_sse_event_ms", Origin: "start of the last attempt's upstream call, about t1",
	Point: "first chunk of the response body", Bias: "low: t1 - t0 is missing",
}}

// apisixFormat is the access_log_format of APISIX as its ai-proxy plugin
// documents it, double blank included.
const apisixFormat = `$remote_addr - $remote_user [$time_local] $http_host "$request_line" $status $body_bytes_sent $request_time ` +
	`"$http_referer" "$http_user_agent" $upstream_addr $upstream_status $apisix_upstream_response_time ` +
	`"$upstream_scheme://$upstream_host$upstream_uri" "$apisix_request_id" "$request_type" "$llm_time_to_first_token" ` +
	`"$llm_model" "$request_llm_model"  "$llm_prompt_tokens" "$llm_completion_tokens"`

func apisixText() *source.Format {
	l := mustLayout(compileNginx(apisixFormat))
	return &source.Format{
		Name: "apisix_access", Family: "APISIX", Title: "APISIX access log with the variables of ai-proxy",
		Vantage: "gateway",
		Columns: source.Fixed([]source.Capability{
			{Column: timeline.ColFirstSSEEvent, Quality: source.Approx, Field: "$llm_time_to_first_token", Unit: "ms",
				Origin: apisixItems[0].Origin, Point: apisixItems[0].Point, Bias: apisixItems[0].Bias},
			{Column: timeline.ColTotalHandler, Quality: source.Exact, Field: "$request_time", Unit: "s", Origin: "receipt", Point: "log written"},
			{Column: timeline.ColTimestamp, Quality: source.Exact, Field: "$time_local", Point: "end"},
			{Column: timeline.ColRequestID, Quality: source.Exact, Field: "$apisix_request_id"},
			{Column: timeline.ColStatus, Quality: source.Exact, Field: "$status"},
			{Column: timeline.ColStream, Quality: source.Sometimes, Field: "$request_type"},
			{Column: timeline.ColModel, Quality: source.Sometimes, Field: "$request_llm_model"},
			{Column: timeline.ColChannel, Quality: source.Sometimes, Field: "$upstream_addr"},
			{Column: timeline.ColInputTokens, Quality: source.Sometimes, Field: "$llm_prompt_tokens"},
			{Column: timeline.ColOutputTokens, Quality: source.Sometimes, Field: "$llm_completion_tokens"},
		}),
		FirstToken: "the first chunk of the response body, counted from the upstream call of the last attempt; of ai_chat the whole response",
		More: `add uht="$upstream_header_time" to the access_log_format: the upstream headers are not in the default one. ` +
			`$apisix_upstream_response_time mixes ms and s by request type and is read as no column`,
		Detect: func(w *source.Window) source.Confidence {
			return shareOf(w, func(line []byte) bool { return l.matches(line) })
		},
		Lines: func(opt source.Options) source.LineParser {
			f := newFiller(l, opt, apisixItems)
			f.finish = finishNginx
			return f
		},
	}
}
