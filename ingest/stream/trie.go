package stream

import (
	"strings"
	"sync"
)

// node is one place in an event: the root, a member or an element.
type node struct {
	read  reading
	class Class
	sign  sign
	slot  slot
	words vocabulary
	vote  Dialect
	scope scope
	elem  *node  // the elements, if the value is an array
	kids  []kid  // the members
	cells []byte // an open-addressed table of places in kids plus one; nil for none
	name  string // the member's own name
}

type kid struct {
	name string
	node *node
}

// hash mixes length and both ends of a name: cheap, and enough for the closed
// set of names of a table.
func hash[T string | []byte](name T) int {
	n := len(name)
	if n == 0 {
		return 0
	}
	return n*7 + int(name[0])*31 + int(name[n-1])*13 + int(name[n/2])*5
}

// child returns the node of a member, nil where no table names it. Most members
// are named by none: a miss costs one byte of a small table.
func (n *node) child(name []byte) *node {
	if len(n.cells) == 0 {
		return nil
	}
	mask := len(n.cells) - 1
	for h := hash(name) & mask; ; h = (h + 1) & mask {
		at := n.cells[h]
		if at == 0 {
			return nil
		}
		if k := &n.kids[at-1]; k.name == string(name) {
			return k.node
		}
	}
}

// leaf reports whether nothing inside a container that begins with c is read.
func (n *node) leaf(c byte) bool {
	if n.read == readFull || n.scope != scopeNone {
		return false
	}
	return c == '{' && n.kids == nil || c == '[' && n.elem == nil
}

// insert returns the node of a member, which it makes if need be.
func (n *node) insert(name string) *node {
	if k := n.child([]byte(name)); k != nil {
		return k
	}
	k := &node{class: noClass, name: name}
	n.kids = append(n.kids, kid{name, k})
	if len(n.kids) > 255 {
		panic("stream: too many members of one object")
	}
	n.seal()
	return k
}

// seal makes the table, at most an eighth full.
func (n *node) seal() {
	size := 8
	for size < 8*len(n.kids) {
		size *= 2
	}
	n.cells = make([]byte, size)
	for i, k := range n.kids {
		h := hash(k.name) & (size - 1)
		for n.cells[h] != 0 {
			h = (h + 1) & (size - 1)
		}
		n.cells[h] = byte(i + 1)
	}
}

// at returns the node of a path such as "choices[].delta.content".
func (n *node) at(path string) *node {
	for part := range strings.SplitSeq(path, ".") {
		name, array := strings.CutSuffix(part, "[]")
		n = n.insert(name)
		if array {
			if n.elem == nil {
				n.elem = &node{class: noClass, name: name}
			}
			n = n.elem
		}
	}
	return n
}

// root is the tree of all paths that are read. It is never written to.
var root = sync.OnceValue(compile)

func compile() *node {
	n := &node{class: noClass}
	for _, table := range [][]pathRow{chatPaths, anthropicPaths, responsesPaths, geminiPaths,
		bedrockPaths, coherePaths, ollamaPaths, dashscopePaths, sharedPaths} {
		n.addPaths(table, "")
	}
	n.addPaths(geminiPaths, "response.")
	n.addWords()
	n.addCounts()
	for _, v := range voteRows {
		n.at(v.path).vote = v.dialect
	}
	for _, s := range scopeRows {
		n.at(s.path).scope = s.scope
	}
	return n
}

func (n *node) addPaths(table []pathRow, prefix string) {
	for _, r := range table {
		at := n.at(prefix + r.path)
		at.read, at.class, at.sign = r.read, r.class, r.sign
	}
}

func (n *node) addWords() {
	for _, w := range wordRows {
		at := n.at(w.path)
		at.read, at.words = readWord, w.of
	}
}

func (n *node) addCounts() {
	for _, c := range countRows {
		n.at(c.path).slot = c.slot
	}
	for _, p := range usageParents {
		for _, c := range usageRows {
			n.at(p + "." + c.name).slot = c.slot
		}
	}
	for _, p := range geminiParents {
		for _, c := range geminiUsageRows {
			n.at(p + "." + c.name).slot = c.slot
		}
	}
}
