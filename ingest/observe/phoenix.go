package observe

import (
	"strings"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const (
	phID = iota
	phKind
	phStart
	phEnd
	phStatus
	phModel
	phProvider
	phInput
	phOutput
	phCached
	phReasoning
	phEvent
	phEventFirst
)

// attribute spells the places of an attribute: flat in one key, flat among the
// attributes, and nested, which a data frame, the REST API and a document store
// write.
func attribute(names ...string) string {
	var all []string
	for _, name := range names {
		nested := strings.ReplaceAll(name, ".", "/")
		all = append(all, "attributes/"+name, "attributes/"+nested, "attributes."+name, `attributes/"/`+name, `attributes/"/`+nested)
	}
	return strings.Join(all, " ")
}

var phoenixPaths = document.NewPaths([]string{
	phID:         "context/span_id context.span_id span_id",
	phKind:       "span_kind " + attribute("openinference.span.kind"),
	phStart:      "start_time",
	phEnd:        "end_time",
	phStatus:     "status_code",
	phModel:      attribute("llm.model_name"),
	phProvider:   attribute("llm.provider", "llm.system"),
	phInput:      attribute("llm.token_count.prompt"),
	phOutput:     attribute("llm.token_count.completion"),
	phCached:     attribute("llm.token_count.prompt_details.cache_read"),
	phReasoning:  attribute("llm.token_count.completion_details.reasoning"),
	phEvent:      `events/[] events/"/[]`,
	phEventFirst: "",
}...)

func phoenix() *Table {
	t := &Table{
		Paths: phoenixPaths, Fill: fillPhoenix, Latest: -1,
		Marks:  [][]string{{"span_kind", "start_time", "context.span_id"}, {"span_kind", "start_time", "attributes.llm.model_name"}, {"span_kind", "start_time", "status_code"}},
		Events: &Events{Slot: phEvent, Names: []string{"First Token Stream Event"}, First: phEventFirst, Count: -1},
	}
	return t.format(source.Format{
		Name:  "phoenix",
		Title: "Phoenix spans: REST API or data frame; JSON, JSON Lines, CSV",
		Columns: source.Fixed([]source.Capability{
			{Column: timeline.ColFirstSSEEvent, Quality: source.Sometimes, Field: `events: "First Token Stream Event"`, Origin: "the call starts", Point: "first chunk, whatever it holds"},
			mark(timeline.ColTotalHandler, "end_time - start_time", "end of the span"),
			known(timeline.ColTimestamp, "start_time"),
			known(timeline.ColRequestID, "context.span_id"),
			known(timeline.ColModel, "attributes.llm.model_name"),
			known(timeline.ColChannel, "attributes.llm.provider, else llm.system"),
			known(timeline.ColProvider, "attributes.llm.provider, else llm.system"),
			sometimes(timeline.ColStream, "told by the event"),
			known(timeline.ColInputTokens, "attributes.llm.token_count.prompt"),
			known(timeline.ColOutputTokens, "attributes.llm.token_count.completion"),
			sometimes(timeline.ColCachedInputTokens, "attributes.llm.token_count.prompt_details.cache_read"),
			sometimes(timeline.ColReasoningTokens, "attributes.llm.token_count.completion_details.reasoning"),
			known(timeline.ColOutcome, "status_code"),
		}),
		FirstToken: "the event First Token Stream Event is the first chunk, whatever it holds (t3); there is no column for it",
		More:       "export the events of the spans; spans of chains, agents, tools and retrievers are not counted",
	})
}

func fillPhoenix(row *timeline.Row, v []document.Value) source.Reason {
	if string(v[phKind].Text) != "LLM" {
		return source.NotARequest
	}
	start, ok := span(row, v[phStart], v[phEnd], 0)
	if !ok {
		return source.NotARecord
	}
	row.SetText(timeline.ColRequestID, v[phID].Label())
	row.SetText(timeline.ColModel, v[phModel].Label())
	row.SetText(timeline.ColChannel, v[phProvider].Label())
	row.SetText(timeline.ColProvider, v[phProvider].Label())
	firstToken{timeline.ColFirstSSEEvent, anyChunk}.set(row, start, v[phEventFirst])
	count(row, timeline.ColInputTokens, v[phInput])
	count(row, timeline.ColOutputTokens, v[phOutput])
	tally(row, timeline.ColCachedInputTokens, v[phCached])
	tally(row, timeline.ColReasoningTokens, v[phReasoning])
	switch string(v[phStatus].Text) {
	case "OK":
		label(row, timeline.ColOutcome, success)
	case "ERROR":
		label(row, timeline.ColOutcome, failed)
	}
	return source.OK
}
