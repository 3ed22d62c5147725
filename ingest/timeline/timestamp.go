package timeline

import "time"

// ParseEpoch reads a number since 1970-01-01T00:00:00Z in seconds,
// milliseconds, microseconds or nanoseconds, told apart by magnitude (years
// 1973 to 5138 are unambiguous), and returns microseconds.
func ParseEpoch(lit []byte) (int64, Parsed) {
	whole, p := ParseScaled(lit, 1, 1)
	if p != ParsedOK {
		return 0, p
	}
	unit := Nanosecond
	switch {
	case whole < 0:
		return 0, ParsedRange
	case whole < 1e11:
		unit = Second
	case whole < 1e14:
		unit = Millisecond
	case whole < 1e17:
		unit = Microsecond
	}
	return Micros(lit, unit)
}

// ParseTimestamp reads a date and time: RFC 3339, the same with a blank instead
// of the T or without a zone, and a fraction of any length after a dot or a
// comma. A time without a zone is taken to be in zone (UTC where nil). It
// returns microseconds since the epoch, later digits cut off.
func ParseTimestamp(b []byte, zone *time.Location) (int64, bool) {
	if len(b) < 19 || b[4] != '-' || b[7] != '-' || b[13] != ':' || b[16] != ':' {
		return 0, false
	}
	if c := b[10]; c != 'T' && c != 't' && c != ' ' {
		return 0, false
	}
	century, year := pair(b[0], b[1]), pair(b[2], b[3])
	month, day := pair(b[5], b[6]), pair(b[8], b[9])
	hour, minute, second := pair(b[11], b[12]), pair(b[14], b[15]), pair(b[17], b[18])
	if century > 99 || year > 99 {
		return 0, false
	}
	year += century * 100
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 60 {
		return 0, false
	}
	frac, rest, ok := parseFraction(b[19:])
	if !ok {
		return 0, false
	}
	offset, zoned, ok := parseZone(rest)
	if !ok {
		return 0, false
	}
	us := (daysFromCivil(year, month, day)*86400+hour*3600+minute*60+second)*1e6 + frac
	if zoned {
		return us - offset*1e6, true
	}
	if zone == nil || zone == time.UTC {
		return us, true
	}
	t := time.Date(int(year), time.Month(month), int(day), int(hour), int(minute), int(second), 0, zone)
	return t.Unix()*1e6 + frac, true
}

// pair returns the number that two digits spell, 1000 where one is none.
func pair(hi, lo byte) int64 {
	hi, lo = hi-'0', lo-'0'
	if hi > 9 || lo > 9 {
		return 1000
	}
	return int64(hi)*10 + int64(lo)
}

func digits(b []byte) (int64, bool) {
	var v int64
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	return v, true
}

// parseFraction reads ".123456789" as microseconds.
func parseFraction(b []byte) (us int64, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '.' && b[0] != ',' {
		return 0, b, true
	}
	i, scale := 1, int64(100_000)
	for ; i < len(b) && b[i]-'0' < 10; i++ {
		us += int64(b[i]-'0') * scale
		scale /= 10
	}
	return us, b[i:], i > 1
}

// parseZone reads "", "Z", " UTC", "+01:00", "+0100", "+01", with or without a
// blank before it. The offset is in seconds east.
func parseZone(b []byte) (offset int64, zoned, ok bool) {
	if len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	switch {
	case len(b) == 0:
		return 0, false, true
	case string(b) == "Z" || string(b) == "z" || string(b) == "UTC" || string(b) == "GMT":
		return 0, true, true
	case b[0] != '+' && b[0] != '-':
		return 0, false, false
	}
	neg := b[0] == '-'
	b = b[1:]
	var hour, minute []byte
	switch {
	case len(b) == 5 && b[2] == ':':
		hour, minute = b[:2], b[3:]
	case len(b) == 4:
		hour, minute = b[:2], b[2:]
	case len(b) == 2:
		hour = b
	default:
		return 0, false, false
	}
	h, ok1 := digits(hour)
	m, ok2 := digits(minute)
	if !ok1 || !ok2 || h > 23 || m > 59 {
		return 0, false, false
	}
	offset = h*3600 + m*60
	if neg {
		offset = -offset
	}
	return offset, true, true
}

func daysIn(year, month int64) int64 {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// daysFromCivil counts the days since 1970-01-01 of a proleptic Gregorian date,
// by the method of Howard Hinnant's "chrono-Compatible Low-Level Date
// Algorithms".
func daysFromCivil(y, m, d int64) int64 {
	if m <= 2 {
		y--
	}
	era := y / 400
	if y < 0 {
		era = (y - 399) / 400
	}
	yoe := y - era*400
	mp := (m + 9) % 12
	doy := (153*mp+2)/5 + d - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}
