package jsonl

import (
	"encoding/binary"

	"ttdiag/ingest/scan"
)

// Lines of one log repeat each other: the same keys in the same order, with the
// same blanks. So the bytes between two values (comma, key, colon, blanks) are
// kept as one piece, a joint, with the few joints that were seen to follow it.
// Where the next bytes equal one of those, key and syntax are known by one
// comparison; where they do not, they are read and checked like any other, and
// learned.

// joint is the bytes between two values of an object. Those of usual length are
// compared as three words of eight bytes, of which masks leave what belongs to it.
type joint struct {
	words  [3]uint64
	masks  [3]uint64
	size   int
	target *target // noTarget where the key is nobody's
	next   [4]*joint
	turn   uint8 // which of next is replaced when all are taken
	raw    string
}

// wordBytes is how many bytes words hold.
const wordBytes = 24

// maxJoints bounds what is learned of one object, maxRaw one joint.
const (
	maxJoints = 1024
	maxRaw    = 128
)

// noTarget stands for keys that are passed over.
var noTarget = &target{use: skip}

// guide knows the joints of one object.
type guide struct {
	object *object
	start  joint // before the opening brace
	known  map[string]*joint
	loose  joint // stands for what is not learned
	key    []byte
}

func newGuide(o *object) *guide { return &guide{object: o, known: map[string]*joint{}} }

func newJoint(raw string, t *target) *joint {
	j := &joint{target: t, raw: raw, size: len(raw)}
	if len(raw) > wordBytes {
		j.words[0] = 1 // outside of the mask, so that nothing is equal to it
		return j
	}
	var bytes, mask [wordBytes]byte
	copy(bytes[:], raw)
	for i := range len(raw) {
		mask[i] = 0xFF
	}
	for k := range j.words {
		j.words[k] = binary.LittleEndian.Uint64(bytes[8*k:])
		j.masks[k] = binary.LittleEndian.Uint64(mask[8*k:])
	}
	return j
}

// at reports whether b starts with the joint.
func (j *joint) at(b *[wordBytes]byte) bool {
	return (binary.LittleEndian.Uint64(b[0:])&j.masks[0])^j.words[0]|
		(binary.LittleEndian.Uint64(b[8:])&j.masks[1])^j.words[1]|
		(binary.LittleEndian.Uint64(b[16:])&j.masks[2])^j.words[2] == 0
}

// step returns the joint at b[i], which follows prev, and the offset of the value
// after it; nil where the object ends there.
func (g *guide) step(b []byte, i int, prev *joint) (j *joint, value int, f scan.Fault) {
	for k, n := range prev.next {
		if n == nil {
			break
		}
		if end := i + n.size; end < len(b) && string(b[i:end]) == n.raw {
			if k > 0 {
				prev.next[k], prev.next[k-1] = prev.next[k-1], n
			}
			return n, end, scan.OK
		}
	}
	return g.read(b, i, prev)
}

// read is step without a guess.
func (g *guide) read(b []byte, i int, prev *joint) (j *joint, value int, f scan.Fault) {
	start := i
	i, ended, f := separator(b, i, prev == &g.start)
	if f != scan.OK || ended {
		return nil, i, f
	}
	keyStart := i
	i, escaped, f := scan.String(b, i)
	if f != scan.OK {
		return nil, i, f
	}
	key := b[keyStart+1 : i-1]
	if i = scan.Space(b, i); i >= len(b) {
		return nil, len(b), scan.Truncated
	}
	if b[i] != ':' {
		return nil, i, scan.Syntax
	}
	i = scan.Space(b, i+1)
	if escaped {
		g.key = scan.Unescape(g.key[:0], key)
		key = g.key
	}
	return g.learn(b[start:i], key, prev), i, scan.OK
}

// separator passes over what stands before a key; ended is true where the object
// ends instead, and next is then the offset after it.
func separator(b []byte, i int, first bool) (next int, ended bool, f scan.Fault) {
	want := byte(',')
	if first {
		want = '{'
	}
	i = scan.Space(b, i)
	switch {
	case i >= len(b):
		return len(b), false, scan.Truncated
	case b[i] == '}' && !first:
		return i + 1, true, scan.OK
	case b[i] != want:
		return i, false, scan.Syntax
	}
	i = scan.Space(b, i+1)
	switch {
	case i >= len(b):
		return len(b), false, scan.Truncated
	case b[i] == '}' && first:
		return i + 1, true, scan.OK
	case b[i] != '"':
		return i, false, scan.Syntax
	}
	return i, false, scan.OK
}

func (g *guide) learn(raw, key []byte, prev *joint) *joint {
	j, ok := g.known[string(raw)]
	if !ok {
		t := g.object.keys[string(key)]
		if t == nil {
			t = noTarget
		}
		if len(g.known) >= maxJoints || len(raw) > maxRaw {
			g.loose = joint{target: t}
			return &g.loose
		}
		j = newJoint(string(raw), t)
		g.known[j.raw] = j
	}
	if prev == &g.loose {
		return j
	}
	for k, n := range prev.next {
		if n == nil {
			prev.next[k] = j
			return j
		}
	}
	prev.next[prev.turn] = j
	prev.turn = (prev.turn + 1) % uint8(len(prev.next))
	return j
}
