package scan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// String passes over the string whose opening quote is b[i] and returns the
// offset after its closing quote, and whether it holds an escape. On a fault
// end is the offset of the fault.
func String(b []byte, i int) (end int, escaped bool, f Fault) {
	i++
	for {
		i = plain(b, i)
		if i >= len(b) {
			return len(b), escaped, Truncated
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, escaped, OK
		case c == '\\':
			escaped = true
			if i, f = escape(b, i); f != OK {
				return i, escaped, f
			}
		case c < 0x20:
			return i, escaped, Syntax
		default:
			if i, f = runes(b, i); f != OK {
				return i, escaped, f
			}
		}
	}
}

// plain returns the offset of the first byte from i on that is a quote, a
// backslash, a control character or not ASCII. It looks at eight bytes at once:
// a byte's high bit in hits is set where it is one of them, exactly for the
// lowest hit (a borrow only reaches bytes above a hit).
func plain(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		quote := w ^ ones*'"'
		slash := w ^ ones*'\\'
		hits := (w | (w - ones*0x20) | (quote - ones) | (slash - ones)) & highs
		if hits != 0 {
			return i + bits.TrailingZeros64(hits)>>3
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || c < 0x20 || c >= 0x80 {
			break
		}
	}
	return i
}

// runes passes over a run of characters that are not ASCII.
func runes(b []byte, i int) (int, Fault) {
	for i < len(b) && b[i] >= 0x80 {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size <= 1 {
			if !utf8.FullRune(b[i:]) {
				return i, Truncated
			}
			return i, UTF8
		}
		i += size
	}
	return i, OK
}

func escape(b []byte, i int) (int, Fault) {
	if i+1 >= len(b) {
		return len(b), Truncated
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, OK
	case 'u':
		for k := i + 2; k < i+6; k++ {
			if k >= len(b) {
				return len(b), Truncated
			}
			if hexDigit(b[k]) > 15 {
				return k, Syntax
			}
		}
		return i + 6, OK
	}
	return i, Syntax
}

func hexDigit(c byte) uint16 {
	switch {
	case '0' <= c && c <= '9':
		return uint16(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return uint16(c|0x20-'a') + 10
	}
	return 16
}

func hex4(b []byte) rune {
	return rune(hexDigit(b[0])<<12 | hexDigit(b[1])<<8 | hexDigit(b[2])<<4 | hexDigit(b[3]))
}

// Unescape appends the text of raw, the inside of a string that String has
// passed, to dst. Half a surrogate pair becomes U+FFFD.
func Unescape(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		c := raw[i]
		if c != '\\' {
			dst = append(dst, c)
			i++
			continue
		}
		if c = raw[i+1]; c != 'u' {
			dst = append(dst, unescaped(c))
			i += 2
			continue
		}
		r := hex4(raw[i+2:])
		i += 6
		if utf16.IsSurrogate(r) {
			low := rune(utf8.RuneError)
			if i+6 <= len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
				low = hex4(raw[i+2:])
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				i += 6
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}
