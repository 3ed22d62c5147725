package accesslog

import (
	"bytes"

	"ttdiag/ingest/timeline"
)

// absentText reports whether v is how an access log writes that there is no
// value: nothing, or a single dash.
func absentText(v []byte) bool { return len(v) == 0 || len(v) == 1 && v[0] == '-' }

// number reads v in the given unit: microseconds of a duration, or with unit 0
// a plain count. Short literals, nearly all, take a quick way.
func number(v []byte, unit timeline.Unit) (int64, timeline.Parsed) {
	scale := int64(1000)
	if unit == 0 {
		unit, scale = 1, 1
	}
	if whole, frac, digits, ok := shortDecimal(v); ok && int64(unit)%scale == 0 {
		per := int64(unit) / scale
		for range digits {
			if per%10 != 0 {
				return timeline.ParseScaled(v, int64(unit), scale)
			}
			per /= 10
		}
		return whole*(int64(unit)/scale) + frac*per, timeline.ParsedOK
	}
	return timeline.ParseScaled(v, int64(unit), scale)
}

// shortDecimal reads up to nine digits, and up to three more after a dot.
func shortDecimal(v []byte) (whole, frac int64, digits int, ok bool) {
	i := 0
	for ; i < len(v) && v[i]-'0' < 10; i++ {
		whole = whole*10 + int64(v[i]-'0')
	}
	if i == 0 || i > 9 {
		return 0, 0, 0, false
	}
	if i == len(v) {
		return whole, 0, 0, true
	}
	digits = len(v) - i - 1
	if v[i] != '.' || digits < 1 || digits > 3 {
		return 0, 0, 0, false
	}
	for _, c := range v[i+1:] {
		if c-'0' > 9 {
			return 0, 0, 0, false
		}
		frac = frac*10 + int64(c-'0')
	}
	return whole, frac, digits, true
}

// status reads an HTTP status: three digits. It reports false for anything
// else; 000, 0 and a dash, for no status at all, are 0.
func status(v []byte) (code int64, ok bool) {
	switch string(v) {
	case "-", "0", "000", "-1":
		return 0, true
	}
	if len(v) != 3 || v[0]-'1' > 8 || v[1]-'0' > 9 || v[2]-'0' > 9 {
		return 0, false
	}
	return int64(v[0]-'0')*100 + int64(v[1]-'0')*10 + int64(v[2]-'0'), true
}

// goUnits are the units of Go's duration strings; the two spellings of micro
// are U+00B5 and U+03BC.
var goUnits = []struct {
	name string
	unit timeline.Unit
}{
	{"ns", timeline.Nanosecond},
	{"us", timeline.Microsecond}, {"\u00b5s", timeline.Microsecond}, {"\u03bcs", timeline.Microsecond},
	{"ms", timeline.Millisecond}, {"s", timeline.Second}, {"m", timeline.Minute}, {"h", timeline.Hour},
}

// goDuration reads a Go duration string (1m3.2s, 812.345µs, 6.43s, 0s) as
// microseconds, rounded to the nearest.
func goDuration(v []byte) (us int64, ok bool) {
	if string(v) == "0" {
		return 0, true
	}
	for len(v) > 0 {
		n := 0
		for n < len(v) && (v[n]-'0' < 10 || v[n] == '.') {
			n++
		}
		unit, size := goUnit(v[n:])
		if n == 0 || size == 0 {
			return 0, false
		}
		part, parsed := timeline.Micros(v[:n], unit)
		if parsed != timeline.ParsedOK || part < 0 || part > 1<<60 || us > 1<<60 {
			return 0, false
		}
		us += part
		v = v[n+size:]
		ok = true
	}
	return us, ok
}

func goUnit(v []byte) (unit timeline.Unit, size int) {
	n := 0
	for n < len(v) && v[n]-'0' > 9 && v[n] != '.' {
		n++
	}
	for _, u := range goUnits {
		if string(v[:n]) == u.name {
			return u.unit, n
		}
	}
	return 0, 0
}

// list is a value that nginx writes per attempt: ", " stands between the
// servers that were tried and " : " between server groups after an internal
// redirect.
type list []byte

// last returns the last element, that of the attempt which answered.
func (l list) last() []byte {
	for i := len(l) - 1; i > 0; i-- {
		if l[i] == ' ' && (l[i-1] == ',' || l[i-1] == ':') {
			return l[i+1:]
		}
	}
	return l
}

// len returns the number of elements.
func (l list) len() int64 {
	n := int64(1)
	for rest := []byte(l); ; n++ {
		i := bytes.IndexByte(rest, ' ')
		if i < 0 {
			return n
		}
		if i+1 < len(rest) && rest[i+1] == ':' { // " : " holds two blanks
			i++
			if i+1 < len(rest) {
				i++
			}
		}
		rest = rest[i+1:]
	}
}
