package diagnose

import (
	"strconv"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// AppendScaled appends a whole number kept in 1/scale as a decimal without
// trailing zeros: 240500 in thousandths is 240.5.
func AppendScaled(to []byte, v, scale int64) []byte {
	if v < 0 {
		to = append(to, '-')
	}
	whole, part := uint64(v)/uint64(scale), uint64(v)%uint64(scale)
	if v < 0 {
		whole, part = uint64(-v)/uint64(scale), uint64(-v)%uint64(scale)
	}
	to = strconv.AppendUint(to, whole, 10)
	if part == 0 {
		return to
	}
	to = append(to, '.')
	for part != 0 {
		part *= 10
		to = append(to, byte('0'+part/uint64(scale)))
		part %= uint64(scale)
	}
	return to
}

// columnUnit returns the unit in which a numeric column leaves the program.
func columnUnit(c timeline.Column) rules.Unit {
	switch c.Info().Kind {
	case timeline.KindRate:
		return rules.TokensPerSecond
	case timeline.KindFraction:
		return rules.Fraction
	case timeline.KindTimestamp:
		return rules.Timestamp
	case timeline.KindFlag:
		return rules.Flag
	case timeline.KindCount:
		return rules.Plain
	}
	return rules.Milliseconds
}

// appendNumber appends a numeric value of row i as text, in the column's unit.
func appendNumber(to []byte, b *timeline.Batch, c timeline.Column, i int) []byte {
	v, _ := b.Num(c, i)
	switch columnUnit(c) {
	case rules.Flag:
		return strconv.AppendBool(to, v != 0)
	case rules.Timestamp:
		return strconv.AppendInt(to, v, 10)
	}
	return AppendScaled(to, v, columnUnit(c).Scale())
}

// ApproxOf returns the approximations of a label for output.
func ApproxOf(l *timeline.Label) []Approx {
	if l == nil {
		return nil
	}
	var out []Approx
	for _, a := range l.Items {
		out = append(out, Approx{Column: a.Column, Origin: a.Origin, Point: a.Point, Bias: a.Bias, PlusMinus: a.PlusMinusMs * 1000})
	}
	return out
}
