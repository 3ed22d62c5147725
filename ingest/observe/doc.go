// Package observe reads what observability stores export about calls of models:
// Langfuse, LangSmith, Phoenix, Braintrust and Helicone.
//
// A store is one [Table]: the places of its fields, and how they fill a row. The
// same table reads JSON, JSON Lines, CSV and the rows of Parquet. A span or a
// decorator around a call sees no body: its end is total_handler_ms. Durations
// are computed from points in time and never taken from a column of durations:
// one store writes that column in seconds and in milliseconds.
package observe

import "ttdiag/ingest/source"

const (
	family  = "observability stores"
	vantage = "client"
)

// Formats returns the formats of this package.
func Formats() []*source.Format {
	var all []*source.Format
	for _, t := range Tables() {
		all = append(all, t.Format)
	}
	return all
}

// Tables returns the tables of this package. Each call makes them anew.
func Tables() []*Table { return []*Table{langfuse(), langsmith(), phoenix(), braintrust(), helicone()} }
