package scan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// MaxSegments is how many steps a path may have.
const MaxSegments = 32

// ErrPath is wrapped by every error about the spelling of a path.
var ErrPath = errors.New("not a path")

// step is one step of a path: a key, or an element of an array.
type step struct {
	key   string
	array bool
	index int // of an array; anyElement and lastElement are no numbers
}

const (
	anyElement  = -2
	lastElement = -1
)

// parsePath reads a path as jq spells it: .latency.total, .tries[0].code,
// .choices[].delta, .headers."X-Request-Id"[-1]. The first dot may be missing.
func parsePath(path string) ([]step, error) {
	var steps []step
	rest := strings.TrimPrefix(path, ".")
	for first := true; rest != ""; first = false {
		var s step
		var err error
		switch {
		case rest[0] == '[':
			s, rest, err = parseIndex(rest)
		case first:
			s, rest, err = parseKey(rest)
		case rest[0] == '.':
			s, rest, err = parseKey(rest[1:])
		default:
			err = ErrPath
		}
		if err != nil {
			return nil, fmt.Errorf("%q at byte %d: %w", path, len(path)-len(rest), err)
		}
		if steps = append(steps, s); len(steps) > MaxSegments {
			return nil, fmt.Errorf("%q: more than %d steps: %w", path, MaxSegments, ErrPath)
		}
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("%q is empty: %w", path, ErrPath)
	}
	return steps, nil
}

func parseKey(rest string) (step, string, error) {
	if strings.HasPrefix(rest, `"`) {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return step{}, rest, ErrPath
		}
		key, err := strconv.Unquote(quoted)
		if err != nil {
			return step{}, rest, ErrPath
		}
		return step{key: key}, rest[len(quoted):], nil
	}
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		return step{}, rest, ErrPath
	}
	return step{key: rest[:end]}, rest[end:], nil
}

func parseIndex(rest string) (step, string, error) {
	inside, after, ok := strings.Cut(rest[1:], "]")
	if !ok {
		return step{}, rest, ErrPath
	}
	if inside == "" {
		return step{array: true, index: anyElement}, after, nil
	}
	n, err := strconv.Atoi(inside)
	if err != nil || n < lastElement {
		return step{}, rest, ErrPath
	}
	return step{array: true, index: n}, after, nil
}

// Paths is a compiled set of wanted paths. It does not change and may be shared.
type Paths struct {
	root  *node
	names []string
	nodes int
}

// node is what is wanted below one place.
type node struct {
	id       int
	name     string // the path up to here, for rejections
	slots    []int  // wanted here
	below    []int  // wanted here or deeper
	keys     table
	elements []element
	keep     bool // below [], where the first element that has the path wins
}

type element struct {
	index int
	node  *node
}

// Compile compiles paths. The value of path number i is later number i of an
// [Extractor]. A path may go on inside of a string: if that string holds a JSON
// object or array, the path finds it there.
func Compile(paths ...string) (*Paths, error) {
	p := &Paths{root: &node{}, names: paths, nodes: 1}
	for slot, path := range paths {
		steps, err := parsePath(path)
		if err != nil {
			return nil, err
		}
		p.add(slot, steps)
	}
	p.root.seal()
	return p, nil
}

// Len returns the number of paths.
func (p *Paths) Len() int { return len(p.names) }

func (p *Paths) add(slot int, steps []step) {
	n := p.root
	n.below = append(n.below, slot)
	for _, s := range steps {
		n = p.child(n, s)
		n.below = append(n.below, slot)
	}
	n.slots = append(n.slots, slot)
}

func (p *Paths) child(n *node, s step) *node {
	if s.array {
		for _, e := range n.elements {
			if e.index == s.index {
				return e.node
			}
		}
		c := p.newNode(n, n.name+"[]")
		c.keep = c.keep || s.index == anyElement
		n.elements = append(n.elements, element{s.index, c})
		return c
	}
	for _, e := range n.keys.list {
		if e.key == s.key {
			return e.node
		}
	}
	c := p.newNode(n, strings.TrimPrefix(n.name+"."+s.key, "."))
	n.keys.list = append(n.keys.list, entry{s.key, c})
	return c
}

func (p *Paths) newNode(parent *node, name string) *node {
	c := &node{id: p.nodes, name: name, keep: parent.keep}
	p.nodes++
	return c
}

// leaf reports whether nothing is wanted deeper than n.
func (n *node) leaf() bool { return len(n.keys.list) == 0 && len(n.elements) == 0 }

func (n *node) seal() {
	n.keys.seal()
	for _, e := range n.keys.list {
		e.node.seal()
	}
	for _, e := range n.elements {
		e.node.seal()
	}
}

// table finds a key among few. Most keys of a log are wanted by nobody, so a
// miss must be quick: it costs one load in a table that is mostly empty.
type table struct {
	list  []entry
	cells []int16 // index into list plus one, open addressing
	mask  uint32
}

type entry struct {
	key  string
	node *node
}

// seal makes the list ready to be searched.
func (t *table) seal() {
	if len(t.list) == 0 {
		return
	}
	size := 16
	for size < 8*len(t.list) {
		size *= 2
	}
	t.cells = make([]int16, size)
	t.mask = uint32(size - 1)
	for i, e := range t.list {
		at := hashKey([]byte(e.key)) & t.mask
		for t.cells[at] != 0 {
			at = (at + 1) & t.mask
		}
		t.cells[at] = int16(i + 1)
	}
}

func (t *table) find(key []byte) *node {
	if len(t.list) == 0 {
		return nil
	}
	for at := hashKey(key) & t.mask; ; at = (at + 1) & t.mask {
		cell := t.cells[at]
		if cell == 0 {
			return nil
		}
		if e := &t.list[cell-1]; e.key == string(key) {
			return e.node
		}
	}
}

// hashKey mixes the length and three bytes; keys of one log differ in those.
func hashKey(key []byte) uint32 {
	n := len(key)
	if n == 0 {
		return 0
	}
	h := uint32(n)*0x9E3779B1 ^ uint32(key[0])*0x85EBCA6B ^ uint32(key[n-1])*0xC2B2AE35 ^ uint32(key[n/2])*0x27D4EB2F
	return h ^ h>>15
}
