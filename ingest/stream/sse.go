package stream

import "bytes"

// sse reads server-sent events, as the WHATWG standard divides them.
func (s *Stream) sse(b []byte) {
	for len(b) > 0 {
		switch s.line {
		case lineStart:
			b = s.startLine(b)
		case lineField:
			b = s.fieldName(b)
		case lineSpace:
			s.line = s.valueLine()
			if b[0] == ' ' {
				b = b[1:]
			}
		default:
			b = s.fieldValue(b)
		}
	}
}

// startLine reads the first bytes of a line.
func (s *Stream) startLine(b []byte) []byte {
	cr := s.cr
	s.cr = false
	switch c := b[0]; {
	case cr && c == '\n':
		return b[1:]
	case c == '\n' || c == '\r':
		s.cr = c == '\r'
		s.left = len(b) - 1
		s.dispatch()
		return b[1:]
	case len(b) > 5 && string(b[:5]) == "data:":
		p := s.opened()
		s.startData(p)
		s.line = lineData
		if b[5] == ' ' {
			return b[6:]
		}
		return b[5:]
	case c == ':':
		s.opened().comment = true
		s.line = lineSkip
		return b[1:]
	}
	s.opened().nField = 0
	s.line = lineField
	return b
}

func (s *Stream) startData(p *frame) {
	if p.lines > 0 {
		p.data([]byte{'\n'})
	}
	p.lines++
}

// fieldName reads a field's name up to its colon or the end of the line.
func (s *Stream) fieldName(b []byte) []byte {
	p := s.frame
	for i, c := range b {
		switch {
		case c == ':':
			s.line = lineSpace
			s.startField(p)
			return b[i+1:]
		case c == '\n' || c == '\r':
			s.startField(p)
			return s.endLine(b[i:])
		case p.nField < len(p.field):
			p.field[p.nField] = c
			p.nField++
		}
	}
	return nil
}

func (s *Stream) startField(p *frame) {
	switch string(p.field[:p.nField]) {
	case "data":
		s.startData(p)
	case "event":
		p.nName, p.long, p.other = 0, false, true
	default:
		p.other = true
	}
}

func (s *Stream) valueLine() lineState {
	switch string(s.frame.field[:s.frame.nField]) {
	case "data":
		return lineData
	case "event":
		return lineName
	}
	return lineSkip
}

// fieldValue reads a value up to the end of the line.
func (s *Stream) fieldValue(b []byte) []byte {
	end := lineEnd(b)
	p := s.frame
	switch s.line {
	case lineData:
		p.data(b[:end])
	case lineName:
		n := copy(p.name[p.nName:], b[:end])
		p.nName += n
		p.long = p.long || n < end
	}
	if end == len(b) {
		return nil
	}
	return s.endLine(b[end:])
}

func (s *Stream) endLine(b []byte) []byte {
	s.cr = b[0] == '\r'
	s.line = lineStart
	return b[1:]
}

// lineEnd returns the position of the first CR or LF, len(b) if there is none.
// It looks at a window at a time, so that a file with CR alone is not searched
// for LF over and over.
func lineEnd(b []byte) int {
	const window = 4096
	for from := 0; from < len(b); from += window {
		w := b[from:min(from+window, len(b))]
		if n := bytes.IndexByte(w, '\n'); n >= 0 {
			w = w[:n]
		}
		if r := bytes.IndexByte(w, '\r'); r >= 0 {
			return from + r
		}
		if len(w) < window {
			return from + len(w)
		}
	}
	return len(b)
}

// dispatch ends a frame at its blank line.
func (s *Stream) dispatch() {
	p := s.frame
	if p == nil {
		return
	}
	switch {
	case p.lines > 0:
		s.event(p, s.classify(p))
	case p.comment:
		s.event(p, verdict{classes: SetOf(Heartbeat), name: "comment"})
	case p.other:
		s.event(p, verdict{name: "field"})
	}
	s.closed()
}

// endSSE ends the stream inside a frame. An event that only lacks its blank
// line counts; one that is cut does not.
func (s *Stream) endSSE() {
	p := s.frame
	if p == nil {
		return
	}
	whole := p.lines > 0 && (p.scan.complete() || p.nHead == 0 || string(p.head[:p.nHead]) == "[DONE]")
	switch {
	case whole && s.line != lineField:
		s.unterminated = true
		s.event(p, s.classify(p))
	case p.lines > 0 || p.other || s.line == lineField:
		s.truncated = true
	}
	s.closed()
}
