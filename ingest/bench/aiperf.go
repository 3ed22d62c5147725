package bench

import (
	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// The slots of an AIPerf record. A spelling that comes later is of an older
// schema.
const (
	apRequestID = iota
	apStart
	apAck
	apEnd
	apPhase
	apCancelled
	apErrorCode
	apErrorType
	apTTFT
	apTTFTUnit
	apOutputTTFT
	apOutputTTFTUnit
	apLatency
	apChunks
	apUsageIn
	apClientIn
	apUsageOut
	apClientOut
	apUsageReasoning
	apClientReasoning
	apCached
	apSent
	apHeaders
	apBodyEnd
	apStatus
)

var aiperfPaths = document.NewPaths([]string{
	apRequestID:       "metadata/x_request_id",
	apStart:           "metadata/request_start_ns metadata/timestamp_ns",
	apAck:             "metadata/request_ack_ns",
	apEnd:             "metadata/request_end_ns",
	apPhase:           "metadata/benchmark_phase metadata/credit_phase",
	apCancelled:       "metadata/was_cancelled",
	apErrorCode:       "error/code",
	apErrorType:       "error/type",
	apTTFT:            "metrics/time_to_first_token/value metrics/ttft/value",
	apTTFTUnit:        "metrics/time_to_first_token/unit metrics/ttft/unit",
	apOutputTTFT:      "metrics/time_to_first_output_token/value",
	apOutputTTFTUnit:  "metrics/time_to_first_output_token/unit",
	apLatency:         "metrics/request_latency/value",
	apChunks:          "metrics/inter_chunk_latency/value",
	apUsageIn:         "metrics/usage_prompt_tokens/value",
	apClientIn:        "metrics/input_sequence_length/value metrics/error_isl/value",
	apUsageOut:        "metrics/usage_completion_tokens/value",
	apClientOut:       "metrics/output_sequence_length/value metrics/output_token_count/value",
	apUsageReasoning:  "metrics/usage_reasoning_tokens/value",
	apClientReasoning: "metrics/reasoning_token_count/value",
	apCached:          "metrics/usage_prompt_cache_read_tokens/value",
	apSent:            "trace_data/request_send_start_ns",
	apHeaders:         "trace_data/response_headers_received_ns",
	apBodyEnd:         "trace_data/response_receive_end_ns",
	apStatus:          "trace_data/response_status_code",
}...)

func aiperf() *source.Format {
	return &source.Format{
		Name: "aiperf", Family: family, Vantage: vantage,
		Title:  "AIPerf profile_export.jsonl, one request per line, of any age",
		Detect: detectAIPerf,
		Lines: func(source.Options) source.LineParser {
			return &aiperfParser{cells: document.NewCells(aiperfPaths)}
		},
		Columns: source.Fixed([]source.Capability{
			mark(timeline.ColUpstreamHeaders, "trace_data.response_headers_received_ns - request_send_start_ns, else metadata.request_ack_ns - request_start_ns", "ns", "headers of a 2xx response"),
			mark(timeline.ColFirstResponse, "metrics.time_to_first_token (ttft before November 2025)", "ms", "first message with reasoning or text"),
			mark(timeline.ColFirstTextDelta, "metrics.time_to_first_output_token", "ms", "first message with text, or in newer versions a tool call: note non_reasoning_output"),
			mark(timeline.ColUpstreamDone, "trace_data.response_receive_end_ns, else metadata.request_end_ns", "ns", "end of the response body"),
			known(timeline.ColTimestamp, "metadata.request_start_ns (timestamp_ns before November 2025)"),
			known(timeline.ColRequestID, "metadata.x_request_id"),
			sometimes(timeline.ColStatus, "trace_data.response_status_code, else error.code where it is not AIPerf's own"),
			sometimes(timeline.ColStream, "told by the metrics of a stream"),
			known(timeline.ColInputTokens, "metrics.usage_prompt_tokens, else input_sequence_length"),
			known(timeline.ColOutputTokens, "metrics.usage_completion_tokens, else output_sequence_length"),
			sometimes(timeline.ColReasoningTokens, "metrics.usage_reasoning_tokens, else reasoning_token_count"),
			sometimes(timeline.ColCachedInputTokens, "metrics.usage_prompt_cache_read_tokens"),
			known(timeline.ColOutcome, "error, metadata.was_cancelled"),
			sometimes(timeline.ColErrorClass, "error.type"),
			known(timeline.ColWarmup, "metadata.benchmark_phase (credit_phase before November 2025)"),
		}),
		FirstToken: "time_to_first_token is the first message with reasoning or text (t4); request_latency ends at the last message with content and is neither t6 nor t7",
		More:       "--export-http-trace records the socket's times and the HTTP status; profile_export_raw.jsonl holds every event",
	}
}

func detectAIPerf(w *source.Window) source.Confidence {
	share := w.ObjectShare(func(o *source.Object) bool {
		return o.Kind("metadata") == '{' && o.Kind("metrics") == '{' &&
			(o.Has("metadata.x_request_id") || o.Has("metadata.worker_id") || o.Has("metadata.credit_phase") || o.Has("metadata.benchmark_phase"))
	})
	if share >= 0.5 {
		return source.Certain
	}
	return source.No
}

type aiperfParser struct {
	r     document.Reader
	cells *document.Cells
}

// Parse implements source.LineParser.
func (p *aiperfParser) Parse(line []byte, out *source.Out) source.Rejection {
	p.cells.Clear()
	p.r.Reset(line)
	if why := extractLine(&p.r, aiperfPaths, p.cells); why.Reason != source.OK {
		return why
	}
	v := p.cells.Values
	if !v[apStart].Has() && !v[apRequestID].Has() {
		return source.Reject(source.NotThisFormat, 0)
	}
	row := out.Row()
	p.identity(row, v)
	failed := p.ending(row, v)
	p.marks(row, v, failed)
	p.tokens(row, v)
	if p.cells.Seen>>apEnd&1 == 0 { // before November 2025
		recordable(row, timeline.ColFirstResponse)
	}
	out.Add()
	return source.Rejection{}
}

func (p *aiperfParser) identity(row *timeline.Row, v []document.Value) {
	row.SetText(timeline.ColRequestID, v[apRequestID].Label())
	if us, ok := v[apStart].When(timeline.Nanosecond); ok {
		row.SetNum(timeline.ColTimestamp, us)
	}
	if v[apPhase].Has() {
		row.SetFlag(timeline.ColWarmup, string(v[apPhase].Text) == "warmup")
	}
}

// ending sets status and outcome, and reports whether the request failed. The
// codes 499 and 502 are AIPerf's own: a cancellation, and an error event inside
// a response with status 200.
func (p *aiperfParser) ending(row *timeline.Row, v []document.Value) bool {
	code, coded := v[apErrorCode].Int()
	hasError := coded || v[apErrorType].Has()
	own := coded && (code == 499 || code == 502 || code < 400 || code > 599)
	row.SetText(timeline.ColErrorClass, v[apErrorType].Label())
	if status, ok := v[apStatus].Int(); ok {
		row.SetNum(timeline.ColStatus, status)
	} else if coded && !own {
		row.SetNum(timeline.ColStatus, code)
	}
	if own {
		row.Notes.Add(timeline.ToolReportedCode)
	}
	switch {
	case v[apCancelled].True(), coded && code == 499:
		label(row, timeline.ColOutcome, cancelled)
	case !hasError:
		label(row, timeline.ColOutcome, success)
		return false
	case own || !coded:
		label(row, timeline.ColOutcome, failure(v[apErrorType].Text))
	}
	return true
}

func (p *aiperfParser) marks(row *timeline.Row, v []document.Value, failed bool) {
	nanoClock.since(row, timeline.ColUpstreamHeaders, v[apSent], v[apHeaders])
	if !row.Has(timeline.ColUpstreamHeaders) {
		nanoClock.since(row, timeline.ColUpstreamHeaders, v[apStart], v[apAck])
	}
	duration(row, timeline.ColFirstResponse, v[apTTFT], unitOf(v[apTTFTUnit]))
	duration(row, timeline.ColFirstTextDelta, v[apOutputTTFT], unitOf(v[apOutputTTFTUnit]))
	if row.Has(timeline.ColFirstTextDelta) {
		row.Notes.Add(timeline.NonReasoningOutput)
	}
	basis(row, timeline.ColFirstResponse, reasoningToo)
	streamed := v[apTTFT].Has() || v[apChunks].Kind == document.Array
	if failed {
		if streamed {
			row.SetFlag(timeline.ColStream, true)
		}
		return // the end is that of the attempt to read, not of the body
	}
	if streamed || v[apLatency].Has() {
		row.SetFlag(timeline.ColStream, streamed)
	}
	nanoClock.since(row, timeline.ColUpstreamDone, v[apStart], v[apBodyEnd])
	if !row.Has(timeline.ColUpstreamDone) {
		nanoClock.since(row, timeline.ColUpstreamDone, v[apStart], v[apEnd])
	}
}

// tokens prefers what the server counted to what AIPerf's tokenizer did.
func (p *aiperfParser) tokens(row *timeline.Row, v []document.Value) {
	estimated := false
	for _, c := range []struct {
		column        timeline.Column
		usage, client int
	}{
		{timeline.ColInputTokens, apUsageIn, apClientIn},
		{timeline.ColOutputTokens, apUsageOut, apClientOut},
		{timeline.ColReasoningTokens, apUsageReasoning, apClientReasoning},
	} {
		if !count(row, c.column, v[c.usage]) && count(row, c.column, v[c.client]) {
			estimated = true
		}
	}
	tally(row, timeline.ColCachedInputTokens, v[apCached])
	if estimated {
		row.Notes.Add(timeline.EstimatedTokens)
	}
}

// unitOf returns the unit that AIPerf names beside a value; its metrics of
// latency are milliseconds.
func unitOf(v document.Value) timeline.Unit {
	switch string(v.Text) {
	case "s", "sec", "seconds":
		return timeline.Second
	case "us":
		return timeline.Microsecond
	case "ns":
		return timeline.Nanosecond
	}
	return timeline.Millisecond
}
