package parquet

import "encoding/binary"

// compactWriter writes Thrift's compact protocol into memory: what [compact]
// reads. The fields of a structure come in the order of their numbers, which
// in Parquet's structures are less than 16 apart.
type compactWriter struct {
	data  []byte
	last  int   // number of the field before
	outer []int // last of the structures around
}

// field writes the head of a field.
func (c *compactWriter) field(id int, typ byte) {
	c.data = append(c.data, byte(id-c.last)<<4|typ)
	c.last = id
}

// integer writes a field of type tI16, tI32 or tI64.
func (c *compactWriter) integer(id int, typ byte, v int64) {
	c.field(id, typ)
	c.data = binary.AppendVarint(c.data, v)
}

func (c *compactWriter) int32(id int, v int32) { c.integer(id, tI32, int64(v)) }
func (c *compactWriter) int64(id int, v int64) { c.integer(id, tI64, v) }

func (c *compactWriter) boolean(id int, v bool) {
	if v {
		c.field(id, tTrue)
		return
	}
	c.field(id, tFalse)
}

func (c *compactWriter) text(id int, v string) {
	c.field(id, tBinary)
	c.textElement(v)
}

func (c *compactWriter) bytes(id int, v []byte) {
	c.field(id, tBinary)
	c.data = binary.AppendUvarint(c.data, uint64(len(v)))
	c.data = append(c.data, v...)
}

// structure begins a field that is a structure; end ends it.
func (c *compactWriter) structure(id int) {
	c.field(id, tStruct)
	c.begin()
}

// begin begins a structure without a number: the outermost one, or an element
// of a list.
func (c *compactWriter) begin() {
	c.outer = append(c.outer, c.last)
	c.last = 0
}

func (c *compactWriter) end() {
	c.data = append(c.data, 0)
	c.last = c.outer[len(c.outer)-1]
	c.outer = c.outer[:len(c.outer)-1]
}

// list begins a field that is a list of n elements, which follow.
func (c *compactWriter) list(id int, element byte, n int) {
	c.field(id, tList)
	if n < 15 {
		c.data = append(c.data, byte(n)<<4|element)
		return
	}
	c.data = append(c.data, 15<<4|element)
	c.data = binary.AppendUvarint(c.data, uint64(n))
}

func (c *compactWriter) textElement(v string) {
	c.data = binary.AppendUvarint(c.data, uint64(len(v)))
	c.data = append(c.data, v...)
}

func (c *compactWriter) int32Element(v int32) { c.data = binary.AppendVarint(c.data, int64(v)) }
