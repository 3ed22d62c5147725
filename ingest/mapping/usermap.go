package mapping

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// ErrMapping is wrapped by every error about a mapping of a user.
var ErrMapping = errors.New("not a mapping")

var mapUnits = map[string]timeline.Unit{
	"ns": timeline.Nanosecond, "us": timeline.Microsecond, "µs": timeline.Microsecond, "ms": timeline.Millisecond,
	"s": timeline.Second, "m": timeline.Minute, "min": timeline.Minute, "h": timeline.Hour,
}

const (
	originReceipt  = "receipt"
	originUpstream = "upstream_start"
)

// ParseMapping reads COLUMN=PATH[:UNIT][,origin=receipt|upstream_start]. The
// unit of a duration is milliseconds where none is named. The origin is what the
// value counts from; naming another one than the column's is refused, as the
// value could not be told from one that counts right.
func ParseMapping(text string) (source.Mapping, error) {
	var m source.Mapping
	name, rest, ok := strings.Cut(text, "=")
	if !ok {
		return m, fmt.Errorf("%w: want COLUMN=PATH[:UNIT][,origin=receipt|upstream_start]", ErrMapping)
	}
	if m.Column, ok = timeline.ColumnNamed(strings.TrimSpace(name)); !ok || !mappable(m.Column) {
		return m, fmt.Errorf("%w: no column %q to map to", ErrMapping, name)
	}
	rest, m.Origin, ok = strings.Cut(rest, ",origin=")
	if ok && m.Origin == "" {
		return m, fmt.Errorf("%w: %s: origin is receipt or upstream_start", ErrMapping, m.Column)
	}
	path, unit := cutUnit(rest)
	m.Path = strings.TrimSpace(path)
	if _, err := scan.Compile(m.Path); err != nil {
		return m, fmt.Errorf("%w: %s: %w", ErrMapping, m.Column, err)
	}
	if err := setUnit(&m, unit); err != nil {
		return m, err
	}
	return m, checkOrigin(m)
}

// mappable reports whether a user may fill c: what ttdiag writes about a record
// itself is not.
func mappable(c timeline.Column) bool {
	switch c {
	case timeline.ColVisibleOutputTPS:
		return true
	case timeline.ColFirstTokenBasis, timeline.ColTimestampBasis:
		return false
	}
	return c.Info().Group != timeline.GroupInternal
}

// cutUnit cuts the unit off a path. A colon inside of quotes is of a key.
func cutUnit(text string) (path, unit string) {
	if i := strings.LastIndexByte(text, ':'); i > strings.LastIndexByte(text, '"') {
		return text[:i], strings.TrimSpace(text[i+1:])
	}
	return text, ""
}

func setUnit(m *source.Mapping, name string) error {
	timed := m.Column.IsDuration() || m.Column == timeline.ColTimestamp
	if name == "" {
		if m.Column.IsDuration() {
			m.Unit = timeline.Millisecond
		}
		return nil
	}
	if !timed {
		return fmt.Errorf("%w: %s is no time and takes no unit", ErrMapping, m.Column)
	}
	unit, ok := mapUnits[name]
	if !ok {
		return fmt.Errorf("%w: %s: no unit %q: use ns, us, ms, s, m or h", ErrMapping, m.Column, name)
	}
	m.Unit = unit
	return nil
}

// checkOrigin refuses to mix origins.
func checkOrigin(m source.Mapping) error {
	if m.Origin == "" {
		return nil
	}
	own := ""
	switch m.Column.Info().Kind {
	case timeline.KindReceipt:
		own = originReceipt
	case timeline.KindUpstreamStart:
		own = originUpstream
	}
	switch {
	case m.Origin != originReceipt && m.Origin != originUpstream:
		return fmt.Errorf("%w: %s: origin is receipt or upstream_start", ErrMapping, m.Column)
	case own == "":
		return fmt.Errorf("%w: %s counts from no origin", ErrMapping, m.Column)
	case own != m.Origin:
		return fmt.Errorf("%w: %s counts from %s, and a value from %s is another time: leave it out, or map a field that counts from %s",
			ErrMapping, m.Column, own, m.Origin, own)
	}
	return nil
}

// MapFormatName is the name of the format that reads records as a user maps
// them.
const MapFormatName = "map"

const (
	mapFamily     = "Anything else"
	mapTitle      = "JSON of any shape, by --map COLUMN=PATH[:UNIT][,origin=receipt|upstream_start]"
	mapFirstToken = "what the mapped field measures: map it to the first column that it can prove"
)

// mapTable is the table that a user's mappings are.
func mapTable(list []source.Mapping) *Table {
	t := &Table{
		Name: MapFormatName, Family: mapFamily, Title: mapTitle, Vantage: "gateway", FirstToken: mapFirstToken,
		Absent: []string{"-", "", "null", "None"},
	}
	t.Fields = fieldsOf(list)
	return t
}

func fieldsOf(list []source.Mapping) []Field {
	var fields []Field
	for _, m := range list {
		fields = append(fields, Field{Column: m.Column, Path: m.Path, Unit: m.Unit, Config: true, AtStart: true})
	}
	return fields
}

// Extended returns the formats of all tables, read first as a user maps and then,
// where that says nothing of a column, by the table.
func Extended(list []source.Mapping) ([]*source.Format, error) {
	var formats []*source.Format
	for _, t := range Tables() {
		own := *t
		own.Fields = append(fieldsOf(list), t.Fields...)
		p, err := Compile(&own)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMapping, err)
		}
		formats = append(formats, p.Format())
	}
	return formats, nil
}

// MapFormat returns the format of JSON objects that are read as list says. It is
// detected in every input in which an object has one of the paths, by less than
// what a table needs to be told: with the table, a mapping says more.
func MapFormat(list []source.Mapping) (*source.Format, error) {
	p, err := MapPlan(list)
	if err != nil {
		return nil, err
	}
	f := *p.Format()
	f.Detect = func(w *source.Window) source.Confidence {
		x := p.Extractor()
		if w.Share(func(line []byte) bool { return finds(x, line) }) > 0 {
			return source.Likely
		}
		return source.No
	}
	return &f, nil
}

// finds reports whether line is an object with a value for one of the paths.
func finds(x *scan.Extractor, line []byte) bool {
	if _, fault := x.Scan(line); fault != scan.OK {
		return false
	}
	for i := range x.Len() {
		if x.Get(i).Kind != scan.Absent {
			return true
		}
	}
	return false
}

// mapFormat stands for MapFormat where no mappings are known yet, in the list of
// formats. It reads as [source.Options.Map] says, and is never detected.
func mapFormat() *source.Format {
	return &source.Format{
		Name: MapFormatName, Family: mapFamily, Title: mapTitle, Vantage: "gateway", FirstToken: mapFirstToken,
		Detect:  func(*source.Window) source.Confidence { return source.No },
		Lines:   newMapParser,
		Columns: sync.OnceValue(mappableColumns),
	}
}

func mappableColumns() []source.Capability {
	var list []source.Capability
	for c := range timeline.Column(timeline.NumColumns) {
		if mappable(c) {
			list = append(list, source.Capability{Column: c, Field: "as mapped"})
		}
	}
	return list
}

// newMapParser returns a parser by the user's mappings. Mappings that were not
// made by ParseMapping may be wrong; then there is nothing to read.
func newMapParser(opt source.Options) source.LineParser {
	p, err := Compile(mapTable(opt.Map))
	if err != nil || len(opt.Map) == 0 {
		return unmapped{}
	}
	l := p.NewLineParser(opt)
	l.filler.assumed = timeline.AllMarks
	return l
}

// unmapped rejects every line: nothing says where the columns stand.
type unmapped struct{}

func (unmapped) Parse([]byte, *source.Out) source.Rejection {
	return source.Reject(source.UnsupportedShape, 0)
}

// MapPlan returns the plan of a user's mappings, for readers of other things than
// lines of JSON.
func MapPlan(list []source.Mapping) (*Plan, error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: nothing is mapped", ErrMapping)
	}
	p, err := Compile(mapTable(list))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMapping, err)
	}
	return p, nil
}
