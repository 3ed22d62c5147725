package timeline

import (
	"bytes"
	"encoding/binary"
)

// dict interns the texts of one column of one batch: equal texts get equal
// codes, counted from 0 in order of first use.
type dict struct {
	values [][]byte // texts as kept
	raw    [][]byte // texts as seen, copied
	slots  []int32  // open addressing; code+1, 0 is free
	last   int32    // code of the text seen last, -1 before the first
	keep   func([]byte) []byte
}

func newDict(keep func([]byte) []byte) dict {
	return dict{last: -1, keep: keep}
}

// code returns the code of v, which may be reused by the caller afterwards.
func (d *dict) code(v []byte) int32 {
	if d.last >= 0 && bytes.Equal(d.raw[d.last], v) {
		return d.last
	}
	if len(d.raw)*2 >= len(d.slots) {
		d.grow()
	}
	mask := uint64(len(d.slots) - 1)
	for i := textHash(v) & mask; ; i = (i + 1) & mask {
		switch slot := d.slots[i]; {
		case slot == 0:
			d.last = d.add(v)
			d.slots[i] = d.last + 1
			return d.last
		case bytes.Equal(d.raw[slot-1], v):
			d.last = slot - 1
			return d.last
		}
	}
}

func (d *dict) add(v []byte) int32 {
	raw := bytes.Clone(v)
	kept := raw
	if d.keep != nil {
		kept = d.keep(raw)
	}
	d.raw = append(d.raw, raw)
	d.values = append(d.values, kept)
	return int32(len(d.raw) - 1)
}

func (d *dict) grow() {
	d.slots = make([]int32, max(16, 2*len(d.slots)))
	mask := uint64(len(d.slots) - 1)
	for code, v := range d.raw {
		i := textHash(v) & mask
		for d.slots[i] != 0 {
			i = (i + 1) & mask
		}
		d.slots[i] = int32(code) + 1
	}
}

// textHash mixes the length and up to 16 bytes of the ends, and for longer
// texts the middle too. Few texts share all of them.
func textHash(v []byte) uint64 {
	const k = 0x9E3779B97F4A7C15
	h := uint64(len(v)) * k
	switch n := len(v); {
	case n >= 8:
		h ^= binary.LittleEndian.Uint64(v)
		h = (h ^ h>>29) * k
		h ^= binary.LittleEndian.Uint64(v[n-8:])
		for i := 8; i+16 <= n; i += 8 {
			h = (h ^ h>>29) * k
			h ^= binary.LittleEndian.Uint64(v[i:])
		}
	default:
		for _, c := range v {
			h = (h ^ uint64(c)) * k
		}
	}
	h = (h ^ h>>32) * k
	return h ^ h>>29
}
