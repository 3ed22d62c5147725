package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// schemaNode is one element of the schema as stored, depth first.
type schemaNode struct {
	name       string
	physical   Physical // -1 for a group
	length     int32    // of FIXED_LEN_BYTE_ARRAY
	repetition repetition
	children   int32
	logical    logical
}

type repetition int32

const (
	required repetition = iota
	optional
	repeated
)

// chunk is the footer's account of one column in one row group. A problem is
// kept here and told only if the column is asked for.
type chunk struct {
	physical     Physical
	codec        int32
	values       int64 // rows, or list elements and empty lists if nested
	start        int64 // of the first page
	stored       int64 // bytes of all pages with their headers
	uncompressed int64
	problem      error
}

type rowGroup struct {
	rows   int64
	chunks []chunk
}

type footer struct {
	rows      int64 // as declared for the file; some writers leave it at 0
	schema    []schemaNode
	groups    []rowGroup
	metadata  map[string]string
	createdBy string
}

// readFooter checks both ends of the file and reads its footer. end is the
// offset where the footer begins and pages must have ended.
func readFooter(r io.ReaderAt, size int64, lim Limits) (ft *footer, end int64, err error) {
	if size < 12 {
		return nil, 0, fmt.Errorf("%w: %d bytes", ErrNotParquet, size)
	}
	var head [4]byte
	var tail [8]byte
	if err := readFull(r, head[:], 0); err != nil {
		return nil, 0, err
	}
	if err := readFull(r, tail[:], size-8); err != nil {
		return nil, 0, err
	}
	switch magic := string(tail[4:]); {
	case magic == "PARE" || string(head[:]) == "PARE":
		return nil, 0, unsupported("the footer is encrypted; decrypt the file first")
	case string(head[:]) != "PAR1":
		return nil, 0, ErrNotParquet
	case magic != "PAR1":
		return nil, 0, damaged("the file does not end as it should; it may be cut off or still being written")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:4]))
	if n > size-12 {
		return nil, 0, damaged("footer of %d bytes in a file of %d", n, size)
	}
	if n > maxFooter {
		return nil, 0, overLimit("footer of %d bytes, at most %d", n, maxFooter)
	}
	buf := make([]byte, n)
	end = size - 8 - n
	if err := readFull(r, buf, end); err != nil {
		return nil, 0, err
	}
	ft, err = parseFooter(buf, lim)
	return ft, end, err
}

// readFull fills b from offset off; the end of the file inside b is damage,
// not an end.
func readFull(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return damaged("the file ends inside a page or its footer")
	}
	return fmt.Errorf("read at byte %d: %w", off, err)
}

// parseFooter reads FileMetaData.
func parseFooter(b []byte, lim Limits) (*footer, error) {
	c := &compact{data: b}
	ft := &footer{metadata: map[string]string{}}
	needed, signed := 0, false
	for id, typ := range c.fields() {
		switch id {
		case 2, 3, 4:
			needed++
		case 8:
			signed = true
		}
		switch id {
		case 2:
			for et := range c.list(typ, nil) {
				ft.schema = append(ft.schema, c.schemaNode(et))
				if len(ft.schema) > 4*lim.Columns {
					c.fail(overLimit("schema of more than %d elements", 4*lim.Columns))
				}
			}
		case 3:
			ft.rows = c.integer(typ)
		case 4:
			for et := range c.list(typ, nil) {
				ft.groups = append(ft.groups, c.rowGroup(et, lim))
			}
		case 5:
			for et := range c.list(typ, nil) {
				k, v := c.keyValue(et)
				ft.metadata[k] = v
			}
		case 6:
			ft.createdBy = string(c.bytes(typ))
		default:
			c.skip(typ)
		}
	}
	switch {
	case errors.Is(c.err, errShort):
		return nil, damaged("the footer ends early")
	case c.err != nil:
		return nil, c.err
	case needed != 3:
		return nil, damaged("the footer lacks the schema, the rows or the row groups")
	case c.pos != len(b) && !signed: // a lost byte makes the rest look like nothing
		return nil, damaged("%d bytes of the footer are left over", len(b)-c.pos)
	}
	return ft, nil
}

func (c *compact) keyValue(typ byte) (k, v string) {
	if !c.structure(typ) {
		return "", ""
	}
	for id, typ := range c.fields() {
		switch id {
		case 1:
			k = string(c.bytes(typ))
		case 2:
			v = string(c.bytes(typ))
		default:
			c.skip(typ)
		}
	}
	return k, v
}

func (c *compact) schemaNode(typ byte) schemaNode {
	n := schemaNode{physical: -1}
	if !c.structure(typ) {
		return n
	}
	converted := int32(-1)
	for id, typ := range c.fields() {
		switch id {
		case 1:
			if n.physical = Physical(c.int32(typ)); n.physical < 0 || n.physical > unknownPhysical {
				n.physical = unknownPhysical
			}
		case 2:
			n.length = c.int32(typ)
		case 3:
			n.repetition = repetition(c.int32(typ))
		case 4:
			n.name = string(c.bytes(typ))
		case 5:
			n.children = c.int32(typ)
		case 6:
			converted = c.int32(typ)
		case 7:
			n.logical.scale = c.int32(typ)
		case 10:
			if c.structure(typ) {
				c.logicalType(&n.logical)
			}
		default:
			c.skip(typ)
		}
	}
	if n.logical.kind == LogicalNone {
		n.logical.fromConverted(converted)
	}
	return n
}

func (c *compact) rowGroup(typ byte, lim Limits) rowGroup {
	var g rowGroup
	if !c.structure(typ) {
		return g
	}
	g.rows = -1
	for id, typ := range c.fields() {
		switch id {
		case 1:
			// No more than the limit is reserved on the word of a count.
			reserve := func(n int) { g.chunks = make([]chunk, 0, min(n, lim.Columns, (len(c.data)-c.pos)/12+1)) }
			for et := range c.list(typ, reserve) {
				g.chunks = append(g.chunks, c.chunk(et))
				if len(g.chunks) > lim.Columns {
					c.fail(overLimit("more than %d columns", lim.Columns))
				}
			}
		case 3:
			g.rows = c.integer(typ)
		default:
			c.skip(typ)
		}
	}
	return g
}

func (c *compact) chunk(typ byte) chunk {
	ch := chunk{physical: -1}
	if !c.structure(typ) {
		return ch
	}
	described := false
	for id, typ := range c.fields() {
		switch {
		case id == 1:
			if len(c.bytes(typ)) > 0 {
				ch.problem = unsupported("the column lies in another file")
			}
		case id == 3 && c.structure(typ):
			described = true
			c.chunkMetadata(&ch)
		case id == 8:
			ch.problem = unsupported("the column is encrypted; decrypt the file first")
			c.skip(typ)
		default:
			c.skip(typ)
		}
	}
	if !described && ch.problem == nil {
		ch.problem = damaged("no column metadata")
	}
	return ch
}

func (c *compact) chunkMetadata(ch *chunk) {
	var data, dict int64
	seen := 0
	for id, typ := range c.fields() {
		switch id {
		case 1:
			ch.physical = Physical(c.int32(typ))
		case 4:
			ch.codec = c.int32(typ)
		case 5:
			ch.values = c.integer(typ)
		case 6:
			ch.uncompressed = c.integer(typ)
		case 7:
			ch.stored = c.integer(typ)
		case 9:
			data = c.integer(typ)
		case 11:
			dict = c.integer(typ)
		default:
			c.skip(typ)
			continue
		}
		if id != 11 {
			seen++
		}
	}
	ch.start = data
	if dict > 0 && dict < data {
		ch.start = dict // 0 is written for "none" by some
	}
	if seen != 6 && ch.problem == nil {
		ch.problem = damaged("incomplete column metadata")
	}
}
