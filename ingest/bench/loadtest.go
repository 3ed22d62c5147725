package bench

import (
	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const (
	ltStart = iota
	ltAck
	ltFirst
	ltEnd
	ltInput
	ltOutput
	ltCode
	ltError
	ltStop
	ltTook
)

var loadTestPaths = document.NewPaths([]string{
	ltStart:  "start_time",
	ltAck:    "ack_time",
	ltFirst:  "first_token_time",
	ltEnd:    "end_time",
	ltInput:  "input_tokens",
	ltOutput: "output_tokens",
	ltCode:   "error_code",
	ltError:  "error_text",
	ltStop:   "stop_reason",
	ltTook:   "response_time",
}...)

const loadTestAlone source.Reason = "an llm-load-test output without results"

func loadTest() *source.Format {
	return &source.Format{
		Name: "llm-load-test", Family: family, Vantage: vantage,
		Title:    "llm-load-test output.json",
		Detect:   detectLoadTest,
		Document: (&list{key: "results", paths: loadTestPaths, fill: fillLoadTest, alone: loadTestAlone}).read,
		Columns: source.Fixed([]source.Capability{
			mark(timeline.ColFirstSSEEvent, "ack_time - start_time (tt_ack)", "s", "first data message"),
			mark(timeline.ColFirstTextDelta, "first_token_time - start_time (ttft)", "s", "first text"),
			mark(timeline.ColUpstreamDone, "end_time - start_time (response_time)", "s", "end of the response"),
			known(timeline.ColTimestamp, "start_time"),
			sometimes(timeline.ColStatus, "error_code other than 200"),
			sometimes(timeline.ColStream, "told by first_token_time"),
			known(timeline.ColInputTokens, "input_tokens"),
			known(timeline.ColOutputTokens, "output_tokens"),
			sometimes(timeline.ColFinishReason, "stop_reason"),
			known(timeline.ColOutcome, "error_code, error_text"),
		}),
		FirstToken: "tt_ack is the first data message (t3), ttft the first text (t5); both are milliseconds beside times in seconds, and tpot is the whole response over its tokens",
		More:       "the file has no ids and no status of requests that succeeded",
	}
}

func detectLoadTest(w *source.Window) source.Confidence {
	o := w.Outline()
	if o.Kind("results") == '[' && o.Has("results.[].start_time") && o.Has("results.[].end_time") &&
		(o.Has("results.[].ack_time") || o.Has("results.[].tt_ack") || o.Has("results.[].response_time")) {
		return source.Certain
	}
	return source.No
}

func fillLoadTest(row *timeline.Row, v []document.Value) source.Reason {
	if !v[ltStart].Has() {
		return source.NotARecord
	}
	start(row, v[ltStart])
	secondClock.since(row, timeline.ColFirstSSEEvent, v[ltStart], v[ltAck])
	secondClock.since(row, timeline.ColFirstTextDelta, v[ltStart], v[ltFirst])
	basis(row, timeline.ColFirstTextDelta, contentOnly)
	if row.Has(timeline.ColFirstTextDelta) {
		row.SetFlag(timeline.ColStream, true)
	}
	count(row, timeline.ColInputTokens, v[ltInput])
	row.SetText(timeline.ColFinishReason, v[ltStop].Label())
	code, coded := v[ltCode].Int()
	switch {
	case !coded && !v[ltError].Has():
		secondClock.since(row, timeline.ColUpstreamDone, v[ltStart], v[ltEnd])
		count(row, timeline.ColOutputTokens, v[ltOutput])
		label(row, timeline.ColOutcome, success)
	case coded && code >= 300 && code <= 599:
		row.SetNum(timeline.ColStatus, code)
	default: // 200 is written for a stream that held nothing
		if coded {
			row.Notes.Add(timeline.ToolReportedCode)
		}
		label(row, timeline.ColOutcome, failure(v[ltError].Text))
	}
	return source.OK
}
