package report

import (
	"math"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"ttdiag/diagnose"
	"ttdiag/rules"
)

// encoder appends strict JSON (RFC 8259). Keys come out in the order in which
// they are written; what is absent is not written.
type encoder struct {
	b     []byte
	comma bool
}

func (e *encoder) sep() {
	if e.comma {
		e.b = append(e.b, ',')
	}
	e.comma = true
}

func (e *encoder) key(k string) {
	e.sep()
	e.b = append(e.b, '"')
	e.b = append(e.b, k...)
	e.b = append(e.b, '"', ':')
	e.comma = false
}

func (e *encoder) open(c byte) {
	e.sep()
	e.b = append(e.b, c)
	e.comma = false
}

func (e *encoder) close(c byte) {
	e.b = append(e.b, c)
	e.comma = true
}

// object writes key:{…}.
func (e *encoder) object(key string, fill func()) {
	e.key(key)
	e.open('{')
	fill()
	e.close('}')
}

// array writes key:[…].
func (e *encoder) array(key string, n int, element func(i int)) {
	e.key(key)
	e.open('[')
	for i := range n {
		element(i)
	}
	e.close(']')
}

// item writes one {…} of an array.
func (e *encoder) item(fill func()) {
	e.open('{')
	fill()
	e.close('}')
}

func (e *encoder) str(key, v string) {
	e.key(key)
	e.text(v)
}

// optional writes key:"v" unless v is empty.
func (e *encoder) optional(key, v string) {
	if v != "" {
		e.str(key, v)
	}
}

func (e *encoder) strs(key string, list []string) {
	e.array(key, len(list), func(i int) { e.text(list[i]) })
}

func (e *encoder) integer(key string, v int64) {
	e.key(key)
	e.sep()
	e.b = strconv.AppendInt(e.b, v, 10)
}

func (e *encoder) boolean(key string, v bool) {
	e.key(key)
	e.sep()
	e.b = strconv.AppendBool(e.b, v)
}

func (e *encoder) null(key string) {
	e.key(key)
	e.sep()
	e.b = append(e.b, "null"...)
}

// float writes a finite number with at most digits significant digits, and
// nothing for any other.
func (e *encoder) float(key string, v float64, digits int) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	e.key(key)
	e.sep()
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	e.b = strconv.AppendFloat(e.b, rounded, 'f', -1, 64)
}

// share writes count/n, and nothing for n = 0.
func (e *encoder) share(key string, count, n int64) {
	if n > 0 {
		e.float(key, float64(count)/float64(n), 6)
	}
}

// number writes a whole number that is kept in the given unit.
func (e *encoder) number(key string, v int64, unit rules.Unit) {
	e.key(key)
	e.sep()
	switch unit {
	case rules.Flag:
		e.b = strconv.AppendBool(e.b, v != 0)
	case rules.Timestamp:
		e.b = append(appendTime(append(e.b, '"'), v), '"')
	default:
		e.b = diagnose.AppendScaled(e.b, v, unit.Scale())
	}
}

func (e *encoder) value(v diagnose.Value) {
	if v.Unit == rules.Text {
		e.str(v.Name, v.Text)
		return
	}
	e.number(v.Name, v.Num, v.Unit)
}

// appendTime appends µs since the epoch as RFC 3339 in UTC, with as many
// decimals as it has.
func appendTime(to []byte, us int64) []byte {
	return time.UnixMicro(us).UTC().AppendFormat(to, "2006-01-02T15:04:05.999999Z07:00")
}

// text writes a JSON string. Characters that a terminal could take for a command
// are escaped, not only those that JSON demands.
func (e *encoder) text(s string) {
	e.sep()
	e.b = append(e.b, '"')
	start := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
				i++
				continue
			}
			e.b = append(e.b, s[start:i]...)
			e.b = appendEscaped(e.b, rune(c))
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) {
			e.b = append(e.b, s[start:i]...)
			e.b = appendEscaped(e.b, r)
			start = i + size
		}
		i += size
	}
	e.b = append(append(e.b, s[start:]...), '"')
}

func appendEscaped(to []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(to, '\\', byte(r))
	case '\n':
		return append(to, '\\', 'n')
	case '\t':
		return append(to, '\\', 't')
	}
	if r > 0xffff {
		r -= 0x10000
		return appendUnit(appendUnit(to, 0xd800+r>>10), 0xdc00+r&0x3ff)
	}
	return appendUnit(to, r)
}

func appendUnit(to []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(to, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
