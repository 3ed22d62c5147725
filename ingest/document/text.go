package document

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"ttdiag/ingest/source"
)

// readString reads a string and appends it, unescaped, to dst as far as limit
// bytes go. fits is false for longer strings, which are read to their end all
// the same.
func (r *Reader) readString(dst []byte, limit int) (text []byte, fits bool, err error) {
	r.pos++
	fits = true
	start := len(dst)
	for {
		plain, end, err := r.run()
		if err != nil {
			return dst, false, err
		}
		if fits = fits && len(dst)-start+len(plain) <= limit; fits {
			dst = append(dst, plain...)
		}
		switch end {
		case '"':
			return dst, fits, nil
		case '\\':
			var escaped [4]byte
			n, err := r.escape(&escaped)
			if err != nil {
				return dst, false, err
			}
			if fits {
				dst = append(dst, escaped[:n]...)
			}
		}
	}
}

// run reads plain bytes of a string. end is the quote or backslash behind them,
// read as well, or 0 where the buffer ended first.
func (r *Reader) run() (plain []byte, end byte, err error) {
	if !r.more() {
		return nil, 0, r.cut()
	}
	chunk := r.buf[r.pos:r.end]
	n := plainRun(chunk)
	r.pos += n
	if n == len(chunk) {
		return chunk, 0, nil
	}
	if end = chunk[n]; end == '\n' {
		return nil, 0, r.bad(source.InvalidJSON)
	}
	r.pos++
	return chunk[:n], end, nil
}

// plainRun returns the number of bytes before the first that means something in
// a string. Strings that are read are short: a loop beats a search.
func plainRun(b []byte) int {
	for i, c := range b {
		if c == '"' || c == '\\' || c == '\n' {
			return i
		}
	}
	return len(b)
}

// escape reads what stands behind a backslash as UTF-8.
func (r *Reader) escape(out *[4]byte) (int, error) {
	if !r.more() {
		return 0, r.cut()
	}
	c := r.buf[r.pos]
	r.pos++
	switch c {
	case 'n':
		c = '\n'
	case 't':
		c = '\t'
	case 'r':
		c = '\r'
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case '"', '\\', '/':
	case 'u':
		code, err := r.unicode()
		if err != nil {
			return 0, err
		}
		return utf8.EncodeRune(out[:], code), nil
	default:
		r.pos--
		return 0, r.bad(source.InvalidJSON)
	}
	out[0] = c
	return 1, nil
}

// unicode reads the digits of \uXXXX, and a second \uXXXX where the first is
// half of a pair. A lone half becomes the replacement character.
func (r *Reader) unicode() (rune, error) {
	first, err := r.hex()
	if err != nil || !utf16.IsSurrogate(first) {
		return first, err
	}
	for r.end-r.pos < 2 && r.fill() {
	}
	if !bytes.HasPrefix(r.buf[r.pos:r.end], []byte(`\u`)) {
		return utf8.RuneError, nil
	}
	r.pos += 2
	second, err := r.hex()
	return utf16.DecodeRune(first, second), err
}

func (r *Reader) hex() (rune, error) {
	var v rune
	for range 4 {
		if !r.more() {
			return 0, r.cut()
		}
		c := r.buf[r.pos]
		switch {
		case c-'0' < 10:
			v = v<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			v = v<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, r.bad(source.InvalidJSON)
		}
		r.pos++
	}
	return v, nil
}
