package stream

import "unicode/utf8"

// escape is where the scanner stands inside an escape sequence of a captured
// string.
type escape struct {
	on     bool // after a backslash
	digits int  // hex digits still to come
	value  rune
	high   rune // the first half of a surrogate pair
}

// next takes one byte of a string. It returns a decoded rune, or -1 for the
// byte itself, and false while a sequence is open.
func (e *escape) next(c byte) (rune, bool) {
	switch {
	case e.digits > 0:
		return e.hex(c)
	case e.on:
		e.on = false
		switch c {
		case 'u':
			e.digits, e.value = 4, 0
			return 0, false
		case 'n':
			return '\n', true
		case 't':
			return '\t', true
		case 'r':
			return '\r', true
		case 'b':
			return '\b', true
		case 'f':
			return '\f', true
		}
		return -1, true
	case c == '\\':
		e.on = true
		return 0, false
	}
	return -1, true
}

func (e *escape) hex(c byte) (rune, bool) {
	d := hexDigit(c)
	if d < 0 {
		*e = escape{}
		return utf8.RuneError, true
	}
	e.value = e.value<<4 | d
	e.digits--
	if e.digits > 0 {
		return 0, false
	}
	switch v := e.value; {
	case v>>10 == 0xD800>>10:
		e.high = v
		return 0, false
	case v>>10 == 0xDC00>>10 && e.high != 0:
		v = (e.high-0xD800)<<10 + v - 0xDC00 + 0x10000
		e.high = 0
		return v, true
	default:
		return v, true
	}
}

func hexDigit(c byte) rune {
	switch {
	case c-'0' <= 9:
		return rune(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return -1
}
