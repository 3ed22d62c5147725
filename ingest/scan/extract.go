package scan

import "bytes"

// Kind is the kind of a JSON value. The zero value is absence.
type Kind byte

// The kinds.
const (
	Absent Kind = 0
	Object Kind = '{'
	Array  Kind = '['
	Text   Kind = '"'
	Num    Kind = '0'
	Bool   Kind = 't'
	Null   Kind = 'n'
)

// Value is a value as it stands in the input.
type Value struct {
	Kind    Kind
	Escaped bool   // of Text: Raw holds escapes
	Raw     []byte // the literal; of Text what is between the quotes
}

// ValueOf returns the value that is all of lit, which Skip has passed.
func ValueOf(lit []byte) Value {
	switch c := lit[0]; c {
	case '{', '[':
		return Value{Kind: Kind(c), Raw: lit}
	case '"':
		inside := lit[1 : len(lit)-1]
		return Value{Kind: Text, Escaped: bytes.IndexByte(inside, '\\') >= 0, Raw: inside}
	case 't', 'f':
		return Value{Kind: Bool, Raw: lit}
	case 'n':
		return Value{Kind: Null, Raw: lit}
	}
	return Value{Kind: Num, Raw: lit}
}

// Extractor finds the values of a set of paths, one document after the other.
// It is not safe for concurrent use.
type Extractor struct {
	paths   *Paths
	values  []Value
	saved   []Value     // of documents in strings: the values before, in case they are broken
	opened  []uint64    // by node: the last object in which its key stood
	serial  uint64      // number of the object
	follows []followers // by node: in which order keys came
	scratch []byte      // texts with their escapes taken off
	key     []byte
	at      *node // where a duplicate key stood
}

// NewExtractor returns an extractor of the paths.
func (p *Paths) NewExtractor() *Extractor {
	return &Extractor{paths: p, values: make([]Value, len(p.names)), opened: make([]uint64, p.nodes), follows: make([]followers, p.nodes)}
}

// Scan reads doc, one JSON object and nothing else. It returns the fault and
// its offset; what was found before a fault is forgotten. A wanted key that
// stands twice in one object is a fault, any other is not.
func (x *Extractor) Scan(doc []byte) (offset int, f Fault) {
	x.reset()
	i := Space(doc, 0)
	if i >= len(doc) {
		return len(doc), Truncated
	}
	if doc[i] != '{' {
		return x.notObject(doc, i)
	}
	if i, f = x.object(doc, i, x.paths.root); f == OK {
		if i = Space(doc, i); i != len(doc) {
			f = Syntax
		}
	}
	if f != OK {
		clear(x.values)
	}
	return i, f
}

// ScanValue reads one value of any kind, and nothing else, with the paths going
// out from it.
func (x *Extractor) ScanValue(doc []byte) (offset int, f Fault) {
	x.reset()
	i, f := x.value(doc, Space(doc, 0), x.paths.root)
	if f == OK {
		if i = Space(doc, i); i != len(doc) {
			f = Syntax
		}
	}
	if f != OK {
		clear(x.values)
	}
	return i, f
}

func (x *Extractor) notObject(doc []byte, i int) (int, Fault) {
	end, f := Skip(doc, i)
	if f != OK {
		return end, f
	}
	if end = Space(doc, end); end != len(doc) {
		return end, Syntax
	}
	return i, NotObject
}

func (x *Extractor) reset() {
	clear(x.values)
	x.scratch = x.scratch[:0]
	x.at = nil
}

// Len returns the number of paths.
func (x *Extractor) Len() int { return len(x.values) }

// Get returns the value of path number i. It stays as it is until the next Scan
// and until the document is changed.
func (x *Extractor) Get(i int) Value { return x.values[i] }

// DuplicateField returns the path of the key that stood twice, or "".
func (x *Extractor) DuplicateField() string {
	if x.at == nil {
		return ""
	}
	return x.at.name
}

// Plain returns the text of v without escapes, for every other kind its
// literal. It stays as it is until the next Scan.
func (x *Extractor) Plain(v Value) []byte {
	if !v.Escaped {
		return v.Raw
	}
	start := len(x.scratch)
	x.scratch = Unescape(x.scratch, v.Raw)
	return x.scratch[start:len(x.scratch):len(x.scratch)]
}

func (x *Extractor) object(b []byte, i int, n *node) (end int, f Fault) {
	x.serial++
	serial := x.serial
	i = Space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1, OK
	}
	for prev := &x.follows[n.id].first; ; {
		start := i
		var c *node
		if prev, c, i, f = x.next(b, i, n, prev); f != OK {
			return i, f
		}
		i = Space(b, i)
		if c == nil {
			i, f = Skip(b, i)
		} else {
			if x.opened[c.id] == serial {
				x.at = c
				return start, Duplicate
			}
			x.opened[c.id] = serial
			i, f = x.value(b, i, c)
		}
		if f != OK {
			return i, f
		}
		i = Space(b, i)
		switch {
		case i >= len(b):
			return len(b), Truncated
		case b[i] == '}':
			return i + 1, OK
		case b[i] != ',':
			return i, Syntax
		}
		i = Space(b, i+1)
	}
}

func (x *Extractor) find(n *node, k name) *node {
	if !k.escaped {
		return n.keys.find(k.raw)
	}
	x.key = Unescape(x.key[:0], k.raw)
	return n.keys.find(x.key)
}

// value reads a value at n, wanted itself or for what is in it.
func (x *Extractor) value(b []byte, i int, n *node) (end int, f Fault) {
	switch {
	case i >= len(b):
		return len(b), Truncated
	case b[i] == '"':
		return x.text(b, i, n)
	case b[i] == '{' && len(n.keys.list) > 0:
		end, f = x.object(b, i, n)
	case b[i] == '[' && len(n.elements) > 0:
		end, f = x.array(b, i, n)
	default:
		end, f = Skip(b, i)
	}
	if f == OK && len(n.slots) > 0 {
		x.put(n, ValueOf(b[i:end]))
	}
	return end, f
}

func (x *Extractor) text(b []byte, i int, n *node) (end int, f Fault) {
	end, escaped, f := String(b, i)
	if f != OK {
		return end, f
	}
	v := Value{Kind: Text, Escaped: escaped, Raw: b[i+1 : end-1]}
	if !n.leaf() {
		x.inside(v, n)
	}
	if len(n.slots) > 0 {
		x.put(n, v)
	}
	return end, OK
}

func (x *Extractor) put(n *node, v Value) {
	for _, slot := range n.slots {
		if !n.keep || x.values[slot].Kind == Absent {
			x.values[slot] = v
		}
	}
}

func (x *Extractor) array(b []byte, i int, n *node) (end int, f Fault) {
	i = Space(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1, OK
	}
	for index := 0; ; index++ {
		if i, f = x.elements(b, i, n, index); f != OK {
			return i, f
		}
		i = Space(b, i)
		switch {
		case i >= len(b):
			return len(b), Truncated
		case b[i] == ']':
			return i + 1, OK
		case b[i] != ',':
			return i, Syntax
		}
		i = Space(b, i+1)
	}
}

// elements reads one element for each path that wants it.
func (x *Extractor) elements(b []byte, i int, n *node, index int) (end int, f Fault) {
	read := false
	for _, e := range n.elements {
		if e.index >= 0 && e.index != index {
			continue
		}
		if e.index == lastElement {
			x.forget(e.node.below)
		}
		if end, f = x.value(b, i, e.node); f != OK {
			return end, f
		}
		read = true
	}
	if !read {
		return Skip(b, i)
	}
	return end, OK
}

func (x *Extractor) forget(slots []int) {
	for _, slot := range slots {
		x.values[slot] = Value{}
	}
}

// inside reads the document in a string for the paths that go on in it. A
// string that holds none, or a broken one, has nothing to find: the line itself
// is sound.
func (x *Extractor) inside(v Value, n *node) {
	start, base := len(x.scratch), len(x.saved)
	if !bracket(v.Raw) {
		return
	}
	doc := x.Plain(v)
	for _, slot := range n.below {
		x.saved = append(x.saved, x.values[slot])
	}
	end, f := x.tree(doc, Space(doc, 0), n)
	if f != OK || Space(doc, end) != len(doc) {
		for k, slot := range n.below {
			x.values[slot] = x.saved[base+k]
		}
		x.scratch = x.scratch[:start]
		x.at = nil
	}
	x.saved = x.saved[:base]
}

func bracket(doc []byte) bool {
	i := Space(doc, 0)
	return i < len(doc) && (doc[i] == '{' || doc[i] == '[')
}

func (x *Extractor) tree(b []byte, i int, n *node) (int, Fault) {
	switch {
	case b[i] == '{' && len(n.keys.list) > 0:
		return x.object(b, i, n)
	case b[i] == '[' && len(n.elements) > 0:
		return x.array(b, i, n)
	}
	return Skip(b, i)
}

// Count returns the number of elements of the array, or of keys of the object,
// that is all of lit, which Skip has passed; 0 for every other value.
func Count(lit []byte) int {
	if len(lit) == 0 || lit[0] != '[' && lit[0] != '{' {
		return 0
	}
	i := Space(lit, 1)
	if lit[i] == lit[0]+2 {
		return 0
	}
	for n := 1; ; n++ {
		if lit[0] == '{' {
			_, i, _ = key(lit, i)
		}
		i, _ = Skip(lit, i)
		if i = Space(lit, i); lit[i] != ',' {
			return n
		}
		i = Space(lit, i+1)
	}
}

// Elements yields the elements of the array that is all of lit, which Skip has
// passed.
func Elements(lit []byte) func(yield func(element []byte) bool) {
	return func(yield func([]byte) bool) {
		if len(lit) == 0 || lit[0] != '[' {
			return
		}
		i := Space(lit, 1)
		for lit[i] != ']' {
			end, _ := Skip(lit, i)
			if !yield(lit[i:end]) {
				return
			}
			if i = Space(lit, end); lit[i] == ',' {
				i = Space(lit, i+1)
			}
		}
	}
}
