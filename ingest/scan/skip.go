package scan

// MaxDepth is how many levels of arrays and objects a value may have.
const MaxDepth = 512

// Space returns the offset of the first byte from i on that is no JSON blank.
func Space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// Skip passes over the value that starts at b[i], after blanks, and returns the
// offset after it. On a fault end is the offset of the fault.
func Skip(b []byte, i int) (end int, f Fault) {
	i = Space(b, i)
	if i < len(b) && (b[i] == '{' || b[i] == '[') {
		return skipTree(b, i)
	}
	return scalar(b, i)
}

func scalar(b []byte, i int) (end int, f Fault) {
	if i >= len(b) {
		return len(b), Truncated
	}
	switch c := b[i]; c {
	case '"':
		end, _, f = String(b, i)
		return end, f
	case 't':
		return word(b, i, "true")
	case 'f':
		return word(b, i, "false")
	case 'n':
		return word(b, i, "null")
	}
	return Number(b, i)
}

func word(b []byte, i int, w string) (int, Fault) {
	if len(b)-i >= len(w) && string(b[i:i+len(w)]) == w {
		return i + len(w), OK
	}
	for k := range w {
		if i+k >= len(b) {
			return len(b), Truncated
		}
		if b[i+k] != w[k] {
			return i + k, Syntax
		}
	}
	return i, Syntax
}

// Number passes over the number that starts at b[i].
func Number(b []byte, i int) (end int, f Fault) {
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b):
		return len(b), Truncated
	case b[i] == '0':
		i++
	case b[i]-'1' < 9:
		i = decimals(b, i)
	default:
		return i, Syntax
	}
	if i < len(b) && b[i] == '.' {
		if i, f = someDigits(b, i+1); f != OK {
			return i, f
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return someDigits(b, i)
	}
	return i, OK
}

func decimals(b []byte, i int) int {
	for i < len(b) && b[i]-'0' < 10 {
		i++
	}
	return i
}

func someDigits(b []byte, i int) (int, Fault) {
	end := decimals(b, i)
	switch {
	case end > i:
		return end, OK
	case i >= len(b):
		return len(b), Truncated
	}
	return i, Syntax
}

// levels is a stack of what is open: a set bit is an object, a clear one an
// array.
type levels struct {
	depth int
	bits  [MaxDepth / 64]uint64
}

func (s *levels) push(object bool) bool {
	if s.depth == MaxDepth {
		return false
	}
	word, bit := s.depth/64, uint64(1)<<(s.depth%64)
	s.bits[word] &^= bit
	if object {
		s.bits[word] |= bit
	}
	s.depth++
	return true
}

func (s *levels) object() bool { return s.bits[(s.depth-1)/64]>>((s.depth-1)%64)&1 != 0 }

func skipTree(b []byte, i int) (end int, f Fault) {
	var open levels
	for {
		if i, f = enter(b, i, &open); f != OK {
			return i, f
		}
		// A value has ended: close what ends with it, or go on to the next one.
		for more := false; !more; {
			if open.depth == 0 {
				return i, OK
			}
			if i, more, f = leave(b, i, &open); f != OK {
				return i, f
			}
		}
	}
}

// enter passes over brackets until a scalar or an empty container has ended.
func enter(b []byte, i int, open *levels) (int, Fault) {
	for {
		i = Space(b, i)
		if i >= len(b) {
			return len(b), Truncated
		}
		c := b[i]
		if c != '{' && c != '[' {
			return scalar(b, i)
		}
		if !open.push(c == '{') {
			return i, Deep
		}
		i = Space(b, i+1)
		if i < len(b) && b[i] == c+2 { // the closing bracket
			open.depth--
			return i + 1, OK
		}
		if c == '{' {
			var f Fault
			if _, i, f = key(b, i); f != OK {
				return i, f
			}
		}
	}
}

// leave reads what follows a value: a comma (more is true, and i is at the next
// value) or a closing bracket.
func leave(b []byte, i int, open *levels) (next int, more bool, f Fault) {
	i = Space(b, i)
	if i >= len(b) {
		return len(b), false, Truncated
	}
	object := open.object()
	switch c := b[i]; {
	case c == ',' && object:
		_, i, f = key(b, Space(b, i+1))
		return i, true, f
	case c == ',':
		return i + 1, true, OK
	case c == '}' && object, c == ']' && !object:
		open.depth--
		return i + 1, false, OK
	}
	return i, false, Syntax
}

// name is a key as it stands in the input, without quotes.
type name struct {
	raw     []byte
	escaped bool
}

// key reads a key and the colon after it.
func key(b []byte, i int) (k name, next int, f Fault) {
	if i >= len(b) {
		return name{}, len(b), Truncated
	}
	if b[i] != '"' {
		return name{}, i, Syntax
	}
	end, escaped, f := String(b, i)
	if f != OK {
		return name{}, end, f
	}
	colon := Space(b, end)
	switch {
	case colon >= len(b):
		return name{}, len(b), Truncated
	case b[colon] != ':':
		return name{}, colon, Syntax
	}
	return name{b[i+1 : end-1], escaped}, colon + 1, OK
}
