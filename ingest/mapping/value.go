package mapping

import (
	"bytes"
	"strings"
	"time"

	"ttdiag/ingest/timeline"
)

// IsAbsent reports whether text is one of the spellings of absence.
func IsAbsent(text []byte, spellings []string) bool {
	for _, s := range spellings {
		if string(text) == s {
			return true
		}
	}
	return false
}

var goUnits = []struct {
	name string
	unit timeline.Unit
}{
	{"ns", timeline.Nanosecond}, {"us", timeline.Microsecond}, {"µs", timeline.Microsecond},
	{"μs", timeline.Microsecond}, {"ms", timeline.Millisecond}, {"s", timeline.Second},
	{"m", timeline.Minute}, {"h", timeline.Hour},
}

// GoDuration reads a duration as Go prints it ("812.345µs", "1m3.2s"), each
// number with its unit, and returns microseconds. A lone 0 needs no unit.
func GoDuration(lit []byte) (us int64, ok bool) {
	if string(lit) == "0" {
		return 0, true
	}
	negative := len(lit) > 0 && lit[0] == '-'
	if negative {
		lit = lit[1:]
	}
	if len(lit) == 0 {
		return 0, false
	}
	for len(lit) > 0 {
		n := 0
		for n < len(lit) && (lit[n]-'0' < 10 || lit[n] == '.') {
			n++
		}
		unit, rest := unitOf(lit[n:])
		if unit == 0 {
			return 0, false
		}
		part, p := timeline.Micros(lit[:n], unit)
		if p != timeline.ParsedOK || part > timeline.MaxMicros {
			return 0, false
		}
		if us += part; us > timeline.MaxMicros {
			return 0, false
		}
		lit = rest
	}
	if negative {
		us = -us
	}
	return us, true
}

// unitOf reads the unit at the start of b, the longest that fits: ms is not m.
func unitOf(b []byte) (timeline.Unit, []byte) {
	for _, u := range goUnits {
		if bytes.HasPrefix(b, []byte(u.name)) {
			if next := len(u.name); next == len(b) || b[next]-'0' < 10 || b[next] == '.' {
				return u.unit, b[next:]
			}
		}
	}
	return 0, nil
}

// Moment reads a point in time, as microseconds since 1970: a date as
// [timeline.ParseTimestamp] and [AccessLogTime] read it, or a number in unit (0
// tells by magnitude).
func Moment(lit []byte, unit timeline.Unit, zone *time.Location) (us int64, p timeline.Parsed) {
	if us, ok := timeline.ParseTimestamp(dashed(lit), zone); ok {
		return us, timeline.ParsedOK
	}
	if us, ok := AccessLogTime(lit); ok {
		return us, timeline.ParsedOK
	}
	if unit != 0 {
		return timeline.Micros(lit, unit)
	}
	return timeline.ParseEpoch(lit)
}

// dashed returns a date written with slashes, 2026/08/21 03:15:33, with dashes.
func dashed(lit []byte) []byte {
	if len(lit) < 19 || lit[4] != '/' || lit[7] != '/' {
		return lit
	}
	lit = bytes.Clone(lit)
	lit[4], lit[7] = '-', '-'
	return lit
}

const accessLogLayout = "02/Jan/2006:15:04:05 -0700"

// AccessLogTime reads a date as web servers write it into access logs:
// 21/Aug/2026:03:15:33 +0000.
func AccessLogTime(lit []byte) (us int64, ok bool) {
	if len(lit) != len(accessLogLayout) || lit[2] != '/' || lit[11] != ':' {
		return 0, false
	}
	t, err := time.Parse(accessLogLayout, string(lit))
	if err != nil {
		return 0, false
	}
	return t.UnixMicro(), true
}

// americanTime reads a date as JavaScript writes it for the locale en-US:
// 8/21/2026, 3:15:28 PM, with any kind of space before the half of the day.
func americanTime(lit []byte, zone *time.Location) (us int64, ok bool) {
	if zone == nil {
		zone = time.UTC
	}
	text := strings.Join(strings.Fields(string(lit)), " ")
	t, err := time.ParseInLocation("1/2/2006, 3:04:05 PM", text, zone)
	return t.UnixMicro(), err == nil
}

// PadMicros puts the leading zeros before the fraction of a date that was
// written as a bare number of microseconds: .5123Z is .005123Z. Anything else
// is returned as it is.
func PadMicros(date []byte) []byte {
	dot := bytes.IndexByte(date, '.')
	if dot < 0 {
		return date
	}
	end := dot + 1
	for end < len(date) && date[end]-'0' < 10 {
		end++
	}
	missing := 6 - (end - dot - 1)
	if missing <= 0 || missing == 6 {
		return date
	}
	padded := append([]byte(nil), date[:dot+1]...)
	padded = append(padded, "000000"[:missing]...)
	return append(padded, date[dot+1:]...)
}

// LastElement returns the last element of a list as nginx writes it: commas
// between the servers of a group, colons between groups.
func LastElement(list []byte) []byte {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == ',' || isGroupEnd(list, i) {
			return bytes.TrimSpace(list[i+1:])
		}
	}
	return bytes.TrimSpace(list)
}

// isGroupEnd reports whether list[i] is the colon of " : ". Addresses have
// colons too.
func isGroupEnd(list []byte, i int) bool {
	return list[i] == ':' && i > 0 && list[i-1] == ' ' && i+1 < len(list) && list[i+1] == ' '
}

// CountElements returns the number of elements of a list as nginx writes it.
func CountElements(list []byte) int {
	if len(bytes.TrimSpace(list)) == 0 {
		return 0
	}
	n := 1
	for i, c := range list {
		if c == ',' || isGroupEnd(list, i) {
			n++
		}
	}
	return n
}

// uuidTime returns the time in a version 7 UUID, which starts with 48 bits of
// milliseconds.
func uuidTime(id []byte) (us int64, ok bool) {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[14] != '7' {
		return 0, false
	}
	var ms int64
	for i, c := range id[:13] {
		if i == 8 {
			continue
		}
		switch {
		case '0' <= c && c <= '9':
			ms = ms<<4 | int64(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			ms = ms<<4 | int64(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return ms * 1000, true
}

// equal reports whether two values are the same number or time, or the same
// text.
func equal(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, ok := asNumber(a)
	if !ok {
		return false
	}
	y, ok := asNumber(b)
	return ok && x == y
}

func asNumber(lit []byte) (int64, bool) {
	if us, ok := timeline.ParseTimestamp(lit, time.UTC); ok {
		return us, true
	}
	v, p := timeline.ParseScaled(lit, 1e6, 1)
	return v, p == timeline.ParsedOK
}
