package bench

import (
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

var (
	headers   = timeline.ColUpstreamHeaders.String()
	event     = timeline.ColFirstSSEEvent.String()
	response  = timeline.ColFirstResponse.String()
	textDelta = timeline.ColFirstTextDelta.String()
	done      = timeline.ColUpstreamDone.String()
	total     = timeline.ColTotalHandler.String()
)

const afterFirst = "mean time between output tokens after the first: the rest of the response over the output tokens less one"

// Terms returns what the names of the tools of this package mean.
func Terms() []source.Term {
	return []source.Term{
		{Tool: "AIPerf", Field: "time_to_first_token", Unit: "ms",
			Means: "time to first effective response: the first message with reasoning or text, in the newest versions a tool call too", Column: response},
		{Tool: "AIPerf", Version: "before November 2025", Field: "ttft", Unit: "ms",
			Means: "time to first effective response: the first message with reasoning or text", Column: response},
		{Tool: "AIPerf", Field: "time_to_first_output_token", Unit: "ms",
			Means: "time to first visible text, where the answer has no tool call: reasoning is left out", Column: textDelta},
		{Tool: "AIPerf", Field: "time_to_second_token", Unit: "ms",
			Means: "gap between the first and the second message with content"},
		{Tool: "AIPerf", Field: "request_latency", Unit: "ms",
			Means: "from the start to the last message with content: neither the end of the body nor of the handler"},
		{Tool: "AIPerf", Field: "inter_token_latency", Unit: "ms",
			Means: afterFirst + ", reasoning included"},
		{Tool: "AIPerf", Field: "inter_chunk_latency", Unit: "ms",
			Means: "gaps between messages with content; a message may hold several tokens"},
		{Tool: "AIPerf", Field: "http_req_waiting", Unit: "ms",
			Means: "to the first byte of the body, which no mark is"},
		{Tool: "AIPerf", Field: "request_ack_ns", Unit: "ns",
			Means: "time to headers of a 2xx response, from request_start_ns", Column: headers},
		{Tool: "AIPerf", Field: "output_token_throughput_per_user", Unit: "tokens/s",
			Means: "one over inter_token_latency: reasoning counts, so that it is no visible_output_tps"},

		{Tool: "vLLM bench", Field: "ttfts, *_ttft_ms", Unit: "s, ms",
			Means: "time to first event: the first chunk with choices, one with a bare role included", Column: event},
		{Tool: "vLLM bench", Field: "latencies, *_e2el_ms", Unit: "s, ms",
			Means: "from the start to the last chunk with choices: neither the end of the body nor of the handler"},
		{Tool: "vLLM bench", Field: "*_tpot_ms", Unit: "ms",
			Means: afterFirst},
		{Tool: "vLLM bench", Field: "itls, *_itl_ms", Unit: "s, ms",
			Means: "gaps between chunks with choices; a chunk may hold several tokens"},
		{Tool: "vLLM bench", Field: "queue_times", Unit: "s",
			Means: "wait inside the benchmark itself, before the request was sent"},

		{Tool: "SGLang bench", Field: "ttfts, *_ttft_ms", Unit: "s, ms",
			Means: "time to first visible text: the first chunk with text that is not empty; all thinking is inside. 0 means no text, and the tool's mean takes it in", Column: textDelta},
		{Tool: "SGLang bench", Version: "with --disable-stream", Field: "ttfts, *_ttft_ms", Unit: "s, ms",
			Means: "the whole response", Column: done},
		{Tool: "SGLang bench", Field: "*_e2e_latency_ms", Unit: "ms",
			Means: "from the start to the end of the stream"},
		{Tool: "SGLang bench", Field: "*_tpot_ms", Unit: "ms",
			Means: afterFirst},
		{Tool: "SGLang bench", Field: "itls, *_itl_ms", Unit: "s, ms",
			Means: "gaps between chunks with text"},

		{Tool: "GuideLLM", Version: ">= 0.7", Field: "time_to_first_token_ms", Unit: "ms",
			Means: "time to first effective response: reasoning, tool call or text", Column: response},
		{Tool: "GuideLLM", Version: ">= 0.7", Field: "time_to_first_output_token_ms", Unit: "ms",
			Means: "time to first visible text, where the answer is not a tool call", Column: textDelta},
		{Tool: "GuideLLM", Version: ">= 0.4", Field: "first_request_iteration", Unit: "s",
			Means: "about the time to first event: the first line that is not blank, a comment too", Column: event},
		{Tool: "GuideLLM", Version: "0.4 to 0.6", Field: "time_to_first_token_ms", Unit: "ms",
			Means: "time to first visible text: reasoning is not seen", Column: textDelta},
		{Tool: "GuideLLM", Version: "0.2 to 0.3", Field: "time_to_first_token_ms", Unit: "ms",
			Means: "time to first visible text: reasoning is not seen; about -1.7e12 where there was none", Column: textDelta},
		{Tool: "GuideLLM", Version: ">= 0.4", Field: "time_per_output_token_ms", Unit: "ms",
			Means: "from the start to the last token over the output tokens: the wait for the first is inside"},
		{Tool: "GuideLLM", Version: "0.2 to 0.3", Field: "time_per_output_token_ms", Unit: "ms",
			Means: "from the first token to the last over the output tokens"},
		{Tool: "GuideLLM", Field: "inter_token_latency_ms", Unit: "ms",
			Means: "from the first token to the last over the output tokens less one"},
		{Tool: "GuideLLM", Field: "request_latency", Unit: "s",
			Means: "time to the end of the response, beside values in milliseconds", Column: done},

		{Tool: "LLMPerf", Field: "ttft_s", Unit: "s",
			Means: "time to first visible text: reasoning and tool calls are not seen; 0 means none", Column: textDelta},
		{Tool: "LLMPerf", Field: "inter_token_latency_s", Unit: "s",
			Means: "time until the last text over the output tokens: the wait for the first is inside; on errors it may be the undivided sum"},
		{Tool: "LLMPerf", Field: "end_to_end_latency_s", Unit: "s",
			Means: "time to the end of the response; 0 on errors", Column: done},

		{Tool: "genai-bench", Field: "ttft", Unit: "s or ms",
			Means: "time to first effective response: text or reasoning, else the time of the usage chunk", Column: response},
		{Tool: "genai-bench", Field: "tpot", Unit: "s or ms",
			Means: afterFirst},
		{Tool: "genai-bench", Field: "e2e_latency", Unit: "s or ms",
			Means: "time to the end of the response", Column: done},
		{Tool: "genai-bench", Field: "output_latency", Unit: "s or ms",
			Means: "e2e_latency less ttft"},

		{Tool: "llm-load-test", Field: "tt_ack", Unit: "ms",
			Means: "time to first event: the first data message", Column: event},
		{Tool: "llm-load-test", Field: "ttft", Unit: "ms",
			Means: "time to first visible text", Column: textDelta},
		{Tool: "llm-load-test", Field: "itl", Unit: "ms",
			Means: afterFirst},
		{Tool: "llm-load-test", Field: "tpot", Unit: "ms",
			Means: "the whole response over the output tokens: the wait for the first is inside"},
		{Tool: "llm-load-test", Field: "response_time", Unit: "ms",
			Means: "time to the end of the response", Column: done},

		{Tool: "ai-benchmarks", Field: "ttr", Unit: "s",
			Means: "time to headers", Column: headers},
		{Tool: "ai-benchmarks", Field: "ttft", Unit: "s",
			Means: "time to first effective response: text, else the usage chunk; 9.99 with an error", Column: response},
		{Tool: "ai-benchmarks", Field: "tps", Unit: "tokens/s",
			Means: "tokens after the first over the time after it"},
		{Tool: "ai-benchmarks", Field: "total_time", Unit: "s",
			Means: "time to the end of the response; 99.99 with an error", Column: done},

		{Tool: "EvalScope", Version: "since July 2026", Field: "ttft", Unit: "s",
			Means: "time to first effective response: text or reasoning; equal to latency where nothing was streamed", Column: response},
		{Tool: "EvalScope", Version: "before", Field: "ttft", Unit: "s",
			Means: "time to first effective response: text or reasoning_content, in the oldest versions text alone", Column: response},
		{Tool: "EvalScope", Field: "tpot", Unit: "s",
			Means: afterFirst},
		{Tool: "EvalScope", Field: "latency", Unit: "s",
			Means: "time to the end of the call", Column: done},

		{Tool: "AIBrix client", Field: "ttft", Unit: "s",
			Means: "time to first event: the first delta that is not null, empty text included", Column: event},
		{Tool: "AIBrix client", Field: "tpot", Unit: "s",
			Means: "time after the first delta over the output tokens"},
		{Tool: "AIBrix client", Field: "latency", Unit: "s",
			Means: "time to the end of the stream", Column: done},

		{Tool: "BurstGPT", Version: ">= 1.2", Field: "Elapsed time", Unit: "s",
			Means: "the whole response; there is no first-token time of any kind", Column: total},
		{Tool: "Azure LLM trace", Field: "TIMESTAMP",
			Means: "arrival of the request; there is no latency of any kind", Column: "timestamp"},
		{Tool: "Mooncake trace", Field: "timestamp", Unit: "ms",
			Means: "arrival of the request since the start of the trace; there is no latency of any kind"},
	}
}
