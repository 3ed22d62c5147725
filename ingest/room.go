package ingest

import (
	"strings"
	"unsafe"
)

// room returns n bytes that hold anything: the caller must not read what it has
// not written. make would clear them, and so touch all of them where some have been
// used before; here only what is written to takes memory. That a builder does not
// clear what it grows by is how it is made, not promised: where it did, this would
// be slower and no less right.
func room(n int) []byte {
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}
