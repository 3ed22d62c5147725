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
	tooLong bool
	last    bool
}

// next reads the next chunk into buf, which may have to grow; false after the
// last one. The chunk of a line that is too long is that line alone.
func (c *cutter) next(buf []byte) (chunk, bool, error) {
	if c.ended {
		return chunk{}, false, nil
	}
	if cap(buf) < c.size {
		buf = make([]byte, 0, c.size)
	}
	buf = append(buf[:0], c.carry...)
	start := c.at
	for {
		from := len(buf)
		n, err := io.ReadFull(c.r, buf[from:cap(buf)])
		buf = buf[:from+n]
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			c.ended = true
			return chunk{data: buf, at: start, last: true}, true, nil
		case err != nil:
			return chunk{}, false, err
		}
		if end := bytes.LastIndexByte(buf[from:], '\n'); end >= 0 {
			end += from + 1
			c.carry = append(c.carry[:0], buf[end:]...)
			c.at = start + int64(end)
			return chunk{data: buf[:end], at: start}, true, nil
		}
		if len(buf) >= c.maxLine {
			return c.discard(buf, start)
		}
		buf = grown(buf, min(2*cap(buf), c.maxLine+1))
	}
}

// discard passes over the rest of a line that is too long.
func (c *cutter) discard(buf []byte, start int64) (chunk, bool, error) {
	c.at = start + int64(len(buf))
	for {
		buf = buf[:min(cap(buf), c.size)]
		n, err := c.r.Read(buf)
		if end := bytes.IndexByte(buf[:n], '\n'); end >= 0 {
			c.carry = append(c.carry[:0], buf[end+1:n]...)
			c.at += int64(end + 1)
			return chunk{at: start, tooLong: true}, true, nil
		}
		c.at += int64(n)
		if err == io.EOF {
			c.ended = true
			return chunk{at: start, tooLong: true, last: true}, true, nil
		}
		if err != nil {
			return chunk{}, false, err
		}
	}
}

func grown(buf []byte, size int) []byte {
	g := make([]byte, len(buf), size)
	copy(g, buf)
	return g
}
