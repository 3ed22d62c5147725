package jsonl

import (
	"sync"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// Formats returns the one format of this package.
func Formats() []*source.Format {
	known := sync.OnceValue(newNames)
	return []*source.Format{{
		Name:    "jsonl",
		Family:  "ttdiag",
		Title:   "ttdiag's own records, one JSON object a line",
		Vantage: "gateway",
		Detect:  func(w *source.Window) source.Confidence { return detect(w, known()) },
		Lines: func(opt source.Options) source.LineParser {
			return newParser(known(), opt)
		},
		Columns:    sync.OnceValue(capabilities),
		FirstToken: "nothing of that name: headers, first event, first response and first text are columns of their own",
	}}
}

// capabilities lists every column a record may name. Each is exact: the names
// are those of the specification.
func capabilities() []source.Capability {
	var list []source.Capability
	for _, s := range timeline.Spellings() {
		if s.Rank != 0 {
			continue
		}
		list = append(list, source.Capability{
			Column: s.Column, Quality: source.Exact, Field: s.Name,
			Unit: unitOf(s.Column), Origin: originOf(s.Column), Point: s.Column.Info().Doc,
		})
	}
	return list
}

func unitOf(c timeline.Column) string {
	switch {
	case c.IsDuration():
		return "ms"
	case c == timeline.ColVisibleOutputTPS:
		return "tps"
	}
	return ""
}

func originOf(c timeline.Column) string {
	if !c.IsDuration() {
		return ""
	}
	switch c.Info().Kind {
	case timeline.KindReceipt:
		return "receipt"
	case timeline.KindUpstreamStart:
		return "upstream_start"
	}
	return "its own start"
}

// detect looks for the names of timing columns. It is likely where one object has
// any, and certain where all have: so it is no surer than the table of another
// log that names some of its fields the same, and knows more of them.
func detect(w *source.Window, known *names) source.Confidence {
	objects, timed := w.Objects(), 0
	for _, o := range objects {
		if known.timed(o) {
			timed++
		}
	}
	if timed == 0 {
		return source.No
	}
	return source.Likely + source.Confidence(float64(source.Certain-source.Likely)*float64(timed)/float64(len(objects)))
}
