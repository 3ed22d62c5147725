package jsonl

import "ttdiag/ingest/scan"

// Lines of one log repeat each other: the same keys in the same order, with the
// same blanks. So the bytes between two values (comma, key, colon, blanks) are
// kept as one piece, a joint, with the few joints that were seen to follow it.
// Where the next bytes equal one of those, key and syntax are known by one
// comparison; where they do not, they are read and checked like any other, and
// learned.

// joint is the bytes between two values of an object.
type joint struct {
	raw    string
	target *target // nil: the key is nobody's
	next   [4]*joint
	turn   uint8 // which of next is replaced when all are taken
}

// maxJoints bounds what is learned of one object; maxRaw bounds one joint.
const (
	maxJoints = 1024
	maxRaw    = 128
)

// guide knows the joints of one object.
type guide struct {
	object *object
	start  joint // before the opening brace
	known  map[string]*joint
	loose  joint // stands for what is not learned
	key    []byte
}

func newGuide(o *object) *guide { return &guide{object: o, known: map[string]*joint{}} }

// step returns the joint at b[i], which follows at, and the offset of the value
// after it; nil where the object ends there.
func (g *guide) step(b []byte, i int, at *joint) (j *joint, value int, f scan.Fault) {
	for k, n := range at.next {
		if n == nil {
			break
		}
		if end := i + len(n.raw); end < len(b) && string(b[i:end]) == n.raw {
			if k > 0 {
				at.next[k], at.next[k-1] = at.next[k-1], n
			}
			return n, end, scan.OK
		}
	}
	return g.read(b, i, at)
}

// read is step without a guess.
func (g *guide) read(b []byte, i int, at *joint) (j *joint, value int, f scan.Fault) {
	start := i
	i, ended, f := separator(b, i, at == &g.start)
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
	return g.learn(b[start:i], key, at), i, scan.OK
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

func (g *guide) learn(raw, key []byte, at *joint) *joint {
	j, ok := g.known[string(raw)]
	if !ok {
		t := g.object.keys[string(key)]
		if len(g.known) >= maxJoints || len(raw) > maxRaw {
			g.loose = joint{target: t}
			return &g.loose
		}
		j = &joint{raw: string(raw), target: t}
		g.known[j.raw] = j
	}
	if at == &g.loose {
		return j
	}
	for k, n := range at.next {
		if n == nil {
			at.next[k] = j
			return j
		}
	}
	at.next[at.turn] = j
	at.turn = (at.turn + 1) % uint8(len(at.next))
	return j
}
