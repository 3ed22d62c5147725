package parquet

import (
	"encoding/binary"
	"math/bits"
)

// hybrid reads the run-length / bit-packed mixture in which levels, dictionary
// indexes and booleans are stored. It is read piece by piece: a run of 2^30
// equal values costs nothing until they are asked for.
type hybrid struct {
	data   []byte
	pos    int
	width  int  // bits per value, 0 to 32
	left   int  // values left in the current run
	packed bool // the run is bit-packed, from bit offset bit of data[pos:]
	bit    int
	value  uint32 // of a run of equal values
	msb    bool   // the old BIT_PACKED levels: no runs, most significant bit first
}

var errRuns = damaged("levels or indexes end early")

// nextRun reads the head of the next run.
func (h *hybrid) nextRun() error {
	if h.msb {
		return errRuns
	}
	if h.packed {
		h.pos += (h.bit + 7) / 8
		h.packed = false
	}
	head, n := binary.Uvarint(h.data[min(h.pos, len(h.data)):])
	if n <= 0 {
		return errRuns
	}
	h.pos += n
	count := head >> 1
	if count == 0 || count > 1<<31 {
		return damaged("a run of %d levels or indexes", count)
	}
	rest := len(h.data) - h.pos
	if head&1 == 0 {
		size := (h.width + 7) / 8
		if rest < size {
			return errRuns
		}
		h.value = 0
		for i := range size {
			h.value |= uint32(h.data[h.pos+i]) << (8 * i)
		}
		h.pos += size
		h.left = int(count)
		return nil
	}
	h.packed, h.bit, h.left = true, 0, int(count)*8
	if h.width > 0 {
		// The last run may be cut to the values it needs.
		h.left = min(h.left, rest*8/h.width)
	}
	if h.left == 0 {
		return errRuns
	}
	return nil
}

// repeats takes n values if the current run is n or more times want, and
// reports whether it did. Otherwise nothing is taken.
func (h *hybrid) repeats(n int, want uint32) (bool, error) {
	if h.left == 0 {
		if err := h.nextRun(); err != nil {
			return false, err
		}
	}
	if h.packed || h.msb || h.value != want || h.left < n {
		return false, nil
	}
	h.left -= n
	return true, nil
}

// readHybrid fills dst and returns the largest value in it.
func readHybrid[T uint8 | uint32](h *hybrid, dst []T) (largest T, err error) {
	for len(dst) > 0 {
		if h.left == 0 {
			if err := h.nextRun(); err != nil {
				return 0, err
			}
		}
		n := min(len(dst), h.left)
		run := dst[:n]
		switch {
		case h.msb:
			largest = max(largest, unpackMSB(h, run))
		case h.packed:
			largest = max(largest, unpack(h, run))
		default:
			for i := range run {
				run[i] = T(h.value)
			}
			largest = max(largest, T(h.value))
		}
		h.left -= n
		dst = dst[n:]
	}
	return largest, nil
}

// unpack takes values from the bit-packed run; nextRun made sure that their
// bits are there.
func unpack[T uint8 | uint32](h *hybrid, dst []T) (largest T) {
	w, data := h.width, h.data[h.pos:]
	mask := uint64(1)<<w - 1
	bit, i := h.bit, 0
	h.bit += w * len(dst)
	if w <= 8 && bit&7 == 0 { // eight values lie in w bytes
		for ; i+8 <= len(dst) && bit>>3+8 <= len(data); i += 8 {
			v := binary.LittleEndian.Uint64(data[bit>>3:])
			out := dst[i : i+8 : i+8]
			for j := range out {
				x := T(v & mask)
				out[j] = x
				largest = max(largest, x)
				v >>= w
			}
			bit += 8 * w
		}
	}
	for ; i < len(dst) && bit>>3+8 <= len(data); i++ {
		x := T(binary.LittleEndian.Uint64(data[bit>>3:]) >> (bit & 7) & mask)
		dst[i] = x
		largest = max(largest, x)
		bit += w
	}
	for ; i < len(dst); i++ {
		x := T(tail64(data, bit>>3) >> (bit & 7) & mask)
		dst[i] = x
		largest = max(largest, x)
		bit += w
	}
	return largest
}

// tail64 reads up to eight bytes that may end early.
func tail64(data []byte, at int) uint64 {
	var v uint64
	for i := 0; i < 8 && at+i < len(data); i++ {
		v |= uint64(data[at+i]) << (8 * i)
	}
	return v
}

func unpackMSB[T uint8 | uint32](h *hybrid, dst []T) (largest T) {
	for i := range dst {
		var v uint32
		for range h.width {
			v = v<<1 | uint32(h.data[h.bit>>3]>>(7-h.bit&7)&1)
			h.bit++
		}
		dst[i] = T(v)
		largest = max(largest, T(v))
	}
	return largest
}

// bareLevels starts reading the levels of a version 2 page.
func bareLevels(data []byte, top int) hybrid {
	return hybrid{data: data, width: bits.Len(uint(top))}
}

// levelReader starts reading n levels of at most top. encoding is that of a
// version 1 page; rest is what follows the levels.
func levelReader(data []byte, top, n int, encoding int8) (h hybrid, rest []byte, err error) {
	h.width = bits.Len(uint(top))
	switch encoding {
	case encRLE:
		if len(data) < 4 {
			return h, nil, errRuns
		}
		size := binary.LittleEndian.Uint32(data)
		data = data[4:]
		if uint64(size) > uint64(len(data)) {
			return h, nil, damaged("levels longer than their page")
		}
		h.data = data[:size]
		return h, data[size:], nil
	case encBitPacked:
		size := (n*h.width + 7) / 8
		if size > len(data) {
			return h, nil, errRuns
		}
		h.data, h.msb, h.left = data[:size], true, n
		return h, data[size:], nil
	}
	return h, nil, unsupported("level encoding %d", encoding)
}
