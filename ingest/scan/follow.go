package scan

import "bytes"

const (
	maxFollowed = 256 // keys of one place that are remembered
	maxFollow   = 64  // bytes of a key that is
)

// follower is a key as it stood in the input, quotes and colon included, and
// the key that came after it the last time. The lines of a log have their keys
// in the same order nearly always, and bytes that were checked once need no
// second look.
type follower struct {
	lit  []byte
	node *node // what is wanted there; nil for a key that nobody wants
	next *follower
}

// followers remembers the keys of one place.
type followers struct {
	first follower // stands before the first key
	known map[string]*follower
}

// next reads the key at b[i] and what follows it up to the value. prev is what
// was read before it in the same object.
func (x *Extractor) next(b []byte, i int, n *node, prev *follower) (now *follower, c *node, value int, f Fault) {
	if prev != nil {
		if now = prev.next; now != nil && bytes.HasPrefix(b[i:], now.lit) {
			return now, now.node, i + len(now.lit), OK
		}
	}
	k, end, f := key(b, i)
	if f != OK {
		return nil, nil, end, f
	}
	c = x.find(n, k)
	now = x.follow(n, b[i:end], c)
	if prev != nil {
		prev.next = now
	}
	return now, c, end, OK
}

// follow returns what is remembered of a key, nil where it is not worth it.
func (x *Extractor) follow(n *node, lit []byte, c *node) *follower {
	at := &x.follows[n.id]
	if now, ok := at.known[string(lit)]; ok {
		return now
	}
	if len(lit) > maxFollow || len(at.known) == maxFollowed {
		return nil
	}
	now := &follower{lit: bytes.Clone(lit), node: c}
	if at.known == nil {
		at.known = map[string]*follower{}
	}
	at.known[string(lit)] = now
	return now
}
