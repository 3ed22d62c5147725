package document

import (
	"bytes"
	"io"

	"ttdiag/ingest/source"
)

// Skip reads a value and keeps nothing of it. Inside objects and arrays it
// checks brackets and strings only.
func (r *Reader) Skip() error {
	c, ok := r.space()
	if !ok {
		return r.cut()
	}
	switch c {
	case '"':
		return r.skipString()
	case '{', '[':
		return r.skipNested()
	}
	_, err := r.literal(nil)
	return err
}

func (r *Reader) skipString() error {
	r.pos++
	quote := -1 // the next quote of the buffer, its end where there is none, -1 unknown
	for {
		if r.pos == r.end {
			if !r.fill() {
				return r.cut()
			}
			quote = -1
		}
		if quote < r.pos {
			if quote = bytes.IndexByte(r.buf[r.pos:r.end], '"'); quote < 0 {
				quote = r.end
			} else {
				quote += r.pos
			}
		}
		back := bytes.IndexByte(r.buf[r.pos:quote], '\\')
		stop := quote
		if back >= 0 {
			stop = r.pos + back
		}
		if i := bytes.IndexByte(r.buf[r.pos:stop], '\n'); i >= 0 {
			r.pos += i
			return r.bad(source.InvalidJSON)
		}
		switch r.pos = stop; {
		case back >= 0:
			if r.pos++; r.pos == r.end {
				if !r.fill() {
					return r.cut()
				}
				quote = -1
			}
			r.pos++
		case quote < r.end:
			r.pos++
			return nil
		}
	}
}

// skipNested skips an object or an array without recursion.
func (r *Reader) skipNested() error {
	var open [maxDepth]byte
	n := 0
	for {
		if !r.more() {
			return r.cut()
		}
		c := r.buf[r.pos]
		switch c {
		case '"':
			if err := r.skipString(); err != nil {
				return err
			}
			continue
		case '{', '[':
			if n == maxDepth {
				return r.bad(source.TooDeep)
			}
			open[n] = c + 2 // the bracket that closes it
			n++
		case '}', ']':
			if n--; open[n] != c {
				return r.bad(source.InvalidJSON)
			}
			if n == 0 {
				r.pos++
				return nil
			}
		}
		r.pos++
	}
}

// literal reads a number or a word and appends it to dst.
func (r *Reader) literal(dst []byte) ([]byte, error) {
	start := len(dst)
	for r.more() {
		c := r.buf[r.pos]
		if !isLiteral(c) {
			break
		}
		if len(dst)-start == maxLiteral {
			return dst, r.bad(source.InvalidJSON)
		}
		dst = append(dst, c)
		r.pos++
	}
	ended := r.pos == r.end
	switch {
	case ended && r.err != nil && r.err != io.EOF:
		return dst, r.err
	case validLiteral(dst[start:]):
		return dst, nil
	case ended:
		return dst, r.cut()
	}
	return dst, r.bad(source.InvalidJSON)
}

const maxLiteral = 512

func isLiteral(c byte) bool {
	return c-'0' < 10 || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '+' || c == '-' || c == '.'
}

// validLiteral accepts the words of JSON, those of Python and JavaScript for
// numbers that JSON has no spelling for, and what looks like a number: reading
// it tells the rest.
func validLiteral(lit []byte) bool {
	if len(lit) == 0 {
		return false
	}
	switch string(lit) {
	case "true", "false", "null", "NaN", "Infinity", "-Infinity", "-NaN":
		return true
	}
	digits := 0
	for i, c := range lit {
		switch {
		case c-'0' < 10:
			digits++
		case c == '-' && i == 0, c == '.', c == 'e', c == 'E':
		case c == '+' || c == '-':
			if i == 0 || lit[i-1]|0x20 != 'e' {
				return false
			}
		default:
			return false
		}
	}
	return digits > 0
}
