package wrap

import (
	"slices"
	"strings"

	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
)

// Envelope is where the records of a log stand in the answer of an interface, or
// in the export of a store: keys from the outside in, and "[]" for the elements
// of an array.
type Envelope []string

// Elements is the step from an array to its elements.
const Elements = "[]"

// envelopeKeys are the keys under which answers and exports hold their records.
// Other objects and arrays are part of a record: what it says of its steps is
// not of a request.
var envelopeKeys = []string{
	"data", "items", "list", "rows", "records", "results", "result", "logs", "entries", "docs", "documents", "requests",
	"objects", "hits", "_source", "page", "payload", "jsonPayload", "attributes", "record",
}

const (
	maxSteps     = 8
	maxEnveloped = 200 // records that are looked at
)

// String returns the steps with dots between them. They are known keys, and no
// text of the input.
func (e Envelope) String() string { return strings.Join(e, ".") }

// Enveloped is an envelope that an input may be in.
type Enveloped struct {
	Path    Envelope
	Records [][]byte // JSON objects
}

// FindEnvelopes returns where in JSON values objects stand, those of one place
// together, the outer ones first. Each of the heads begins with values, one after
// the other or in an array, which is no envelope, and may end anywhere.
func FindEnvelopes(heads ...[]byte) []Enveloped {
	var f finder
	for _, head := range heads {
		f.values(head)
	}
	f.merge()
	slices.SortStableFunc(f.found, func(a, b Enveloped) int { return len(a.Path) - len(b.Path) })
	return f.found
}

// merge puts objects that stand where elsewhere an array of them stands to those.
func (f *finder) merge() {
	for i := range f.found {
		for k := range f.found {
			one, many := &f.found[i], &f.found[k]
			if slices.Equal(append(slices.Clone(one.Path), Elements), many.Path) {
				many.Records = append(many.Records, one.Records...)
				one.Records = nil
			}
		}
	}
	f.found = slices.DeleteFunc(f.found, func(e Enveloped) bool { return len(e.Records) == 0 })
}

type finder struct {
	b     []byte
	found []Enveloped
}

func (f *finder) values(head []byte) {
	f.b = head
	i := scan.Space(head, 0)
	if i < len(head) && head[i] == '[' {
		i++
	}
	for range maxEnveloped {
		for i = scan.Space(head, i); i < len(head) && head[i] == ','; i = scan.Space(head, i+1) {
		}
		if i >= len(head) || head[i] != '{' {
			return
		}
		var ok bool
		if i, ok = f.value(i, nil); !ok {
			return
		}
	}
}

// value looks through the value at i. It reports false where that is cut off or
// no JSON.
func (f *finder) value(i int, path Envelope) (end int, ok bool) {
	i = scan.Space(f.b, i)
	switch {
	case i >= len(f.b):
		return i, false
	case f.b[i] == '{':
		if end, ok = f.object(i, path); ok && len(path) > 0 {
			f.take(path, f.b[i:end])
		}
		return end, ok
	case f.b[i] == '[' && (len(path) == 0 || path[len(path)-1] != Elements):
		return f.array(i, append(path[:len(path):len(path)], Elements))
	}
	end, fault := scan.Skip(f.b, i)
	return end, fault == scan.OK
}

func (f *finder) take(path Envelope, record []byte) {
	for k := range f.found {
		if slices.Equal(f.found[k].Path, path) {
			if len(f.found[k].Records) < maxEnveloped {
				f.found[k].Records = append(f.found[k].Records, record)
			}
			return
		}
	}
	f.found = append(f.found, Enveloped{path, [][]byte{record}})
}

func (f *finder) object(i int, path Envelope) (end int, ok bool) {
	for first := true; ; first = false {
		key, value, fault := member(f.b, i, first)
		if fault != scan.OK || key == nil {
			return value, fault == scan.OK
		}
		if len(path) < maxSteps && slices.Contains(envelopeKeys, string(key)) {
			i, ok = f.value(value, append(path[:len(path):len(path)], string(key)))
		} else {
			i, fault = scan.Skip(f.b, value)
			ok = fault == scan.OK
		}
		if !ok {
			return i, false
		}
	}
}

func (f *finder) array(i int, path Envelope) (end int, ok bool) {
	for first := true; ; first = false {
		next, ended, fault := element(f.b, i, ']', first)
		if fault != scan.OK || ended {
			return next, fault == scan.OK
		}
		if i, ok = f.value(next, path); !ok {
			return i, false
		}
	}
}

// member reads on in an object from the opening brace, or from behind a value.
// It returns the key, as it stands, and the offset of its value; at the end of
// the object no key, and the offset behind it.
func member(b []byte, i int, first bool) (key []byte, next int, f scan.Fault) {
	i, ended, f := element(b, i, '}', first)
	if f != scan.OK || ended {
		return nil, i, f
	}
	if b[i] != '"' {
		return nil, i, scan.Syntax
	}
	end, _, f := scan.String(b, i)
	if f != scan.OK {
		return nil, end, f
	}
	colon := scan.Space(b, end)
	switch {
	case colon >= len(b):
		return nil, colon, scan.Truncated
	case b[colon] != ':':
		return nil, colon, scan.Syntax
	}
	return b[i+1 : end-1], colon + 1, scan.OK
}

// element is member for arrays, and for what stands before a key: closing is the
// bracket that ends it.
func element(b []byte, i int, closing byte, first bool) (next int, ended bool, f scan.Fault) {
	if first {
		i++
	}
	i = scan.Space(b, i)
	switch {
	case i >= len(b):
		return i, false, scan.Truncated
	case b[i] == closing:
		return i + 1, true, scan.OK
	case first:
		return i, false, scan.OK
	case b[i] != ',':
		return i, false, scan.Syntax
	}
	if i = scan.Space(b, i+1); i >= len(b) {
		return i, false, scan.Truncated
	}
	return i, false, scan.OK
}

// Inside returns f for lines that are envelopes of records of f, which must read
// lines. A line in which the path leads nowhere is read as it is.
func (e Envelope) Inside(f *source.Format) *source.Format {
	inside := *f
	if f.Session != nil {
		inside.Session = func(opt source.Options) source.SessionParser {
			session := f.Session(opt)
			return &envelopeSession{envelopeParser{path: e, inner: session}, session}
		}
		return &inside
	}
	inside.Lines = func(opt source.Options) source.LineParser {
		return &envelopeParser{path: e, inner: f.Lines(opt)}
	}
	return &inside
}

// envelopeSession is an envelopeParser whose inner parser reads lines in order.
type envelopeSession struct {
	envelopeParser
	session source.SessionParser
}

// Close closes the inner parser.
func (s *envelopeSession) Close(out *source.Out) { s.session.Close(out) }

type envelopeParser struct {
	path  Envelope
	inner source.LineParser
	found [][]byte
	empty bool // the path led to null, or to an array of nothing
}

// Parse reads one line. Each record in it counts as a line.
func (p *envelopeParser) Parse(line []byte, out *source.Out) source.Rejection {
	p.found, p.empty = p.found[:0], false
	end, f := p.value(line, 0, p.path)
	if f == scan.OK {
		if end = scan.Space(line, end); end != len(line) {
			f = scan.Syntax
		}
	}
	if f == scan.OK && len(p.found) == 0 {
		if p.empty {
			return source.Reject(source.Joined, 0)
		}
		return p.inner.Parse(line, out)
	}
	for i, record := range p.found {
		why := p.inner.Parse(record, out)
		if i == len(p.found)-1 && f == scan.OK {
			return why
		}
		out.Line()
		out.Reject(why)
	}
	return source.Reject(f.Reason(), end)
}

func (p *envelopeParser) value(b []byte, i int, path Envelope) (end int, f scan.Fault) {
	i = scan.Space(b, i)
	switch {
	case i >= len(b):
		return i, scan.Truncated
	case len(path) == 0:
		if end, f = scan.Skip(b, i); f == scan.OK {
			p.found = append(p.found, b[i:end])
		}
		return end, f
	case path[0] == Elements && b[i] == '[':
		p.empty = true
		for first := true; ; first = false {
			next, ended, f := element(b, i, ']', first)
			if f != scan.OK || ended {
				return next, f
			}
			if i, f = p.value(b, next, path[1:]); f != scan.OK {
				return i, f
			}
		}
	case path[0] == Elements: // one, where there may be several
		return p.value(b, i, path[1:])
	case b[i] == '{':
		return p.object(b, i, path)
	}
	p.empty = p.empty || b[i] == 'n'
	return scan.Skip(b, i)
}

func (p *envelopeParser) object(b []byte, i int, path Envelope) (end int, f scan.Fault) {
	for first := true; ; first = false {
		key, next, f := member(b, i, first)
		if f != scan.OK || key == nil {
			return next, f
		}
		if string(key) == path[0] {
			i, f = p.value(b, next, path[1:])
		} else {
			i, f = scan.Skip(b, next)
		}
		if f != scan.OK {
			return i, f
		}
	}
}
