package ingest

import (
	"ttdiag/ingest/accesslog"
	"ttdiag/ingest/arrowipc"
	"ttdiag/ingest/bench"
	"ttdiag/ingest/delimited"
	"ttdiag/ingest/jsonl"
	"ttdiag/ingest/mapping"
	"ttdiag/ingest/observe"
	"ttdiag/ingest/otlp"
	"ttdiag/ingest/parquet"
	"ttdiag/ingest/source"
	"ttdiag/ingest/stream"
)

// Formats returns every input format, ttdiag's own first.
func Formats() []*source.Format {
	var all []*source.Format
	for _, some := range [][]*source.Format{
		jsonl.Formats(),
		delimited.Formats(),
		parquet.Formats(),
		arrowipc.Formats(),
		mapping.Formats(),
		accesslog.Formats(),
		bench.Formats(),
		otlp.Formats(),
		observe.Formats(),
		stream.Formats(),
	} {
		all = append(all, some...)
	}
	return all
}

// ErrLogFormat is wrapped by what Open returns where Options.LogFormat cannot be
// read, or names no timing.
var ErrLogFormat = accesslog.ErrLogFormat

// formatsFor returns the formats to try under the given options: what the user
// maps comes first, and then a log format that the user gives.
func formatsFor(opt source.Options) ([]*source.Format, error) {
	all := Formats()
	if len(opt.Map) > 0 {
		mapped, err := mapping.MapFormat(opt.Map)
		if err != nil {
			return nil, err
		}
		all = append([]*source.Format{mapped}, all...)
	}
	if opt.LogFormat == "" {
		return all, nil
	}
	read := accesslog.Custom
	if mapping.IsJSONLogFormat(opt.LogFormat) {
		read = mapping.FromLogFormat
	}
	custom, err := read(opt.LogFormat)
	if err != nil {
		return nil, err
	}
	return append([]*source.Format{custom}, all...), nil
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
