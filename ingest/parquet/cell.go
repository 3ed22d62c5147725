package parquet

import (
	"encoding/hex"
	"math"
	"strconv"
	"time"
)

// appendCell appends a present slot as JSON would spell it, without the quotes of
// a string: times as dates, in UTC where the column is, and numbers that are
// whole without a fraction.
func appendCell(dst []byte, col *Column, v *Vector, i int) []byte {
	switch v.kind {
	case Floats:
		return appendFloat(dst, v.Floats[i])
	case Bytes:
		if b := v.Bytes(i); col.Logical == LogicalUUID && len(b) == 16 {
			return appendUUID(dst, b)
		}
		return append(dst, v.Bytes(i)...)
	}
	return appendInt(dst, col, v.Ints[i])
}

func appendInt(dst []byte, col *Column, x int64) []byte {
	switch {
	case col.Physical == Boolean:
		return strconv.AppendBool(dst, x != 0)
	case col.Logical == LogicalTimestamp || col.Logical == LogicalDate:
		return appendDate(dst, x, col.UTC)
	case col.Logical == LogicalDecimal && col.Scale != 0:
		dst = strconv.AppendInt(dst, x, 10)
		dst = append(dst, 'e')
		return strconv.AppendInt(dst, -int64(col.Scale), 10)
	}
	return strconv.AppendInt(dst, x, 10)
}

func appendFloat(dst []byte, x float64) []byte {
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return strconv.AppendInt(dst, int64(x), 10)
	}
	return strconv.AppendFloat(dst, x, 'g', -1, 64)
}

// appendDate appends microseconds since the epoch as a date. Years that have not
// four digits are no dates that a reader knows.
func appendDate(dst []byte, us int64, utc bool) []byte {
	layout := "2006-01-02T15:04:05.999999"
	if utc {
		layout += "Z"
	}
	return time.UnixMicro(us).UTC().AppendFormat(dst, layout)
}

func appendUUID(dst, b []byte) []byte {
	for i, end := range [...]int{4, 6, 8, 10, 16} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, b[[...]int{0, 4, 6, 8, 10}[i]:end])
	}
	return dst
}
