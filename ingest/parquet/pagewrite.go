package parquet

import (
	"io"

	"github.com/klauspost/compress/zstd"
)

// pageWriter writes the file piece by piece and knows how far it is. Its
// buffers hold one page.
type pageWriter struct {
	out    io.Writer
	offset int64 // bytes written
	zstd   *zstd.Encoder
	header compactWriter
	body   []byte
	stored []byte // the body compressed
}

func newPageWriter(out io.Writer) (*pageWriter, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true), zstd.WithAllLitEntropyCompression(true))
	return &pageWriter{out: out, zstd: enc}, err
}

// write writes all of b: less of it is an error, also where out gives none.
func (p *pageWriter) write(b []byte) error {
	n, err := p.out.Write(b)
	p.offset += int64(n)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// chunkWritten is what the footer says of a column chunk besides its values.
type chunkWritten struct {
	start        int64 // of the dictionary, if there is one, else as data
	data         int64 // of the first data page
	coded        bool
	pages        int32 // with data
	uncompressed int64 // bytes of pages with their headers
	stored       int64
}

// encoding is that of the data pages.
func (c *chunkWritten) encoding() int32 {
	if c.coded {
		return encRLEDictionary
	}
	return encPlain
}

// chunk writes all cells of a column.
func (p *pageWriter) chunk(c *columnBuffer) (ch chunkWritten, err error) {
	ch.start, ch.coded = p.offset, c.coded()
	if ch.coded {
		p.body = append(p.body[:0], c.text.plain...)
		if err := p.page(&ch, pageDictionary, len(c.text.texts)); err != nil {
			return ch, err
		}
	}
	ch.data = p.offset
	for from := (place{}); from.row < len(c.levels); {
		to := c.pageEnd(from)
		p.body = c.appendPage(p.body[:0], from, to)
		if err := p.page(&ch, pageData, to.row-from.row); err != nil {
			return ch, err
		}
		ch.pages++
		from = to
	}
	ch.stored = p.offset - ch.start
	return ch, nil
}

// page compresses and writes the body with a header that says so many values:
// the rows of a data page, the entries of a dictionary.
func (p *pageWriter) page(ch *chunkWritten, kind int32, values int) error {
	p.stored = p.zstd.EncodeAll(p.body, p.stored[:0])
	h := &p.header
	h.data = h.data[:0]
	h.begin()
	h.int32(1, kind)
	h.int32(2, int32(len(p.body)))
	h.int32(3, int32(len(p.stored)))
	if kind == pageDictionary {
		h.structure(7)
		h.int32(1, int32(values))
		h.int32(2, encPlain)
	} else {
		h.structure(5)
		h.int32(1, int32(values))
		h.int32(2, ch.encoding())
		h.int32(3, encRLE)
		h.int32(4, encRLE)
	}
	h.end()
	h.end()
	ch.uncompressed += int64(len(h.data) + len(p.body))
	if err := p.write(h.data); err != nil {
		return err
	}
	return p.write(p.stored)
}
