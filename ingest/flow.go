package ingest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"ttdiag/ingest/source"
)

// maxPackings is how often an input may be compressed.
const maxPackings = 4

// flow is an input without compression and byte order mark. A cut or damage in
// compressed data ends it like the end of the file, and why says so.
type flow struct {
	r     io.Reader
	cut   source.Reason // OK while there is none
	outer *flow         // what r reads from, where that is another one
	skip  int64         // bytes taken off before the first one: a byte order mark
	names []string      // of the compressions, outermost first
	plain *os.File      // the file itself where it is regular and not compressed
	close func()
}

// why returns the reason for which the input ended where it should not have, OK
// if it should. It is known after the end.
func (s *flow) why() source.Reason {
	if s.cut == source.OK && s.outer != nil {
		return s.outer.why()
	}
	return s.cut
}

// counter counts what is read of the file, and keeps its errors apart from those
// of a decompressor.
type counter struct {
	ctx      context.Context
	r        io.Reader
	input    *Input
	progress *Progress
	err      error
}

func (c *counter) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		c.err = err
		return 0, err
	}
	n, err := c.r.Read(p)
	c.progress.done.Add(int64(n))
	c.input.raws.Add(int64(n))
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// openFlow opens the input up to its first bytes.
func openFlow(ctx context.Context, in *Input, req *Request, progress *Progress) (*flow, error) {
	file, err := in.raw(req)
	if err != nil {
		return nil, err
	}
	s := &flow{}
	c := &counter{ctx: ctx, r: file, input: in, progress: progress}
	s.close = func() { file.Close() }
	osFile, isFile := file.(*os.File)
	regular := isFile && isRegular(osFile)
	if !regular {
		s.pumped(ctx, c)
	} else {
		s.r = c
	}
	if err := s.unpack(ctx, c); err != nil {
		s.close()
		return nil, fmt.Errorf("read %s: %w", in.Name, err)
	}
	if regular && len(s.names) == 0 {
		s.plain = osFile
	}
	in.Compression = strings.Join(s.names, ", ")
	return s, nil
}

func isRegular(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// pumped puts a pump between r and the reader of s. Closing waits for a pump that
// cannot be kept waiting itself; standard input may stay silent for ever.
func (s *flow) pumped(ctx context.Context, r io.Reader) {
	p := newPump(ctx, r)
	before := s.close
	_, raw := r.(*counter)
	s.r = p
	s.close = func() {
		p.stop()
		before()
		if !raw {
			<-p.done
		}
	}
}

func (s *flow) unpack(ctx context.Context, c *counter) error {
	for {
		head, rest, err := peek(s.r, longestMagic)
		if err != nil && c.err != nil {
			return c.err
		}
		s.r = rest
		p := packingOf(head)
		if p == nil || len(s.names) == maxPackings {
			break
		}
		s.names = append(s.names, p.name)
		s.r = &unpacked{flow: s, counter: c, packed: rest, packing: p}
	}
	if len(s.names) > 0 {
		s.pumped(ctx, s.r)
	}
	head, rest, _ := peek(s.r, 3)
	s.r = rest
	if string(head) == "\xef\xbb\xbf" {
		s.skip = 3
		_, err := io.ReadFull(s.r, make([]byte, 3))
		return err
	}
	return nil
}

// peek returns the first n bytes, fewer at the end, and a reader of everything.
func peek(r io.Reader, n int) ([]byte, io.Reader, error) {
	b, ok := r.(*bufio.Reader)
	if !ok {
		b = bufio.NewReaderSize(r, 64<<10)
	}
	head, err := b.Peek(n)
	if err == io.EOF {
		err = nil
	}
	return head, b, err
}

// unpacked reads through a decompressor, made at the first read. Its errors are
// damage, unless the file itself could not be read.
type unpacked struct {
	flow    *flow
	counter *counter
	packed  io.Reader
	packing *packing
	r       io.Reader
	ended   bool
}

func (u *unpacked) Read(p []byte) (n int, err error) {
	if u.ended {
		return 0, io.EOF
	}
	defer func() {
		if recover() != nil { // a decompressor that fails on hostile input
			n, err = 0, u.end(source.DamagedInput)
		}
	}()
	if u.r == nil {
		if u.r, err = u.packing.open(u.packed); err != nil {
			return 0, u.failed(err)
		}
	}
	n, err = u.r.Read(p)
	if err != nil && err != io.EOF {
		err = u.failed(err)
	}
	return n, err
}

func (u *unpacked) failed(err error) error {
	switch {
	case u.counter.err != nil:
		return u.counter.err
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
		return u.end(source.TruncatedInput)
	}
	return u.end(source.DamagedInput)
}

func (u *unpacked) end(why source.Reason) error {
	u.ended = true
	if u.flow.cut == source.OK {
		u.flow.cut = why
	}
	return io.EOF
}
