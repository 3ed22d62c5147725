// Package source is what an input format must be: how it is recognised, what
// it can and cannot record, and how its bytes become rows. Formats know no
// files, no compression and no rules; package ingest knows those.
package source

import (
	"context"
	"io"
	"time"

	"ttdiag/ingest/timeline"
)

// Format describes one input format. Exactly one of the readers Lines, Session,
// Document and Random is set.
type Format struct {
	Name    string // as --format takes it
	Family  string // heading under which ttdiag formats lists it
	Title   string // what it is, in one line
	Vantage string // gateway, client or engine: whose clock

	// Detect says how sure the format is that the window is its own.
	Detect func(*Window) Confidence

	// Lines makes a parser for lines that stand alone. Several parsers run at
	// once over chunks of one input, each used by one goroutine.
	Lines func(Options) LineParser
	// Session makes a parser that sees every line of one input in order: a
	// header line, records joined over lines.
	Session func(Options) SessionParser
	// Document reads one input that is not made of lines. It adds records as it
	// goes and returns only errors of reading; damage goes to out.Reject.
	Document func(ctx context.Context, r io.Reader, opt Options, out *Out) error
	// Random opens one input that must be read out of order: size bytes of r. Its
	// error says why nothing of the input can be read.
	Random func(r io.ReaderAt, size int64, opt Options) (Parts, error)

	// Columns says column by column what the format can tell. A column that is
	// not named is never recorded; nil names none.
	Columns func() []Capability
	// FirstToken says what the format's own "time to first token" measures.
	FirstToken string
	// More names the log line or setting that would record more, or is empty.
	More string
}

// Fixed returns list, as [Format.Columns] does.
func Fixed(list []Capability) func() []Capability {
	return func() []Capability { return list }
}

// Capabilities returns what Columns says.
func (f *Format) Capabilities() []Capability {
	if f.Columns == nil {
		return nil
	}
	return f.Columns()
}

// Recordable returns the marks that the format records when they happen, exactly
// or approximately.
func (f *Format) Recordable() timeline.Mask {
	var m timeline.Mask
	for _, c := range f.Capabilities() {
		if c.Quality != Sometimes {
			m = m.With(c.Column)
		}
	}
	return m & timeline.AllMarks
}

// Quality says how well a format knows a column.
type Quality uint8

// The qualities.
const (
	Exact     Quality = iota // the definition of the column, where it is recorded
	Approx                   // zero or point shifted, or rounded; see Bias
	Sometimes                // known for some records only: absence proves nothing
)

// Capability is one column that a format can fill.
type Capability struct {
	Column  timeline.Column
	Quality Quality
	Field   string // the field in the source, as the source spells it
	Unit    string // unit in the source: "ms", "s", "ns", "" for none
	Origin  string // what the source counts from
	Point   string // what the source marks
	Bias    string // which way an approximate value errs
}

// Options are the choices of a user that reach a format.
type Options struct {
	Format     string         // name of the format to read everything as; "" tells it by the content
	Exact      bool           // leave approximate values absent
	Zone       *time.Location // of times that name no zone; nil is UTC
	LogFormat  string         // --log-format: the log_format of an access log
	Map        []Mapping      // --map: columns of records of no known format
	ThinkTags  bool           // <think> inside visible text is reasoning
	Transcript bool           // the transcript of spoken output is visible text
	Warmup     bool           // keep requests that a benchmark marks as warm-up
}

// Mapping is one --map of a user: where in a JSON record a column stands.
type Mapping struct {
	Column timeline.Column
	Path   string        // .latency.total
	Unit   timeline.Unit // of durations
	Origin string        // receipt or upstream_start, as the user said
}

// Confidence is how sure a detector is, 0 to 100. The highest wins; No never
// does.
type Confidence int

// Levels of confidence.
const (
	No      Confidence = 0
	Maybe   Confidence = 20 // nothing speaks against it
	Likely  Confidence = 60 // the shape fits
	Certain Confidence = 90 // marks that only this format has
)
