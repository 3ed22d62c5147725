package stream

import "bytes"

// skipContainer reads to the end of a container that no path names.
func (x *scanner) skipContainer(b []byte, i int) int {
	for i < len(b) {
		if x.state == inSkipped {
			var open bool
			if i, open = stringEnd(b, i, &x.esc.on); open {
				return i
			}
			x.state = inSkip
			continue
		}
		c := b[i]
		i++
		switch c {
		case '"':
			x.state = inSkipped
		case '{', '[':
			x.skip++
		case '}', ']':
			x.skip--
			if x.skip == 0 {
				x.ended()
				return i
			}
		}
	}
	return i
}

// skipString reads to the end of a string that nothing more is asked of.
func (x *scanner) skipString(b []byte, i int) int {
	i, open := stringEnd(b, i, &x.esc.on)
	if open {
		x.state = inString
		return i
	}
	x.ended()
	return i
}

// stringEnd returns the position behind the closing quote, or the end of b and
// true. odd says that the byte at i is escaped, and at the end of b that the
// next one is.
func stringEnd(b []byte, i int, odd *bool) (int, bool) {
	if j := quoteAt(b[:min(len(b), i+32)], i); !*odd && j < len(b) && j < i+32 && b[j] == '"' { // a short one
		return j + 1, false
	}
	if *odd && i < len(b) {
		*odd = false
		i++
	}
	from := i
	for {
		j := bytes.IndexByte(b[i:], '"')
		end := i + j
		if j < 0 {
			end = len(b)
		}
		slashes := 0
		for k := end - 1; k >= from && b[k] == '\\'; k-- {
			slashes++
		}
		if j < 0 {
			*odd = slashes&1 != 0
			return end, true
		}
		if slashes&1 == 0 {
			return end + 1, false
		}
		i = end + 1
		from = i
	}
}
