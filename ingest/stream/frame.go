package stream

import "bytes"

// framing is how a stream's bytes divide into events.
type framing uint8

const (
	undecided framing = iota
	sseFrames
	jsonFrames // JSON objects, one per line or as the elements of an array
)

// lineState is where the framing stands between two bytes.
type lineState uint8

const (
	lineStart lineState = iota
	lineField           // inside a field's name
	lineSpace           // after the colon: one space is no part of the value
	lineData            // inside the value of data
	lineName            // inside the value of event
	lineSkip            // inside a comment or a field that is not read
)

// frame is the event that is being read. Between events a stream has none.
type frame struct {
	scan    scanner
	field   [8]byte // name of the field at hand
	nField  int
	name    [64]byte // value of event
	nName   int
	long    bool // the name is longer
	lines   int  // data lines
	comment bool
	other   bool // a field that is not data
	size    int64
	head    [8]byte // first bytes of the data, for [DONE] and stray comments
	nHead   int
}

func (p *frame) reset() {
	p.scan.reset()
	p.nField, p.nName, p.long, p.lines, p.comment, p.other, p.size, p.nHead = 0, 0, false, 0, false, false, 0, 0
}

// data takes a piece of the event's data.
func (p *frame) data(b []byte) {
	p.size += int64(len(b))
	switch {
	case p.nHead == 0 && len(b) >= len(p.head) && b[0] == '{':
		p.nHead = copy(p.head[:], b)
	case p.nHead < len(p.head):
		p.nHead += copy(p.head[p.nHead:], bytes.TrimLeft(b, " \t\n"))
	}
	for len(b) > 0 && p.scan.state != broken {
		b = b[p.scan.feed(b):]
		if p.scan.state == afterTop {
			if len(bytes.TrimLeft(b, " \t\r\n")) > 0 {
				p.scan.state = broken
			}
			return
		}
	}
}

// desk lends frames to the streams of one goroutine, so that a stream between
// two events holds none.
type desk struct{ free []*frame }

func (d *desk) take() *frame {
	n := len(d.free)
	if n == 0 {
		p := new(frame)
		p.reset()
		return p
	}
	p := d.free[n-1]
	d.free = d.free[:n-1]
	p.reset()
	return p
}

func (d *desk) give(p *frame) {
	if len(d.free) < 64 {
		d.free = append(d.free, p)
	}
}

// opened returns the frame at hand.
func (s *Stream) opened() *frame {
	if s.frame == nil {
		s.frame = s.desk.take()
		s.frame.scan.tags = s.tags
	}
	return s.frame
}

func (s *Stream) closed() {
	s.desk.give(s.frame)
	s.frame = nil
}

const byteOrderMark = "\xEF\xBB\xBF"

// decide tells the framing from the first byte that is neither a byte order
// mark nor whitespace, and returns the rest.
func (s *Stream) decide(b []byte) []byte {
	for i, c := range b {
		if int(s.mark) < len(byteOrderMark) && c == byteOrderMark[s.mark] {
			s.mark++
			continue
		}
		if s.mark > 0 && int(s.mark) < len(byteOrderMark) { // the start of a mark, but none
			s.framing = sseFrames
			return b[i:]
		}
		s.mark = uint8(len(byteOrderMark))
		switch {
		case c == '{':
			s.framing = jsonFrames
			return b[i:]
		case c == '[':
			s.framing, s.array = jsonFrames, true
			return b[i+1:]
		case !space(c):
			s.framing = sseFrames
			return b[i:]
		}
	}
	return nil
}

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

// json reads JSON objects. Between them commas, brackets and whitespace may
// stand; anything else is skipped to the end of its line.
func (s *Stream) json(b []byte) {
	for len(b) > 0 {
		if s.frame == nil {
			b = s.betweenObjects(b)
			continue
		}
		p := s.frame
		n := p.scan.feed(b)
		p.size += int64(n)
		b = b[n:]
		s.left = len(b)
		switch p.scan.state {
		case afterTop:
			s.event(p, s.classify(p))
			s.closed()
		case broken:
			s.malformed++
			s.line = lineSkip
			s.closed()
		}
	}
}

func (s *Stream) betweenObjects(b []byte) []byte {
	for i, c := range b {
		switch {
		case s.line == lineSkip:
			if c == '\n' {
				s.line = lineStart
			}
		case c == '{':
			p := s.opened()
			p.head[0], p.nHead = c, 1
			return b[i:]
		case c == ',' || c == '[' || c == ']' || c == 0x1E || space(c):
		default:
			s.malformed++
			s.line = lineSkip
		}
	}
	return nil
}
