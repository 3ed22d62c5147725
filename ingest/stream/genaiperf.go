package stream

import (
	"context"
	"io"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// The slots of a request of genai-perf's profile_export.json.
const (
	gpTimestamp = iota
	gpModel
	gpMaxTokens
	gpTimes
	gpOutputs
)

var genaiPerfPaths = document.NewPaths([]string{
	gpTimestamp: "timestamp",
	gpModel:     `request_inputs/payload/"/model`,
	gpMaxTokens: `request_inputs/payload/"/max_completion_tokens request_inputs/payload/"/max_tokens`,
	gpTimes:     "response_timestamps",
	gpOutputs:   "response_outputs",
}...)

// genaiPerf reads a document of experiments, each with the requests of one
// level of load.
type genaiPerf struct {
	*reader
	out   *source.Out
	cells *document.Cells
	load  int64 // requests that the experiment kept in flight, 0 for unknown
	times []int64
}

func readGenAIPerf(ctx context.Context, src io.Reader, opt source.Options, out *source.Out, t *tap) error {
	g := &genaiPerf{reader: newReader(ctx, src, opt, out, t), out: out, cells: document.NewCells(genaiPerfPaths)}
	return g.e.Run(func(document.Kind) error {
		return g.object(func(key []byte) error {
			if string(key) != "experiments" {
				return g.e.R.Skip()
			}
			return g.array(func(int) error { return g.experiment() })
		})
	})
}

func (g *genaiPerf) experiment() error {
	g.load = 0
	return g.object(func(key []byte) error {
		switch string(key) {
		case "experiment":
			return g.mode()
		case "requests":
			return g.array(func(int) error { return g.request() })
		}
		return g.e.R.Skip()
	})
}

func (g *genaiPerf) mode() error {
	var mode string
	var value int64
	err := g.object(func(key []byte) error {
		v, err := g.e.R.Scalar()
		switch string(key) {
		case "mode":
			mode = string(v.Text)
		case "value":
			value, _ = v.Int()
		}
		return err
	})
	if mode == "concurrency" {
		g.load = value
	}
	return err
}

func (g *genaiPerf) request() error {
	if err := g.e.Begin(); err != nil {
		return err
	}
	g.cells.Clear()
	g.times = g.times[:0]
	l := g.late(nil)
	walk := map[int]func() error{
		gpTimes:   func() error { return g.array(func(int) error { return g.time() }) },
		gpOutputs: func() error { return g.array(func(i int) error { return g.output(l, i) }) },
	}
	if err := g.e.R.Extract(genaiPerfPaths, &sink{g.cells, walk}); err != nil {
		return err
	}
	v := g.cells.Values
	start, ok := nanos(v[gpTimestamp], timeline.Nanosecond)
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
	row := g.out.Row()
	result.Fill(row, 0)
	setStart(row)
	if n := len(g.times); n > 0 && g.times[n-1] != untimed {
		timeline.SetMark(row, timeline.UpstreamDone, between(start, g.times[n-1], true))
	}
	setTimestamp(row, start, true)
	row.SetText(timeline.ColModel, v[gpModel].Label())
	setCount(row, timeline.ColMaxOutputTokens, v[gpMaxTokens])
	if g.load > 0 {
		row.SetNum(timeline.ColInflight, g.load)
	}
	g.e.Add()
	return nil
}

func (g *genaiPerf) time() error {
	v, err := g.e.R.Scalar()
	ns, ok := nanos(v, timeline.Nanosecond)
	if !ok {
		ns = untimed
	}
	g.times = append(g.times, ns)
	return err
}

// output reads one piece of the body: events, or a splinter of one.
func (g *genaiPerf) output(l *late, i int) error {
	l.clock = int64(i)
	return g.object(func(key []byte) error {
		if string(key) == "response" && g.text() {
			return g.body(l.stream)
		}
		return g.e.R.Skip()
	})
}
