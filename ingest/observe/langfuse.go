package observe

import (
	"bytes"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const (
	lfID = iota
	lfType
	lfStart
	lfEnd
	lfFirst
	lfModel
	lfUsage
	lfLevel
	lfUpdated
	lfInput
	lfOutput
)

var langfusePaths = document.NewPaths([]string{
	lfID:      "id",
	lfType:    "type",
	lfStart:   "start_time startTime",
	lfEnd:     "end_time endTime",
	lfFirst:   "completion_start_time completionStartTime",
	lfModel:   "provided_model_name providedModelName model",
	lfUsage:   "usage_details usageDetails usage",
	lfLevel:   "level",
	lfUpdated: "updated_at updatedAt",
	lfInput:   "prompt_tokens promptTokens input_usage inputUsage",
	lfOutput:  "completion_tokens completionTokens output_usage outputUsage",
}...)

func langfuse() *Table {
	t := &Table{Paths: langfusePaths, Raw: []int{lfUsage}, Fill: fillLangfuse, Latest: lfUpdated, ID: lfID}
	t.Marks = [][]string{{"type", "start_time", "completion_start_time"}, {"type", "startTime", "completionStartTime"}, {"id", "trace_id", "type", "start_time", "level"}, {"id", "traceId", "type", "startTime", "level"}}
	return t.format(source.Format{
		Name:  "langfuse",
		Title: "Langfuse observations: blob export, download or API; JSON, JSON Lines, CSV",
		Columns: source.Fixed([]source.Capability{
			{Column: timeline.ColFirstResponse, Quality: source.Sometimes, Field: "completion_start_time", Origin: "the call starts", Point: "whatever the user of the SDK set"},
			mark(timeline.ColTotalHandler, "end_time - start_time", "end of the observation"),
			known(timeline.ColTimestamp, "start_time, UTC where it names no zone"),
			known(timeline.ColRequestID, "id"),
			known(timeline.ColModel, "provided_model_name"),
			sometimes(timeline.ColStream, "told by completion_start_time"),
			known(timeline.ColInputTokens, "usage_details: input and its parts"),
			known(timeline.ColOutputTokens, "usage_details: output and its parts"),
			sometimes(timeline.ColCachedInputTokens, "usage_details: cached input"),
			sometimes(timeline.ColReasoningTokens, "usage_details: reasoning output"),
			known(timeline.ColOutcome, "level"),
		}),
		FirstToken: "completion_start_time is what the SDK or its user set, commonly the first chunk or the first content (t4, declared)",
		More:       "latency and time_to_first_token are seconds in one export and milliseconds in another, and are never read: the times are; export the field groups that hold them",
	})
}

// fillLangfuse fills a row from an observation. Spans and events are no calls.
func fillLangfuse(row *timeline.Row, v []document.Value) source.Reason {
	if !isLangfuseCall(v) {
		return source.NotARequest
	}
	start, ok := span(row, v[lfStart], v[lfEnd], 0)
	if !ok {
		return source.NotARecord
	}
	row.SetText(timeline.ColRequestID, v[lfID].Label())
	row.SetText(timeline.ColModel, v[lfModel].Label())
	if began, ok := v[lfFirst].When(0); ok {
		if end, ended := v[lfEnd].When(0); !ended || began != end {
			firstToken{timeline.ColFirstResponse, declared}.set(row, start, v[lfFirst])
		}
	}
	switch {
	case string(v[lfLevel].Text) == "ERROR":
		label(row, timeline.ColOutcome, failed)
	case v[lfEnd].Has():
		label(row, timeline.ColOutcome, success)
	}
	if u := readUsage(v[lfUsage]); u.found {
		u.fill(row)
	} else {
		count(row, timeline.ColInputTokens, v[lfInput])
		count(row, timeline.ColOutputTokens, v[lfOutput])
	}
	return source.OK
}

// isLangfuseCall tells calls of models; a row without a type, which an export of
// few field groups has, is one if it names a model.
func isLangfuseCall(v []document.Value) bool {
	switch string(v[lfType].Text) {
	case "GENERATION", "EMBEDDING":
		return true
	case "":
		return v[lfModel].Has()
	}
	return false
}

// usage sums the parts of usage_details. Its keys are disjoint: input leaves
// out what was cached, output what is reasoning. A total that says otherwise is
// believed.
type usage struct {
	found                    bool
	input, inputParts        int64
	output, outputParts      int64
	cached, reasoning, total int64
	hasCached, hasReasoning  bool
}

func readUsage(v document.Value) usage {
	var u usage
	if v.Kind != document.Object && v.Kind != document.String || len(v.Text) == 0 {
		return u
	}
	var r document.Reader
	r.Reset(v.Text)
	if kind, err := r.Next(); err != nil || kind != document.Object {
		return u
	}
	_ = r.Object(func(key []byte) error {
		name := bytes.ToLower(append([]byte(nil), key...))
		n, err := r.Scalar()
		if count, ok := n.Int(); ok && count >= 0 {
			u.add(string(name), name, count)
		}
		return err
	})
	return u
}

func (u *usage) add(name string, text []byte, n int64) {
	has := func(part string) bool { return bytes.Contains(text, []byte(part)) }
	cached := has("cache") && !has("creation") && !has("write")
	switch {
	case name == "total":
		u.total = n
		return
	case name == "unit":
		return
	case name == "input":
		u.input = n
	case name == "output":
		u.output = n
	case has("output"), has("completion"):
		u.outputParts += n
	case has("input"), has("prompt"), has("cache"):
		u.inputParts += n
	default:
		return
	}
	u.found = true
	if cached {
		u.cached, u.hasCached = u.cached+n, true
	}
	if has("reasoning") {
		u.reasoning, u.hasReasoning = u.reasoning+n, true
	}
}

func (u *usage) fill(row *timeline.Row) {
	input, output := u.input, u.output
	if u.total != input+output || u.inputParts+u.outputParts == 0 {
		input, output = input+u.inputParts, output+u.outputParts
	}
	if input > 0 {
		row.SetNum(timeline.ColInputTokens, input)
	}
	if output > 0 {
		row.SetNum(timeline.ColOutputTokens, output)
	}
	if u.hasCached {
		row.SetNum(timeline.ColCachedInputTokens, u.cached)
	}
	if u.hasReasoning {
		row.SetNum(timeline.ColReasoningTokens, u.reasoning)
	}
}
