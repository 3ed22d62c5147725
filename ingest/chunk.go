package ingest

import (
	"bytes"
	"io"
)

// cutter cuts a stream into chunks that end where lines end.
type cutter struct {
	r       io.Reader
	size    int
	maxLine int
	carry   []byte // the start of a line, for the next chunk
	at      int64  // offset of carry
	ended   bool
}

// chunk is some lines. Of a line that is too long there is nothing but its place.
type chunk struct {
	data    []byte
	at      int64
	buf     []byte // the memory that data is in, for the next chunk
	tooLong bool
	last    bool
}

// pageSize is what reads are aligned to. Some processors copy several times
// slower to a place that is not.
const pageSize = 4096

func pages(n int) int { return (n + pageSize - 1) &^ (pageSize - 1) }

// next reads the next chunk into buf, which may have to grow; false after the
// last one. The chunk of a line that is too long is that line alone. What the
// last chunk left over is put right before a page, so that the file is read to
// the start of one.
func (c *cutter) next(buf []byte) (chunk, bool, error) {
	if c.ended {
		return chunk{}, false, nil
	}
	filled := pages(len(c.carry))
	begin := filled - len(c.carry)
	if cap(buf) < filled+c.size {
		buf = make([]byte, filled+pages(c.size))
	}
	size := filled + c.size
	copy(buf[begin:filled], c.carry)
	for from := begin; ; from = filled {
		buf = buf[:size]
		n, err := io.ReadFull(c.r, buf[filled:])
		filled += n
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			c.ended = true
			return chunk{data: buf[begin:filled], at: c.at, buf: buf, last: true}, true, nil
		case err != nil:
			return chunk{}, false, err
		}
		if end := bytes.LastIndexByte(buf[from:filled], '\n'); end >= 0 {
			return c.cut(buf, begin, from+end+1), true, nil
		}
		if filled-begin >= c.maxLine {
			return c.discard(buf, int64(filled-begin))
		}
		if size = min(2*size, begin+c.maxLine+1); size > cap(buf) {
			buf = append(make([]byte, 0, pages(size)), buf...)
		}
	}
}

// cut keeps what stands after end for the next chunk.
func (c *cutter) cut(buf []byte, begin, end int) chunk {
	out := chunk{data: buf[begin:end], at: c.at, buf: buf}
	c.carry = append(c.carry[:0], buf[end:]...)
	c.at += int64(end - begin)
	return out
}

// discard passes over the rest of a line that is too long, of which n bytes were
// read.
func (c *cutter) discard(buf []byte, n int64) (chunk, bool, error) {
	out := chunk{at: c.at, buf: buf, tooLong: true}
	c.at += n
	c.carry = c.carry[:0]
	for {
		n, err := c.r.Read(buf[:min(len(buf), c.size)])
		if end := bytes.IndexByte(buf[:n], '\n'); end >= 0 {
			c.carry = append(c.carry, buf[end+1:n]...)
			c.at += int64(end + 1)
			return out, true, nil
		}
		c.at += int64(n)
		if err == io.EOF {
			c.ended, out.last = true, true
			return out, true, nil
		}
		if err != nil {
			return chunk{}, false, err
		}
	}
}
