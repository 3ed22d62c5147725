package document

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"ttdiag/ingest/source"
)

// Paths is a set of places in a value, made once per format. A path is keys
// joined by "/"; "[]" is every element of an array, and a step `"` is the
// document that a string holds.
type Paths struct {
	spellings []string
	compile   sync.Once // on first use: most runs read one format of many
	tree      node
}

type node struct {
	place Place
	leaf  bool
	keys  []child
	each  *node // elements of an array
	inner *node // the document in a string
}

type child struct {
	key  string
	node *node
}

// Place says which path led to a value.
type Place struct {
	Slot int // index of the path
	Rank int // which of the spellings of the slot, 0 is the preferred one
}

// NewPaths returns the set of the given paths. The slot of a path is its index.
// A slot may have several spellings, separated by blanks.
func NewPaths(paths ...string) *Paths {
	return &Paths{spellings: paths}
}

func (p *Paths) root() *node {
	p.compile.Do(func() {
		for slot, spellings := range p.spellings {
			for rank, path := range strings.Fields(spellings) {
				p.tree.add(strings.Split(path, "/"), Place{slot, rank})
			}
		}
	})
	return &p.tree
}

// Len returns the number of slots.
func (p *Paths) Len() int { return len(p.spellings) }

func (n *node) add(steps []string, at Place) {
	if len(steps) == 0 {
		n.place, n.leaf = at, true
		return
	}
	n.step(steps[0]).add(steps[1:], at)
}

func (n *node) step(step string) *node {
	switch step {
	case "[]":
		if n.each == nil {
			n.each = &node{}
		}
		return n.each
	case `"`:
		if n.inner == nil {
			n.inner = &node{}
		}
		return n.inner
	}
	for _, c := range n.keys {
		if c.key == step {
			return c.node
		}
	}
	made := &node{}
	n.keys = append(n.keys, child{step, made})
	return made
}

func (n *node) find(key []byte) *node {
	for i := range n.keys {
		if n.keys[i].key == string(key) {
			return n.keys[i].node
		}
	}
	return nil
}

// Sink takes the values that Extract finds. Value must read one value of r.
type Sink interface {
	Value(at Place, r *Reader) error
}

// Extract reads one value and hands what stands at the paths to sink, in the
// order of the input; the rest is skipped. A path that ends at an object or an
// array with longer paths below it is entered.
func (r *Reader) Extract(p *Paths, sink Sink) error {
	return r.extract(p.root(), sink)
}

// ExtractKey reads the value of a key of an object that is being read, like
// Extract does for the whole object.
func (r *Reader) ExtractKey(p *Paths, key []byte, sink Sink) error {
	if n := p.root().find(key); n != nil {
		return r.extract(n, sink)
	}
	return r.Skip()
}

func (r *Reader) extract(n *node, sink Sink) error {
	kind, err := r.Next()
	if err != nil {
		return r.cut()
	}
	switch {
	case kind == Object && n.keys != nil:
		return r.Object(func(key []byte) error {
			if next := n.find(key); next != nil {
				return r.extract(next, sink)
			}
			return r.Skip()
		})
	case kind == Array && n.each != nil:
		return r.Array(func(int) error { return r.extract(n.each, sink) })
	case kind == String && n.inner != nil:
		return r.embedded(n.inner, sink)
	case n.leaf:
		return sink.Value(n.place, r)
	}
	return r.Skip()
}

// embedded reads the document inside a string as it streams by. Text that is no
// document yields what was found before the damage.
func (r *Reader) embedded(n *node, sink Sink) error {
	if r.child == nil {
		r.child, r.text = &Reader{buf: make([]byte, 4<<10)}, &unescaper{}
	}
	c := r.child
	r.pos++ // the quote
	*r.text = unescaper{r: r}
	c.src, c.pos, c.end, c.base, c.err, c.depth = r.text, 0, 0, 0, nil, 0
	if c.extract(n, sink) != nil && r.text.failed != nil {
		return r.text.failed
	}
	_, err := io.Copy(io.Discard, r.text)
	return err
}

// unescaper reads the rest of a string of r as text.
type unescaper struct {
	r      *Reader
	done   bool
	failed error
	spare  []byte // unescaped and not handed out yet
}

// Read implements io.Reader.
func (u *unescaper) Read(p []byte) (int, error) {
	n := copy(p, u.spare)
	u.spare = u.spare[n:]
	for n < len(p) && !u.done && u.failed == nil {
		n += u.next(p[n:])
	}
	switch {
	case n > 0:
		return n, nil
	case u.failed != nil:
		return 0, u.failed
	case len(p) == 0:
		return 0, nil
	}
	return 0, io.EOF
}

func (u *unescaper) next(p []byte) int {
	r := u.r
	if !r.more() {
		u.failed = r.cut()
		return 0
	}
	chunk := r.buf[r.pos:min(r.end, r.pos+len(p))]
	if n := plainRun(chunk); n > 0 {
		r.pos += n
		return copy(p, chunk[:n])
	}
	switch chunk[0] {
	case '"':
		u.done = true
		r.pos++
		return 0
	case '\n':
		u.failed = r.bad(source.InvalidJSON)
		return 0
	}
	r.pos++
	var escaped [4]byte
	k, err := r.escape(&escaped)
	if err != nil {
		u.failed = err
		return 0
	}
	n := copy(p, escaped[:k])
	u.spare = append(u.spare[:0], escaped[n:k]...)
	return n
}

// Leaf returns the place of a path that is exactly steps.
func (p *Paths) Leaf(steps ...string) (Place, bool) {
	c, ok := p.Column(steps...)
	if !ok || !c.node.leaf {
		return Place{}, false
	}
	return c.node.place, true
}

// Cells is a [Sink] that keeps one value for each slot: of the preferred
// spelling that has one.
type Cells struct {
	Values []Value
	// Seen holds the slots, below 64, whose key was there, with null if need be.
	Seen  uint64
	ranks []int
	raw   uint64
}

// NewCells returns cells for the slots of p. raw lists the slots, below 64,
// whose objects and arrays are kept as JSON.
func NewCells(p *Paths, raw ...int) *Cells {
	c := &Cells{Values: make([]Value, p.Len()), ranks: make([]int, p.Len())}
	for _, slot := range raw {
		c.raw |= 1 << slot
	}
	return c
}

// Clear makes all slots absent.
func (c *Cells) Clear() {
	clear(c.Values)
	c.Seen = 0
}

// Value implements [Sink].
func (c *Cells) Value(at Place, r *Reader) error {
	read := (*Reader).Scalar
	if c.raw>>at.Slot&1 != 0 {
		read = (*Reader).Raw
	}
	v, err := read(r)
	c.Put(at, v)
	return err
}

// Put sets a slot as Value does. A key that comes twice with two values marks
// the slot.
func (c *Cells) Put(at Place, v Value) {
	old := &c.Values[at.Slot]
	c.Seen |= 1 << at.Slot
	switch {
	case !v.Has():
		return
	case old.Has() && c.ranks[at.Slot] < at.Rank:
		return
	case old.Has() && c.ranks[at.Slot] == at.Rank && (old.Kind != v.Kind || !bytes.Equal(old.Text, v.Text)):
		v.Twice = true
	}
	*old, c.ranks[at.Slot] = v, at.Rank
}
