package accesslog

import (
	"bytes"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

func newAPITexts() []*source.Format {
	columns := []source.Capability{
		{Column: timeline.ColFirstSSEEvent, Quality: source.Sometimes, Field: "other.frt of the consume line", Unit: "ms",
			Origin: newAPIOrigin, Point: newAPIItems[0].Point, Bias: newAPIItems[0].Bias},
		{Column: timeline.ColTotalHandler, Quality: source.Exact, Field: "latency of the [GIN] line", Unit: "Go duration",
			Origin: "receipt, at the gin logger", Point: "the handler returned"},
		{Column: timeline.ColTimestamp, Quality: source.Exact, Field: "the time of the line", Point: "end, in a zone that the log does not name"},
		{Column: timeline.ColRequestID, Quality: source.Exact, Field: "the id between the bars"},
		{Column: timeline.ColStatus, Quality: source.Sometimes, Field: "status of the [GIN] line"},
		{Column: timeline.ColStream, Quality: source.Sometimes, Field: "is_stream"},
		{Column: timeline.ColAttempt, Quality: source.Sometimes, Field: "other.admin_info.use_channel"},
		{Column: timeline.ColModel, Quality: source.Sometimes, Field: "model_name"},
		{Column: timeline.ColGroup, Quality: source.Sometimes, Field: "group"},
		{Column: timeline.ColChannel, Quality: source.Sometimes, Field: "channel_id"},
		{Column: timeline.ColInputTokens, Quality: source.Sometimes, Field: "prompt_tokens"},
		{Column: timeline.ColCachedInputTokens, Quality: source.Sometimes, Field: "other.cache_tokens"},
		{Column: timeline.ColOutputTokens, Quality: source.Sometimes, Field: "completion_tokens"},
	}
	older := make([]source.Capability, 0, len(columns))
	for _, c := range columns {
		switch c.Column {
		case timeline.ColFirstSSEEvent, timeline.ColGroup, timeline.ColCachedInputTokens, timeline.ColAttempt:
			continue
		}
		older = append(older, c)
	}
	session := func(opt source.Options) source.SessionParser { return newJoiner(opt) }
	return []*source.Format{{
		Name: "new_api_text", Family: "New API and One API", Title: "New API log lines, joined on the request id", Vantage: "gateway", Columns: source.Fixed(columns),
		FirstToken: "frt: the first data line of the upstream, of any content, counted from the end of channel selection",
		More:       "keep the log files beside the rows: only the [GIN] line has the whole time to better than a second",
		Detect:     func(w *source.Window) source.Confidence { return detectJoined(w, isNewAPI, isOneAPI) },
		Session:    session,
	}, {
		Name: "one_api_text", Family: "New API and One API", Title: "One API log lines, joined on the request id", Vantage: "gateway", Columns: source.Fixed(older),
		FirstToken: "none: One API records no first token",
		More:       "nothing in One API records the upstream headers or a first event",
		Detect:     func(w *source.Window) source.Confidence { return detectJoined(w, isOneAPI, isNewAPI) },
		Session:    session,
	}}
}

// detectJoined is sure where lines that only one of the two gateways writes are
// there. The lines that both write are taken for the first of them, New API.
func detectJoined(w *source.Window, own, other func([]byte) bool) source.Confidence {
	c := shareOf(w, func(line []byte) bool {
		g, ok := parseGin(line)
		return ok && g.id != nil || isNewAPI(line) || isOneAPI(line)
	})
	switch mine, theirs := w.Share(own), w.Share(other); {
	case mine > theirs:
		return max(c, source.Likely)
	case mine < theirs:
		return source.No
	}
	return c
}

func isNewAPI(line []byte) bool {
	_, _, message, ok := leveled(line)
	return ok && (bytes.HasPrefix(message, []byte("record consume log: ")) || bytes.HasPrefix(message, []byte("channel error (")))
}

func isOneAPI(line []byte) bool {
	_, _, message, ok := leveled(line)
	return ok && bytes.HasPrefix(message, []byte("record log: &{"))
}
