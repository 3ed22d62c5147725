package stream

import (
	"context"
	"io"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// The slots of a record of inference-perf's per_request_lifecycle_metrics.json.
const (
	ipStart = iota
	ipEnd
	ipErrorType
	ipClientIn
	ipClientOut
	ipUsageIn
	ipUsageOut
	ipCached
	ipReasoning
	ipChunks
	ipTimes
)

var inferencePerfPaths = document.NewPaths([]string{
	ipStart:     "start_time",
	ipEnd:       "end_time",
	ipErrorType: "error/error_type",
	ipClientIn:  "info/request_metrics/text/input_tokens info/input_tokens",
	ipClientOut: "info/response_metrics/output_tokens info/output_tokens",
	ipUsageIn:   "info/response_metrics/server_usage/prompt_tokens",
	ipUsageOut:  "info/response_metrics/server_usage/completion_tokens",
	ipCached:    "info/response_metrics/server_usage/prompt_tokens_details/cached_tokens",
	ipReasoning: "info/response_metrics/server_usage/completion_tokens_details/reasoning_tokens",
	ipChunks:    "info/response_metrics/response_chunks",
	ipTimes:     "info/response_metrics/chunk_times",
}...)

// inferencePerf reads an array of requests. The tool keeps the chunks that bear
// content and drops the rest, so the first event cannot be known, and the first
// effective response only where the kept chunks begin with reasoning or a tool.
type inferencePerf struct {
	*reader
	out   *source.Out
	cells *document.Cells
	times []int64
}

func readInferencePerf(ctx context.Context, src io.Reader, opt source.Options, out *source.Out, t *tap) error {
	g := &inferencePerf{reader: newReader(ctx, src, opt, out, t), out: out, cells: document.NewCells(inferencePerfPaths)}
	return g.e.Each(g.request)
}

func (g *inferencePerf) request() error {
	g.cells.Clear()
	g.times = g.times[:0]
	l := g.late(nil)
	l.partial = true
	chunks := 0
	walk := map[int]func() error{
		ipTimes: func() error { return g.array(func(int) error { return g.time() }) },
		ipChunks: func() error {
			return g.array(func(i int) error {
				chunks++
				return g.chunk(l, i)
			})
		},
	}
	if err := g.e.R.Extract(inferencePerfPaths, &sink{g.cells, walk}); err != nil {
		return err
	}
	start, ok := nanos(g.cells.Values[ipStart], timeline.Second)
	if !ok {
		g.e.Reject(source.NotARequest)
		return nil
	}
	result := l.end(func(_ *Event, i int64) Moment {
		if i < 0 || int(i) >= len(g.times) || g.times[i] == untimed {
			return Moment{}
		}
		return between(start, g.times[i], true)
	})
	g.fill(&result, start, chunks > 0)
	g.e.Add()
	return nil
}

func (g *inferencePerf) fill(result *Result, start int64, streamed bool) {
	v, row := g.cells.Values, g.out.Row()
	if streamed {
		result.fillMarks(row)
		if len(result.Unknown) > 0 {
			row.Notes.Add(timeline.SawUnknownEvents)
		}
	}
	row.Drop(timeline.MaskOf(timeline.ColFirstSSEEvent, timeline.ColUpstreamDone, timeline.ColEventCount, timeline.ColHeartbeatCount,
		timeline.ColLongestGap, timeline.ColLongestGapAt, timeline.ColVisibleOutputTPS))
	if result.FirstResponse == result.FirstText {
		row.Drop(timeline.MaskOf(timeline.ColFirstResponse)) // reasoning may have come before
	}
	setStart(row)
	end, ok := nanos(v[ipEnd], timeline.Second)
	timeline.SetMark(row, timeline.UpstreamDone, between(start, end, ok))
	if result.Model != "" {
		setLabel(row, timeline.ColModel, result.Model)
	}
	g.fillTokens(row)
	switch {
	case v[ipErrorType].Has():
		setLabel(row, timeline.ColOutcome, "upstream_error")
	default:
		setLabel(row, timeline.ColOutcome, "success")
	}
}

func (g *inferencePerf) fillTokens(row *timeline.Row) {
	v := g.cells.Values
	setCount(row, timeline.ColInputTokens, v[ipUsageIn])
	setCount(row, timeline.ColOutputTokens, v[ipUsageOut])
	setTold(row, timeline.ColCachedInputTokens, v[ipCached])
	setTold(row, timeline.ColReasoningTokens, v[ipReasoning])
	for _, c := range []struct {
		column timeline.Column
		client document.Value
	}{{timeline.ColInputTokens, v[ipClientIn]}, {timeline.ColOutputTokens, v[ipClientOut]}} {
		if !row.Has(c.column) {
			setCount(row, c.column, c.client)
			if row.Has(c.column) {
				row.Notes.Add(timeline.EstimatedTokens)
			}
		}
	}
}

// setTold sets a count of which 0 is a value.
func setTold(row *timeline.Row, c timeline.Column, v document.Value) {
	if n, ok := v.Int(); ok && n >= 0 {
		row.SetNum(c, n)
	}
}

func (g *inferencePerf) time() error {
	v, err := g.e.R.Scalar()
	ns, ok := nanos(v, timeline.Second)
	if !ok {
		ns = untimed
	}
	g.times = append(g.times, ns)
	return err
}

// chunk reads one chunk: the data of an event, in older versions the event as
// it came.
func (g *inferencePerf) chunk(l *late, i int) error {
	l.clock = int64(i)
	if !g.text() {
		return g.e.R.Skip()
	}
	s := l.stream
	first, framed := true, false
	err := g.e.R.Pieces(func(b []byte) {
		if first {
			framed = b[0] != '{'
			if !framed {
				s.beginField("data")
			}
			first = false
		}
		if framed {
			s.Chunk(Moment{}, b)
		} else {
			s.field("data", b)
		}
	})
	if framed {
		s.Chunk(Moment{}, []byte("\n\n"))
	} else {
		s.dispatch()
	}
	return err
}
