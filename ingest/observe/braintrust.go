package observe

import (
	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const (
	btID = iota
	btType
	btStart
	btEnd
	btFirst
	btInput
	btOutput
	btCached
	btReasoning
	btModel
	btError
)

var braintrustPaths = document.NewPaths([]string{
	btID:        "id span_id",
	btType:      `span_attributes/type span_attributes/"/type`,
	btStart:     `metrics/start metrics/"/start`,
	btEnd:       `metrics/end metrics/"/end`,
	btFirst:     `metrics/time_to_first_token metrics/"/time_to_first_token`,
	btInput:     `metrics/prompt_tokens metrics/"/prompt_tokens`,
	btOutput:    `metrics/completion_tokens metrics/"/completion_tokens`,
	btCached:    `metrics/prompt_cached_tokens metrics/"/prompt_cached_tokens`,
	btReasoning: `metrics/completion_reasoning_tokens metrics/"/completion_reasoning_tokens`,
	btModel:     `metadata/model metadata/"/model`,
	btError:     "error",
}...)

func braintrust() *Table {
	t := &Table{Paths: braintrustPaths, Raw: []int{btError}, Fill: fillBraintrust, Latest: -1}
	t.Marks = [][]string{{"span_attributes", "metrics.start"}, {"metrics.start", "metrics.end", "metrics.time_to_first_token"}, {"span_attributes", "metrics", "root_span_id"}}
	return t.format(source.Format{
		Name:  "braintrust",
		Title: "Braintrust logs: API or export; JSON, JSON Lines, CSV",
		Columns: source.Fixed([]source.Capability{
			{Column: timeline.ColFirstSSEEvent, Quality: source.Sometimes, Field: "metrics.time_to_first_token", Unit: "s", Origin: "the call starts", Point: "first chunk; equal to the length of the span it says that nothing was streamed, and is absent"},
			mark(timeline.ColTotalHandler, "metrics.end - metrics.start", "end of the span"),
			known(timeline.ColTimestamp, "metrics.start"),
			known(timeline.ColRequestID, "id"),
			known(timeline.ColModel, "metadata.model"),
			sometimes(timeline.ColStream, "told by time_to_first_token"),
			known(timeline.ColInputTokens, "metrics.prompt_tokens"),
			known(timeline.ColOutputTokens, "metrics.completion_tokens"),
			sometimes(timeline.ColCachedInputTokens, "metrics.prompt_cached_tokens"),
			sometimes(timeline.ColReasoningTokens, "metrics.completion_reasoning_tokens"),
			known(timeline.ColOutcome, "error"),
		}),
		FirstToken: "time_to_first_token is the first chunk (t3), in seconds; for a call that was not streamed it is the whole length and is absent",
		More:       "only spans of type llm are calls",
	})
}

func fillBraintrust(row *timeline.Row, v []document.Value) source.Reason {
	if v[btType].Has() && string(v[btType].Text) != "llm" || !v[btType].Has() && !v[btFirst].Has() {
		return source.NotARequest
	}
	if _, ok := span(row, v[btStart], v[btEnd], timeline.Second); !ok {
		return source.NotARecord
	}
	row.SetText(timeline.ColRequestID, v[btID].Label())
	row.SetText(timeline.ColModel, v[btModel].Label())
	firstBraintrust(row, v)
	count(row, timeline.ColInputTokens, v[btInput])
	count(row, timeline.ColOutputTokens, v[btOutput])
	tally(row, timeline.ColCachedInputTokens, v[btCached])
	tally(row, timeline.ColReasoningTokens, v[btReasoning])
	switch {
	case v[btError].Has():
		label(row, timeline.ColOutcome, failure(v[btError].Text))
	case v[btEnd].Has():
		label(row, timeline.ColOutcome, success)
	}
	return source.OK
}

// firstBraintrust sets the first chunk. The tool subtracts floating-point
// seconds of this century, so that equal is within a microsecond or two.
func firstBraintrust(row *timeline.Row, v []document.Value) {
	us, ok := v[btFirst].Micros(timeline.Second)
	if !ok || v[btFirst].Twice {
		return
	}
	if total, ended := row.Num(timeline.ColTotalHandler); ended && max(us-total, total-us) <= 2 {
		return
	}
	row.SetNum(timeline.ColFirstSSEEvent, us)
	if us > 0 {
		label(row, timeline.ColFirstTokenBasis, anyChunk)
		row.SetFlag(timeline.ColStream, true)
	}
}
