package store

// scratch lends memory to what one segment is made of. It is not cleared.
type scratch struct {
	block []byte
	used  int
	more  int // bytes that were not in block
}

// bytes lends n bytes until reset, aligned for any number.
func (s *scratch) bytes(n int) []byte {
	const align = 64
	room := (n + align - 1) &^ (align - 1)
	if s.used+room > len(s.block) {
		s.more += room
		return make([]byte, n)
	}
	s.used += room
	return s.block[s.used-room : s.used-room+n : s.used]
}

// reset takes everything back.
func (s *scratch) reset() {
	if s.more > 0 {
		s.block = make([]byte, len(s.block)+s.more)
	}
	s.used, s.more = 0, 0
}
