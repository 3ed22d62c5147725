package timeline

import (
	"encoding/binary"
)

// dict interns the texts of one column of one batch: equal texts get equal
// codes, counted from 0 in order of first use.
type dict struct {
	arena []byte   // texts as seen, end to end
	ends  []uint32 // by code: where its text ends in arena
	slots []slot   // open addressing
	last  int32    // code of the text seen last, -1 before the first
	keep  func([]byte) []byte
}

// slot holds one more than a code, 0 where it is free.
type slot struct {
	hash uint32
	code int32
}

// clear empties d.
func (d *dict) clear() {
	d.arena, d.ends = d.arena[:0], d.ends[:0]
	clear(d.slots)
	d.last = -1
}

// raw returns the text of a code as it was seen.
func (d *dict) raw(code int32) []byte {
	start := uint32(0)
	if code > 0 {
		start = d.ends[code-1]
	}
	return d.arena[start:d.ends[code]]
}

// code returns the code of v, which may be reused by the caller afterwards.
func (d *dict) code(v []byte) int32 {
	if d.last >= 0 && string(d.raw(d.last)) == string(v) {
		return d.last
	}
	if len(d.ends)*2 >= len(d.slots) {
		d.grow()
	}
	hash := textHash(v)
	mask := uint32(len(d.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &d.slots[i]
		switch {
		case s.code == 0:
			d.last = d.add(v)
			*s = slot{hash, d.last + 1}
			return d.last
		case s.hash == hash && string(d.raw(s.code-1)) == string(v):
			d.last = s.code - 1
			return d.last
		}
	}
}

func (d *dict) add(v []byte) int32 {
	d.arena = append(d.arena, v...)
	d.ends = append(d.ends, uint32(len(d.arena)))
	return int32(len(d.ends) - 1)
}

// texts returns the texts by code, as they are kept.
func (d *dict) texts() []string {
	texts := make([]string, len(d.ends))
	arena := string(d.arena)
	start := uint32(0)
	for i, end := range d.ends {
		texts[i] = arena[start:end]
		if d.keep != nil {
			if kept := d.keep(d.arena[start:end]); string(kept) != texts[i] {
				texts[i] = string(kept)
			}
		}
		start = end
	}
	return texts
}

func (d *dict) grow() {
	old := d.slots
	d.slots = make([]slot, max(16, 2*len(old)))
	mask := uint32(len(d.slots) - 1)
	for _, s := range old {
		if s.code == 0 {
			continue
		}
		i := s.hash & mask
		for d.slots[i].code != 0 {
			i = (i + 1) & mask
		}
		d.slots[i] = s
	}
}

// textHash mixes every byte of v, eight at a time.
func textHash(v []byte) uint32 {
	const k = 0x9E3779B97F4A7C15
	n := len(v)
	h := uint64(n) * k
	switch {
	case n > 8:
		for i := 0; i < n-8; i += 8 {
			h = (h ^ binary.LittleEndian.Uint64(v[i:])) * k
			h ^= h >> 29
		}
		h ^= binary.LittleEndian.Uint64(v[n-8:])
	case n >= 4:
		h ^= uint64(binary.LittleEndian.Uint32(v)) | uint64(binary.LittleEndian.Uint32(v[n-4:]))<<32
	case n > 0:
		h ^= uint64(v[0]) | uint64(v[n/2])<<8 | uint64(v[n-1])<<16
	}
	h = (h ^ h>>32) * k
	return uint32(h >> 32)
}
