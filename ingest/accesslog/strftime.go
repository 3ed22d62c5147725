package accesslog

import (
	"bytes"
	"time"
)

// strftime reads v by a pattern of strftime with the additions of Envoy: %3f to
// %9f for a fraction of that many digits, %f for nanoseconds. ok is false where
// v does not follow the pattern or no date comes of it.
func (c *clock) strftime(pattern string, v []byte) (us int64, ok bool) {
	m := moment{month: 1, day: 1}
	for len(pattern) > 0 {
		if pattern[0] != '%' || len(pattern) == 1 {
			if len(v) == 0 || v[0] != pattern[0] {
				return 0, false
			}
			pattern, v = pattern[1:], v[1:]
			continue
		}
		digits := 0
		k := 1
		for k < len(pattern)-1 && (pattern[k]-'0' < 10 || pattern[k] == 'E' || pattern[k] == '*') {
			if d := pattern[k] - '0'; d < 10 {
				digits = int(d)
			}
			k++
		}
		if v, ok = m.take(pattern[k], digits, v); !ok {
			return 0, false
		}
		pattern = pattern[k+1:]
	}
	return m.micros(c.zone), len(v) == 0 && m.valid()
}

// moment is a date on its way from text.
type moment struct {
	year, month, day, hour, minute, second int
	fraction                               int64 // microseconds
	epoch                                  int64
	isEpoch, zoned, pm, twelve             bool
	offset                                 int // seconds east
}

func (m *moment) valid() bool {
	return m.month-1 < 12 && m.month > 0 && m.day > 0 && m.day < 32 && m.hour < 24 && m.minute < 60 && m.second < 61
}

func (m *moment) micros(zone *time.Location) int64 {
	if m.isEpoch {
		return m.epoch*1e6 + m.fraction
	}
	switch {
	case m.zoned:
		zone = time.FixedZone("", m.offset)
	case zone == nil:
		zone = time.UTC
	}
	hour := m.hour
	if m.twelve {
		hour = hour%12 + map[bool]int{true: 12}[m.pm]
	}
	return time.Date(m.year, time.Month(m.month), m.day, hour, m.minute, m.second, 0, zone).Unix()*1e6 + m.fraction
}

// take reads what one conversion stands for off the front of v.
func (m *moment) take(conversion byte, digits int, v []byte) (rest []byte, ok bool) {
	switch conversion {
	case 'Y':
		return takeInt(v, 4, &m.year)
	case 'm':
		return takeInt(v, 2, &m.month)
	case 'd', 'e':
		return takeInt(bytes.TrimLeft(v, " "), 2, &m.day)
	case 'H':
		return takeInt(v, 2, &m.hour)
	case 'I':
		m.twelve = true
		return takeInt(v, 2, &m.hour)
	case 'M':
		return takeInt(v, 2, &m.minute)
	case 'S':
		return takeInt(v, 2, &m.second)
	case 'b', 'h':
		return m.takeMonth(v)
	case 'f':
		return m.takeFraction(v)
	}
	return m.takeRare(conversion, v)
}

func (m *moment) takeRare(conversion byte, v []byte) (rest []byte, ok bool) {
	switch conversion {
	case 'F':
		return m.takeAll("Y-m-d", v)
	case 'T':
		return m.takeAll("H:M:S", v)
	case 'R':
		return m.takeAll("H:M", v)
	case 's':
		m.isEpoch = true
		n := 0
		for n < len(v) && n < 12 && v[n]-'0' < 10 {
			m.epoch = m.epoch*10 + int64(v[n]-'0')
			n++
		}
		return v[n:], n > 0
	case 'p':
		m.pm = len(v) > 0 && v[0]|0x20 == 'p'
		return v[min(2, len(v)):], len(v) >= 2
	case 'z':
		return m.takeZone(v)
	case 'Z':
		return m.takeZoneName(v)
	case 'a':
		return v[min(3, len(v)):], len(v) >= 3
	case '%':
		return v[min(1, len(v)):], len(v) > 0 && v[0] == '%'
	}
	return v, false
}

// takeAll reads a run of conversions, each one letter, with the texts between.
func (m *moment) takeAll(pattern string, v []byte) (rest []byte, ok bool) {
	for i := range len(pattern) {
		if c := pattern[i]; c|0x20 >= 'a' && c|0x20 <= 'z' {
			if v, ok = m.take(c, 0, v); !ok {
				return v, false
			}
			continue
		}
		if len(v) == 0 || v[0] != pattern[i] {
			return v, false
		}
		v = v[1:]
	}
	return v, true
}

func (m *moment) takeMonth(v []byte) (rest []byte, ok bool) {
	if len(v) < 3 {
		return v, false
	}
	m.month = int(monthNamed(v[:3]))
	return v[3:], m.month != 0
}

func (m *moment) takeFraction(v []byte) (rest []byte, ok bool) {
	n, scale := 0, int64(100_000)
	for n < len(v) && v[n]-'0' < 10 {
		m.fraction += int64(v[n]-'0') * scale
		scale /= 10
		n++
	}
	return v[n:], n > 0
}

func (m *moment) takeZone(v []byte) (rest []byte, ok bool) {
	if len(v) >= 1 && v[0] == 'Z' {
		m.zoned = true
		return v[1:], true
	}
	if len(v) < 5 || v[0] != '+' && v[0] != '-' {
		return v, false
	}
	var hour, minute int
	rest, ok = takeInt(v[1:], 2, &hour)
	if ok && len(rest) > 0 && rest[0] == ':' {
		rest = rest[1:]
	}
	if ok {
		rest, ok = takeInt(rest, 2, &minute)
	}
	m.zoned, m.offset = true, hour*3600+minute*60
	if v[0] == '-' {
		m.offset = -m.offset
	}
	return rest, ok
}

// takeZoneName reads the name of a zone. Only UTC says what it means.
func (m *moment) takeZoneName(v []byte) (rest []byte, ok bool) {
	n := 0
	for n < len(v) && v[n]|0x20 >= 'a' && v[n]|0x20 <= 'z' {
		n++
	}
	switch string(v[:n]) {
	case "UTC", "GMT", "Z":
		m.zoned = true
	}
	return v[n:], n > 0
}

// takeInt reads up to n digits.
func takeInt(v []byte, n int, to *int) (rest []byte, ok bool) {
	k, value := 0, 0
	for k < n && k < len(v) && v[k]-'0' < 10 {
		value = value*10 + int(v[k]-'0')
		k++
	}
	*to = value
	return v[k:], k > 0
}
