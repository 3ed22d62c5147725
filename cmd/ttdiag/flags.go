package main

import (
	"fmt"
	"slices"
	"time"

	"ttdiag/ingest/source"
)

// inputFlags say what is read and how.
type inputFlags struct {
	Files      []string         `arg:"" optional:"" name:"file" help:"Files, directories, globs, or - for standard input."`
	Format     string           `placeholder:"NAME" help:"Input format; see ttdiag formats. Default: detected per file."`
	LogFormat  string           `placeholder:"STRING" help:"The log_format of an access log, as the server's configuration has it."`
	Map        []string         `placeholder:"COL=PATH[:UNIT]" sep:"none" help:"Read a column from a JSON path, such as total_handler_ms=.latency.total:s,origin=receipt."`
	Tz         string           `placeholder:"ZONE" help:"Zone in which times are shown and --since is read. Default UTC."`
	AssumeTz   string           `placeholder:"ZONE" help:"Zone of log times that name none. Default UTC."`
	Exact      bool             `help:"Leave approximate values out."`
	Warmup     bool             `help:"Count requests that a benchmark marks as warm-up."`
	ThinkTags  bool             `help:"Take <think> inside visible text for reasoning."`
	Transcript bool             `help:"Count the transcript of spoken output as visible text."`
	Jobs       int              `placeholder:"N" help:"Workers. Default: the processors."`
	MaxMemory  string           `placeholder:"SIZE" help:"Memory ceiling, such as 512MB. Default: a quarter of the machine."`
	MaxLine    string           `placeholder:"SIZE" help:"Longest line that is read. Default 1GB."`
	Strict     bool             `help:"Fail on the first line that is rejected."`
	Rejects    string           `placeholder:"FILE" help:"Write positions and reasons of rejected lines; never their text."`
	RunStore   string           `name:"store" placeholder:"DIR" help:"Store directory."`
	NoStore    bool             `help:"Keep nothing in the store."`
	configured []source.Mapping // maps of the configuration file
}

// filterFlags choose rows.
type filterFlags struct {
	Since string   `placeholder:"TIME" help:"Rows from this time on: RFC 3339, a date, or an age such as 2h."`
	Until string   `placeholder:"TIME" help:"Rows before this time."`
	Where []string `placeholder:"COL=GLOB" sep:"none" help:"Rows whose column matches; != and, for numbers, < and > work too. Repeatable."`
	Class []string `placeholder:"CLASS" help:"Rows of these classes."`
}

// groupFlags split figures.
type groupFlags struct {
	By    []string `placeholder:"COL" help:"Split every figure by these columns."`
	Every string   `placeholder:"DURATION" help:"Split every figure by time, such as 5m."`
	Top   int      `default:"10" help:"Rows in lists."`
}

// methodFlags choose statistics.
type methodFlags struct {
	PercentileMethod string `enum:"nearest-rank,linear" default:"nearest-rank" help:"nearest-rank, or linear (type 7)."`
}

// zone returns the named zone, UTC for "".
func zone(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, usageError(fmt.Errorf("zone: unknown time zone"))
	}
	return loc, nil
}

// options turns the flags into what formats take.
func (f *inputFlags) options() (source.Options, error) {
	loc, err := zone(f.AssumeTz)
	if err != nil {
		return source.Options{}, err
	}
	opt := source.Options{
		Exact: f.Exact, Zone: loc, LogFormat: f.LogFormat,
		ThinkTags: f.ThinkTags, Transcript: f.Transcript, Warmup: f.Warmup, Map: slices.Clone(f.configured),
	}
	for _, text := range f.Map {
		m, err := parseMapping(text)
		if err != nil {
			return opt, usageError(fmt.Errorf("--map: %w", err))
		}
		opt.Map = append(opt.Map, m)
	}
	return opt, nil
}
