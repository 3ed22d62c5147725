package parquet

import "strings"

// Kind says which slice of a [Vector] holds a column's values.
type Kind uint8

const (
	Ints   Kind = iota // Vector.Ints: whole numbers, booleans (0 or 1), times, decimals
	Floats             // Vector.Floats
	Bytes              // Vector.Bytes: text or bytes
)

// Column is a leaf of the schema.
type Column struct {
	// Path holds the names a user would use: a list is named once and a map
	// has "key" and "value"; the groups that only carry a list or a map are
	// left out. A name may itself contain dots.
	Path []string
	// Stored holds the names as stored, e.g. events.list.element.name.
	Stored   []string
	Physical Physical
	Logical  Logical
	Kind     Kind
	Scale    int  // of LogicalDecimal: the value is Ints[i] / 10^Scale
	UTC      bool // of a time: since the epoch, not of a local clock
	Optional bool // it or a group above it may be null
	Lists    int  // lists and maps around the values; 0 is a flat column
	// Problem is not nil if the column cannot be read whatever the row group.
	Problem error

	length   int // bytes of a fixed-length value
	logical  logical
	maxDef   int
	maxRep   int
	listDef  []int // per list, outermost first: level from which it has an element
	listNode []int // per list: index of the repeated schema element
}

// Name returns the path joined by dots.
func (c *Column) Name() string { return strings.Join(c.Path, ".") }

// schemaWalk turns the flat schema into leaf columns.
type schemaWalk struct {
	nodes   []schemaNode
	next    int
	columns []Column
	limit   int
}

// position is what a leaf inherits from the groups above it.
type position struct {
	path, stored  []string
	def, rep      int
	listDef       []int
	listNode      []int
	optional      bool
	problem       error
	hide          bool    // the next node only carries a list or a map
	parentLogical Logical // of the node above
	parentName    string
}

// leafColumns checks the schema and lists its leaves in order.
func leafColumns(nodes []schemaNode, limit int) ([]Column, error) {
	if len(nodes) == 0 {
		return nil, damaged("no schema")
	}
	w := &schemaWalk{nodes: nodes, limit: limit, next: 1}
	for range nodes[0].children {
		if err := w.node(position{}, 0); err != nil {
			return nil, err
		}
	}
	if w.next != len(nodes) {
		return nil, damaged("schema of %d elements uses %d", len(nodes), w.next)
	}
	return w.columns, nil
}

// node takes the next schema element and everything below it.
func (w *schemaWalk) node(p position, depth int) error {
	if depth > maxSchemaDepth {
		return overLimit("schema nested deeper than %d", maxSchemaDepth)
	}
	if w.next >= len(w.nodes) {
		return damaged("the schema ends early")
	}
	id := w.next
	n := &w.nodes[id]
	w.next++
	p.stored = append(p.stored[:len(p.stored):len(p.stored)], n.name)
	if !p.hide {
		p.path = append(p.path[:len(p.path):len(p.path)], n.name)
	}
	switch n.repetition {
	case required:
	case optional:
		p.def++
		p.optional = true
	case repeated:
		p.def++
		p.rep++
		p.listDef = append(p.listDef[:len(p.listDef):len(p.listDef)], p.def)
		p.listNode = append(p.listNode[:len(p.listNode):len(p.listNode)], id)
	default:
		return damaged("unknown repetition in the schema")
	}
	if n.physical < 0 {
		return w.group(n, p, depth)
	}
	if n.children > 0 {
		return damaged("a column with columns below it in the schema")
	}
	if len(w.columns) >= w.limit {
		return overLimit("more than %d columns", w.limit)
	}
	w.columns = append(w.columns, newColumn(n, p))
	return nil
}

// group walks the children and decides which names a user sees: the repeated
// group of a list or map and a list's single element carry no name.
func (w *schemaWalk) group(n *schemaNode, p position, depth int) error {
	if n.children < 0 {
		return damaged("negative number of children in the schema")
	}
	below := p
	below.hide = false
	below.parentLogical, below.parentName = n.logical.kind, n.name
	switch {
	case (n.logical.kind == logicalList || n.logical.kind == logicalMap) && n.repetition != repeated && n.children == 1:
		below.hide = w.next < len(w.nodes) && w.nodes[w.next].repetition == repeated
	case p.hide && p.parentLogical == logicalList && n.repetition == repeated && n.children == 1:
		// Three-level list, unless the group's name says it is the element.
		below.hide = n.name != "array" && n.name != p.parentName+"_tuple"
		below.parentLogical = LogicalNone
	case p.hide && p.parentLogical == logicalMap:
		below.parentLogical = LogicalNone
		if w.next < len(w.nodes) && w.nodes[w.next].repetition != required {
			below.problem = unsupported("a map whose keys may be null")
		}
	}
	for range n.children {
		if err := w.node(below, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// newColumn decides how the leaf's values are delivered.
func newColumn(n *schemaNode, p position) Column {
	c := Column{
		Path: p.path, Stored: p.stored, Physical: n.physical, Logical: n.logical.kind, UTC: n.logical.utc,
		Optional: p.optional, Lists: p.rep, Problem: p.problem,
		length: int(n.length), logical: n.logical, maxDef: p.def, maxRep: p.rep, listDef: p.listDef, listNode: p.listNode,
	}
	switch n.physical {
	case Boolean, Int32, Int64:
		c.Kind = Ints
	case Int96: // only ever a timestamp
		c.Kind, c.Logical, c.UTC, c.length = Ints, LogicalTimestamp, true, 12
	case Float, Double:
		c.Kind = Floats
	case unknownPhysical:
		c.Problem = unsupported("a physical type that this program does not know")
	default:
		c.Kind = Bytes
	}
	if n.physical == FixedLenByteArray && (n.length < 1 || n.length > 1<<20) && c.Problem == nil {
		c.Problem = damaged("fixed length of %d bytes", n.length)
	}
	switch {
	case c.Logical == LogicalDecimal && c.Kind != Floats:
		c.Kind, c.Scale = Ints, int(n.logical.scale)
		if c.Scale < 0 || c.Scale > 76 {
			c.Problem = damaged("decimal with a scale of %d", c.Scale)
		}
	case c.Logical == LogicalFloat16 && n.physical == FixedLenByteArray && n.length == 2:
		c.Kind = Floats
	case c.timed() && c.Kind != Ints:
		c.Logical = LogicalNone // an annotation that the values cannot carry
	}
	return c
}

// timed reports whether values are delivered in microseconds.
func (c *Column) timed() bool {
	return c.Logical == LogicalTimestamp || c.Logical == LogicalDate || c.Logical == LogicalTime
}

// fromBytes reports whether numbers are stored as byte strings.
func (c *Column) fromBytes() bool {
	return c.Kind != Bytes && c.Physical >= Int96 && c.Physical != Float && c.Physical != Double
}
