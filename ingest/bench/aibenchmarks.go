package bench

import (
	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const (
	abModel = iota
	abHeaders
	abFirst
	abTotal
	abInput
	abOutput
	abError
)

var aiBenchmarksPaths = document.NewPaths([]string{
	abModel:   "model",
	abHeaders: "ttr",
	abFirst:   "ttft",
	abTotal:   "total_time",
	abInput:   "input_tokens",
	abOutput:  "num_tokens",
	abError:   "error",
}...)

const aiBenchmarksAlone source.Reason = "an ai-benchmarks result without results"

func aiBenchmarks() *source.Format {
	return &source.Format{
		Name: "ai-benchmarks", Family: family, Vantage: vantage,
		Title:    "ai-benchmarks (thefastest.ai) result of one run",
		Detect:   detectAIBenchmarks,
		Document: (&list{key: "results", paths: aiBenchmarksPaths, fill: fillAIBenchmarks, alone: aiBenchmarksAlone}).read,
		Columns: source.Fixed([]source.Capability{
			mark(timeline.ColUpstreamHeaders, "ttr", "s", "response headers"),
			mark(timeline.ColFirstResponse, "ttft", "s", "first text, else the usage chunk"),
			mark(timeline.ColUpstreamDone, "total_time", "s", "end of the stream"),
			known(timeline.ColModel, "model"),
			sometimes(timeline.ColStatus, "the status at the start of error"),
			sometimes(timeline.ColStream, "told by ttft"),
			sometimes(timeline.ColInputTokens, "input_tokens"),
			known(timeline.ColOutputTokens, "num_tokens"),
			known(timeline.ColOutcome, "error"),
		}),
		FirstToken: "ttr is the response object (t2), ttft the first text or, without any, the usage chunk (t4); 9.99 and 99.99 stand for an error",
		More:       "the file has no ids; its time and region are those of the run and of the client",
	}
}

func detectAIBenchmarks(w *source.Window) source.Confidence {
	o := w.Outline()
	if o.Kind("results") == '[' && o.Has("results.[].ttr") && o.Has("results.[].ttft") {
		return source.Certain
	}
	return source.No
}

func fillAIBenchmarks(row *timeline.Row, v []document.Value) source.Reason {
	if !v[abHeaders].Has() && !v[abFirst].Has() && !v[abError].Has() {
		return source.NotARecord
	}
	row.SetText(timeline.ColModel, v[abModel].Label())
	duration(row, timeline.ColUpstreamHeaders, v[abHeaders], timeline.Second)
	duration(row, timeline.ColFirstResponse, v[abFirst], timeline.Second)
	count(row, timeline.ColInputTokens, v[abInput])
	if !v[abError].Has() {
		duration(row, timeline.ColUpstreamDone, v[abTotal], timeline.Second)
		count(row, timeline.ColOutputTokens, v[abOutput])
		label(row, timeline.ColOutcome, success)
	} else {
		endWithError(row, v)
	}
	if row.Has(timeline.ColFirstResponse) {
		row.SetFlag(timeline.ColStream, true)
	}
	basis(row, timeline.ColFirstResponse, contentUsage)
	return source.OK
}

// endWithError drops the times that the tool writes for an error. An error that
// starts with three digits is the status and reason of a response.
func endWithError(row *timeline.Row, v []document.Value) {
	if us, ok := row.Num(timeline.ColFirstResponse); ok && us == 9_990_000 {
		row.Refuse(timeline.ColFirstResponse, timeline.BadValue)
	}
	if us, ok := v[abTotal].Micros(timeline.Second); ok && us == 99_990_000 {
		row.Refuse(timeline.ColUpstreamDone, timeline.BadValue)
	}
	if status := statusIn(v[abError].Text[:min(4, len(v[abError].Text))], "", " "); status != 0 {
		row.SetNum(timeline.ColStatus, status)
		return
	}
	label(row, timeline.ColOutcome, failure(v[abError].Text))
}
