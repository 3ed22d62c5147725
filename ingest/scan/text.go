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
		if i = clean(b, i); i+8 > len(b) {
			return shortString(b, i, escaped)
		}
		w := binary.LittleEndian.Uint64(b[i:])
		hits := special(w)
	word:
		for hits != 0 {
			at := bits.TrailingZeros64(hits) &^ 7
			switch c := byte(w >> at); {
			case c == '"':
				return i + at>>3 + 1, escaped, OK
			case c == '\\':
				escaped = true
				k := i + at>>3
				if k+1 >= len(b) || !simple[b[k+1]] || at == 56 {
					if i, f = escape(b, k); f != OK {
						return i, escaped, f
					}
					break word
				}
				hits &^= 0xFFFF << at
			case c < 0x20:
				return i + at>>3, escaped, Syntax
			case c >= 0x80:
				if i, f = runes(b, i+at>>3); f != OK {
					return i, escaped, f
				}
				break word
			default: // a borrow made it look special
				hits &= hits - 1
			}
			if hits == 0 {
				i += 8
			}
		}
	}
}

// shortString goes on with a string in the last bytes of b.
func shortString(b []byte, i int, escaped bool) (end int, _ bool, f Fault) {
	for {
		i = Plain(b, i)
		if i >= len(b) {
			return len(b), escaped, Truncated
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, escaped, OK
		case c == '\\':
			escaped = true
			i, f = escape(b, i)
		case c < 0x20:
			return i, escaped, Syntax
		default:
			i, f = runes(b, i)
		}
		if f != OK {
			return i, escaped, f
		}
	}
}

// simple are the characters that make an escape with a backslash alone.
var simple = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// clean passes over words of eight bytes without anything special in them, long
// runs of them four at a time.
func clean(b []byte, i int) int {
	for n := 0; i+8 <= len(b) && special(binary.LittleEndian.Uint64(b[i:])) == 0; i += 8 {
		if n++; n == 16 {
			for ; i+32 <= len(b); i += 32 {
				w := (*[32]byte)(b[i:])
				if (marked(binary.LittleEndian.Uint64(w[0:]))|marked(binary.LittleEndian.Uint64(w[8:]))|
					marked(binary.LittleEndian.Uint64(w[16:]))|marked(binary.LittleEndian.Uint64(w[24:])))&highs != 0 {
					break
				}
			}
			i -= 8
		}
	}
	return i
}

// Plain returns the offset of the first byte from i on that a string may not
// simply hold: a quote, a backslash, a control character or what is not ASCII;
// len(b) where there is none. Long texts are read 32 bytes at a time.
func Plain(b []byte, i int) int {
	for short := i + 32; i+8 <= len(b) && i < short; i += 8 {
		if hits := special(binary.LittleEndian.Uint64(b[i:])); hits != 0 {
			return i + bits.TrailingZeros64(hits)>>3
		}
	}
	for ; i+32 <= len(b); i += 32 {
		w := (*[32]byte)(b[i:])
		if (marked(binary.LittleEndian.Uint64(w[0:]))|marked(binary.LittleEndian.Uint64(w[8:]))|
			marked(binary.LittleEndian.Uint64(w[16:]))|marked(binary.LittleEndian.Uint64(w[24:])))&highs != 0 {
			break
		}
	}
	for ; i+8 <= len(b); i += 8 {
		if hits := special(binary.LittleEndian.Uint64(b[i:])); hits != 0 {
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

// special sets the high bit of every byte of w that is a quote, a backslash, a
// control character or not ASCII: exactly for the lowest one, as a borrow only
// reaches bytes above it. Flipping the second bit puts the quote next to the
// control characters, so that one subtraction finds both.
func special(w uint64) uint64 { return marked(w) & highs }

// marked is special, with other bits set too.
func marked(w uint64) uint64 {
	return w | ((w ^ ones*0x02) - ones*0x21) | ((w ^ ones*'\\') - ones)
}

// runes passes over a run of characters that are not ASCII.
func runes(b []byte, i int) (int, Fault) {
	for i < len(b) && b[i] >= 0x80 {
		if i+8 <= len(b) {
			if n := plainRunes(binary.LittleEndian.Uint64(b[i:])); n > 0 {
				i += n
				continue
			}
		}
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

// plainRunes returns how many of the lowest bytes of w are two or one characters
// of three bytes, or one of two, whose first byte allows every second one; 0
// leaves it to a closer look.
func plainRunes(w uint64) int {
	const three, threes = 0xC0C0F0, 0xC0C0F0C0C0F0
	c := byte(w)
	switch {
	case w&three == 0x8080E0 && c != 0xE0 && c != 0xED:
		if c = byte(w >> 24); w&threes == 0x8080E08080E0 && c != 0xE0 && c != 0xED {
			return 6
		}
		return 3
	case w&0xC0E0 == 0x80C0 && c >= 0xC2:
		return 2
	}
	return 0
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
