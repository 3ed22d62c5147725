package ingest

import (
	"ttdiag/ingest/accesslog"
	"ttdiag/ingest/bench"
	"ttdiag/ingest/delimited"
	"ttdiag/ingest/jsonl"
	"ttdiag/ingest/mapping"
	"ttdiag/ingest/observe"
	"ttdiag/ingest/otlp"
	"ttdiag/ingest/source"
)

// Formats returns every input format, ttdiag's own first.
func Formats() []*source.Format {
	var all []*source.Format
	for _, some := range [][]*source.Format{
		jsonl.Formats(),
		delimited.Formats(),
		mapping.Formats(),
		accesslog.Formats(),
		bench.Formats(),
		otlp.Formats(),
		observe.Formats(),
	} {
		all = append(all, some...)
	}
	return all
}

// FormatNamed returns the format that --format calls name, or nil.
func FormatNamed(name string) *source.Format { return formatNamed(Formats(), name) }

func formatNamed(list []*source.Format, name string) *source.Format {
	for _, f := range list {
		if f.Name == name {
			return f
		}
	}
	return nil
}
