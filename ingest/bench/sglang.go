package bench

import (
	"context"
	"io"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const sglangAlone source.Reason = "a summary of a run, without its requests: sglang.bench_serving --output-details writes them"

func sglang() *source.Format {
	t := &tool{
		column: timeline.ColFirstTextDelta, alone: sglangAlone, fill: sglangFill,
		basis: func(*run) string { return contentOnly },
	}
	return &source.Format{
		Name: "sglang-bench", Family: family, Vantage: vantage,
		Title:  "sglang.bench_serving --output-details, one run per line",
		Detect: detectSGLang,
		Document: func(ctx context.Context, r io.Reader, _ source.Options, out *source.Out) error {
			return t.read(ctx, r, out)
		},
		Columns: source.Fixed([]source.Capability{
			mark(timeline.ColFirstTextDelta, "ttfts[i]", "s", "first chunk with text that is not empty; reasoning is not seen"),
			{Column: timeline.ColUpstreamDone, Quality: source.Sometimes, Field: "ttfts[i] of a run of which no request came in more than one chunk", Unit: "s", Origin: "the client sends the request", Point: "end of the response"},
			sometimes(timeline.ColModel, "server_info.served_model_name, else model_path"),
			known(timeline.ColInputTokens, "input_lens[i], counted by the client"),
			known(timeline.ColOutputTokens, "output_lens[i], of the server's usage or counted by the client"),
			sometimes(timeline.ColStream, "told by the gaps between chunks"),
			known(timeline.ColOutcome, "errors[i]"),
			sometimes(timeline.ColErrorClass, "class of the exception in errors[i]"),
		}),
		FirstToken: "ttfts is the first text that is not empty (t5): all thinking of a reasoning model is inside; the ttfts of vLLM is the first chunk. 0 means no text came, and the tool's own mean takes it as a time",
		More:       "with --disable-stream ttfts is the whole response and the file does not say so: where no request of a run had two chunks, ttdiag takes it as the end",
	}
}

func detectSGLang(w *source.Window) source.Confidence {
	o := w.Outline()
	switch {
	case !o.Has("request_throughput") && !o.Has("max_concurrency") && !o.Has("total_output_tokens_retokenized"):
		return source.No
	case o.Has("sharegpt_output_len") || o.Has("random_range_ratio") && o.Has("backend") || o.Has("total_output_tokens_retokenized"):
		return source.Certain
	}
	return source.No
}

// sglangFill turns ttfts into the end where the run was not streamed: then no
// request had a gap between chunks.
func sglangFill(r *run, row *timeline.Row, i int) {
	if r.gapRows <= 0 || r.gaps > 0 {
		row.SetFlag(timeline.ColStream, true)
		return
	}
	first, ok := row.Num(timeline.ColFirstTextDelta)
	row.Drop(timeline.MaskOf(timeline.ColFirstTextDelta, timeline.ColFirstTokenBasis))
	recordable(row, timeline.ColUpstreamDone)
	if ok && first > 0 && !(i < len(r.errors) && r.errors[i].failed) {
		row.SetNum(timeline.ColUpstreamDone, first)
	}
}
