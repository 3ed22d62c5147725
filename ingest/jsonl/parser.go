package jsonl

import (
	"time"

	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// parser reads lines, one after the other. It keeps what it learned of their
// layout, and nothing of their content.
type parser struct {
	known   *names
	guides  map[*object]*guide
	top     *guide
	zone    *time.Location
	row     *timeline.Row
	scratch []byte // texts with their escapes taken off, of one line

	named   timeline.Mask               // columns whose key stood in the line
	by      [timeline.NumColumns]uint16 // id of the key, for columns in named
	again   []uint16                    // ids of the keys of columns that were named before
	timings bool                        // an object of timings stood in it
	said    diagnosis
	exact   bool                       // approximate values stay absent
	labels  map[string]*timeline.Label // by their literal, nil for what is none
	told    timeline.Told
	field   string // the column of a duplicate key
}

func newParser(known *names, opt source.Options) *parser {
	p := &parser{known: known, guides: map[*object]*guide{}, zone: opt.Zone, exact: opt.Exact}
	for _, o := range known.objects {
		p.guides[o] = newGuide(o)
	}
	p.top = p.guides[known.top]
	return p
}

// Parse reads one line; see [source.LineParser].
func (p *parser) Parse(line []byte, out *source.Out) source.Rejection {
	p.reset(out.Row())
	i, f := p.fields(line, 0, p.top)
	if f == scan.OK {
		if i = scan.Space(line, i); i != len(line) {
			f = scan.Syntax
		}
	}
	if f != scan.OK {
		return p.reject(line, i, f)
	}
	p.takeSaid()
	if !p.isRecord() {
		return source.Reject(source.NotARecord, 0)
	}
	out.Add()
	return source.Rejection{}
}

func (p *parser) reset(row *timeline.Row) {
	p.row = row
	p.named = 0
	p.again = p.again[:0]
	p.timings = false
	p.scratch = p.scratch[:0]
	p.said = diagnosis{}
}

// reject says why the line is none. A line that is no object at all is told
// apart from one that is no JSON.
func (p *parser) reject(line []byte, i int, f scan.Fault) source.Rejection {
	r := source.Reject(f.Reason(), i)
	if f == scan.Duplicate {
		r.Field = p.field
		return r
	}
	if start := scan.Space(line, 0); f == scan.Syntax && i == start && i < len(line) {
		end, f := scan.Skip(line, start)
		switch {
		case f != scan.OK:
			return source.Reject(f.Reason(), end)
		case scan.Space(line, end) != len(line):
			return source.Reject(source.InvalidJSON, scan.Space(line, end))
		}
		return source.Reject(source.NotAnObject, start)
	}
	return r
}

// isRecord reports whether the line is about a request: it names a timing
// column, present or not, or how a request ended and which one it was. A failure
// that took no time worth recording still counts.
func (p *parser) isRecord() bool {
	const ended = timeline.Mask(1<<timeline.ColOutcome | 1<<timeline.ColStatus)
	return p.named&timing != 0 || p.named.Has(timeline.ColRequestID) && p.named&ended != 0 || p.timings
}

// fields reads the object at b[i]. Columns that were not named before, which is
// nearly all, are read here and now.
func (p *parser) fields(b []byte, i int, g *guide) (end int, f scan.Fault) {
	at := &g.start
	for {
		if n := at.next[0]; n != nil && i+wordBytes < len(b) && n.at((*[wordBytes]byte)(b[i:])) {
			at, i = n, i+n.size
		} else if at, i, f = g.step(b, i, at); f != scan.OK || at == nil {
			return i, f
		}
		t := at.target
		switch {
		case t.use == skip:
			i, f = scan.Skip(b, i)
		case t.use >= enter:
			i, f = p.special(b, i, t)
		case p.named.Has(t.column):
			i, f = p.repeated(b, i, t)
		default:
			p.named = p.named.With(t.column)
			p.by[t.column] = t.id
			i, f = p.set(b, i, t)
		}
		if f != scan.OK {
			return i, f
		}
		if i < len(b) && b[i] == '}' {
			return i + 1, scan.OK
		}
	}
}

// repeated reads a column that was named before: the same key again is a fault,
// of two spellings the one of lower rank counts, unless it is null.
func (p *parser) repeated(b []byte, i int, t *target) (int, scan.Fault) {
	i = scan.Space(b, i)
	held := p.by[t.column]
	for _, id := range append(p.again, held) {
		if id == t.id {
			p.field = t.column.String()
			return i, scan.Duplicate
		}
	}
	p.again = append(p.again, t.id)
	absent := !p.row.Has(t.column) && !p.row.Refused(t.column)
	if !absent && p.known.targets[held].rank < t.rank || i < len(b) && b[i] == 'n' {
		return scan.Skip(b, i)
	}
	p.again = append(p.again, held)
	p.by[t.column] = t.id
	p.row.Forget(t.column)
	return p.set(b, i, t)
}
