package bench

import (
	"context"
	"io"
	"strings"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const vllmAlone source.Reason = "a summary of a run, without its requests: vllm bench serve --save-detailed writes them"

func vllm() *source.Format {
	t := &tool{column: timeline.ColFirstSSEEvent, basis: vllmBasis, alone: vllmAlone, fill: vllmFill}
	return &source.Format{
		Name: "vllm-bench", Family: family, Vantage: vantage,
		Title:  "vllm bench serve --save-result --save-detailed, appended runs too",
		Detect: detectVLLM,
		Document: func(ctx context.Context, r io.Reader, _ source.Options, out *source.Out) error {
			return t.read(ctx, r, out)
		},
		Columns: source.Fixed([]source.Capability{
			mark(timeline.ColFirstSSEEvent, "ttfts[i]", "s", "first chunk with choices, one with a bare role included"),
			known(timeline.ColModel, "model_id"),
			known(timeline.ColInputTokens, "input_lens[i], counted by the client"),
			known(timeline.ColOutputTokens, "output_lens[i], of the server's usage or counted by the client"),
			known(timeline.ColStream, "told by the backend"),
			known(timeline.ColOutcome, "errors[i]"),
			sometimes(timeline.ColErrorClass, "class of the exception in errors[i]"),
		}),
		FirstToken: "ttfts is the first chunk with choices, whatever it holds (t3); the ttfts of SGLang is the first text. latencies ends at the last chunk with choices and is neither t6 nor t7; start_times has no epoch",
		More:       "the file records no end of the body, no status and no time of day; AIPerf with --export-http-trace does",
	}
}

func detectVLLM(w *source.Window) source.Confidence {
	o := w.Outline()
	switch {
	case !o.Has("request_throughput") || !o.Has("num_prompts"):
		return source.No
	case o.Has("tokenizer_id") || o.Has("model_id"):
		return source.Certain
	}
	return source.Likely
}

// vllmBasis tells the chunk that stops the clock: the OpenAI backends wait for
// choices, the others take the first data.
func vllmBasis(r *run) string {
	if r.backend == "" || strings.Contains(r.backend, "openai") || strings.HasPrefix(r.backend, "vllm") {
		return choicesChunk
	}
	return anyChunk
}

func vllmFill(r *run, row *timeline.Row, _ int) {
	if !strings.Contains(r.backend, "embed") && !strings.Contains(r.backend, "pooling") && !strings.Contains(r.backend, "rerank") {
		row.SetFlag(timeline.ColStream, true)
	}
}
