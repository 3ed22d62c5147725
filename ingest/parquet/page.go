package parquet

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Page kinds and encodings, numbered as in the format.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageDataV2     = 3

	encPlain           = 0
	encPlainDictionary = 2
	encRLE             = 3
	encBitPacked       = 4
	encDeltaBinary     = 5
	encDeltaLength     = 6
	encDeltaBytes      = 7
	encRLEDictionary   = 8
	encByteStreamSplit = 9
)

// page is a page header with the place of its body.
type page struct {
	offset       int64 // of the body
	stored       int32 // bytes of the body
	uncompressed int32
	values       int32 // levels: rows, or list elements and empty lists
	nulls, rows  int32 // version 2 only
	defBytes     int32 // version 2 only
	repBytes     int32 // version 2 only
	kind         int8
	encoding     int8
	defEncoding  int8 // version 1 only
	repEncoding  int8 // version 1 only
	plainBody    bool // version 2: the values are not compressed
	hasCRC       bool
	crc          uint32
}

func (p *page) dictionaryCoded() bool {
	return p.encoding == encPlainDictionary || p.encoding == encRLEDictionary
}

// header reads one PageHeader.
func (c *compact) header() page {
	p := page{kind: -1, encoding: -1, values: -1, stored: -1, uncompressed: -1}
	for id, typ := range c.fields() {
		switch id {
		case 1:
			p.kind = c.small(typ)
		case 2:
			p.uncompressed = c.int32(typ)
		case 3:
			p.stored = c.int32(typ)
		case 4:
			p.hasCRC = true
			p.crc = uint32(c.int32(typ))
		case 5, 7, 8:
			if c.structure(typ) {
				c.headerDetails(&p, id)
			}
		default:
			c.skip(typ)
		}
	}
	return p
}

// small reads a number that names a kind or an encoding; unknown ones become
// 127.
func (c *compact) small(typ byte) int8 {
	if v := c.int32(typ); v >= 0 && v < 127 {
		return int8(v)
	}
	return 127
}

// headerDetails reads DataPageHeader (id 5), DictionaryPageHeader (7) or
// DataPageHeaderV2 (8).
func (c *compact) headerDetails(p *page, header int) {
	for id, typ := range c.fields() {
		switch {
		case id == 1:
			p.values = c.int32(typ)
		case id == 2 && header != 8, id == 4 && header == 8:
			p.encoding = c.small(typ)
		case id == 3 && header == 5:
			p.defEncoding = c.small(typ)
		case id == 4 && header == 5:
			p.repEncoding = c.small(typ)
		case id == 2:
			p.nulls = c.int32(typ)
		case id == 3 && header == 8:
			p.rows = c.int32(typ)
		case id == 5 && header == 8:
			p.defBytes = c.int32(typ)
		case id == 6 && header == 8:
			p.repBytes = c.int32(typ)
		case id == 7 && header == 8:
			p.plainBody = !c.boolean(typ)
		default:
			c.skip(typ)
		}
	}
}

// walkPages reads every page header of a chunk, and no page. It proves that
// the pages fill the chunk exactly, that they hold as many values as declared
// and that no declared size is over the limit.
func (f *File) walkPages(col *Column, ch *chunk, rows int64, pages []page) ([]page, error) {
	pages = pages[:0]
	off, end := ch.start, ch.start+ch.stored
	window := headerWindow{r: f.r, end: end}
	var values int64
	for off < end {
		p, next, err := window.header(off)
		if err == nil {
			err = f.checkPage(col, &p, end)
		}
		if err == nil && p.kind == pageDictionary && len(pages) > 0 {
			err = damaged("a dictionary after the first page")
		}
		if err != nil {
			return pages, &Error{Page: pageName(&p, len(pages)), Err: err}
		}
		if len(pages) == maxPages {
			return pages, overLimit("more than %d pages", maxPages)
		}
		if p.kind != pageDictionary {
			values += int64(p.values)
		}
		pages = append(pages, p)
		off = next + int64(p.stored)
	}
	if values != ch.values {
		return pages, damaged("pages hold %d values, the footer says %d", values, ch.values)
	}
	if col.maxRep == 0 && values != rows {
		return pages, damaged("%d values for %d rows", values, rows)
	}
	return pages, nil
}

func pageName(p *page, n int) string {
	if p.kind == pageDictionary {
		return "dictionary page"
	}
	return fmt.Sprintf("page %d", n)
}

// checkPage checks what a header says against its chunk, which ends at end.
func (f *File) checkPage(col *Column, p *page, end int64) error {
	switch p.kind {
	case pageData, pageDataV2, pageDictionary:
	case pageIndex:
		return unsupported("an index page between data pages")
	default:
		return unsupported("a page of unknown kind")
	}
	switch {
	case p.stored < 0 || p.uncompressed < 0 || p.values < 0:
		return damaged("a page header without its sizes")
	case p.offset+int64(p.stored) > end:
		return damaged("the page runs %d bytes past its column", p.offset+int64(p.stored)-end)
	case int64(p.uncompressed) > f.limits.PageBytes || int64(p.stored) > f.limits.PageBytes:
		return overLimit("page of %d bytes, at most %d", max(p.uncompressed, p.stored), f.limits.PageBytes)
	case p.defBytes < 0 || p.repBytes < 0 || int64(p.defBytes)+int64(p.repBytes) > int64(min(p.stored, p.uncompressed)):
		return damaged("levels longer than their page")
	case p.kind == pageDataV2 && col.maxRep == 0 && p.rows != p.values:
		return damaged("%d values for %d rows", p.values, p.rows)
	case p.kind == pageDataV2 && (p.nulls < 0 || p.nulls > p.values || col.maxDef == 0 && p.nulls > 0):
		return damaged("%d nulls among %d values", p.nulls, p.values)
	}
	return nil
}

// headerWindow reads page headers of unknown length, a little ahead.
type headerWindow struct {
	r   io.ReaderAt
	end int64
	buf []byte
}

// header reads the header at off and says where the body begins. If the header
// is longer than expected (statistics of long text), it reads on.
func (w *headerWindow) header(off int64) (p page, body int64, err error) {
	for size := int64(512); ; size *= 16 {
		size = min(size, w.end-off)
		if int64(cap(w.buf)) < size {
			w.buf = make([]byte, size)
		}
		b := w.buf[:size]
		if err := readFull(w.r, b, off); err != nil {
			return p, 0, err
		}
		c := &compact{data: b}
		p = c.header()
		switch {
		case c.err == nil:
			p.offset = off + int64(c.pos)
			return p, p.offset, nil
		case !errors.Is(c.err, errShort):
			return p, 0, c.err
		case size == w.end-off:
			return p, 0, damaged("the column ends inside a page header")
		case size >= maxHeader:
			return p, 0, overLimit("page header of more than %d bytes", maxHeader)
		}
	}
}

// body reads a page as stored into buf, growing it, and checks its sum.
func (p *page) body(r io.ReaderAt, buf []byte) ([]byte, error) {
	buf = resize(buf, int(p.stored))
	if err := readFull(r, buf, p.offset); err != nil {
		return buf, err
	}
	if p.hasCRC && crc32.ChecksumIEEE(buf) != p.crc {
		return buf, damaged("the page's check sum is wrong")
	}
	return buf, nil
}

// resize returns a slice of n elements that reuses s if it is large enough;
// its content is undefined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/8)
	}
	return s[:n]
}
