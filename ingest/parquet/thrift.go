package parquet

import (
	"encoding/binary"
	"errors"
	"iter"
)

// Wire types of Thrift's compact protocol.
const (
	tTrue   = 1
	tFalse  = 2
	tByte   = 3
	tI16    = 4
	tI32    = 5
	tI64    = 6
	tDouble = 7
	tBinary = 8
	tList   = 9
	tSet    = 10
	tMap    = 11
	tStruct = 12
)

// maxThriftDepth bounds nesting; Parquet's own structures need 7.
const maxThriftDepth = 24

// errShort says that the bytes end inside a value: more of them may help.
var errShort = errors.New("bytes end early")

// compact reads Thrift's compact protocol from a slice. The first fault is
// kept in err, and everything after it yields zeros, so that callers check
// once per structure.
type compact struct {
	data  []byte
	pos   int
	depth int
	err   error
}

func (c *compact) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.pos = len(c.data)
}

func (c *compact) byte() byte {
	if c.pos >= len(c.data) {
		c.fail(errShort)
		return 0
	}
	b := c.data[c.pos]
	c.pos++
	return b
}

func (c *compact) uvarint() uint64 {
	v, n := binary.Uvarint(c.data[c.pos:])
	if n <= 0 {
		if n == 0 {
			c.fail(errShort)
		} else {
			c.fail(damaged("number too long"))
		}
		return 0
	}
	c.pos += n
	return v
}

func (c *compact) zigzag() int64 {
	v := c.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// integer reads a whole number of any width.
func (c *compact) integer(typ byte) int64 {
	switch typ {
	case tByte:
		return int64(int8(c.byte()))
	case tI16, tI32, tI64:
		return c.zigzag()
	}
	c.fail(damaged("field of another type"))
	return 0
}

// int32 reads a whole number that must fit 32 bits.
func (c *compact) int32(typ byte) int32 {
	v := c.integer(typ)
	if int64(int32(v)) != v {
		c.fail(damaged("number out of range"))
		return 0
	}
	return int32(v)
}

func (c *compact) boolean(typ byte) bool {
	if typ != tTrue && typ != tFalse {
		c.fail(damaged("field of another type"))
	}
	return typ == tTrue
}

// bytes reads a length and that many bytes; the result is part of data.
func (c *compact) bytes(typ byte) []byte {
	if typ != tBinary {
		c.fail(damaged("field of another type"))
		return nil
	}
	n := c.uvarint()
	if n > uint64(len(c.data)-c.pos) {
		c.fail(errShort)
		return nil
	}
	b := c.data[c.pos : c.pos+int(n)]
	c.pos += int(n)
	return b
}

// fields yields the fields of one structure. The body must read or skip each.
func (c *compact) fields() iter.Seq2[int, byte] {
	return func(yield func(int, byte) bool) {
		c.depth++
		defer func() { c.depth-- }()
		if c.depth > maxThriftDepth {
			c.fail(damaged("nested too deep"))
		}
		id := 0
		for c.err == nil {
			b := c.byte()
			if b == 0 || c.err != nil {
				return
			}
			if b>>4 == 0 {
				id = int(c.zigzag())
			} else {
				id += int(b >> 4)
			}
			if !yield(id, b&15) {
				return
			}
		}
	}
}

// list yields the element type for each element of one list, after telling
// reserve, if given, how many there are. A list cannot have more elements than
// bytes follow.
func (c *compact) list(typ byte, reserve func(n int)) iter.Seq[byte] {
	return func(yield func(byte) bool) {
		if typ != tList && typ != tSet {
			c.fail(damaged("field of another type"))
			return
		}
		h := c.byte()
		n := uint64(h >> 4)
		if n == 15 {
			n = c.uvarint()
		}
		if n > uint64(len(c.data)-c.pos) {
			c.fail(errShort)
			return
		}
		if reserve != nil {
			reserve(int(n))
		}
		for ; n > 0 && c.err == nil; n-- {
			if !yield(h & 15) {
				return
			}
		}
	}
}

// structure checks that a field or element is a structure.
func (c *compact) structure(typ byte) bool {
	if typ != tStruct {
		c.fail(damaged("field of another type"))
	}
	return typ == tStruct
}

// skip passes over a field of any type.
func (c *compact) skip(typ byte) {
	switch typ {
	case tTrue, tFalse:
	case tDouble:
		if len(c.data)-c.pos < 8 {
			c.fail(errShort)
			return
		}
		c.pos += 8
	case tByte, tI16, tI32, tI64:
		c.integer(typ)
	case tBinary:
		c.bytes(typ)
	case tList, tSet:
		for et := range c.list(typ, nil) {
			c.skipElement(et)
		}
	case tMap:
		c.skipMap()
	case tStruct:
		for _, ft := range c.fields() {
			c.skip(ft)
		}
	default:
		c.fail(damaged("unknown wire type"))
	}
}

// skipElement passes over one element of a list or map, where a boolean takes
// a byte of its own. Lists in lists count as depth.
func (c *compact) skipElement(typ byte) {
	if typ == tTrue || typ == tFalse {
		c.byte()
		return
	}
	c.depth++
	if c.depth > maxThriftDepth {
		c.fail(damaged("nested too deep"))
		return
	}
	c.skip(typ)
	c.depth--
}

func (c *compact) skipMap() {
	n := c.uvarint()
	if n == 0 {
		return
	}
	if n > uint64(len(c.data)-c.pos) {
		c.fail(errShort)
		return
	}
	kv := c.byte()
	for ; n > 0 && c.err == nil; n-- {
		c.skipElement(kv >> 4)
		c.skipElement(kv & 15)
	}
}
