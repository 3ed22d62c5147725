// Package otlp reads OTLP/JSON spans of calls of models, in the dialects of the
// GenAI semantic conventions, OpenLLMetry, OpenInference, the Vercel AI SDK,
// OpenLIT, Sentry and the vLLM server.
//
// One call may have several spans: the client's, that of the server below it,
// and those of agents and chains above it, which repeat its tokens. Here it is
// one record.
package otlp

import (
	"encoding/binary"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const family = "OpenTelemetry"

// Formats returns the formats of this package.
func Formats() []*source.Format { return []*source.Format{spans(), framed()} }

func spans() *source.Format {
	return &source.Format{
		Name: "otlp", Family: family, Vantage: "client",
		Title:    "OTLP/JSON spans of calls of models, as the Collector's file exporter writes them",
		Detect:   detect,
		Document: read,
		Columns: source.Fixed([]source.Capability{
			{Column: timeline.ColFirstSSEEvent, Quality: source.Sometimes, Field: "gen_ai.response.time_to_first_chunk (s); the first chunk event of OpenLLMetry or OpenInference", Origin: "the call starts", Point: "first chunk, whatever it holds"},
			{Column: timeline.ColFirstResponse, Quality: source.Sometimes, Field: "ai.response.msToFirstChunk", Unit: "ms", Origin: "the call starts", Point: "first output"},
			{Column: timeline.ColUpstreamDone, Quality: source.Sometimes, Field: "ai.response.msToFinish", Unit: "ms", Origin: "the call starts", Point: "end of the stream"},
			mark(timeline.ColTotalHandler, "endTimeUnixNano - startTimeUnixNano", "end of the span"),
			known(timeline.ColTimestamp, "startTimeUnixNano"),
			known(timeline.ColRequestID, "gen_ai.response.id, else gen_ai.request.id, else the span's id"),
			known(timeline.ColModel, "gen_ai.response.model, else gen_ai.request.model; llm.model_name"),
			known(timeline.ColChannel, "gen_ai.provider.name, gen_ai.system, llm.provider, llm.system"),
			known(timeline.ColProvider, "gen_ai.provider.name, gen_ai.system, llm.provider, llm.system"),
			sometimes(timeline.ColRegion, "cloud.region of the resource"),
			sometimes(timeline.ColStream, "gen_ai.request.stream, gen_ai.is_streaming, llm.is_streaming, or told by a first chunk"),
			sometimes(timeline.ColStatus, "http.response.status_code"),
			known(timeline.ColInputTokens, "gen_ai.usage.input_tokens, llm.token_count.prompt, ai.usage.promptTokens"),
			known(timeline.ColOutputTokens, "gen_ai.usage.output_tokens, llm.token_count.completion, ai.usage.completionTokens"),
			sometimes(timeline.ColCachedInputTokens, "gen_ai.usage.cache_read.input_tokens, llm.token_count.prompt_details.cache_read"),
			sometimes(timeline.ColReasoningTokens, "gen_ai.usage.reasoning.output_tokens, llm.token_count.completion_details.reasoning"),
			sometimes(timeline.ColEventCount, "number of OpenLLMetry's chunk events"),
			sometimes(timeline.ColMaxOutputTokens, "gen_ai.request.max_tokens"),
			sometimes(timeline.ColTemperature, "gen_ai.request.temperature"),
			sometimes(timeline.ColFinishReason, "gen_ai.response.finish_reasons"),
			known(timeline.ColOutcome, "status.code, error.type"),
			sometimes(timeline.ColErrorClass, "error.type, exception.type"),
		}),
		FirstToken: "time_to_first_chunk, OpenLLMetry's and OpenInference's first events and OpenLIT's and Sentry's time_to_first_token are the first chunk of any kind (t3); the Vercel AI SDK's msToFirstChunk is the first output (t4). vLLM's gen_ai.latency.time_to_first_token counts from the arrival at the server and has no column",
		More:       "instrument the client: only a span that starts before the request leaves has t1; a server's span alone gives its own length",
	}
}

const lengthFramed source.Reason = "OTLP in binary messages, each behind its length: set the file exporter's format to json, without compression"

// framed recognises what the Collector's file exporter writes for the format
// proto: messages, each behind its length in four bytes.
func framed() *source.Format {
	return &source.Format{
		Name: "otlp-proto", Family: family, Vantage: "client",
		Title:      "OTLP in binary messages: never a record, told so that the message can say what to set",
		Detect:     detectFramed,
		Document:   refuse,
		FirstToken: "none",
		More:       "the file exporter's format: json",
	}
}

func detect(w *source.Window) source.Confidence {
	o := w.Outline()
	for _, key := range []string{"resourceSpans", "resource_spans", "batches"} {
		if o.Has(key+".[].scopeSpans") || o.Has(key+".[].scope_spans") || o.Has(key+".[].instrumentationLibrarySpans") || o.Has(key+".[].resource") {
			return source.Certain
		}
	}
	for _, key := range []string{"data.[].", "spans.[]."} {
		if o.Kind(key+"attributes") == '[' && (o.Has(key+"startTimeUnixNano") || o.Has(key+"start_time_unix_nano")) {
			return source.Certain
		}
	}
	for _, key := range []string{"resourceSpans", "resourceMetrics", "resourceLogs"} {
		if o.Kind(key) == '[' {
			return source.Certain
		}
	}
	return source.No
}

// detectFramed knows the tag of the first field of a message behind a length
// that fits the input.
func detectFramed(w *source.Window) source.Confidence {
	if len(w.Head) < 16 {
		return source.No
	}
	size := int64(binary.BigEndian.Uint32(w.Head))
	rest := int64(len(w.Head)) - 4
	const tag = 0x0A // field 1, length-delimited: the first resource
	switch {
	case w.Head[4] != tag || size < 8 || size > 256<<20 || w.Whole && size > rest:
		return source.No
	case size+5 <= rest && w.Head[4+size+4] == tag, size == rest && w.Whole:
		return source.Certain
	case w.Head[0] == 0 && size > rest:
		return source.Likely
	}
	return source.No
}

func mark(c timeline.Column, field, point string) source.Capability {
	return source.Capability{Column: c, Field: field, Origin: "the call starts", Point: point}
}

func known(c timeline.Column, field string) source.Capability {
	return source.Capability{Column: c, Field: field}
}

func sometimes(c timeline.Column, field string) source.Capability {
	return source.Capability{Column: c, Quality: source.Sometimes, Field: field}
}
