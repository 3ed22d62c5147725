package otlp

import (
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// Terms returns what the names of the dialects mean.
func Terms() []source.Term {
	event, response := timeline.ColFirstSSEEvent.String(), timeline.ColFirstResponse.String()
	done, total := timeline.ColUpstreamDone.String(), timeline.ColTotalHandler.String()
	return []source.Term{
		{Tool: "OpenTelemetry GenAI", Field: "gen_ai.response.time_to_first_chunk", Unit: "s",
			Means: "time to first event: the first chunk, whatever it holds", Column: event},
		{Tool: "OpenTelemetry GenAI", Field: "gen_ai.client.operation.time_to_first_chunk", Unit: "s",
			Means: "time to first event: the first chunk, whatever it holds", Column: event},
		{Tool: "OpenTelemetry GenAI", Field: "gen_ai.client.operation.duration", Unit: "s",
			Means: "length of the client's call", Column: total},
		{Tool: "OpenLLMetry", Field: "gen_ai.content.completion.chunk, llm.content.completion.chunk",
			Means: "an event for each chunk, empty ones too: the first is the time to first event", Column: event},
		{Tool: "OpenInference", Field: "First Token Stream Event",
			Means: "time to first event: the first chunk that is iterated, whatever it holds", Column: event},
		{Tool: "Vercel AI SDK", Version: "current", Field: "ai.response.msToFirstChunk", Unit: "ms",
			Means: "time to first effective response: the first output", Column: response},
		{Tool: "Vercel AI SDK", Version: "old", Field: "ai.stream.msToFirstChunk", Unit: "ms",
			Means: "time to first event: any chunk", Column: event},
		{Tool: "Vercel AI SDK", Field: "ai.response.msToFinish", Unit: "ms",
			Means: "time to the end of the stream", Column: done},
		{Tool: "OpenLIT", Field: "gen_ai.server.time_to_first_token", Unit: "s",
			Means: "time to first event at the client; the whole length of a call that was not streamed", Column: event},
		{Tool: "Sentry", Field: "gen_ai.response.time_to_first_token", Unit: "s",
			Means: "time to first event", Column: event},
		{Tool: "vLLM server", Field: "gen_ai.latency.time_to_first_token", Unit: "s",
			Means: "first token that the engine made, counted from the arrival at the server: network and client are outside"},
		{Tool: "vLLM server", Field: "gen_ai.latency.time_in_queue", Unit: "s",
			Means: "wait inside the engine, a part of every mark of a client"},
		{Tool: "vLLM server", Field: "gen_ai.latency.e2e", Unit: "s",
			Means: "length of the request inside the engine", Column: total},
	}
}
