package ingest

import (
	"bytes"
	"context"
	"io"

	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
)

// entries gives the values of a JSON document to a parser of lines: the elements
// of an array at the top, or values one after the other, over any number of
// lines. An entry is what a line is elsewhere.
type entries struct {
	r       io.Reader
	size    int
	maxLine int
	buf     []byte
	i       int   // of buf, the next byte to look at
	at      int64 // offset of buf[0] in the input
	ended   bool
	inArray bool
	torn    bool  // the last entry was not complete
	n       int64 // entries so far
}

// read parses all of the document. It returns only errors of reading and of out.
func (e *entries) read(ctx context.Context, p source.LineParser, out *source.Out, cut func() source.Reason) error {
	for {
		more, err := e.toEntry()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		entry, f, err := e.entry()
		if err != nil {
			return err
		}
		e.n++
		out.At(source.Position{Line: e.n, Byte: e.at + int64(e.i)})
		out.Line()
		switch {
		case f == scan.OK:
			out.Reject(p.Parse(entry, out))
			e.i += len(entry)
		default:
			out.Reject(source.Reject(f.Reason(), len(entry)))
			e.i += len(entry)
			e.torn = f == scan.Truncated
			if err := e.toNextLine(); err != nil {
				return err
			}
		}
		if out.Err() != nil || ctx.Err() != nil {
			return firstOf(out.Err(), ctx.Err())
		}
	}
	if why := cut(); why != source.OK || e.inArray && !e.torn {
		if why == source.OK {
			why = source.TruncatedJSON
		}
		out.At(source.Position{Line: e.n + 1, Byte: e.at + int64(e.i)})
		out.Line()
		out.Reject(source.Reject(why, 0))
	}
	return nil
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// toEntry moves to the first byte of the next value; false at the end.
func (e *entries) toEntry() (bool, error) {
	for {
		for ; e.i < len(e.buf); e.i++ {
			switch c := e.buf[e.i]; {
			case c == '[' && e.n == 0 && !e.inArray:
				e.inArray = true
			case c == ']' && e.inArray:
				e.inArray = false
			case c == ',' && e.inArray, isSpace(c):
			default:
				return true, nil
			}
		}
		if e.ended {
			return false, nil
		}
		if err := e.fill(); err != nil {
			return false, err
		}
	}
}

// entry returns the bytes of the value at hand, or of it up to a fault.
func (e *entries) entry() ([]byte, scan.Fault, error) {
	for {
		end, f := scan.Skip(e.buf, e.i)
		atEnd := f == scan.Truncated || f == scan.OK && end == len(e.buf)
		if !atEnd || e.ended {
			return e.buf[e.i:end], f, nil
		}
		if len(e.buf)-e.i > e.maxLine {
			return e.buf[e.i:], scan.Truncated, nil
		}
		if err := e.fill(); err != nil {
			return nil, f, err
		}
	}
}

func (e *entries) toNextLine() error {
	for {
		if n := bytes.IndexByte(e.buf[e.i:], '\n'); n >= 0 {
			e.i += n
			return nil
		}
		e.i = len(e.buf)
		if e.ended {
			return nil
		}
		if err := e.fill(); err != nil {
			return err
		}
	}
}

// fill drops what was read and reads on; a value that fills the buffer makes it
// grow.
func (e *entries) fill() error {
	kept := copy(e.buf, e.buf[e.i:])
	e.at += int64(e.i)
	e.buf, e.i = e.buf[:kept], 0
	if cap(e.buf)-kept < e.size/2 {
		e.buf = append(make([]byte, 0, max(e.size, 2*cap(e.buf))), e.buf...)
	}
	n, err := io.ReadFull(e.r, e.buf[kept:cap(e.buf)])
	e.buf = e.buf[:kept+n]
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		e.ended = true
		return nil
	}
	return err
}
