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
// maps comes first, and then a log format that the user gives. mapped are those
// among them that take the user's mappings.
func formatsFor(opt source.Options) (all, mapped []*source.Format, err error) {
	all = Formats()
	if len(opt.Map) > 0 {
		if all, mapped, err = withMappings(all, opt.Map); err != nil {
			return nil, nil, err
		}
	}
	if opt.LogFormat == "" {
		return all, mapped, nil
	}
	read := accesslog.Custom
	if mapping.IsJSONLogFormat(opt.LogFormat) {
		read = mapping.FromLogFormat
	}
	custom, err := read(opt.LogFormat)
	if err != nil {
		return nil, nil, err
	}
	return append([]*source.Format{custom}, all...), mapped, nil
}

// withMappings puts what a user maps before all formats, and into those of tables.
func withMappings(formats []*source.Format, list []source.Mapping) (all, mapped []*source.Format, err error) {
	objects, err := mapping.MapFormat(list)
	if err != nil {
		return nil, nil, err
	}
	tables, err := delimited.Mapped(list)
	if err != nil {
		return nil, nil, err
	}
	extended, err := mapping.Extended(list)
	if err != nil {
		return nil, nil, err
	}
	all = []*source.Format{objects, tables}
	for _, f := range formats {
		if e := formatNamed(extended, f.Name); e != nil {
			f = e
		}
		all = append(all, f)
	}
	return all, append(extended, tables), nil
}

func formatNamed(list []*source.Format, name string) *source.Format {
	for _, f := range list {
		if f.Name == name {
			return f
		}
	}
	return nil
}
