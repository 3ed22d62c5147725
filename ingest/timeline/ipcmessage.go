package timeline

import (
	"encoding/binary"
	"io"
)

// A message is a flatbuffer: tables whose first word leads back to a list of where
// their fields are. The library follows them as deep as they go, however often
// one is referred to, so that a small schema could take it hours or all of the
// stack. What it is going to follow is counted here first.

const (
	maxIPCDepth  = 64
	maxIPCFields = 1 << 16
)

// The places of fields in their tables.
const (
	messageType, messageHeader, messageBody = 1, 2, 3
	schemaFields                            = 1
	fieldChildren                           = 5
	headerSchema                            = 1
)

// flat is a flatbuffer. Its methods panic on offsets outside of it.
type flat []byte

// checkIPCMessage returns the length of the body of a message.
func checkIPCMessage(meta []byte) (body int64, err error) {
	defer func() {
		if recover() != nil {
			err = io.ErrUnexpectedEOF
		}
	}()
	b := flat(meta)
	root := int(b.word(0))
	if at := b.field(root, messageBody); at != 0 {
		body = int64(binary.LittleEndian.Uint64(b[at:]))
	}
	if at := b.field(root, messageType); at != 0 && b[at] == headerSchema {
		left := maxIPCFields
		b.walk(b.follow(b.field(root, messageHeader)), schemaFields, maxIPCDepth, &left)
	}
	return body, nil
}

func (b flat) word(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

// field returns where a field of the table at a place is, 0 where it has none.
func (b flat) field(table, n int) int {
	vtable := table - int(int32(b.word(table)))
	size := int(binary.LittleEndian.Uint16(b[vtable:]))
	if 4+2*n+2 > size {
		return 0
	}
	offset := int(binary.LittleEndian.Uint16(b[vtable+4+2*n:]))
	if offset == 0 {
		return 0
	}
	return table + offset
}

func (b flat) follow(at int) int { return at + int(b.word(at)) }

// walk counts the tables in a vector of tables, and in theirs.
func (b flat) walk(table, vector, depth int, left *int) {
	at := b.field(table, vector)
	if at == 0 {
		return
	}
	if depth == 0 {
		panic(errIPCSize)
	}
	at = b.follow(at)
	n := int(b.word(at))
	if *left -= n; *left < 0 {
		panic(errIPCSize)
	}
	for i := range n {
		b.walk(b.follow(at+4+4*i), fieldChildren, depth-1, left)
	}
}

// IsIPC reports whether the head of an input is that of an Arrow file or stream.
func IsIPC(head []byte) bool {
	if len(head) >= 8 && string(head[:len(ipcMagic)]) == ipcMagic {
		return true
	}
	if len(head) < 8 || binary.LittleEndian.Uint32(head) != ipcToken {
		return false
	}
	size := int64(binary.LittleEndian.Uint32(head[4:]))
	meta := head[8:]
	if size == 0 || size > maxIPCMeta {
		return false
	}
	meta = meta[:min(size, int64(len(meta)))]
	return isIPCSchema(meta)
}

func isIPCSchema(meta []byte) (is bool) {
	defer func() {
		if recover() != nil {
			is = false
		}
	}()
	b := flat(meta)
	at := b.field(int(b.word(0)), messageType)
	return at != 0 && b[at] == headerSchema
}
