package timeline

import (
	"encoding/binary"
	"io"
)

// A message is a flatbuffer: tables whose first word leads back to a list of where
// their fields are. The library follows them as deep as they go, however often
// one is referred to, and makes room for as many as they declare, so that a small
// schema could take it hours, or all of the memory or the stack. What it is going
// to follow is counted here first.

const (
	maxIPCDepth  = 64
	maxIPCFields = 1 << 16
	maxIPCNames  = 64 << 20 // bytes of names and metadata
)

// The places of fields in their tables.
const (
	messageType, messageHeader, messageBody                       = 1, 2, 3
	schemaFields, schemaMetadata                                  = 1, 2
	fieldName, fieldKind, fieldType, fieldChildren, fieldMetadata = 0, 2, 3, 5, 6
	timestampZone                                                 = 1
	entryKey, entryValue                                          = 0, 1
	dictionaryData                                                = 1
	batchBuffers, batchViews                                      = 2, 4
)

const (
	headerSchema, headerDictionary, headerBatch = 1, 2, 3

	kindTimestamp = 10
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
	at := b.field(root, messageType)
	if at == 0 {
		return body, nil
	}
	switch header := b[at]; header {
	case headerSchema:
		w := ipcWalk{flat: b, fields: maxIPCFields, names: maxIPCNames}
		w.schema(b.below(root, messageHeader))
	case headerDictionary:
		b.checkViews(b.below(b.below(root, messageHeader), dictionaryData))
	case headerBatch:
		b.checkViews(b.below(root, messageHeader))
	}
	return body, nil
}

func (b flat) word(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

// field returns where a field of the table at a place is, 0 where it has none.
func (b flat) field(table, n int) int {
	vtable := table - int(int32(b.word(table)))
	size := int(binary.LittleEndian.Uint16(b[vtable:]))
	if 4+2*n >= size {
		return 0
	}
	offset := int(binary.LittleEndian.Uint16(b[vtable+4+2*n:]))
	if offset == 0 {
		return 0
	}
	return table + offset
}

func (b flat) follow(at int) int { return at + int(b.word(at)) }

// below returns the table that a field of a table leads to. A table without the
// field is damaged.
func (b flat) below(table, n int) int {
	at := b.field(table, n)
	if at == 0 {
		panic(ErrIPC)
	}
	return b.follow(at)
}

// vector returns where the elements of a vector are, and how many; none where the
// table has no such field.
func (b flat) vector(table, n, width int) (at, count int) {
	if at = b.field(table, n); at == 0 {
		return 0, 0
	}
	at = b.follow(at)
	count = int(b.word(at))
	if at += 4; count > (len(b)-at)/width {
		panic(errIPCSize)
	}
	return at, count
}

// checkViews refuses a record batch that declares more buffers of a column of views
// than it has buffers.
func (b flat) checkViews(batch int) {
	_, buffers := b.vector(batch, batchBuffers, 16)
	at, n := b.vector(batch, batchViews, 8)
	for i := range n {
		if count := binary.LittleEndian.Uint64(b[at+8*i:]); count > uint64(buffers) {
			panic(errIPCSize)
		}
	}
}

// ipcWalk counts what the library is going to make of a schema, and panics where
// that is too much.
type ipcWalk struct {
	flat
	fields int
	names  int
}

func (w *ipcWalk) schema(table int) {
	w.metadata(table, schemaMetadata)
	w.children(table, schemaFields, maxIPCDepth)
}

func (w *ipcWalk) children(table, n, depth int) {
	at, count := w.vector(table, n, 4)
	w.spend(&w.fields, count)
	if count > 0 && depth == 0 {
		panic(errIPCSize)
	}
	for i := range count {
		child := w.follow(at + 4*i)
		w.text(child, fieldName)
		w.metadata(child, fieldMetadata)
		if kind := w.field(child, fieldKind); kind != 0 && w.flat[kind] == kindTimestamp {
			w.text(w.below(child, fieldType), timestampZone)
		}
		w.children(child, fieldChildren, depth-1)
	}
}

func (w *ipcWalk) metadata(table, n int) {
	at, count := w.vector(table, n, 4)
	w.spend(&w.fields, count)
	for i := range count {
		entry := w.follow(at + 4*i)
		w.text(entry, entryKey)
		w.text(entry, entryValue)
	}
}

// text counts the bytes of a string.
func (w *ipcWalk) text(table, n int) {
	_, count := w.vector(table, n, 1)
	w.spend(&w.names, count)
}

func (w *ipcWalk) spend(left *int, n int) {
	if *left -= n; *left < 0 {
		panic(errIPCSize)
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
