package parquet

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
)

const (
	// maxDictionary is the size up to which texts are told apart: every reader
	// of a chunk holds its dictionary whole.
	maxDictionary = 1 << 20
	// dictionaryTrial is the number of cells after which texts must repeat. It
	// spares identifiers the making of a dictionary that will not be used.
	dictionaryTrial = 4096
)

// textBuffer holds the text of one column in the row group being filled: codes
// of a dictionary while that pays, else the values themselves.
type textBuffer struct {
	plain []byte // PLAIN values: if coded of the dictionary, else of all cells
	coded bool   // the rest is of use while it is
	codes []uint32
	texts []string // of the dictionary, by code
	known map[string]uint32
	whole int    // bytes that PLAIN values of all cells would take
	spare []byte // for plain, when the dictionary is given up
}

func (t *textBuffer) reset() {
	t.forget()
	t.plain, t.coded, t.whole = t.plain[:0], true, 0
	if t.known == nil {
		t.known = map[string]uint32{}
	}
}

// forget empties the dictionary.
func (t *textBuffer) forget() {
	clear(t.texts)
	clear(t.known)
	t.texts, t.codes = t.texts[:0], t.codes[:0]
}

func (t *textBuffer) add(v string) {
	if !t.coded {
		t.plain = appendText(t.plain, v)
		return
	}
	t.whole += 4 + len(v)
	if n := len(t.codes); n > 0 && v == t.texts[t.codes[n-1]] { // often, and cheap
		t.codes = append(t.codes, t.codes[n-1])
		return
	}
	code, ok := t.known[v]
	if ok {
		t.codes = append(t.codes, code)
		return
	}
	t.codes = append(t.codes, t.learn(v))
	n := len(t.codes)
	if len(t.plain) > maxDictionary || n >= dictionaryTrial && 2*len(t.texts) > n {
		t.expand()
	}
}

// learn adds a text to the dictionary.
func (t *textBuffer) learn(v string) (code uint32) {
	v = strings.Clone(v) // it may be a part of something large
	code = uint32(len(t.texts))
	t.texts = append(t.texts, v)
	t.known[v] = code
	t.plain = appendText(t.plain, v)
	return code
}

func appendText(b []byte, v string) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(v)))
	return append(b, v...)
}

// textAt returns the first of PLAIN values and where the next one begins.
func textAt(plain []byte) (v []byte, next int) {
	next = 4 + int(binary.LittleEndian.Uint32(plain))
	return plain[4:next], next
}

// expand puts the values in the place of the codes.
func (t *textBuffer) expand() {
	all := slices.Grow(t.spare[:0], t.whole)
	for _, code := range t.codes {
		all = appendText(all, t.texts[code])
	}
	t.plain, t.spare, t.coded = all, t.plain, false
	t.forget()
}

// finish decides whether the dictionary pays for the whole chunk.
func (t *textBuffer) finish() {
	if t.coded && len(t.plain)+len(t.codes)*t.width()/8 >= t.whole {
		t.expand()
	}
}

// width is the number of bits of a code. A dictionary of one text has codes of
// one bit: not all readers know those of none.
func (t *textBuffer) width() int { return max(1, bits.Len(uint(max(1, len(t.texts))-1))) }

// drop takes the last cell back, of a row that was not ended.
func (t *textBuffer) drop() {
	if t.coded {
		t.expand()
	}
	last := 0
	for at := 0; at < len(t.plain); {
		last = at
		_, size := textAt(t.plain[at:])
		at += size
	}
	t.plain = t.plain[:last]
}
