package diagnose

import (
	"math/bits"
	"strconv"
	"time"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// A dimension is something that requests have in common or not: a label, or a
// number put into bins.
type dimension struct {
	name   string
	column timeline.Column
	bin    func(int64) int64  // nil for a label; ascending
	label  func(int64) string // of a bin
	mode   bool               // whether it was judged as streaming, whatever column says
	chosen bool               // somebody chose the value; it was not measured
}

func labelOf(c timeline.Column) dimension {
	return dimension{name: c.String(), column: c, chosen: true}
}

func binned(name string, c timeline.Column, bin func(int64) int64, label func(int64) string) dimension {
	return dimension{name: name, column: c, bin: bin, label: label}
}

func unbinned(v int64) int64 { return v }

// exactly is a dimension of numbers of which there are few.
func exactly(c timeline.Column) dimension {
	scale := columnUnit(c).Scale()
	d := binned(c.String(), c, unbinned, func(v int64) string { return string(AppendScaled(nil, v, scale)) })
	d.chosen = true
	return d
}

func flagged(c timeline.Column) dimension {
	d := binned(c.String(), c, unbinned, func(v int64) string { return strconv.FormatBool(v != 0) })
	d.chosen = true
	return d
}

// inTokens puts counts of tokens into bins that grow fourfold from 256.
func inTokens(c timeline.Column) dimension {
	return binned(c.String(), c, tokenBin, tokenBinLabel)
}

func tokenBin(v int64) int64 { return max(0, int64(bits.Len64(uint64(v)))-7) / 2 }

func tokenBinLabel(bin int64) string {
	if bin == 0 {
		return "0..255"
	}
	lo := int64(64) << (2 * bin)
	return strconv.FormatInt(lo, 10) + ".." + strconv.FormatInt(4*lo-1, 10)
}

// inDoubles puts counts into bins that double: 0, 1, 2..3, 4..7.
func inDoubles(c timeline.Column) dimension {
	return binned(c.String(), c, func(v int64) int64 { return int64(bits.Len64(uint64(v))) }, func(bin int64) string {
		if bin < 2 {
			return strconv.FormatInt(bin, 10)
		}
		lo := int64(1) << (bin - 1)
		return strconv.FormatInt(lo, 10) + ".." + strconv.FormatInt(2*lo-1, 10)
	})
}

const hourUs = 3_600_000_000

func floorHour(us int64) int64 {
	hour := us / hourUs
	if us%hourUs < 0 {
		hour--
	}
	return hour
}

// byHour is the hour of t0 in UTC.
func byHour() dimension {
	return binned("hour", timeline.ColTimestamp, floorHour, func(hour int64) string {
		return time.UnixMicro(hour * hourUs).UTC().Format("2006-01-02T15Z")
	})
}

// byTimeOfDay is the hour of the day in UTC.
func byTimeOfDay() dimension {
	return binned("time_of_day", timeline.ColTimestamp, func(us int64) int64 {
		return ((floorHour(us) % 24) + 24) % 24
	}, func(hour int64) string { return strconv.FormatInt(hour, 10) + "h" })
}

// byMode is streaming or non_streaming, absent where that is unknown.
func byMode() dimension { return dimension{name: "stream", mode: true, chosen: true} }

// modeOf returns whether row i was judged as streaming.
func (v *Verdicts) modeOf(i int) mode {
	if v.NonStreaming.Has(i) {
		return nonStreaming
	}
	if on, ok := v.Batch.Num(timeline.ColStream, i); ok && on != 0 {
		return streaming
	}
	return unknownMode
}

// reader returns what reads the dimension's value of a row of v: a key that is
// the same for equal values of one batch, and false where it is absent.
func (d dimension) reader(v *Verdicts) (key func(i int) (int64, bool), text func(key int64) string) {
	switch {
	case d.mode:
		key = func(i int) (int64, bool) { m := v.modeOf(i); return int64(m), m != unknownMode }
		return key, func(m int64) string { return mode(m).String() }
	case d.bin != nil:
		col := v.Batch.Numbers(d.column)
		key = func(i int) (int64, bool) {
			if !col.Valid.Has(i) {
				return 0, false
			}
			return d.bin(col.Values[i]), true
		}
		return key, d.label
	case d.column == timeline.ColOutcome:
		key = func(i int) (int64, bool) { return int64(v.Outcome[i]), true }
		return key, func(o int64) string { return rules.Outcome(o).String() }
	case d.column == timeline.ColRequestID:
		ids := v.Batch.RequestIDs()
		return func(i int) (int64, bool) { return int64(i), ids.Valid.Has(i) }, func(i int64) string { return string(ids.At(int(i))) }
	}
	col := v.Batch.Texts(d.column)
	key = func(i int) (int64, bool) {
		if !col.Valid.Has(i) {
			return 0, false
		}
		return int64(col.Codes[i]), true
	}
	return key, func(code int64) string { return col.Values[code] }
}
