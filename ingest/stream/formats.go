package stream

import (
	"context"
	"io"
	"sync"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// Formats returns the formats of this package: recordings of response bodies.
func Formats() []*source.Format {
	return []*source.Format{
		recordingFormat(), aiperfFormat(), genaiPerfFormat(), inferencePerfFormat(), harFormat(), bareFormat("sse", bareSSE,
			"the text of one event stream, without times"), bareFormat("stream-json", bareJSON,
			"one streamed body of JSON objects (Gemini array, Bedrock events, Ollama), without times"),
	}
}

// document is a reader of one of the formats of this package.
type documentReader func(context.Context, io.Reader, source.Options, *source.Out, *tap) error

// documents are the readers by the name of the format.
var documents = map[string]documentReader{
	"aiperf-raw": readAIPerf, "genai-perf": readGenAIPerf, "inference-perf": readInferencePerf, "har": readHAR,
	"sse": readBare, "stream-json": readBare,
}

// documentOf returns the reader of a format as the format's Document.
func documentOf(name string) func(context.Context, io.Reader, source.Options, *source.Out) error {
	read := documents[name]
	return func(ctx context.Context, r io.Reader, opt source.Options, out *source.Out) error {
		return read(ctx, r, opt, out, nil)
	}
}

const family = "recorded streams"

func options(opt source.Options) Options {
	return Options{ThinkTags: opt.ThinkTags, Transcript: opt.Transcript}
}

func recordingFormat() *source.Format {
	return &source.Format{
		Name: "recording", Family: family, Title: "ttdiag's recording of bodies: one JSON line per chunk, with its time",
		Vantage: "gateway", Detect: detectRecording,
		Session: func(opt source.Options) source.SessionParser { return newRecording(options(opt), nil) },
		Columns: sync.OnceValue(recordingColumns),
		FirstToken: "nothing of that name: every event is classified, and first event, first effective response and " +
			"first visible text are told apart",
	}
}

// detectRecording looks for lines with a request and a chunk or a mark.
func detectRecording(w *source.Window) source.Confidence {
	share := w.ObjectShare(func(o *source.Object) bool {
		if !o.Has("request_id") {
			return false
		}
		return o.Has("t_ms") && (o.Has("data") || o.Has("b64") || o.Has("mark")) || o.Has("b64") || o.Kind("data") == '"'
	})
	switch {
	case share >= 0.5:
		return source.Certain + 1 // a metadata line may name timing columns as well
	case share > 0:
		return source.Likely + 1
	}
	return source.No
}

// capability returns a row of a format's table: where the value comes from and
// what it is.
func capability(c timeline.Column, q source.Quality, field, unit, origin, point string) source.Capability {
	return source.Capability{Column: c, Quality: q, Field: field, Unit: unit, Origin: origin, Point: point}
}

// eventColumns are what classified events tell, in every format that has a
// time for each chunk.
func eventColumns(field, origin string) []source.Capability {
	at := func(c timeline.Column, point string) source.Capability {
		return capability(c, source.Exact, field, "", origin, point)
	}
	return append([]source.Capability{
		at(timeline.ColFirstSSEEvent, "first event that is neither heartbeat nor end"),
		at(timeline.ColFirstResponse, "first reasoning, action, visible text or refusal"),
		at(timeline.ColFirstTextDelta, "first visible text"),
		at(timeline.ColLongestGap, "longest silence between events with payload"),
		at(timeline.ColLongestGapAt, "start of that silence"),
	}, bodyColumns(field)...)
}

// bodyColumns are what classified events tell without any time.
func bodyColumns(field string) []source.Capability {
	var list []source.Capability
	for _, c := range []struct {
		column timeline.Column
		point  string
	}{
		{timeline.ColInputTokens, "usage in the events, by the provider's rule"},
		{timeline.ColCachedInputTokens, "usage in the events"},
		{timeline.ColOutputTokens, "usage in the events, reasoning included"},
		{timeline.ColReasoningTokens, "usage in the events, where it is told apart"},
		{timeline.ColEventCount, "events, heartbeats not counted"},
		{timeline.ColHeartbeatCount, "heartbeats"},
		{timeline.ColStream, "whether the body holds events"},
		{timeline.ColModel, "model in the events"},
		{timeline.ColOutcome, "finish reason, error event or cut"},
		{timeline.ColErrorClass, "label of an error event"},
		{timeline.ColFinishReason, "finish reason in the events"},
	} {
		list = append(list, capability(c.column, source.Exact, field, "", "", c.point))
	}
	return list
}

func recordingColumns() []source.Capability {
	list := eventColumns("data, t_ms", "receipt")
	list = append(list,
		capability(timeline.ColUpstreamStart, source.Sometimes, "mark upstream_start", "ms", "receipt", "the upstream request starts"),
		capability(timeline.ColUpstreamHeaders, source.Exact, "mark headers", "ms", "upstream_start", "response headers arrive"),
		capability(timeline.ColUpstreamDone, source.Exact, "mark done, else the terminal event", "ms", "receipt", "the body ends"),
		capability(timeline.ColTotalHandler, source.Exact, "mark handler_done", "ms", "receipt", "the handler ends"),
		capability(timeline.ColVisibleOutputTPS, source.Sometimes, "data, t_ms", "", "", "speed without the time in which the server ran a tool"),
	)
	told := timeline.Mask(0)
	for _, c := range list {
		told = told.With(c.Column)
	}
	for c := range timeline.Column(timeline.NumColumns) {
		if (isMeta(c) || c == timeline.ColRequestID || c == timeline.ColStatus || c == timeline.ColAttempt) && !told.Has(c) {
			list = append(list, capability(c, source.Exact, c.String(), unitOf(c), "", c.Info().Doc))
		}
	}
	return list
}

func unitOf(c timeline.Column) string {
	if c.IsDuration() {
		return "ms"
	}
	return ""
}

const classified = "nothing of that name: the recorded events are classified here"

// clientColumns are the columns of a client that records when headers came.
func clientColumns(list []source.Capability, headers, done, stamp, unit string) []source.Capability {
	if headers != "" {
		list = append(list, capability(timeline.ColUpstreamHeaders, source.Exact, headers, unit, "request start", "response headers arrive"))
	}
	if stamp != "" {
		list = append(list, capability(timeline.ColTimestamp, source.Exact, stamp, "", "", "request start"))
	}
	return append(list,
		capability(timeline.ColUpstreamStart, source.Exact, "", "", "request start", "a client has no receipt before its start: always 0"),
		capability(timeline.ColUpstreamDone, source.Exact, done, unit, "request start", "the body ends"))
}

func aiperfFormat() *source.Format {
	list := clientColumns(eventColumns("responses[].packets", "request start"), "metadata.request_ack_ns",
		"metadata.request_end_ns, else the terminal event", "metadata.request_start_ns", "ns")
	return &source.Format{
		Name: "aiperf-raw", Family: family, Vantage: "client",
		Title:  "AIPerf profile_export_raw.jsonl: every message of every response",
		Detect: detectAIPerf, Document: documentOf("aiperf-raw"), FirstToken: classified,
		Columns: source.Fixed(append(list,
			capability(timeline.ColRequestID, source.Exact, "metadata.x_request_id", "", "", ""),
			capability(timeline.ColStatus, source.Exact, "status", "", "", "HTTP status"),
			capability(timeline.ColMaxOutputTokens, source.Exact, "payload.max_completion_tokens", "", "", ""),
			capability(timeline.ColWarmup, source.Exact, "metadata.benchmark_phase", "", "", ""))),
	}
}

func detectAIPerf(w *source.Window) source.Confidence {
	share := w.ObjectShare(func(o *source.Object) bool {
		return o.Has("start_perf_ns") && o.Kind("responses") == '['
	})
	o := w.Outline()
	if share >= 0.5 || o.Has("start_perf_ns") && o.Kind("responses") == '[' {
		return source.Certain + 1
	}
	return source.No
}

func genaiPerfFormat() *source.Format {
	list := clientColumns(eventColumns("response_timestamps, response_outputs", "request start"), "",
		"last of response_timestamps", "timestamp", "ns")
	return &source.Format{
		Name: "genai-perf", Family: family, Vantage: "client",
		Title:  "genai-perf profile_export.json (perf_analyzer): raw bodies with times",
		Detect: detectOutline("experiments.[].requests.[].response_timestamps"), Document: documentOf("genai-perf"),
		Columns: source.Fixed(append(list,
			capability(timeline.ColInflight, source.Approx, "experiment.value of mode concurrency", "", "", "the load that was offered, not counted"),
			capability(timeline.ColMaxOutputTokens, source.Exact, "request_inputs.payload.max_completion_tokens", "", "", ""))),
		FirstToken: "the first response, which for a response that is not streamed is the whole one; here the events are classified",
		More:       "AIPerf, its successor, also records when headers came",
	}
}

func inferencePerfFormat() *source.Format {
	at := func(c timeline.Column, q source.Quality, field, point string) source.Capability {
		return capability(c, q, field, "s", "request start", point)
	}
	list := clientColumns(nil, "", "end_time", "", "s")
	for _, c := range []timeline.Column{timeline.ColInputTokens, timeline.ColOutputTokens, timeline.ColCachedInputTokens,
		timeline.ColReasoningTokens, timeline.ColModel, timeline.ColStream, timeline.ColOutcome} {
		list = append(list, capability(c, source.Exact, "info", "", "", c.Info().Doc))
	}
	return &source.Format{
		Name: "inference-perf", Family: family, Vantage: "client",
		Title:  "inference-perf per_request_lifecycle_metrics.json: chunks that bear content, with times",
		Detect: detectOutline("info.response_metrics.chunk_times"), Document: documentOf("inference-perf"),
		Columns: source.Fixed(append(list,
			at(timeline.ColFirstTextDelta, source.Exact, "chunk_times of response_chunks", "first visible text"),
			at(timeline.ColFirstResponse, source.Sometimes, "chunk_times of response_chunks", "first kept chunk, where it is reasoning or a tool: before text the tool may have dropped some"))),
		FirstToken: "the first chunk that bears content; older versions ignore reasoning",
	}
}

// detectOutline returns a detector of documents that have the path, alone or as
// an element of an array.
func detectOutline(path string) func(*source.Window) source.Confidence {
	return func(w *source.Window) source.Confidence {
		if o := w.Outline(); o.Has(path) || o.Has("[]."+path) {
			return source.Certain + 1
		}
		return source.No
	}
}

func harFormat() *source.Format {
	list := clientColumns(eventColumns("_eventSourceMessages, or _chunks with content.text", "request start"),
		"timings.blocked to timings.wait", "time", "startedDateTime", "ms")
	return &source.Format{
		Name: "har", Family: family, Vantage: "client",
		Title:  "HTTP archive with event-stream responses",
		Detect: detectHAR, Document: documentOf("har"), FirstToken: classified,
		Columns: source.Fixed(append(list, capability(timeline.ColStatus, source.Exact, "response.status", "", "", "HTTP status"))),
		More:    "record in Chrome with an EventSource, or use ttdiag's own recording: an archive of fetch() has no time per event",
	}
}

func detectHAR(w *source.Window) source.Confidence {
	if o := w.Outline(); o.Kind("log") == '{' && (o.Kind("log.entries") == '[' || o.Has("log.creator")) {
		return source.Certain
	}
	return source.No
}

func bareFormat(name string, detect func(*source.Window) source.Confidence, title string) *source.Format {
	return &source.Format{
		Name: name, Family: family, Vantage: "client", Title: title, Detect: detect, Document: documentOf(name),
		Columns: source.Fixed(bodyColumns("body")), FirstToken: "none: the body has no times",
		More: "record the arrival of each chunk: ttdiag's own recording, one JSON line per chunk",
	}
}
