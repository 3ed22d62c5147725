package observe

import (
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// Terms returns what the names of the stores mean.
func Terms() []source.Term {
	event, response := timeline.ColFirstSSEEvent.String(), timeline.ColFirstResponse.String()
	total := timeline.ColTotalHandler.String()
	return []source.Term{
		{Tool: "Langfuse", Field: "completion_start_time",
			Means: "time to first effective response as the SDK or its user declared it: commonly the first chunk or the first content", Column: response},
		{Tool: "Langfuse", Version: "legacy blob export, API, downloads since 2026", Field: "latency, time_to_first_token", Unit: "s",
			Means: "length of the call, and the declared first token; ttdiag computes both from the times", Column: total},
		{Tool: "Langfuse", Version: "observations_v2 of integrations made before April 2026, downloads of 2025", Field: "latency, time_to_first_token", Unit: "ms",
			Means: "the same in milliseconds, under the same names", Column: total},
		{Tool: "LangSmith", Field: "first_token_time",
			Means: "a point in time, not a duration: that of the first new_token event, which may be empty", Column: event},
		{Tool: "LangSmith", Field: "end_time - start_time",
			Means: "length of the run", Column: total},
		{Tool: "Phoenix", Field: "First Token Stream Event",
			Means: "time to first event: the first chunk that is iterated, whatever it holds", Column: event},
		{Tool: "Phoenix", Field: "latency",
			Means: "length of the span", Column: total},
		{Tool: "Braintrust", Field: "metrics.time_to_first_token", Unit: "s",
			Means: "time to first event: the first chunk; the whole length of a call that was not streamed", Column: event},
		{Tool: "Braintrust", Field: "metrics.end - metrics.start", Unit: "s",
			Means: "length of the span", Column: total},
		{Tool: "Helicone", Field: "time_to_first_token", Unit: "ms",
			Means: "time to first event at the proxy: the first chunk of the body, comments included", Column: event},
		{Tool: "Helicone", Field: "latency, delay_ms", Unit: "ms",
			Means: "length of the request at the proxy", Column: total},
	}
}
