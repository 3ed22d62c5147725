package parquet

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// footerWriter collects what the footer says: the row groups are encoded as
// they are written, so that their number costs little.
type footerWriter struct {
	columns []ColumnSpec
	options WriterOptions
	groups  compactWriter // structures without the head of their list
	count   int
	rows    int64
	start   int64 // of the row group being written
	total   chunkWritten
}

// beginGroup begins the row group whose first page is at start.
func (f *footerWriter) beginGroup(start int64) {
	f.start, f.total = start, chunkWritten{}
	f.groups.begin()
	f.groups.list(1, tStruct, len(f.columns))
}

// endGroup comes after as many calls of chunk as there are columns.
func (f *footerWriter) endGroup(rows int) {
	g := &f.groups
	g.int64(2, f.total.uncompressed)
	g.int64(3, int64(rows))
	g.int64(5, f.start)
	g.int64(6, f.total.stored)
	if f.count <= math.MaxInt16 {
		g.integer(7, tI16, int64(f.count))
	}
	g.end()
	f.count++
	f.rows += int64(rows)
}

// chunk adds what was written of a column, the next one of the row group, as
// ColumnChunk and ColumnMetaData.
func (f *footerWriter) chunk(column int, c *columnBuffer, ch chunkWritten) {
	f.total.uncompressed += ch.uncompressed
	f.total.stored += ch.stored
	g := &f.groups
	g.begin()
	g.int64(2, 0) // where the metadata stands again, which is nowhere
	g.structure(3)
	g.int32(1, int32(c.typ.physical()))
	f.encodings(ch)
	g.list(3, tBinary, 1)
	g.textElement(f.columns[column].Name)
	g.int32(4, codecZstd)
	g.int64(5, int64(len(c.levels)))
	g.int64(6, ch.uncompressed)
	g.int64(7, ch.stored)
	g.int64(9, ch.data)
	if ch.coded {
		g.int64(11, ch.start)
	}
	f.statistics(c)
	f.pages(ch)
	g.end()
	g.end()
}

// encodings lists those of dictionary, levels and values.
func (f *footerWriter) encodings(ch chunkWritten) {
	list := []int32{encPlain, encRLE, encRLEDictionary}
	if !ch.coded {
		list = list[:2]
	}
	f.groups.list(2, tI32, len(list))
	for _, e := range list {
		f.groups.int32Element(e)
	}
}

func (f *footerWriter) statistics(c *columnBuffer) {
	g := &f.groups
	g.structure(12)
	g.int64(3, int64(len(c.levels)-c.values))
	if b := c.bounds(); b.known {
		g.bytes(5, b.hi)
		g.bytes(6, b.lo)
		g.boolean(7, true) // both are exact
		g.boolean(8, true)
	}
	g.end()
}

// pages says how many pages of which encoding there are.
func (f *footerWriter) pages(ch chunkWritten) {
	if !ch.coded {
		f.groups.list(13, tStruct, 1)
	} else {
		f.groups.list(13, tStruct, 2)
		f.pageCount(pageDictionary, encPlain, 1)
	}
	f.pageCount(pageData, ch.encoding(), ch.pages)
}

func (f *footerWriter) pageCount(kind, encoding, n int32) {
	f.groups.begin()
	f.groups.int32(1, kind)
	f.groups.int32(2, encoding)
	f.groups.int32(3, n)
	f.groups.end()
}

// tail returns FileMetaData, its length and the magic bytes: the end of a file.
func (f *footerWriter) tail() []byte {
	var c compactWriter
	c.begin()
	c.int32(1, 2) // the version that has RLE_DICTIONARY
	f.schema(&c)
	c.int64(3, f.rows)
	c.list(4, tStruct, f.count)
	c.data = append(c.data, f.groups.data...)
	if len(f.options.Metadata) > 0 {
		f.metadata(&c)
	}
	if f.options.CreatedBy != "" {
		c.text(6, f.options.CreatedBy)
	}
	c.list(7, tStruct, len(f.columns))
	for range f.columns { // each is in the order of its type
		c.begin()
		c.structure(1)
		c.end()
		c.end()
	}
	c.end()
	b := binary.LittleEndian.AppendUint32(c.data, uint32(len(c.data)))
	return append(b, magic...)
}

func (f *footerWriter) metadata(c *compactWriter) {
	c.list(5, tStruct, len(f.options.Metadata))
	for _, key := range slices.Sorted(maps.Keys(f.options.Metadata)) {
		c.begin()
		c.text(1, key)
		c.text(2, f.options.Metadata[key])
		c.end()
	}
}

// schema writes the root and its columns.
func (f *footerWriter) schema(c *compactWriter) {
	c.list(2, tStruct, 1+len(f.columns))
	c.begin()
	c.text(4, "schema")
	c.int32(5, int32(len(f.columns)))
	c.end()
	for _, column := range f.columns {
		c.begin()
		c.int32(1, int32(column.Type.physical()))
		c.int32(3, int32(optional))
		c.text(4, column.Name)
		column.Type.annotate(c)
		c.end()
	}
}

// physical is the type in which values are stored.
func (t WriteType) physical() Physical {
	switch t {
	case WriteFloat:
		return Double
	case WriteBool:
		return Boolean
	case WriteText:
		return ByteArray
	}
	return Int64
}

// annotate says what the values mean, in the older way and in the newer one.
func (t WriteType) annotate(c *compactWriter) {
	switch t {
	case WriteText:
		c.int32(6, 0) // UTF8
		c.structure(10)
		c.structure(1) // STRING
	case WriteTimestamp:
		c.int32(6, 10) // TIMESTAMP_MICROS
		c.structure(10)
		c.structure(8) // TIMESTAMP
		c.boolean(1, true)
		c.structure(2) // of the unit
		c.structure(int(micros))
		c.end()
		c.end()
	default:
		return
	}
	c.end()
	c.end()
}
