package export

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf8"

	"ttdiag/ingest/timeline"
)

// Schema names the layout of a record in every kind of file.
const Schema = timeline.RecordSchema

// appendJSON appends each row as an object, with the keys that have a value.
func appendJSON(to []byte, b *timeline.Batch) []byte {
	present := b.Present()
	for i := range b.Len() {
		to = append(to, `{"schema":"`+Schema+`"`...)
		for c := range present.All {
			if !b.Has(c, i) {
				continue
			}
			to = append(to, ',', '"')
			to = append(to, c.String()...)
			to = append(to, '"', ':')
			switch {
			case c == timeline.ColApprox: // it is JSON
				to = append(to, b.Text(c, i)...)
			case c.IsText():
				to = appendQuoted(to, b.Text(c, i))
			case c == timeline.ColTimestamp:
				to = append(to, '"')
				to = appendNumber(to, b, c, i)
				to = append(to, '"')
			default:
				to = appendNumber(to, b, c, i)
			}
		}
		to = append(to, '}', '\n')
	}
	return to
}

func appendHeader(to []byte) []byte {
	for c := range timeline.Column(timeline.NumColumns) {
		if c > 0 {
			to = append(to, ',')
		}
		to = append(to, c.String()...)
	}
	return append(to, '\n')
}

// appendCSV appends each row as RFC 4180 has it, but with a bare line feed.
func appendCSV(to []byte, b *timeline.Batch) []byte {
	for i := range b.Len() {
		for c := range timeline.Column(timeline.NumColumns) {
			if c > 0 {
				to = append(to, ',')
			}
			switch {
			case !b.Has(c, i):
			case c.IsText():
				to = appendCell(to, b.Text(c, i))
			default:
				to = appendNumber(to, b, c, i)
			}
		}
		to = append(to, '\n')
	}
	return to
}

func appendCell(to []byte, s string) []byte {
	if !bytes.ContainsAny([]byte(s), "\",;|\t\r\n") {
		return append(to, s...)
	}
	to = append(to, '"')
	for i := range len(s) {
		if s[i] == '"' {
			to = append(to, '"')
		}
		to = append(to, s[i])
	}
	return append(to, '"')
}

// appendNumber appends a numeric value: a flag as a word, a timestamp as a date in
// UTC, a part of a unit behind the point.
func appendNumber(to []byte, b *timeline.Batch, c timeline.Column, i int) []byte {
	v, _ := b.Num(c, i)
	switch c.Info().Kind {
	case timeline.KindFlag:
		return strconv.AppendBool(to, v != 0)
	case timeline.KindTimestamp:
		return time.UnixMicro(v).UTC().AppendFormat(to, "2006-01-02T15:04:05.999999Z")
	}
	scale := timeline.PlainScale(c)
	if v < 0 {
		to, v = append(to, '-'), -v
	}
	to = strconv.AppendInt(to, v/scale, 10)
	part := v % scale
	if part != 0 {
		to = append(to, '.')
	}
	for part != 0 {
		part *= 10
		to = append(to, byte('0'+part/scale))
		part %= scale
	}
	return to
}

// appendQuoted appends a JSON string. Characters that a terminal or a script in a
// page would take for something else are escaped.
func appendQuoted(to []byte, s string) []byte {
	const hex = "0123456789abcdef"
	to = append(to, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			to = append(to, '\\', byte(r))
		case r < 0x20 || r >= 0x7f && r < 0xa0 || r == '<' || r == '>' || r == '&' || r == 0x2028 || r == 0x2029:
			to = append(to, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			to = utf8.AppendRune(to, r)
		}
	}
	return append(to, '"')
}
