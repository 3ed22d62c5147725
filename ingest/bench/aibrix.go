package bench

import (
	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const (
	axID = iota
	axStatus
	axError
	axLatency
	axFirst
	axInput
	axOutput
	axPod
	axThroughput
)

var aibrixPaths = document.NewPaths([]string{
	axID:         "request_id",
	axStatus:     "status",
	axError:      "error_type",
	axLatency:    "latency",
	axFirst:      "ttft",
	axInput:      "prompt_tokens",
	axOutput:     "output_tokens",
	axPod:        "target_pod",
	axThroughput: "throughput",
}...)

func aibrix() *source.Format {
	return &source.Format{
		Name: "aibrix", Family: family, Vantage: vantage,
		Title:    "AIBrix benchmark client, one request per line",
		Detect:   detectAIBrix,
		Document: (&list{paths: aibrixPaths, fill: fillAIBrix}).read,
		Columns: source.Fixed([]source.Capability{
			mark(timeline.ColFirstSSEEvent, "ttft", "s", "first content or reasoning that is not null, empty text included"),
			mark(timeline.ColUpstreamDone, "latency", "s", "end of the stream"),
			sometimes(timeline.ColRequestID, "request_id"),
			sometimes(timeline.ColChannel, "target_pod"),
			sometimes(timeline.ColStream, "told by ttft: \"Unknown\" is that of requests that were not streamed"),
			known(timeline.ColInputTokens, "prompt_tokens"),
			known(timeline.ColOutputTokens, "output_tokens"),
			known(timeline.ColOutcome, "status, which is a word and no HTTP status"),
			sometimes(timeline.ColErrorClass, "error_type"),
		}),
		FirstToken: "ttft is the first delta that is not null, and an empty text counts: the chunk with the role (t3)",
		More:       "start_time and end_time are of a monotonic clock and give no time of day; model and status are not in the file",
	}
}

func detectAIBrix(w *source.Window) source.Confidence {
	share := w.ObjectShare(func(o *source.Object) bool {
		return o.Has("latency") && o.Has("input") && o.Has("prompt_tokens") && o.Has("output_tokens") && o.Has("throughput") ||
			o.Has("error_type") && o.Has("latency") && o.Has("target_pod")
	})
	switch {
	case share >= 0.5:
		return source.Certain
	case share > 0:
		return source.Likely
	}
	return source.No
}

func fillAIBrix(row *timeline.Row, v []document.Value) source.Reason {
	if !v[axLatency].Has() {
		return source.NotARecord
	}
	row.SetText(timeline.ColRequestID, v[axID].Label())
	row.SetText(timeline.ColChannel, v[axPod].Label())
	if v[axFirst].Kind == document.Number {
		duration(row, timeline.ColFirstSSEEvent, v[axFirst], timeline.Second)
		row.SetFlag(timeline.ColStream, true)
		basis(row, timeline.ColFirstSSEEvent, choicesChunk)
	} else if v[axFirst].Kind == document.String {
		row.SetFlag(timeline.ColStream, false)
	}
	count(row, timeline.ColInputTokens, v[axInput])
	count(row, timeline.ColOutputTokens, v[axOutput])
	if v[axError].Has() || string(v[axStatus].Text) == "error" {
		row.SetText(timeline.ColErrorClass, errorClass(v[axError].Text))
		label(row, timeline.ColOutcome, failure(v[axError].Text))
		return source.OK
	}
	duration(row, timeline.ColUpstreamDone, v[axLatency], timeline.Second)
	if string(v[axStatus].Text) == "success" {
		label(row, timeline.ColOutcome, success)
	}
	return source.OK
}
