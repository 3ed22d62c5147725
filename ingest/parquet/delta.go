package parquet

import "encoding/binary"

// delta reads DELTA_BINARY_PACKED: a first value, then blocks of differences,
// each block with its smallest difference and miniblocks of one bit width
// each. It is read piece by piece.
type delta struct {
	data      []byte
	pos       int
	miniCount int // miniblocks per block
	miniLen   int // values per miniblock
	left      int // values not yet read, the first one included
	started   bool
	last      int64
	smallest  int64
	widths    []byte // of the miniblocks of this block that are still to come
	width     int
	inMini    int // values left in the current miniblock
	bit       int
}

var errDelta = damaged("a delta-coded page ends early")

func newDelta(data []byte) (delta, error) {
	d := delta{data: data}
	block, err := d.uvarint()
	if err != nil {
		return d, err
	}
	minis, err := d.uvarint()
	if err != nil {
		return d, err
	}
	total, err := d.uvarint()
	if err != nil {
		return d, err
	}
	if block == 0 || block > 1<<20 || minis == 0 || minis > 1<<10 || block%minis != 0 || block/minis%8 != 0 {
		return d, damaged("bad delta block of %d values in %d parts", block, minis)
	}
	if total > 1<<31 {
		return d, damaged("a delta-coded page of %d values", total)
	}
	d.miniCount, d.miniLen, d.left = int(minis), int(block/minis), int(total)
	d.last, err = d.zigzag()
	return d, err
}

func (d *delta) uvarint() (uint64, error) {
	v, n := binary.Uvarint(d.data[min(d.pos, len(d.data)):])
	if n <= 0 {
		return 0, errDelta
	}
	d.pos += n
	return v, nil
}

func (d *delta) zigzag() (int64, error) {
	v, err := d.uvarint()
	return int64(v>>1) ^ -int64(v&1), err
}

// read fills dst.
func (d *delta) read(dst []int64) error {
	if len(dst) > d.left {
		return errDelta
	}
	d.left -= len(dst)
	if len(dst) > 0 && !d.started {
		d.started = true
		dst[0] = d.last
		dst = dst[1:]
	}
	for len(dst) > 0 {
		if d.inMini == 0 {
			if err := d.nextMini(); err != nil {
				return err
			}
		}
		n := min(len(dst), d.inMini)
		d.unpack(dst[:n])
		d.inMini -= n
		dst = dst[n:]
	}
	return nil
}

// nextMini goes to the next miniblock and makes sure that its bits are there.
func (d *delta) nextMini() error {
	d.pos += d.bit / 8 // miniblocks end at whole bytes
	d.bit = 0
	if len(d.widths) == 0 {
		var err error
		if d.smallest, err = d.zigzag(); err != nil {
			return err
		}
		if len(d.data)-d.pos < d.miniCount {
			return errDelta
		}
		d.widths = d.data[d.pos : d.pos+d.miniCount]
		d.pos += d.miniCount
	}
	d.width, d.widths = int(d.widths[0]), d.widths[1:]
	if d.width > 64 {
		return damaged("delta of %d bits", d.width)
	}
	if d.width*d.miniLen/8 > len(d.data)-d.pos {
		return errDelta
	}
	d.inMini = d.miniLen
	return nil
}

// unpack adds up the differences of one miniblock. Sums wrap as the format
// demands.
func (d *delta) unpack(dst []int64) {
	data, w, last := d.data[d.pos:], d.width, d.last
	mask := ^uint64(0) >> (64 - w)
	bit := d.bit
	for i := range dst {
		at, shift := bit>>3, bit&7
		var v uint64
		if at+8 <= len(data) {
			v = binary.LittleEndian.Uint64(data[at:]) >> shift
		} else {
			v = tail64(data, at) >> shift
		}
		if w+shift > 64 {
			v |= uint64(data[at+8]) << (64 - shift)
		}
		last += d.smallest + int64(v&mask)
		dst[i] = last
		bit += w
	}
	d.bit, d.last = bit, last
}

// end finds where the stream ends without decoding it: the last block's unused
// miniblocks may be left out.
func (d delta) end() (int, error) {
	for left := d.left - 1; left > 0; left -= d.miniLen {
		d.bit = d.width * d.inMini // the whole miniblock, if any
		if err := d.nextMini(); err != nil {
			return 0, err
		}
	}
	return d.pos + d.width*d.inMini/8, nil
}
