// Package bench reads what benchmark tools write about single requests: AIPerf,
// vLLM and SGLang, GuideLLM, LLMPerf, genai-bench, llm-load-test,
// ai-benchmarks, EvalScope, AIBrix, and the arrival traces BurstGPT, Azure and
// Mooncake.
//
// A client tool knows no t0 before t1: both are its start of the request, and
// every mark counts from there. Time that a request waits inside the client is
// no phase of the gateway and has no column. Each tool means something else by
// its first token; the column first_token_basis says what.
package bench

import "ttdiag/ingest/source"

const (
	family  = "benchmark tools"
	vantage = "client"
)

// Formats returns the formats of this package.
func Formats() []*source.Format {
	return []*source.Format{
		aiperf(), vllm(), sglang(), guidellm(), llmperf(), genaiBench(), loadTest(),
		aiBenchmarks(), evalscope(), aibrix(),
		burstGPT(), azure(), mooncake(), pointer(), summary(),
	}
}
