package bench

import (
	"bytes"
	"context"
	"io"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const noLatency = "this is a trace of arrivals: it says when requests came and how many tokens they had, and holds no latency at all"

const (
	arModel = iota
	arElapsed
	arInput
	arOutput
	arLog
	arTime
)

// arrivalPaths are columns of BurstGPT, which have blanks in their names, and of
// Azure.
var arrivalPaths = document.NewPaths([]string{
	arModel: "Model", arElapsed: "Elapsed_time", arLog: "Log_Type", arTime: "TIMESTAMP",
	arInput: "Request_tokens ContextTokens", arOutput: "Response_tokens GeneratedTokens",
}...)

func readArrivals(ctx context.Context, r io.Reader, out *source.Out, fill func(*timeline.Row, []document.Value) source.Reason) error {
	cells := document.NewCells(arrivalPaths)
	table := document.CSV{Paths: arrivalPaths, Feeder: document.NewFeeder(cells)}
	return table.Each(ctx, r, out, func(e *document.Entries) error {
		defer cells.Clear()
		if why := fill(out.Row(), cells.Values); why != source.OK {
			e.Reject(why)
			return nil
		}
		e.Add()
		return nil
	})
}

func burstGPT() *source.Format {
	return &source.Format{
		Name: "burstgpt", Family: family, Vantage: vantage,
		Title:  "BurstGPT trace: arrivals, tokens and whole responses",
		Detect: headerDetector("Timestamp,", "Request tokens,Response tokens"),
		Document: func(ctx context.Context, r io.Reader, _ source.Options, out *source.Out) error {
			return readArrivals(ctx, r, out, fillBurstGPT)
		},
		Columns: source.Fixed([]source.Capability{
			mark(timeline.ColTotalHandler, "Elapsed time, since release 1.2", "s", "end of the response"),
			known(timeline.ColModel, "Model"),
			known(timeline.ColChannel, "Log Type"),
			known(timeline.ColInputTokens, "Request tokens"),
			known(timeline.ColOutputTokens, "Response tokens; 0 is a failure"),
			sometimes(timeline.ColOutcome, "Response tokens of 0"),
		}),
		FirstToken: "none: Elapsed time is the whole response, and releases before 1.2 hold no latency at all",
		More:       "Timestamp counts seconds from the midnight of a day that is not named, so that there is no time of day",
	}
}

func fillBurstGPT(row *timeline.Row, v []document.Value) source.Reason {
	if !v[arInput].Has() && !v[arOutput].Has() {
		return source.NotARecord
	}
	row.SetText(timeline.ColModel, v[arModel].Label())
	row.SetText(timeline.ColChannel, v[arLog].Label())
	count(row, timeline.ColInputTokens, v[arInput])
	if n, ok := v[arOutput].Int(); ok && n == 0 {
		label(row, timeline.ColOutcome, failed)
		return source.OK
	}
	count(row, timeline.ColOutputTokens, v[arOutput])
	duration(row, timeline.ColTotalHandler, v[arElapsed], timeline.Second)
	if !v[arElapsed].Has() {
		row.Notes.Add(timeline.ArrivalOnly)
	}
	return source.OK
}

func azure() *source.Format {
	return &source.Format{
		Name: "azure-trace", Family: family, Vantage: vantage,
		Title:  "Azure LLM inference trace of 2023, 2024 or 2025: arrivals only",
		Detect: headerDetector("TIMESTAMP,ContextTokens,GeneratedTokens"),
		Document: func(ctx context.Context, r io.Reader, opt source.Options, out *source.Out) error {
			return readArrivals(ctx, r, out, func(row *timeline.Row, v []document.Value) source.Reason {
				return fillAzure(row, v, opt)
			})
		},
		Columns: source.Fixed([]source.Capability{
			known(timeline.ColTimestamp, "TIMESTAMP, without a zone"),
			known(timeline.ColInputTokens, "ContextTokens"),
			known(timeline.ColOutputTokens, "GeneratedTokens"),
		}),
		FirstToken: "none: " + noLatency,
		More:       noLatency,
	}
}

func fillAzure(row *timeline.Row, v []document.Value, opt source.Options) source.Reason {
	us, ok := timeline.ParseTimestamp(v[arTime].Text, opt.Zone)
	if !ok {
		return source.NotARecord
	}
	row.SetNum(timeline.ColTimestamp, us)
	count(row, timeline.ColInputTokens, v[arInput])
	count(row, timeline.ColOutputTokens, v[arOutput])
	row.Notes.Add(timeline.ArrivalOnly)
	return source.OK
}

// headerDetector knows a CSV by what its first line holds.
func headerDetector(parts ...string) func(*source.Window) source.Confidence {
	return func(w *source.Window) source.Confidence {
		if len(w.Lines) == 0 {
			return source.No
		}
		header := bytes.TrimPrefix(w.Lines[0], []byte("\xEF\xBB\xBF"))
		for i, part := range parts {
			at := bytes.Index(header, []byte(part))
			if at < 0 || i == 0 && at > 0 {
				return source.No
			}
		}
		return source.Certain
	}
}

const (
	moTime = iota
	moInput
	moOutput
)

var mooncakePaths = document.NewPaths([]string{moTime: "timestamp", moInput: "input_length", moOutput: "output_length"}...)

func mooncake() *source.Format {
	return &source.Format{
		Name: "mooncake-trace", Family: family, Vantage: vantage,
		Title:    "Mooncake trace: arrivals only",
		Detect:   detectMooncake,
		Document: (&list{paths: mooncakePaths, fill: fillMooncake}).read,
		Columns: source.Fixed([]source.Capability{
			known(timeline.ColInputTokens, "input_length"),
			known(timeline.ColOutputTokens, "output_length"),
		}),
		FirstToken: "none: " + noLatency,
		More:       noLatency + "; its timestamp counts milliseconds from the start of the trace and is no time of day",
	}
}

func detectMooncake(w *source.Window) source.Confidence {
	share := w.ObjectShare(func(o *source.Object) bool {
		return o.Kind("timestamp") == '0' && o.Kind("input_length") == '0' && o.Kind("output_length") == '0'
	})
	if share >= 0.5 {
		return source.Certain
	}
	return source.No
}

func fillMooncake(row *timeline.Row, v []document.Value) source.Reason {
	if !v[moTime].Has() {
		return source.NotARecord
	}
	count(row, timeline.ColInputTokens, v[moInput])
	count(row, timeline.ColOutputTokens, v[moOutput])
	row.Notes.Add(timeline.ArrivalOnly)
	return source.OK
}
