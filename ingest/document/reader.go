package document

import (
	"bytes"
	"fmt"
	"io"

	"ttdiag/ingest/source"
)

const (
	bufferSize = 64 << 10
	maxDepth   = 512
	// MaxText is the longest text or raw value, in bytes, that a [Value] holds.
	MaxText = 64 << 10
)

// Error is damage in a document, at a byte offset from its start.
type Error struct {
	Reason source.Reason
	Offset int64
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Reason) }

// Rejection returns the damage as a rejection relative to start, the offset of
// the record.
func (e *Error) Rejection(start int64) source.Rejection {
	return source.Reject(e.Reason, int(e.Offset-start))
}

// Reader walks JSON values. Each method that reads a value must be called with
// the reader before a value and leaves it behind that value. Errors are *Error
// or those of the source. A Reader is not safe for concurrent use.
type Reader struct {
	src   io.Reader
	buf   []byte // buf[pos:end] is not read yet
	pos   int
	end   int
	last  byte  // the byte before buf[0]
	base  int64 // offset of buf[0]
	err   error // of src, io.EOF included; sticky
	depth int
	arena []byte // texts that a caller may still hold
	key   []byte
	child *Reader // of embedded documents
	text  *unescaper
}

// NewReader returns a reader of src. A byte order mark at its start is skipped.
func NewReader(src io.Reader) *Reader {
	r := &Reader{src: src, buf: make([]byte, bufferSize)}
	r.skipMark()
	return r
}

// Reset makes r read b, which must stay unchanged while r reads and while values
// are held. The zero Reader may be Reset.
func (r *Reader) Reset(b []byte) {
	r.src, r.buf, r.pos, r.end, r.base = nil, b, 0, len(b), 0
	r.err, r.last, r.depth, r.arena = io.EOF, 0, 0, r.arena[:0]
	r.skipMark()
}

func (r *Reader) skipMark() {
	for r.end-r.pos < 3 && r.fill() {
	}
	if bytes.HasPrefix(r.buf[r.pos:r.end], []byte("\xEF\xBB\xBF")) {
		r.pos += 3
	}
}

// Free lets go of all values read so far: their texts must not be used again.
func (r *Reader) Free() {
	r.arena = r.arena[:0]
	if r.child != nil {
		r.child.Free()
	}
}

// Offset returns the offset of the next byte.
func (r *Reader) Offset() int64 { return r.base + int64(r.pos) }

// fill reads more bytes behind those that are not read yet. It reports false at
// the end, and where the buffer is full.
func (r *Reader) fill() bool {
	if r.err != nil {
		return false
	}
	if r.pos > 0 {
		r.last = r.buf[r.pos-1]
		copy(r.buf, r.buf[r.pos:r.end])
		r.base += int64(r.pos)
		r.end -= r.pos
		r.pos = 0
	}
	if r.end == len(r.buf) {
		return false
	}
	for range 100 {
		n, err := r.src.Read(r.buf[r.end:])
		r.end += n
		r.err = err
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	r.err = io.ErrNoProgress
	return false
}

// more makes sure that a byte is there.
func (r *Reader) more() bool { return r.pos < r.end || r.fill() }

// cut is the error of an input that ends inside a value.
func (r *Reader) cut() error {
	if r.err != nil && r.err != io.EOF {
		return r.err
	}
	return r.bad(source.TruncatedJSON)
}

func (r *Reader) bad(why source.Reason) error { return &Error{Reason: why, Offset: r.Offset()} }

// space skips white space and returns the next byte, or false at the end.
func (r *Reader) space() (byte, bool) {
	for {
		for r.pos < r.end {
			switch c := r.buf[r.pos]; c {
			case ' ', '\t', '\n', '\r':
				r.pos++
			default:
				return c, true
			}
		}
		if !r.fill() {
			return 0, false
		}
	}
}

// Next returns the kind of the next value, as [Value] names it. At the end of
// the input it returns io.EOF; damage there is not its business.
func (r *Reader) Next() (Kind, error) {
	c, ok := r.space()
	if !ok {
		if r.err != nil && r.err != io.EOF {
			return Absent, r.err
		}
		return Absent, io.EOF
	}
	return kindOf(c), nil
}

func kindOf(c byte) Kind {
	switch c {
	case '{', '[', '"':
		return Kind(c)
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

// SkipLine skips to the next line that begins with an opening brace, behind
// blanks if indented says so, and reports false if there is none. It is the way
// on after damage in values that stand one to a line, or in lists of objects
// over lines; other damaged documents have none.
func (r *Reader) SkipLine(indented bool) bool {
	r.depth = 0
	if r.more() && r.buf[r.pos] == '{' && r.before() == '\n' {
		return true // the damage was that this line came too early
	}
	for {
		i := bytes.IndexByte(r.buf[r.pos:r.end], '\n')
		if i < 0 {
			r.pos = r.end
			if !r.fill() {
				return false
			}
			continue
		}
		r.pos += i + 1
		for indented && r.more() && (r.buf[r.pos] == ' ' || r.buf[r.pos] == '\t') {
			r.pos++
		}
		if r.more() && r.buf[r.pos] == '{' {
			return true
		}
	}
}

func (r *Reader) before() byte {
	if r.pos > 0 {
		return r.buf[r.pos-1]
	}
	return r.last
}

// stray skips the commas and the bracket that stand between and behind the
// elements of an array of which the start is lost.
func (r *Reader) stray() {
	for {
		c, ok := r.space()
		if !ok || c != ',' && c != ']' {
			return
		}
		r.pos++
	}
}

// Object calls field for each key of an object; field must read the value. key
// is valid until then.
func (r *Reader) Object(field func(key []byte) error) error {
	if err := r.open('{'); err != nil {
		return err
	}
	for i := 0; ; i++ {
		done, err := r.between('}', i)
		if done || err != nil {
			return err
		}
		key, err := r.readKey()
		if err != nil {
			return err
		}
		if err := field(key); err != nil {
			return err
		}
	}
}

// Array calls element for each element of an array; element must read it.
func (r *Reader) Array(element func(i int) error) error {
	if err := r.open('['); err != nil {
		return err
	}
	for i := 0; ; i++ {
		done, err := r.between(']', i)
		if done || err != nil {
			return err
		}
		if err := element(i); err != nil {
			return err
		}
	}
}

func (r *Reader) open(c byte) error {
	got, ok := r.space()
	if !ok {
		return r.cut()
	}
	if got != c {
		return r.bad(source.InvalidJSON)
	}
	if r.depth++; r.depth > maxDepth {
		return r.bad(source.TooDeep)
	}
	r.pos++
	return nil
}

// between reads the comma before element i, or the closing bracket.
func (r *Reader) between(closing byte, i int) (done bool, err error) {
	c, ok := r.space()
	switch {
	case !ok:
		return false, r.cut()
	case c == closing:
		r.pos++
		r.depth--
		return true, nil
	case i == 0:
		return false, nil
	case c != ',':
		return false, r.bad(source.InvalidJSON)
	}
	r.pos++
	if _, ok := r.space(); !ok {
		return false, r.cut()
	}
	return false, nil
}

// readKey reads a key and its colon.
func (r *Reader) readKey() ([]byte, error) {
	if c, ok := r.space(); !ok {
		return nil, r.cut()
	} else if c != '"' {
		return nil, r.bad(source.InvalidJSON)
	}
	key, fits, err := r.readString(r.key[:0], maxKey)
	if err != nil {
		return nil, err
	}
	r.key = key
	if !fits {
		key = nil // no path is that long
	}
	c, ok := r.space()
	if !ok {
		return nil, r.cut()
	}
	if c != ':' {
		return nil, r.bad(source.InvalidJSON)
	}
	r.pos++
	return key, nil
}

const maxKey = 256
