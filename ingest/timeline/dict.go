package timeline

import "encoding/binary"

// dict interns the texts of one column of one batch: equal texts get equal
// codes, counted from 0 in order of first use.
type dict struct {
	arena []byte   // texts as seen, end to end
	ends  []uint32 // by code: where its text ends in arena
	slots []slot   // open addressing
	keep  func([]byte) []byte
}

// slot holds one more than a code, 0 where it is free, and what tells its text
// from most others: all there is of texts of up to 16 bytes.
type slot struct {
	ends ends
	code int32
}

// ends is the length and the first and last eight bytes of a text.
type ends struct {
	first, last uint64
	size        int32
}

// clear empties d.
func (d *dict) clear() {
	d.arena, d.ends = d.arena[:0], d.ends[:0]
	clear(d.slots)
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
	e := endsOf(v)
	hash := e.hash(v)
	if mask := uint32(len(d.slots) - 1); mask+1 != 0 {
		if s := &d.slots[hash&mask]; s.ends == e && e.size <= 16 && s.code != 0 {
			return s.code - 1
		}
	}
	return d.find(v, e, hash)
}

func (d *dict) find(v []byte, e ends, hash uint32) int32 {
	if len(d.ends)*2 >= len(d.slots) {
		d.grow()
	}
	mask := uint32(len(d.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &d.slots[i]
		switch {
		case s.code == 0:
			code := d.add(v)
			*s = slot{e, code + 1}
			return code
		case s.ends == e && (e.size <= 16 || string(d.raw(s.code-1)) == string(v)):
			return s.code - 1
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
		i := s.ends.hash(d.raw(s.code-1)) & mask
		for d.slots[i].code != 0 {
			i = (i + 1) & mask
		}
		d.slots[i] = s
	}
}

func endsOf(v []byte) ends {
	n := len(v)
	e := ends{size: int32(n)}
	switch {
	case n >= 8:
		e.first = binary.LittleEndian.Uint64(v)
		e.last = binary.LittleEndian.Uint64(v[n-8:])
	case n >= 4:
		e.first = uint64(binary.LittleEndian.Uint32(v)) | uint64(binary.LittleEndian.Uint32(v[n-4:]))<<32
	case n > 0:
		e.first = uint64(v[0]) | uint64(v[n/2])<<8 | uint64(v[n-1])<<16
	}
	return e
}

// hash mixes every byte of v, whose ends are e.
func (e *ends) hash(v []byte) uint32 {
	const k = 0x9E3779B97F4A7C15
	h := e.first ^ uint64(e.size)<<56
	h = (h^h>>29)*k ^ e.last
	for i := 8; i < len(v)-8; i += 8 {
		h = (h^h>>29)*k ^ binary.LittleEndian.Uint64(v[i:])
	}
	h = (h ^ h>>32) * k
	return uint32(h >> 32)
}
