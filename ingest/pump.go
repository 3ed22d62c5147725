package ingest

import (
	"context"
	"io"
)

// pump reads ahead on a goroutine of its own: decompression runs beside parsing,
// and a reader of a pipe can be told to stop waiting.
type pump struct {
	ctx    context.Context
	cancel context.CancelFunc
	full   chan block
	empty  chan []byte
	done   chan struct{} // closed when the goroutine has ended
	now    block
	rest   []byte
}

type block struct {
	data []byte
	err  error // after data
}

const (
	pumpBlock  = 256 << 10
	pumpBlocks = 4
)

func newPump(ctx context.Context, r io.Reader) *pump {
	ctx, cancel := context.WithCancel(ctx)
	p := &pump{ctx: ctx, cancel: cancel, full: make(chan block, pumpBlocks), empty: make(chan []byte, pumpBlocks), done: make(chan struct{})}
	for range pumpBlocks {
		p.empty <- nil
	}
	go p.run(r)
	return p
}

// stop ends the goroutine, once its reader returns.
func (p *pump) stop() { p.cancel() }

func (p *pump) run(r io.Reader) {
	defer close(p.done)
	for {
		var buf []byte
		select {
		case <-p.ctx.Done():
			return
		case buf = <-p.empty:
		}
		if buf == nil {
			buf = make([]byte, pumpBlock)
		}
		n, err := readSome(r, buf[:pumpBlock])
		select {
		case <-p.ctx.Done():
			return
		case p.full <- block{buf[:n], err}:
		}
		if err != nil {
			return
		}
	}
}

// readSome reads until buf is half full, so that small reads of a pipe gather.
func readSome(r io.Reader, buf []byte) (n int, err error) {
	for n < len(buf)/2 && err == nil {
		var k int
		k, err = r.Read(buf[n:])
		n += k
	}
	return n, err
}

// Read implements [io.Reader].
func (p *pump) Read(dst []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.now.err != nil {
			return 0, p.now.err
		}
		if p.now.data != nil {
			p.empty <- p.now.data
			p.now.data = nil
		}
		select {
		case <-p.ctx.Done():
			return 0, p.ctx.Err()
		case p.now = <-p.full:
		}
		p.rest = p.now.data
	}
	n := copy(dst, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
