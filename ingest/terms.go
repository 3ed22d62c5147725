package ingest

import (
	"ttdiag/ingest/bench"
	"ttdiag/ingest/observe"
	"ttdiag/ingest/otlp"
	"ttdiag/ingest/source"
)

// Terms returns what tools call what they measure, in ttdiag's words: the first
// token of each format, and what the formats say of single fields.
func Terms() []source.Term {
	var all []source.Term
	for _, f := range Formats() {
		if f.FirstToken != "" {
			all = append(all, source.Term{Tool: f.Title, Field: "first token (TTFT)", Means: f.FirstToken})
		}
	}
	all = append(all, bench.Terms()...)
	all = append(all, otlp.Terms()...)
	return append(all, observe.Terms()...)
}
