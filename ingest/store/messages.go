package store

import (
	"encoding/binary"
	"io"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// messages reads the messages of an Arrow stream that is in memory where they
// are, without copies. It is an [ipc.MessageReader] for one reader. What is not
// such a stream makes it panic or return io.ErrUnexpectedEOF.
type messages struct {
	rest []byte
	last *ipc.Message
}

// Message returns the next message, valid until the one after it, or io.EOF.
func (m *messages) Message() (*ipc.Message, error) {
	const goesOn = 0xFFFFFFFF
	if len(m.rest) < 8 {
		return nil, io.ErrUnexpectedEOF
	}
	mark, length := binary.LittleEndian.Uint32(m.rest), int64(binary.LittleEndian.Uint32(m.rest[4:]))
	switch {
	case mark == 0 || mark == goesOn && length == 0:
		return nil, io.EOF
	case mark != goesOn || length > int64(len(m.rest)-8):
		return nil, io.ErrUnexpectedEOF
	}
	meta := memory.NewBufferBytes(m.rest[8 : 8+length])
	m.rest = m.rest[8+length:]
	head := ipc.NewMessage(meta, memory.NewBufferBytes(nil))
	body := head.BodyLen()
	head.Release()
	if body < 0 || body > int64(len(m.rest)) {
		return nil, io.ErrUnexpectedEOF
	}
	m.Release()
	m.last = ipc.NewMessage(meta, memory.NewBufferBytes(m.rest[:body:body]))
	m.rest = m.rest[body:]
	return m.last, nil
}

// Retain does nothing: one reader has it.
func (*messages) Retain() {}

// Release gives the last message up.
func (m *messages) Release() {
	if m.last != nil {
		m.last.Release()
		m.last = nil
	}
}
