package stream

// tagger splits the text of one choice into reasoning and visible text by the
// tags <think> and </think>, which may be cut anywhere. The opening tag counts
// only where nothing but whitespace came before; whitespace before it, and a
// tag that is not complete yet, prove nothing.
type tagger struct {
	inside  bool
	begun   bool // text other than whitespace came: no opening tag can follow
	matched int  // bytes of the tag at hand that have matched
	held    bool // whitespace came that may precede the opening tag
}

// taggers are the taggers of a stream's choices.
type taggers struct {
	first tagger
	more  map[int64]*tagger
}

// of returns the tagger of a choice.
func (t *taggers) of(index int64) *tagger {
	if index == 0 {
		return &t.first
	}
	if t.more[index] == nil {
		if t.more == nil {
			t.more = make(map[int64]*tagger)
		}
		if len(t.more) >= maxTaggers {
			return &t.first
		}
		t.more[index] = new(tagger)
	}
	return t.more[index]
}

const maxTaggers = 64

const (
	openTag  = "<think>"
	closeTag = "</think>"
)

// take reads one byte of text and returns the class it proves, if any, and
// whether it is more than whitespace.
func (t *tagger) take(c byte) (class Class, ink, ok bool) {
	tag := openTag
	if t.inside {
		tag = closeTag
	} else if t.begun {
		return VisibleText, !space(c), true
	}
	if c == tag[t.matched] {
		t.matched++
		if t.matched == len(tag) {
			t.begun = t.inside // after the closing tag the rest is text
			t.inside = !t.inside
			t.matched, t.held = 0, false
		}
		return 0, false, false
	}
	pending := t.matched > 0
	t.matched = 0
	if t.inside {
		if c == '<' {
			t.matched = 1
			return Reasoning, true, pending
		}
		return Reasoning, true, true
	}
	if space(c) && !pending {
		t.held = true
		return 0, false, false
	}
	t.begun = true
	return VisibleText, !space(c) || pending, true
}

// tagged reads visible text byte by byte through the choice's tagger.
func (x *scanner) tagged(b []byte, i int) int {
	for ; i < len(b); i++ {
		if b[i] == '"' && !x.esc.on && x.esc.digits == 0 {
			x.ended()
			return i + 1
		}
		r, ok := x.esc.next(b[i])
		if !ok {
			continue
		}
		c := b[i]
		if r >= 0x80 {
			c = 0x80 // some character; no tag and no whitespace
		} else if r >= 0 {
			c = byte(r)
		}
		if class, ink, ok := x.tag.take(c); ok {
			x.facts.classes |= 1 << class
			if ink && class == VisibleText {
				x.facts.signs |= signInk
			}
		}
	}
	return i
}
