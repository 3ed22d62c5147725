package ingest

import (
	"bytes"
	"io"
	"runtime/debug"
)

// cutter cuts a stream into chunks that end where lines end.
type cutter struct {
	r       io.Reader
	size    int
	maxLine int
	carry   []byte // the start of a line, for the next chunk
	at      int64  // offset of carry
	ended   bool
	// lineEnd returns the offset of the first line end from an offset on, where
	// that can be known; nil for a stream.
	lineEnd func(from int64) (int64, error)
	// alone waits until no other chunk holds a long line; nil where none can.
	alone func() error
}

// chunk is some lines. Of a line that is too long there is nothing but its place.
type chunk struct {
	data    []byte
	at      int64
	buf     []byte // the memory that data is in, for the next chunk
	tooLong bool
	last    bool
	alone   bool // it waited for others that hold a long line; others wait for it
}

// longLine is the size from which only one line is held at a time.
const longLine = 32 << 20

// pageSize is what reads are aligned to. Some processors copy several times
// slower to a place that is not.
const pageSize = 4096

func pages(n int) int { return (n + pageSize - 1) &^ (pageSize - 1) }

// next reads the next chunk into buf, which may have to grow; false after the
// last one. The chunk of a line that is too long is that line alone. What the
// last chunk left over is put right before a page, so that the file is read to
// the start of one.
func (c *cutter) next(buf []byte) (out chunk, ok bool, err error) {
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
	alone := false
	for from := begin; ; from = filled {
		buf = buf[:size]
		n, err := io.ReadFull(c.r, buf[filled:])
		filled += n
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			c.ended = true
			return chunk{data: buf[begin:filled], at: c.at, buf: buf, last: true, alone: alone}, true, nil
		case err != nil:
			return chunk{}, false, err
		}
		if end := lastLineEnd(buf[from:filled]); end >= 0 {
			out = c.cut(buf, begin, from+end+1)
			out.alone = alone
			return out, true, nil
		}
		if filled-begin > c.maxLine {
			out, err = c.discard(buf, int64(filled-begin))
			out.alone = alone
			return out, err == nil, err
		}
		if size, err = c.sizeFor(begin, filled); err != nil {
			return chunk{}, false, err
		}
		if size > longLine && !alone && c.alone != nil {
			if err := c.alone(); err != nil {
				return chunk{}, false, err
			}
			alone = true
		}
		if size > cap(buf) {
			buf = c.grown(buf, size, begin+c.maxLine+1)
		}
	}
}

// grown returns buf with room for size bytes. Where the end of the line is not
// known there is room for more, up to most, before it is copied again: for twice
// as many, of a long line for eight times.
func (c *cutter) grown(buf []byte, size, most int) []byte {
	most = max(size, most)
	switch {
	case c.lineEnd != nil:
		return append(make([]byte, 0, pages(size)), buf...)
	case size <= longLine:
		return append(make([]byte, 0, pages(min(2*size, most))), buf...)
	}
	debug.FreeOSMemory() // the buffers that were too small
	larger := room(pages(min(8*size, most)))
	return larger[:copy(larger, buf)]
}

// sizeFor returns how far to fill a buffer with a line that does not end in the
// filled bytes: just to its end where that can be looked for, else a little
// further.
func (c *cutter) sizeFor(begin, filled int) (int, error) {
	if c.lineEnd == nil {
		return min(filled+c.size, begin+c.maxLine+1), nil
	}
	end, err := c.lineEnd(c.at + int64(filled-begin))
	if err != nil {
		return 0, err
	}
	return pages(begin + int(min(end-c.at, int64(c.maxLine))) + 1), nil
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
func (c *cutter) discard(buf []byte, n int64) (chunk, error) {
	out := chunk{at: c.at, buf: buf, tooLong: true}
	c.at += n
	c.carry = c.carry[:0]
	for {
		n, err := c.r.Read(buf[:min(len(buf), c.size)])
		if end := bytes.IndexByte(buf[:n], '\n'); end >= 0 {
			c.carry = append(c.carry, buf[end+1:n]...)
			c.at += int64(end + 1)
			return out, nil
		}
		c.at += int64(n)
		if err == io.EOF {
			c.ended, out.last = true, true
			return out, nil
		}
		if err != nil {
			return chunk{}, err
		}
	}
}

// lastLineEnd returns the offset of the last line end in b, or -1. It is near the
// end of b or, mostly, not in b; looking forwards is many times faster.
func lastLineEnd(b []byte) int {
	const near = 32 << 10
	tail := max(0, len(b)-near)
	if end := bytes.LastIndexByte(b[tail:], '\n'); end >= 0 {
		return tail + end
	}
	if bytes.IndexByte(b[:tail], '\n') < 0 {
		return -1
	}
	return bytes.LastIndexByte(b[:tail], '\n')
}

// lineEndIn looks for line ends in a file. Where there is none up to the end of
// the file it returns its size.
func lineEndIn(file io.ReaderAt) func(from int64) (int64, error) {
	return func(from int64) (int64, error) {
		buf := make([]byte, 256<<10)
		for {
			n, err := file.ReadAt(buf, from)
			if end := bytes.IndexByte(buf[:n], '\n'); end >= 0 {
				return from + int64(end), nil
			}
			from += int64(n)
			if err == io.EOF {
				return from, nil
			}
			if err != nil {
				return 0, err
			}
		}
	}
}
