package timeline

import (
	"bytes"
	"time"
)

// MaxText is the longest text, in bytes, that a column keeps. Longer text is
// absent with the note too_long: it is not an identifier or a label.
const MaxText = 512

// Row is one record on its way from a reader to a [Builder]. Texts alias the
// reader's memory and must stay unchanged until the row is appended. The zero
// value has every column absent.
type Row struct {
	set   Mask
	num   [NumNumeric]int64
	text  [NumText][]byte
	Notes Notes
	Label *Label // which columns are approximate; nil is none
	// TimestampIsEnd says that the source stamps the end of the request. The
	// builder takes the total off where it is known.
	TimestampIsEnd bool
}

// Reset makes every column absent.
func (r *Row) Reset() {
	r.set = 0
	r.Notes = Notes{}
	r.Label = nil
	r.TimestampIsEnd = false
}

// Present returns the columns that are set.
func (r *Row) Present() Mask { return r.set }

// Has reports whether c is set.
func (r *Row) Has(c Column) bool { return r.set.Has(c) }

// Drop makes the columns of m absent.
func (r *Row) Drop(m Mask) { r.set &^= m }

// SetNum sets a numeric column, in the unit of its kind.
func (r *Row) SetNum(c Column, v int64) {
	r.num[c] = v
	r.set |= 1 << (c & 63)
}

// Num returns a numeric column in the unit of its kind, and false if absent.
func (r *Row) Num(c Column) (int64, bool) { return r.num[c], r.set.Has(c) }

// SetFlag sets a column of KindFlag.
func (r *Row) SetFlag(c Column, v bool) {
	r.SetNum(c, 0)
	if v {
		r.num[c] = 1
	}
}

// SetText sets a text column; empty text leaves it as it is.
func (r *Row) SetText(c Column, v []byte) {
	if len(v) == 0 {
		return
	}
	r.text[c-FirstText] = v
	r.set |= 1 << (c & 63)
}

// Text returns a text column, nil if absent.
func (r *Row) Text(c Column) []byte {
	if !r.set.Has(c) {
		return nil
	}
	return r.text[c-FirstText]
}

// SetMark sets a mark.
func SetMark[O Origin](r *Row, m Mark[O], t Time[O]) {
	if us, ok := t.Micros(); ok {
		r.SetNum(m.col, us)
	}
}

// Refuse makes c absent for the given reason.
func (r *Row) Refuse(c Column, why Cleaning) {
	r.set = r.set.Without(c)
	r.Notes.Cleaned[why] = r.Notes.Cleaned[why].With(c)
}

// Parse sets c from the text of a value: a number, or for flags true and false,
// for timestamps also a date (in zone where it names none, UTC for nil). unit
// is the unit of durations and of timestamps; 0 tells timestamps by magnitude.
// A value that is not of the column's kind leaves c absent with a note.
func (r *Row) Parse(c Column, value []byte, unit Unit, zone *time.Location) {
	if c.IsText() {
		r.SetText(c, value)
		return
	}
	v, p := parseKind(c, value, unit, zone)
	switch p {
	case ParsedOK:
		r.SetNum(c, v)
	case ParsedRange:
		r.Refuse(c, OutOfRange)
	default:
		r.Refuse(c, BadValue)
	}
}

func parseKind(c Column, value []byte, unit Unit, zone *time.Location) (int64, Parsed) {
	switch fields[c].Kind {
	case KindLength, KindReceipt, KindUpstreamStart:
		return Micros(value, unit)
	case KindRate, KindFraction:
		return ParseScaled(value, 1e6, 1)
	case KindFlag:
		return parseFlag(value)
	case KindTimestamp:
		return parseTime(value, unit, zone)
	}
	return ParseScaled(value, 1, 1)
}

func parseTime(value []byte, unit Unit, zone *time.Location) (int64, Parsed) {
	if us, ok := ParseTimestamp(value, zone); ok {
		return us, ParsedOK
	}
	if unit != 0 {
		return Micros(value, unit)
	}
	return ParseEpoch(value)
}

func parseFlag(value []byte) (int64, Parsed) {
	switch string(bytes.ToLower(value)) {
	case "true", "1", "yes":
		return 1, ParsedOK
	case "false", "0", "no":
		return 0, ParsedOK
	}
	return 0, ParsedBad
}
