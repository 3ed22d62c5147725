package timeline

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

const (
	ipcMagic   = "ARROW1"
	ipcToken   = 0xFFFFFFFF
	maxIPCMeta = 16 << 20
	// ipcMemory is what a message may take in memory on top of a multiple of
	// what the input stores for it: what is compressed declares its own size.
	ipcMemory    = 192 << 20
	ipcExpansion = 16
)

// ipcFrames finds the messages of a file or a stream: a file is a stream between
// two marks, and a footer that repeats where its messages are. It implements
// ipc.MessageReader, and checks what the library would allocate or follow
// unchecked.
type ipcFrames struct {
	r     io.ReaderAt
	at    int64
	end   int64
	file  bool // it should end with a mark
	cut   bool // a file without its end
	ended bool // in order
	n     int  // messages so far
	alloc *ipcAllocator
}

var errIPCSize = errors.New("too large")

func newIPCFrames(r io.ReaderAt, size int64) (*ipcFrames, error) {
	f := &ipcFrames{r: r, end: size, alloc: &ipcAllocator{}}
	var head [8]byte
	if size < int64(len(head)) {
		return nil, f.fault()
	}
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	if string(head[:len(ipcMagic)]) != ipcMagic {
		return f, nil
	}
	f.file, f.at = true, int64(len(head))
	var tail [10]byte
	if size < int64(len(head)+len(tail)) {
		return nil, f.fault()
	}
	if _, err := r.ReadAt(tail[:], size-int64(len(tail))); err != nil {
		return nil, err
	}
	footer := int64(binary.LittleEndian.Uint32(tail[:]))
	if string(tail[4:]) != ipcMagic || footer > size-f.at-int64(len(tail)) {
		f.cut = true
		return f, nil
	}
	f.end = size - int64(len(tail)) - footer
	return f, nil
}

// fault names the place of damage.
func (f *ipcFrames) fault() error {
	return fmt.Errorf("%w: message %d, which ends by byte %d", ErrIPC, f.n, f.at)
}

// Retain and Release implement ipc.MessageReader; the memory is the collector's.
func (f *ipcFrames) Retain() {}

// Release is the counterpart of Retain.
func (f *ipcFrames) Release() {}

// Message implements ipc.MessageReader.
func (f *ipcFrames) Message() (*ipc.Message, error) {
	if f.at == f.end && !f.cut {
		f.ended = true
		return nil, io.EOF
	}
	f.n++
	size, err := f.word()
	if err == nil && size == ipcToken {
		size, err = f.word()
	}
	if err != nil {
		return nil, err
	}
	if size == 0 {
		f.ended = true
		return nil, io.EOF
	}
	if size > maxIPCMeta {
		return nil, errIPCSize
	}
	meta, err := f.take(int64(size))
	if err != nil {
		return nil, err
	}
	length, err := checkIPCMessage(meta)
	if err != nil {
		return nil, err
	}
	body, err := f.take(length)
	if err != nil {
		return nil, err
	}
	f.alloc.left = ipcMemory + ipcExpansion*length
	return ipc.NewMessage(memory.NewBufferBytes(meta), memory.NewBufferBytes(body)), nil
}

func (f *ipcFrames) word() (uint32, error) {
	b, err := f.take(4)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), nil
}

// take reads the next n bytes, if there are as many.
func (f *ipcFrames) take(n int64) ([]byte, error) {
	if n < 0 || n > f.end-f.at {
		return nil, io.ErrUnexpectedEOF
	}
	b := make([]byte, n)
	if _, err := f.r.ReadAt(b, f.at); err != nil && n > 0 {
		return nil, err
	}
	f.at += n
	return b, nil
}

// ipcAllocator bounds the memory of one message. Beyond it, it panics, which the
// readers above turn into an error.
type ipcAllocator struct{ left int64 }

func (a *ipcAllocator) spend(n int) {
	if a.left -= int64(n); n < 0 || a.left < 0 {
		panic(errIPCSize)
	}
}

// Allocate implements memory.Allocator.
func (a *ipcAllocator) Allocate(n int) []byte {
	a.spend(n)
	return memory.DefaultAllocator.Allocate(n)
}

// Reallocate implements memory.Allocator.
func (a *ipcAllocator) Reallocate(n int, b []byte) []byte {
	if n > len(b) {
		a.spend(n)
	}
	return memory.DefaultAllocator.Reallocate(n, b)
}

// Free implements memory.Allocator.
func (a *ipcAllocator) Free([]byte) {}
