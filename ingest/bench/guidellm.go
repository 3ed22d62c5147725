package bench

import (
	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// The slots of a request of GuideLLM. Three generations share them: 0.2 and 0.3
// (times beside the tokens), 0.4 to 0.6 and 0.7 (times in info.timings).
const (
	glID = iota
	glModel
	glStream
	glStart
	glFirstLine
	glFirstToken
	glFirstOutput
	glEnd
	glLines
	glOldStart
	glOldFirst
	glOldEnd
	glInput
	glOutput
	glCached
	glError
	glCancelled
	glText
	glTools
)

var guidellmPaths = document.NewPaths([]string{
	glID:          "request_id info/request_id scheduler_info/request_id",
	glModel:       `request_args/"/body/model request_args/body/model`,
	glStream:      `request_args/"/stream request_args/"/body/stream request_args/stream request_args/body/stream`,
	glStart:       "info/timings/request_start scheduler_info/request_timings/request_start",
	glFirstLine:   "info/timings/first_request_iteration",
	glFirstToken:  "info/timings/first_token_iteration info/timings/first_iteration scheduler_info/request_timings/first_iteration",
	glFirstOutput: "info/timings/first_output_token_iteration",
	glEnd:         "info/timings/request_end scheduler_info/request_timings/request_end",
	glLines:       "info/timings/request_iterations info/timings/iterations",
	glOldStart:    "start_time",
	glOldFirst:    "first_token_time",
	glOldEnd:      "end_time",
	glInput:       "prompt_tokens input_metrics/total_tokens",
	glOutput:      "output_tokens output_metrics/total_tokens",
	glCached:      "cached_tokens input_metrics/cached_tokens",
	glError:       "info/error error scheduler_info/error",
	glCancelled:   "scheduler_info/canceled",
	glText:        "output",
	glTools:       "tool_calls",
}...)

var guidellmLine = timeline.Approx{
	Column: timeline.ColFirstSSEEvent.String(), Origin: "the client sends the request",
	Point: "first line that is not blank, a comment or an event name too", Bias: "low",
}

const guidellmAlone source.Reason = "a GuideLLM report without requests: they were sampled down to none"

func guidellm() *source.Format {
	return &source.Format{
		Name: "guidellm", Family: family, Vantage: vantage,
		Title:    "GuideLLM benchmarks.json of 0.2 to 0.3, 0.4 to 0.6 and since 0.7",
		Detect:   detectGuideLLM,
		Document: readGuideLLM,
		Columns: source.Fixed([]source.Capability{
			{Column: timeline.ColFirstSSEEvent, Quality: source.Approx, Field: "info.timings.first_request_iteration, since 0.4", Unit: "s", Origin: guidellmLine.Origin, Point: guidellmLine.Point, Bias: guidellmLine.Bias},
			{Column: timeline.ColFirstResponse, Quality: source.Sometimes, Field: "info.timings.first_token_iteration, since 0.7", Unit: "s", Origin: guidellmLine.Origin, Point: "first reasoning, tool call or text"},
			mark(timeline.ColFirstTextDelta, "info.timings.first_output_token_iteration since 0.7, first_token_iteration in 0.4 to 0.6, first_token_time before", "s", "first text; since 0.7 absent where the answer is a tool call alone"),
			mark(timeline.ColUpstreamDone, "info.timings.request_end, end_time before 0.4", "s", "end of the response, of requests that succeeded"),
			known(timeline.ColTimestamp, "info.timings.request_start, start_time before 0.4"),
			known(timeline.ColRequestID, "request_id"),
			sometimes(timeline.ColModel, "request_args.body.model, else benchmarks.worker.backend_model"),
			sometimes(timeline.ColStatus, "the status that httpx names in error"),
			known(timeline.ColStream, "request_args.stream, told by the first token before 0.4"),
			known(timeline.ColInputTokens, "prompt_tokens"),
			known(timeline.ColOutputTokens, "output_tokens; before 0.4 that of an incomplete request is the number asked for, and is absent"),
			sometimes(timeline.ColCachedInputTokens, "cached_tokens"),
			sometimes(timeline.ColEventCount, "info.timings.request_iterations"),
			known(timeline.ColOutcome, "the list that the request stands in, and error"),
			sometimes(timeline.ColErrorClass, "class of the exception in error"),
		}),
		FirstToken: "since 0.7 first_token_iteration is the first reasoning, tool call or text (t4) and first_output_token_iteration leaves reasoning out (t5); in 0.4 to 0.6 the same first_token_iteration, and before it first_token_time, is the first text alone (t5)",
		More:       "a report with a sample size holds a random sample of the requests: do not read load from it",
	}
}

func detectGuideLLM(w *source.Window) source.Confidence {
	o := w.Outline()
	if o.Has("metadata.guidellm_version") {
		return source.Certain // whatever stands before the benchmarks
	}
	if o.Kind("benchmarks") != '[' {
		return source.No
	}
	if o.Has("benchmarks.[].run_stats") || o.Has("benchmarks.[].requests") ||
		o.Has("benchmarks.[].args.profile") || o.Has("benchmarks.[].config.strategy") || o.Has("benchmarks.[].run_id") {
		return source.Certain
	}
	return source.No
}
