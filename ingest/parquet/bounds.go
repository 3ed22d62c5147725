package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
)

// maxBound is the longest text that stands in statistics. Where one of the two
// is longer both are left out: a text that is cut is no value of the column.
const maxBound = 256

// bounds are the smallest and the largest value of a chunk as statistics have
// them: PLAIN, text without its length.
type bounds struct {
	lo, hi []byte
	known  bool
}

// bounds returns the bounds of all present values. They share the buffer.
func (c *columnBuffer) bounds() bounds {
	if c.values == 0 {
		return bounds{}
	}
	switch c.typ {
	case WriteText:
		return textBounds(c.text.plain)
	case WriteFloat:
		return floatBounds(c.plain)
	case WriteBool:
		lo, hi := byte(1), byte(0)
		for _, v := range c.plain {
			lo, hi = min(lo, v), max(hi, v)
		}
		return bounds{[]byte{lo}, []byte{hi}, true}
	}
	return intBounds(c.plain)
}

func intBounds(plain []byte) bounds {
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for ; len(plain) > 0; plain = plain[8:] {
		v := int64(binary.LittleEndian.Uint64(plain))
		lo, hi = min(lo, v), max(hi, v)
	}
	return numbers(uint64(lo), uint64(hi))
}

func numbers(lo, hi uint64) bounds {
	return bounds{binary.LittleEndian.AppendUint64(nil, lo), binary.LittleEndian.AppendUint64(nil, hi), true}
}

// floatBounds knows nothing of values with a NaN among them: it has no place
// in their order, and a reader that gives it one would miss it. Zeros of both
// signs lie between -0 and +0, as the format demands.
func floatBounds(plain []byte) bounds {
	lo, hi := math.Inf(1), math.Inf(-1)
	for ; len(plain) > 0; plain = plain[8:] {
		v := math.Float64frombits(binary.LittleEndian.Uint64(plain))
		if math.IsNaN(v) {
			return bounds{}
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	if lo == 0 {
		lo = math.Copysign(0, -1)
	}
	if hi == 0 {
		hi = 0
	}
	return numbers(math.Float64bits(lo), math.Float64bits(hi))
}

// textBounds compares bytes, which orders UTF-8 by code points.
func textBounds(plain []byte) bounds {
	lo, _ := textAt(plain)
	hi := lo
	for len(plain) > 0 {
		v, next := textAt(plain)
		if bytes.Compare(v, lo) < 0 {
			lo = v
		}
		if bytes.Compare(v, hi) > 0 {
			hi = v
		}
		plain = plain[next:]
	}
	return bounds{lo, hi, len(lo) <= maxBound && len(hi) <= maxBound}
}
