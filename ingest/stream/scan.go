package stream

import (
	"encoding/binary"
	"math/bits"
)

// state is where the scanner stands between two bytes.
type state uint8

const (
	atValue    state = iota // before a value
	atElem                  // before an element or the end of an array
	atMember                // before a member or the end of an object
	atKey                   // before a member, after a comma
	inKey                   // inside a member's name
	atColon                 // after a name
	afterValue              // after a value inside a container
	afterTop                // after the top value
	inText                  // inside a string, all whitespace so far
	inTextEsc               // after a backslash in such a string
	inWord                  // inside a label
	inString                // inside a string that is skipped
	inTags                  // inside visible text that is searched for think tags
	inNumber                // inside a number
	inLiteral               // inside true, false, null
	inSkip                  // inside a container that is skipped
	inSkipped               // inside a string in such a container
	broken                  // not JSON
)

const (
	maxDepth   = 12 // longer than the longest path of the tables
	maxCapture = 96
)

// scanner reads one JSON value that comes in pieces. It keeps no string: it
// notes in facts which paths hold something. A piece may end anywhere.
type scanner struct {
	state   state
	object  uint16 // bit d: the container at depth d is an object
	depth   int    // open containers on the path
	skip    int    // open containers inside one that no path names
	stack   [maxDepth]*node
	val     *node // the node of the value at hand; nil where no path names it
	fresh   *node // a container that counts when it is not empty
	esc     escape
	long    bool
	n       int // bytes captured
	capture [maxCapture]byte
	tags    *taggers // where not nil, they split visible text
	tag     *tagger  // the one of the choice at hand
	facts   facts
}

// reset makes the scanner ready for the next value.
func (x *scanner) reset() {
	x.state, x.depth, x.skip, x.val, x.fresh, x.object = atValue, 0, 0, root(), nil, 0
	x.esc, x.n, x.long = escape{}, 0, false
	x.facts.reset()
}

// feed reads b up to the end of the top value, or to the byte that breaks it,
// and returns how many bytes it took.
func (x *scanner) feed(b []byte) int {
	i := 0
	for i < len(b) {
		switch x.state {
		case atValue, atElem:
			i = x.value(b, i)
		case atMember, atKey:
			i = x.key(b, i)
		case inKey, inWord:
			i = x.captureMore(b, i)
		case atColon:
			i = x.colon(b, i)
		case afterValue:
			i = x.after(b, i)
		case afterTop:
			return i
		case inText, inTextEsc:
			i = x.text(b, i)
		case inTags:
			i = x.tagged(b, i)
		case inString:
			i = x.skipString(b, i)
		case inNumber:
			i = x.number(b, i)
		case inLiteral:
			i = x.literal(b, i)
		case inSkip, inSkipped:
			i = x.skipContainer(b, i)
		default:
			return i
		}
	}
	return i
}

// complete reports whether the top value has ended. A number or a literal at
// the top ends with its text.
func (x *scanner) complete() bool {
	if x.depth == 0 && (x.state == inNumber || x.state == inLiteral) {
		x.state = afterTop
	}
	return x.state == afterTop
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// value reads the first byte of a value.
func (x *scanner) value(b []byte, i int) int {
	c := b[i]
	switch {
	case c == '"':
		x.begun()
		return x.str(b, i+1)
	case c == '{' || c == '[':
		x.begun()
		x.open(c)
	case space(c):
	case c == ']' && x.state == atElem:
		x.close(c)
	case c-'0' <= 9 || c == '-':
		x.begun()
		x.some()
		x.n, x.long, x.state = 0, false, inNumber
		return i
	case c == 't' || c == 'f' || c == 'n':
		x.begun()
		if c == 'n' && i+4 < len(b) && string(b[i:i+4]) == "null" && b[i+4]-'a' > 25 {
			x.ended()
			return i + 4
		}
		if c != 'n' {
			x.vote()
		}
		if c == 't' {
			x.truth()
		}
		x.n, x.long, x.state = 0, false, inLiteral
		return i
	default:
		x.state = broken
	}
	return i + 1
}

// begun notes that the container at hand is not empty.
func (x *scanner) begun() {
	if x.fresh != nil {
		x.facts.hit(x.fresh)
		x.fresh = nil
	}
}

func (x *scanner) vote() {
	if x.val == nil || x.val.vote == UnknownDialect {
		return
	}
	x.facts.votes |= 1 << x.val.vote
	if x.val.vote == BedrockConverse && x.depth == 1 {
		x.facts.member = x.val.name
	}
}

// some notes a value that is neither null nor false.
func (x *scanner) some() {
	x.vote()
	x.truth()
}

func (x *scanner) truth() {
	if x.val != nil && x.val.read == readAny {
		x.facts.hit(x.val)
	}
}

// open enters a container: one on a path, or one to skip.
func (x *scanner) open(c byte) {
	n := x.val
	if n == nil {
		x.skip, x.state = 1, inSkip
		return
	}
	x.some()
	if n.leaf(c) {
		x.skip, x.state = 1, inSkip
		return
	}
	if n.read == readFull {
		x.fresh = n
	}
	if x.depth == maxDepth {
		x.state = broken
		return
	}
	if c == '{' {
		x.facts.begin(n.scope)
		x.object |= 1 << x.depth
		x.state = atMember
	} else {
		x.object &^= 1 << x.depth
		x.val, x.state = n.elem, atElem
	}
	x.stack[x.depth] = n
	x.depth++
}

func (x *scanner) close(c byte) {
	x.fresh = nil
	if x.depth == 0 || (c == '}') != (x.object>>(x.depth-1)&1 != 0) {
		x.state = broken
		return
	}
	x.depth--
	if c == '}' {
		x.facts.end(x.stack[x.depth].scope)
	}
	x.ended()
}

// ended moves on after a value.
func (x *scanner) ended() {
	if x.depth == 0 {
		x.state = afterTop
	} else {
		x.state = afterValue
	}
}

func (x *scanner) after(b []byte, i int) int {
	switch c := b[i]; {
	case c == ',':
		if x.object>>(x.depth-1)&1 != 0 {
			x.state = atKey
		} else {
			x.val, x.state = x.stack[x.depth-1].elem, atValue
		}
	case c == '}' || c == ']':
		x.close(c)
	case !space(c):
		x.state = broken
	}
	return i + 1
}

// quoteAt returns the offset of the first quote or backslash from i on, len(b) if
// there is none. It looks at eight bytes at once: the lowest hit is exact.
func quoteAt(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		quote, slash := w^ones*'"', w^ones*'\\'
		if hits := ((quote-ones)&^quote | (slash-ones)&^slash) & highs; hits != 0 {
			return i + bits.TrailingZeros64(hits)>>3
		}
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// plainValue returns the offset behind a string without escapes, a number or a
// literal; len(b) for anything else.
func plainValue(b []byte, i int) int {
	switch c := b[i]; {
	case c == '"':
		if i = quoteAt(b, i+1); i < len(b) && b[i] == '"' {
			return i + 1
		}
	case c-'0' <= 9 || c == '-':
		for i++; i < len(b); i++ {
			if c := b[i]; c-'0' > 9 && c != '.' {
				return i
			}
		}
	case c == 'n' && i+4 <= len(b) && string(b[i:i+4]) == "null", c == 't' && i+4 <= len(b) && string(b[i:i+4]) == "true":
		return i + 4
	case c == 'f' && i+5 <= len(b) && string(b[i:i+5]) == "false":
		return i + 5
	}
	return len(b)
}

// number reads a number and notes it where a path asks for it.
func (x *scanner) number(b []byte, i int) int {
	wanted := x.val != nil && x.val.slot != slotNone
	for ; i < len(b); i++ {
		c := b[i]
		if c-'0' > 9 && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			break
		}
		if wanted {
			x.put(-1, c)
		}
	}
	if i == len(b) {
		return i
	}
	x.numberEnd()
	return i
}

func (x *scanner) numberEnd() {
	if x.val != nil && x.val.slot != slotNone && !x.long {
		x.facts.number(x.val, x.capture[:x.n])
	}
	x.ended()
}

func (x *scanner) literal(b []byte, i int) int {
	for ; i < len(b); i++ {
		if b[i]-'a' > 25 {
			break
		}
		x.put(-1, b[i])
	}
	if i == len(b) {
		return i
	}
	switch string(x.capture[:x.n]) {
	case "true", "false", "null":
		x.ended()
	default:
		x.state = broken
	}
	return i
}
