package jsonl

import (
	"encoding/binary"
	"math/bits"

	"ttdiag/ingest/scan"
	"ttdiag/ingest/timeline"
)

// set reads the value at b[i] into t's column. What a value usually looks like
// is read in place; everything else, with every fault, is left to any.
func (p *parser) set(b []byte, i int, t *target) (end int, f scan.Fault) {
	switch t.use {
	case number:
		if mant, frac, end := decimal(b, i); end > 0 {
			p.row.SetDecimal(t.column, mant, t.exp-frac)
			return end, scan.OK
		}
	case text:
		if end := plainText(b, i); end > 0 {
			p.row.SetText(t.column, b[i+1:end])
			return end + 1, scan.OK
		}
	case moment:
		if end := plainText(b, i); end > 0 {
			if us, ok := timeline.ParseTimestamp(b[i+1:end], p.zone); ok {
				p.row.SetNum(t.column, us)
				return end + 1, scan.OK
			}
		}
	case flag:
		switch {
		case len(b)-i > 4 && string(b[i:i+4]) == "true":
			p.row.SetNum(t.column, 1)
			return i + 4, scan.OK
		case len(b)-i > 5 && string(b[i:i+5]) == "false":
			p.row.SetNum(t.column, 0)
			return i + 5, scan.OK
		}
	}
	return p.any(b, i, t)
}

// plainText returns the offset of the closing quote of a string of nothing but
// plain characters, 0 where there is something else.
func plainText(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return 0
	}
	if i = scan.Plain(b, i+1); i < len(b) && b[i] == '"' {
		return i
	}
	return 0
}

// decimal reads an unsigned number of up to seven digits, and up to seven more
// after a point, without an exponent. end is 0 where b[i] is not that, or where
// the number may not end there.
func decimal(b []byte, i int) (mant uint64, frac, end int) {
	if i+16 > len(b) {
		return slowDecimal(b, i)
	}
	w := binary.LittleEndian.Uint64(b[i:])
	others := notDigits(w)
	n := bits.TrailingZeros64(others) >> 3
	if n == 0 || n == 8 || n > 1 && b[i] == '0' {
		return slowDecimal(b, i)
	}
	end = i + n
	if b[end] == '.' {
		if others &= others - 1; others == 0 {
			return longDecimal(b, i, n)
		}
		// The number and its end are in w: take the point out.
		all := bits.TrailingZeros64(others) >> 3
		frac, end = all-n-1, i+all
		if frac == 0 {
			return 0, 0, 0
		}
		whole := uint64(1)<<(8*n) - 1
		w = w&whole | w>>8&^whole
		n += frac
	}
	if c := b[end]; c != ',' && c != '}' {
		return 0, 0, 0
	}
	return digitsValue(w, n), frac, end
}

// longDecimal is decimal for n digits and a point whose fraction ends beyond
// eight bytes; there are sixteen.
func longDecimal(b []byte, i, n int) (mant uint64, frac, end int) {
	w := binary.LittleEndian.Uint64(b[i+n+1:])
	frac = bits.TrailingZeros64(notDigits(w)) >> 3
	if frac == 0 || frac == 8 {
		return slowDecimal(b, i)
	}
	end = i + n + 1 + frac
	if b[end] != ',' && b[end] != '}' {
		return 0, 0, 0
	}
	return digitsValue(binary.LittleEndian.Uint64(b[i:]), n)*tens[frac] + digitsValue(w, frac), frac, end
}

var tens = [8]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// notDigits sets the high bit of every byte of w that is no digit: exactly up to
// and with the lowest one, and beyond it where that is a point. A carry only
// comes from bytes far above the digits.
func notDigits(w uint64) uint64 {
	w ^= ones * '0'
	return (w | (w + ones*0x76)) & highs
}

// digitsValue returns the number that the lowest n bytes of w spell, 1 <= n <= 8.
// Two digits, then two pairs, then two fours are joined at once, as in Lemire,
// "Quickly parsing eight digits" (2018).
func digitsValue(w uint64, n int) uint64 {
	w = (w ^ ones*'0') << (64 - 8*n)
	w = w*10 + w>>8
	return ((w&0x000000FF000000FF)*(100+1000000<<32) + (w>>16&0x000000FF000000FF)*(1+10000<<32)) >> 32
}

// slowDecimal is decimal for up to 18 digits, one at a time.
func slowDecimal(b []byte, i int) (mant uint64, frac, end int) {
	start := i
	for i < len(b) && b[i]-'0' < 10 {
		mant = mant*10 + uint64(b[i]-'0')
		i++
	}
	digits := i - start
	if digits == 0 || digits > 1 && b[start] == '0' {
		return 0, 0, 0
	}
	if i < len(b) && b[i] == '.' {
		point := i
		for i++; i < len(b) && b[i]-'0' < 10; i++ {
			mant = mant*10 + uint64(b[i]-'0')
		}
		if frac = i - point - 1; frac == 0 {
			return 0, 0, 0
		}
	}
	if digits+frac > 18 || i >= len(b) || b[i] != ',' && b[i] != '}' {
		return 0, 0, 0
	}
	return mant, frac, i
}

func (p *parser) any(b []byte, i int, t *target) (end int, f scan.Fault) {
	i = scan.Space(b, i)
	if end, f = scan.Skip(b, i); f == scan.OK {
		p.put(scan.ValueOf(b[i:end]), t)
	}
	return end, f
}

// put sets t's column from a value of any kind; null leaves it absent.
func (p *parser) put(v scan.Value, t *target) {
	switch {
	case v.Kind == scan.Null || v.Kind == scan.Text && len(v.Raw) == 0:
	case v.Kind == scan.Text || v.Kind == scan.Num || v.Kind == scan.Bool && t.use == flag:
		p.row.Parse(t.column, p.plain(v.Raw, v.Escaped), t.unit, p.zone)
	default:
		p.row.Refuse(t.column, timeline.BadValue)
	}
}

// plain returns the text between two quotes. It stays as it is until the next
// line.
func (p *parser) plain(raw []byte, escaped bool) []byte {
	if !escaped {
		return raw
	}
	start := len(p.scratch)
	p.scratch = scan.Unescape(p.scratch, raw)
	return p.scratch[start:len(p.scratch):len(p.scratch)]
}
