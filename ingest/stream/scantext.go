package stream

import "unicode/utf8"

// str reads the start of a string value.
func (x *scanner) str(b []byte, i int) int {
	n := x.val
	if n == nil {
		return x.skipString(b, i)
	}
	x.vote()
	switch n.read {
	case readText, readFull:
		if x.tags != nil && n.class == VisibleText {
			x.tag = x.tags.of(x.facts.choice())
			x.esc, x.state = escape{}, inTags
			return i
		}
		if i < len(b) && b[i] > ' ' && b[i] != '"' && b[i] != '\\' { // most text
			x.facts.hit(n)
			x.facts.ink(n)
			return x.skipString(b, i+1)
		}
		x.state = inText
		return x.firstOfText(b, i)
	case readAny:
		x.facts.hit(n)
	case readWord:
		x.n, x.long, x.esc, x.state = 0, false, escape{}, inWord
		return i
	}
	return x.skipString(b, i)
}

// firstOfText is where a text proves not to be empty. The state tells it from
// the text's later bytes: fresh is the node until then.
func (x *scanner) firstOfText(b []byte, i int) int {
	x.fresh = x.val
	return x.text(b, i)
}

// text reads a string until something that is not whitespace stands in it.
func (x *scanner) text(b []byte, i int) int {
	for ; i < len(b); i++ {
		c := b[i]
		if x.state == inTextEsc {
			x.begun()
			if c != 'n' && c != 't' && c != 'r' {
				return x.inked(b, i+1)
			}
			x.state = inText
			continue
		}
		switch {
		case c == '"':
			x.fresh = nil
			x.ended()
			return i + 1
		case c == '\\':
			x.state = inTextEsc
		case space(c):
			x.begun()
		default:
			x.begun()
			return x.inked(b, i+1)
		}
	}
	return i
}

func (x *scanner) inked(b []byte, i int) int {
	x.facts.ink(x.val)
	return x.skipString(b, i)
}

// captureMore reads a name or a label, whose text is needed.
func (x *scanner) captureMore(b []byte, i int) int {
	if x.n == 0 && !x.long && x.esc == (escape{}) {
		if j := quoteAt(b, i); j < len(b) && b[j] == '"' {
			x.captured(b[i:j])
			return j + 1
		}
	}
	for ; i < len(b); i++ {
		if b[i] == '"' && !x.esc.on && x.esc.digits == 0 {
			x.captured(x.capture[:x.n])
			return i + 1
		}
		if r, ok := x.esc.next(b[i]); ok {
			x.put(r, b[i])
		}
	}
	return i
}

// put appends to the captured text: a byte as it stands, or a decoded rune.
func (x *scanner) put(r rune, c byte) {
	if x.n+utf8.UTFMax > maxCapture {
		x.long = true
		return
	}
	if r < 0 {
		x.capture[x.n] = c
		x.n++
		return
	}
	x.n += utf8.EncodeRune(x.capture[x.n:], r)
}

func (x *scanner) captured(text []byte) {
	x.long = x.long || len(text) > maxCapture
	if x.state == inKey {
		x.val = nil
		if !x.long {
			x.val = x.stack[x.depth-1].child(text)
		}
		x.state = atColon
		return
	}
	x.facts.word(x.val, text, x.long)
	x.ended()
}
