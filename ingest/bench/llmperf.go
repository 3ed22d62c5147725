package bench

import (
	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const (
	lpCode = iota
	lpTTFT
	lpTotal
	lpInput
	lpOutput
)

var llmperfPaths = document.NewPaths([]string{
	lpCode:   "error_code",
	lpTTFT:   "ttft_s",
	lpTotal:  "end_to_end_latency_s",
	lpInput:  "number_input_tokens",
	lpOutput: "number_output_tokens",
}...)

func llmperf() *source.Format {
	return &source.Format{
		Name: "llmperf", Family: family, Vantage: vantage,
		Title:    "LLMPerf *_individual_responses.json",
		Detect:   detectLLMPerf,
		Document: (&list{paths: llmperfPaths, fill: fillLLMPerf}).read,
		Columns: source.Fixed([]source.Capability{
			mark(timeline.ColFirstTextDelta, "ttft_s", "s", "first text that is not empty; reasoning and tool calls are not seen"),
			mark(timeline.ColUpstreamDone, "end_to_end_latency_s", "s", "last line read"),
			known(timeline.ColStream, "LLMPerf always streams"),
			sometimes(timeline.ColStatus, "error_code where it is above 0; -1 and -100 are LLMPerf's own"),
			known(timeline.ColInputTokens, "number_input_tokens, by a Llama tokenizer whatever the model"),
			known(timeline.ColOutputTokens, "number_output_tokens, likewise; absent with an error"),
			known(timeline.ColOutcome, "error_code"),
		}),
		FirstToken: "ttft_s is the first text that is not empty (t5); 0 is written where there was none",
		More:       "the model, ids and times of day are not in this file",
	}
}

func detectLLMPerf(w *source.Window) source.Confidence {
	o := w.Outline()
	for _, prefix := range []string{"[].", ""} {
		if o.Has(prefix+"ttft_s") && o.Has(prefix+"end_to_end_latency_s") {
			return source.Certain
		}
	}
	return source.No
}

func fillLLMPerf(row *timeline.Row, v []document.Value) source.Reason {
	if !v[lpTTFT].Has() && !v[lpTotal].Has() {
		return source.NotARecord
	}
	row.SetFlag(timeline.ColStream, true)
	duration(row, timeline.ColFirstTextDelta, v[lpTTFT], timeline.Second)
	duration(row, timeline.ColUpstreamDone, v[lpTotal], timeline.Second)
	basis(row, timeline.ColFirstTextDelta, contentOnly)
	if count(row, timeline.ColInputTokens, v[lpInput]) {
		row.Notes.Add(timeline.EstimatedTokens)
	}
	code, failing := v[lpCode].Int()
	switch {
	case !failing && !v[lpCode].Has():
		label(row, timeline.ColOutcome, success)
		count(row, timeline.ColOutputTokens, v[lpOutput])
	case code >= 100 && code <= 599:
		row.SetNum(timeline.ColStatus, code)
	default:
		row.Notes.Add(timeline.ToolReportedCode)
		if code == -1 {
			label(row, timeline.ColOutcome, failed)
		}
	}
	return source.OK
}
