package parquet

import (
	"encoding/binary"
	"math"
)

const (
	dayMicros = 86_400_000_000
	// julianEpoch is the Julian day number of 1970-01-01.
	julianEpoch = 2_440_588
)

// convertInts turns stored numbers into what Vector.Ints promises, in place.
// It returns the indexes of those that do not fit; they hold nothing then.
func (c *Column) convertInts(v []int64) (bad []int) {
	switch {
	case c.Logical == LogicalDate:
		return multiply(v, dayMicros)
	case c.timed() && c.logical.unit == millis:
		return multiply(v, 1000)
	case c.timed() && c.logical.unit == nanos:
		for i, x := range v {
			v[i] = floorDiv(x, 1000)
		}
	case c.logical.unsigned && c.Physical == Int32:
		for i, x := range v {
			v[i] = int64(uint32(x))
		}
	case c.logical.unsigned && c.Physical == Int64:
		for i, x := range v {
			if x < 0 {
				bad = append(bad, i)
			}
		}
	}
	return bad
}

func multiply(v []int64, by int64) (bad []int) {
	limit := math.MaxInt64 / by
	for i, x := range v {
		if x > limit || x < -limit {
			bad = append(bad, i)
			continue
		}
		v[i] = x * by
	}
	return bad
}

// floorDiv rounds down, so that the order of times before 1970 is kept.
func floorDiv(x, by int64) int64 {
	q := x / by
	if x%by < 0 {
		q--
	}
	return q
}

// intsFromBytes converts INT96 times and decimals stored as bytes.
func (c *Column) intsFromBytes(t *Text, dst []int64) (bad []int) {
	for i := range dst {
		var ok bool
		if c.Physical == Int96 {
			dst[i], ok = int96(t.At(i))
		} else {
			dst[i], ok = decimal(t.At(i))
		}
		if !ok {
			bad = append(bad, i)
		}
	}
	return bad
}

// int96 reads nanoseconds of the day and a Julian day. It reports false if
// microseconds in 64 bits cannot hold the time.
func int96(b []byte) (us int64, ok bool) {
	ofDay := floorDiv(int64(binary.LittleEndian.Uint64(b)), 1000)
	days := int64(int32(binary.LittleEndian.Uint32(b[8:]))) - julianEpoch
	if limit := int64(math.MaxInt64 / dayMicros); days > limit || days < -limit {
		return 0, false
	}
	day := days * dayMicros
	us = day + ofDay
	if ofDay >= 0 != (us >= day) { // it wrapped
		return 0, false
	}
	return us, true
}

// decimal reads a big-endian number in two's complement. It reports false if
// 64 bits cannot hold it.
func decimal(b []byte) (v int64, ok bool) {
	if len(b) == 0 {
		return 0, false
	}
	sign := int64(int8(b[0])) >> 7
	for len(b) > 8 {
		if b[0] != byte(sign) {
			return 0, false
		}
		b = b[1:]
	}
	if int64(int8(b[0]))>>7 != sign && len(b) == 8 {
		return 0, false
	}
	v = sign
	for _, x := range b {
		v = v<<8 | int64(x)
	}
	return v, true
}

// half reads an IEEE 754 number of 16 bits.
func half(b []byte) float64 {
	h := binary.LittleEndian.Uint16(b)
	exponent, fraction := int(h>>10&31), float64(h&1023)
	var f float64
	switch exponent {
	case 0:
		f = math.Ldexp(fraction, -24)
	case 31:
		f = math.Inf(1)
		if fraction != 0 {
			f = math.NaN()
		}
	default:
		f = math.Ldexp(1024+fraction, exponent-25)
	}
	if h>>15 == 1 {
		f = -f
	}
	return f
}
