package stream

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"

	"ttdiag/ingest/scan"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// unquote decodes the JSON string whose text starts at b[i] to dst, until its
// closing quote or until dst has no room for another character. It returns the
// bytes written and the offset behind what was read, the quote included; open
// says that the string goes on. dst must be at least 16 bytes long.
func unquote(dst, b []byte, i int) (n, next int, open bool, f scan.Fault) {
	for {
		n, i = unquoteBlocks(dst, n, b, i)
		// Eight bytes at once, as far as they are plain: the word is written
		// whole, and only so many bytes of it count.
		for i+8 <= len(b) && n+8 <= len(dst) {
			w := binary.LittleEndian.Uint64(b[i:])
			binary.LittleEndian.PutUint64(dst[n:], w)
			hits := special(w)
			k := bits.TrailingZeros64(hits) >> 3 // 8 where there is no hit
			n, i = n+k, i+k
			if hits == 0 {
				continue
			}
			if b[i] != '\\' || i+1 >= len(b) || plainEscapes[b[i+1]] == 0 || n == len(dst) {
				break
			}
			dst[n] = plainEscapes[b[i+1]]
			n, i = n+1, i+2
		}
		switch {
		case i >= len(b):
			return n, len(b), false, scan.Truncated
		case n+8 > len(dst):
			return n, i, true, scan.OK
		}
		switch c := b[i]; {
		case c == '"':
			return n, i + 1, false, scan.OK
		case c == '\\':
			if n, i, f = unescape(dst, n, b, i); f != scan.OK {
				return n, i, false, f
			}
		case c < 0x20:
			return n, i, false, scan.Syntax
		default:
			dst[n] = c
			n, i = n+1, i+1
		}
	}
}

const span = 64

// unquoteBlocks decodes as far as whole blocks go that hold plain text and
// escapes of one character. It first finds all special bytes of a block, so
// that one escape need not wait for the one before.
func unquoteBlocks(dst []byte, n int, b []byte, i int) (int, int) {
	for i+span+8 <= len(b) && n+span+8 <= len(dst) {
		from := 0
		for mask := specials(b[i : i+span]); mask != 0; {
			at := bits.TrailingZeros64(mask)
			n = copyRun(dst, n, b, i+from, i+at)
			c := plainEscapes[b[i+at+1]]
			if b[i+at] != '\\' || c == 0 {
				return n, i + at
			}
			dst[n] = c
			n, from = n+1, at+2
			mask &^= 3 << at // the escape and what it escapes
		}
		if from < span {
			n = copyRun(dst, n, b, i+from, i+span)
		}
		i += max(from, span)
	}
	return n, i
}

// copyRun copies b[from:to] to dst[n:], eight bytes at a time and so up to seven
// too many, and returns the end of the copy.
func copyRun(dst []byte, n int, b []byte, from, to int) int {
	end := n + to - from
	for ; from < to; from, n = from+8, n+8 {
		binary.LittleEndian.PutUint64(dst[n:], binary.LittleEndian.Uint64(b[from:]))
	}
	return end
}

// specials returns which bytes of a block are a quote, a backslash or a control
// character; bit k is byte k.
func specials(b []byte) uint64 {
	const low = ^uint64(highs) // the seven low bits of each byte
	var mask uint64
	for k := 0; k < span; k += 8 {
		w := binary.LittleEndian.Uint64(b[k : k+8])
		quote, slash, control := w^ones*'"', w^ones*'\\', w&(ones*0xE0)
		// The high bit of a byte of none is clear exactly where the byte is 0.
		none := ((quote&low + low) | quote) & ((slash&low + low) | slash) & ((control&low + low) | control)
		mask |= (^none & highs * (0x0002040810204081) >> 56) << k
	}
	return mask
}

// plainEscapes are the escapes of one character.
var plainEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}

// special has the high bit of each byte set that is a quote, a backslash or a
// control character; exactly so for the lowest one.
func special(w uint64) uint64 {
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return ((w-ones*0x20)&^w | (quote-ones)&^quote | (slash-ones)&^slash) & highs
}

// unescape decodes the escape sequence at b[i].
func unescape(dst []byte, n int, b []byte, i int) (int, int, scan.Fault) {
	if i+1 >= len(b) {
		return n, len(b), scan.Truncated
	}
	c := b[i+1]
	if c == 'u' {
		return unescapeRune(dst, n, b, i)
	}
	if plainEscapes[c] == 0 {
		return n, i, scan.Syntax
	}
	dst[n] = plainEscapes[c]
	return n + 1, i + 2, scan.OK
}

func unescapeRune(dst []byte, n int, b []byte, i int) (int, int, scan.Fault) {
	r, f := fourDigits(b, i+2)
	if f != scan.OK {
		return n, i, f
	}
	i += 6
	if utf16.IsSurrogate(r) {
		low := rune(utf8.RuneError)
		if i+6 <= len(b) && b[i] == '\\' && b[i+1] == 'u' {
			if low, f = fourDigits(b, i+2); f != scan.OK {
				return n, i, f
			}
		}
		if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
			i += 6
		}
	}
	return n + utf8.EncodeRune(dst[n:], r), i, scan.OK
}

func fourDigits(b []byte, i int) (rune, scan.Fault) {
	if i+4 > len(b) {
		return 0, scan.Truncated
	}
	var r rune
	for _, c := range b[i : i+4] {
		d := hexDigit(c)
		if d < 0 {
			return 0, scan.Syntax
		}
		r = r<<4 | d
	}
	return r, scan.OK
}
