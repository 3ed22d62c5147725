package parquet

import "encoding/binary"

// appendHybrid appends values of width bits, at least 1, as the run-length /
// bit-packed mixture that [hybrid] reads. The last packed run is filled up
// with zeros to a multiple of eight.
func appendHybrid[T uint8 | uint32](b []byte, values []T, width int) []byte {
	size := (width + 7) / 8
	worth := max(8, 8*(2+size)/width) // a shorter run is as small when packed
	for len(values) > 0 {
		n := equal(values)
		if n >= worth || n == len(values) {
			b = binary.AppendUvarint(b, uint64(n)<<1)
			for i := range size {
				b = append(b, byte(values[0]>>(8*i)))
			}
		} else {
			n = packed(values, worth)
			b = binary.AppendUvarint(b, uint64(n+7)/8<<1|1)
			b = appendBits(b, values[:n], width)
		}
		values = values[n:]
	}
	return b
}

// equal counts the values from the first one on that are the same.
func equal[T uint8 | uint32](values []T) int {
	for i, v := range values {
		if v != values[0] {
			return i
		}
	}
	return len(values)
}

// packed counts the values up to the next run that is worth a run of its own,
// by eights or to the end.
func packed[T uint8 | uint32](values []T, worth int) int {
	n := 8
	for n+worth <= len(values) && equal(values[n:n+worth]) < worth {
		n += 8
	}
	if n+worth > len(values) {
		return len(values)
	}
	return n
}

// appendBits appends values of width bits, the lowest bit first, filled up with
// zeros to as many bytes as a multiple of eight values takes.
func appendBits[T uint8 | uint32](b []byte, values []T, width int) []byte {
	whole := len(b) + (len(values)+7)/8*width
	var waiting uint64
	bits := 0
	for _, v := range values {
		waiting |= uint64(v) << bits
		for bits += width; bits >= 8; bits -= 8 {
			b = append(b, byte(waiting))
			waiting >>= 8
		}
	}
	for len(b) < whole {
		b = append(b, byte(waiting))
		waiting = 0
	}
	return b
}
