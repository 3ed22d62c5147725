package bench

import (
	"bytes"
	"context"
	"io"

	"ttdiag/ingest/source"
)

const negatives = "files without requests"

// pointer recognises what Git LFS leaves of a file that it did not fetch.
func pointer() *source.Format {
	return &source.Format{
		Name: "git-lfs-pointer", Family: negatives, Vantage: vantage,
		Title: "a Git LFS pointer: never a record, told so that the message can say what it is",
		Detect: func(w *source.Window) source.Confidence {
			if bytes.HasPrefix(w.Head, []byte("version https://git-lfs.github.com/spec/")) {
				return source.Certain + 5
			}
			return source.No
		},
		Document:   refuse(source.NotFetched),
		FirstToken: "none",
		More:       "git lfs pull fetches the file",
	}
}

// summary recognises the summaries that benchmark tools write beside their
// requests.
func summary() *source.Format {
	return &source.Format{
		Name: "benchmark-summary", Family: negatives, Vantage: vantage,
		Title:      "the summary of a run of AIPerf, genai-perf, LLMPerf, inference-perf or EvalScope: never a record",
		Detect:     detectSummary,
		Document:   refuse(source.SummaryOnly),
		FirstToken: "none",
		More:       "the tool's file of single requests is beside it: profile_export.jsonl (AIPerf), profile_export.json (genai-perf), *_individual_responses.json (LLMPerf), per_request_lifecycle_metrics.json (inference-perf)",
	}
}

func detectSummary(w *source.Window) source.Confidence {
	o := w.Outline()
	for _, mark := range []string{
		"time_to_first_token.p50", "time_to_first_token.avg", // AIPerf, genai-perf
		"records.time_to_first_token.avg", "records.ttft.avg", // AIPerf, 2025
		"results_ttft_s_mean", "results_ttft_s_quantiles_p50", "results_ttft_s.quantiles.p50", // LLMPerf
		"successes.latency.time_to_first_token", "load_summary.count", // inference-perf
	} {
		if o.Has(mark) {
			return source.Certain
		}
	}
	if o.Has("Average time to first token (s)") || o.Has("Average TTFT (s)") { // EvalScope
		return source.Certain
	}
	return source.No
}

// refuse rejects an input as one entry and reads no further.
func refuse(why source.Reason) func(context.Context, io.Reader, source.Options, *source.Out) error {
	return func(_ context.Context, _ io.Reader, _ source.Options, out *source.Out) error {
		out.At(source.Position{Line: 1})
		out.Line()
		out.Reject(source.Reject(why, 0))
		return nil
	}
}
