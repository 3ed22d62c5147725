package stream

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
