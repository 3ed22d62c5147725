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
