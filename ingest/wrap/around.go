package wrap

import (
	"bytes"

	"ttdiag/ingest/source"
)

// Around returns f for lines wrapped in n: a format that takes physical lines
// and gives their inner lines to f's parser. It is read in order where n joins
// lines. f must read lines; positions and offsets are those of the physical
// line. A format that reads whole documents is returned as it is.
func (n Nesting) Around(f *source.Format) *source.Format {
	if len(n) == 0 || f.Lines == nil && f.Session == nil {
		return f
	}
	wrapped := *f
	wrapped.Lines, wrapped.Session = nil, nil
	if f.Lines != nil && !n.Joins() {
		wrapped.Lines = func(opt source.Options) source.LineParser {
			return &parser{unwrapper: NewUnwrapper(n), inner: f.Lines(opt)}
		}
		return &wrapped
	}
	wrapped.Session = func(opt source.Options) source.SessionParser {
		p := &parser{unwrapper: NewUnwrapper(n)}
		if f.Session != nil {
			p.session = f.Session(opt)
			p.inner = p.session
		} else {
			p.inner = f.Lines(opt)
		}
		return p
	}
	return &wrapped
}

// parser gives inner lines to the parser of a format.
type parser struct {
	unwrapper *Unwrapper
	inner     source.LineParser
	session   source.SessionParser // inner, if it is one
}

// Parse reads one physical line.
func (p *parser) Parse(line []byte, out *source.Out) source.Rejection {
	inner, why := p.unwrapper.Line(line)
	if why.Reason != source.OK {
		return why
	}
	if bytes.IndexByte(inner, '\n') < 0 {
		return p.one(inner, out)
	}
	return p.several(inner, out)
}

func (p *parser) one(inner []byte, out *source.Out) source.Rejection {
	if n := len(inner); n > 0 && inner[n-1] == '\r' {
		inner = inner[:n-1]
	}
	if len(bytes.TrimSpace(inner)) == 0 {
		return source.Reject(source.Joined, 0) // a blank line is nothing of its own
	}
	why := p.inner.Parse(inner, out)
	why.Offset = 0 // it was of the inner line
	return why
}

// several reads an event that holds several lines. Each counts as a line.
func (p *parser) several(inner []byte, out *source.Out) source.Rejection {
	for {
		line, rest, more := bytes.Cut(inner, []byte{'\n'})
		if !more {
			return p.one(line, out)
		}
		out.Line()
		out.Reject(p.one(line, out))
		inner = rest
	}
}

// Close reads what never became complete, and closes the inner parser.
func (p *parser) Close(out *source.Out) {
	for inner := range p.unwrapper.Rest {
		// Its lines were counted as parts of one that was to come.
		if len(bytes.TrimSpace(inner)) > 0 {
			out.Line()
			out.Reject(p.one(inner, out))
		}
	}
	if p.session != nil {
		p.session.Close(out)
	}
}
