package stream

import (
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// Formats returns the formats of this package: recordings of response bodies.
func Formats() []*source.Format {
	return []*source.Format{recordingFormat()}
}

const family = "recorded streams"

func options(opt source.Options) Options { return Options{ThinkTags: opt.ThinkTags} }

func recordingFormat() *source.Format {
	return &source.Format{
		Name: "recording", Family: family, Title: "ttdiag's recording of bodies: one JSON line per chunk, with its time",
		Vantage: "gateway", Detect: detectRecording,
		Session: func(opt source.Options) source.SessionParser { return newRecording(options(opt), nil) },
		Columns: recordingColumns(),
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
