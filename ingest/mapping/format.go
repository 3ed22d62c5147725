package mapping

import (
	"bytes"
	"sync"

	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// format returns the format of the table, which is compiled by plan when there is
// something to parse.
func (t *Table) format(plan func() *Plan) *source.Format {
	return &source.Format{
		Name: t.Name, Family: t.Family, Title: t.Title, Vantage: t.Vantage,
		Detect:     t.Match.detect,
		Lines:      func(opt source.Options) source.LineParser { return plan().NewLineParser(opt) },
		Columns:    sync.OnceValue(t.Columns),
		FirstToken: t.FirstToken,
		More:       t.More,
	}
}

// LineParser reads lines that are JSON objects.
type LineParser struct {
	values *scan.Extractor
	filler *Filler
}

// NewLineParser returns a parser of lines of the table, for one goroutine.
func (p *Plan) NewLineParser(opt source.Options) *LineParser {
	return &LineParser{p.Extractor(), p.NewFiller(opt)}
}

var byteOrderMark = []byte("\xEF\xBB\xBF")

// Parse reads one line. A byte order mark before it, as some exports begin with,
// does not count.
func (p *LineParser) Parse(line []byte, out *source.Out) source.Rejection {
	offset, fault := p.values.Scan(line)
	if rest, marked := bytes.CutPrefix(line, byteOrderMark); marked {
		offset, fault = p.values.Scan(rest)
		offset += len(byteOrderMark)
	}
	if fault != scan.OK {
		return source.Rejection{Reason: fault.Reason(), Offset: offset, Field: p.values.DuplicateField()}
	}
	if r := p.filler.Fill(p.values, out.Row()); r.Reason != source.OK {
		return r
	}
	out.Add()
	return source.Rejection{}
}

// fits reports whether o has what the match wants.
func (m *Match) fits(o *source.Object) bool {
	for _, path := range m.All {
		if !o.Has(path) {
			return false
		}
	}
	for _, path := range m.None {
		if o.Has(path) {
			return false
		}
	}
	if len(m.Any) == 0 {
		return true
	}
	for _, set := range m.Any {
		if hasAll(o, set) {
			return true
		}
	}
	return false
}

func hasAll(o *source.Object, paths []string) bool {
	for _, path := range paths {
		if !o.Has(path) {
			return false
		}
	}
	return true
}

// detect is as sure as the share of objects that fit, and a little surer the
// more it asks for, so that the closest of two tables wins. Lines that only
// start like an object count as lines of JSON: a log may hold broken ones. Among
// many lines of other things, as a program prints them beside its log, it is so
// only if nothing else fits.
func (m *Match) detect(w *source.Window) source.Confidence {
	objects := w.Objects()
	n := 0
	for _, o := range objects {
		if m.fits(o) {
			n++
		}
	}
	switch {
	case n == 0:
		return source.No
	case w.Share(startsObject) < 0.5:
		return source.Maybe + source.Confidence(min(9, len(m.All)))
	}
	sure := source.Likely + source.Confidence(float64(source.Certain-source.Likely)*float64(n)/float64(len(objects)))
	return sure + source.Confidence(min(9, len(m.All)))
}

func startsObject(line []byte) bool {
	i := scan.Space(line, 0)
	return i < len(line) && line[i] == '{'
}

// unitNames are how ttdiag formats calls the units.
var unitNames = map[timeline.Unit]string{
	timeline.Nanosecond: "ns", timeline.Microsecond: "µs", timeline.Millisecond: "ms", timeline.Second: "s",
}

// Columns returns what the format can tell, field by field, best first within a
// column.
func (t *Table) Columns() []source.Capability {
	var list []source.Capability
	for c := range timeline.Column(timeline.NumColumns) {
		seen := map[string]bool{}
		for _, q := range []source.Quality{source.Exact, source.Sometimes, source.Approx} {
			for i := range t.Fields {
				f := &t.Fields[i]
				if f.Column != c || f.quality() != q || seen[f.Path+f.Bias+f.Point] {
					continue
				}
				seen[f.Path+f.Bias+f.Point] = true
				list = append(list, f.capability())
			}
		}
	}
	return list
}

func (f *Field) quality() source.Quality {
	switch {
	case f.approximate():
		return source.Approx
	case f.Sometimes:
		return source.Sometimes
	}
	return source.Exact
}

func (f *Field) capability() source.Capability {
	name := f.Path
	for _, path := range f.Plus {
		name += " + " + path
	}
	for _, path := range f.Minus {
		name += " - " + path
	}
	if f.Const != "" {
		name = `always "` + f.Const + `"`
		for _, c := range f.When {
			name = `"` + f.Const + `" by ` + c.Path
		}
	}
	return source.Capability{
		Column: f.Column, Quality: f.quality(), Field: name, Unit: unitNames[f.Unit],
		Origin: f.Origin, Point: f.Point, Bias: f.Bias,
	}
}
