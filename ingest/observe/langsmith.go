package observe

import (
	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const (
	lsID = iota
	lsType
	lsStart
	lsEnd
	lsFirst
	lsStatus
	lsError
	lsInput
	lsOutput
	lsCached
	lsReasoning
	lsModel
	lsProvider
	lsStream
	lsEvent
	lsEventFirst
	lsEventCount
)

var langsmithPaths = document.NewPaths([]string{
	lsID:        "id",
	lsType:      "run_type",
	lsStart:     "start_time",
	lsEnd:       "end_time",
	lsFirst:     "first_token_time",
	lsStatus:    "status",
	lsError:     "error",
	lsInput:     "prompt_tokens",
	lsOutput:    "completion_tokens",
	lsCached:    `prompt_token_details/cache_read prompt_token_details/"/cache_read`,
	lsReasoning: `completion_token_details/reasoning completion_token_details/"/reasoning`,
	lsModel: `extra/invocation_params/model extra/invocation_params/model_name extra/metadata/ls_model_name ` +
		`extra/"/invocation_params/model extra/"/invocation_params/model_name extra/"/metadata/ls_model_name`,
	lsProvider:   `extra/metadata/ls_provider extra/"/metadata/ls_provider`,
	lsStream:     `extra/invocation_params/stream extra/"/invocation_params/stream`,
	lsEvent:      `events/[] events/"/[]`,
	lsEventFirst: "",
	lsEventCount: "",
}...)

func langsmith() *Table {
	t := &Table{
		Paths: langsmithPaths, Fill: fillLangSmith, Latest: -1,
		Marks:  [][]string{{"run_type", "start_time", "trace_id"}, {"run_type", "start_time", "end_time"}},
		Events: &Events{Slot: lsEvent, Names: []string{"new_token"}, First: lsEventFirst, Count: lsEventCount},
	}
	return t.format(source.Format{
		Name:  "langsmith",
		Title: "LangSmith runs: API, SDK or bulk export; JSON, JSON Lines, CSV",
		Columns: source.Fixed([]source.Capability{
			{Column: timeline.ColFirstSSEEvent, Quality: source.Sometimes, Field: "first_token_time - start_time, else that of the first new_token event", Origin: "the call starts", Point: "first new_token event, which may be empty"},
			mark(timeline.ColTotalHandler, "end_time - start_time", "end of the run"),
			known(timeline.ColTimestamp, "start_time, UTC where it names no zone"),
			known(timeline.ColRequestID, "id"),
			known(timeline.ColModel, "extra.invocation_params.model, else extra.metadata.ls_model_name"),
			known(timeline.ColChannel, "extra.metadata.ls_provider"),
			known(timeline.ColProvider, "extra.metadata.ls_provider"),
			sometimes(timeline.ColStream, "extra.invocation_params.stream, else told by the first token"),
			known(timeline.ColInputTokens, "prompt_tokens"),
			known(timeline.ColOutputTokens, "completion_tokens"),
			sometimes(timeline.ColCachedInputTokens, "prompt_token_details.cache_read"),
			sometimes(timeline.ColReasoningTokens, "completion_token_details.reasoning"),
			sometimes(timeline.ColEventCount, "number of new_token events"),
			known(timeline.ColOutcome, "status, which is a word and no HTTP status"),
		}),
		FirstToken: "first_token_time is a point in time, though it is described as a duration: that of the first new_token event, which may carry an empty token (t3)",
		More:       "runs of chains and agents repeat the times and tokens of the calls inside them and are not counted",
	})
}

func fillLangSmith(row *timeline.Row, v []document.Value) source.Reason {
	if string(v[lsType].Text) != "llm" {
		return source.NotARequest
	}
	start, ok := span(row, v[lsStart], v[lsEnd], 0)
	if !ok {
		return source.NotARecord
	}
	row.SetText(timeline.ColRequestID, v[lsID].Label())
	row.SetText(timeline.ColModel, v[lsModel].Label())
	row.SetText(timeline.ColChannel, v[lsProvider].Label())
	row.SetText(timeline.ColProvider, v[lsProvider].Label())
	token := v[lsFirst]
	if !token.Has() {
		token = v[lsEventFirst]
	}
	firstToken{timeline.ColFirstSSEEvent, anyChunk}.set(row, start, token)
	if v[lsStream].True() || v[lsStream].False() {
		row.SetFlag(timeline.ColStream, v[lsStream].True())
	}
	count(row, timeline.ColInputTokens, v[lsInput])
	count(row, timeline.ColOutputTokens, v[lsOutput])
	tally(row, timeline.ColCachedInputTokens, v[lsCached])
	tally(row, timeline.ColReasoningTokens, v[lsReasoning])
	count(row, timeline.ColEventCount, v[lsEventCount])
	switch {
	case string(v[lsStatus].Text) == "error" || v[lsError].Has():
		label(row, timeline.ColOutcome, failure(v[lsError].Text))
	case string(v[lsStatus].Text) == "success":
		label(row, timeline.ColOutcome, success)
	}
	return source.OK
}
