package stream

import "strconv"

// maxChoices is how many choices of one event are told apart. The classes of
// further ones still count for the event.
const maxChoices = 8

// facts is what one event says. It holds no text but a model name and, for
// types that are not known, a plain identifier.
type facts struct {
	classes  ClassSet
	votes    uint16 // bit d is Dialect d
	signs    sign
	kind     *kindRow
	typed    bool // a type stands in the event, known or not
	block    block
	ending   Ending
	status   int64  // HTTP status inside an error
	finish   string // a word of finishKinds, or "other"
	failure  string // a word of errorKinds, or "other"
	member   string // the member that names a Bedrock event
	have     uint32 // bit s is slot s
	counts   [numSlots]int64
	unknown  [64]byte // a type that is not known, if it may be shown
	nUnknown int
	model    [96]byte
	nModel   int
	oldModel int // the length of the model that an earlier event left in model

	// The choice and the part that are being read.
	outer      ClassSet
	hasIndex   bool
	choices    [maxChoices]choiceFact
	numChoices int
	nth        int // choices that began, whether kept or not
}

type choiceFact struct {
	index   int64
	classes ClassSet
}

// reset forgets the event. The arrays are guarded by their lengths.
func (f *facts) reset() {
	f.classes, f.votes, f.signs, f.kind, f.typed, f.block, f.ending = 0, 0, 0, nil, false, plainBlock, Unended
	f.status, f.finish, f.failure, f.member = 0, "", "", ""
	f.have, f.nUnknown, f.nModel = 0, 0, 0
	f.outer, f.hasIndex, f.numChoices, f.nth = 0, false, 0, 0
}

// hit notes that what the path asked for stands there.
func (f *facts) hit(n *node) {
	if n.class != noClass {
		f.classes |= 1 << n.class
		if n.class == Failure && f.failure == "" {
			f.setFailure(n.name)
		}
	}
	f.signs |= n.sign
}

// ink notes that the text at n is more than whitespace.
func (f *facts) ink(n *node) {
	if n.class == VisibleText || n.sign&(signPartText|signPayload) != 0 {
		f.signs |= signInk
	}
}

// begin enters a scope.
func (f *facts) begin(s scope) {
	switch s {
	case scopeChoice:
		f.outer, f.classes = f.classes, 0
		f.hasIndex = false
		f.signs |= signChoice
	case scopePart:
		f.signs &^= signPartText | signThought
	}
}

// end leaves a scope and judges its members together.
func (f *facts) end(s scope) {
	switch s {
	case scopeChoice:
		f.endChoice()
	case scopePart:
		if f.signs&signPartText != 0 {
			c := VisibleText
			if f.signs&signThought != 0 {
				c = Reasoning
			}
			f.classes |= 1 << c
		}
	}
}

// choice returns the index of the choice at hand, its place where it says none.
func (f *facts) choice() int64 {
	if f.hasIndex {
		return f.counts[slotIndex]
	}
	return int64(f.nth)
}

func (f *facts) endChoice() {
	index := f.choice()
	f.nth++
	if f.numChoices < maxChoices {
		f.choices[f.numChoices] = choiceFact{index, f.classes}
		f.numChoices++
	}
	f.classes |= f.outer
}

// number notes a number. Negative and fractional counts are not counts.
func (f *facts) number(n *node, text []byte) {
	v, ok := wholeNumber(text)
	if !ok {
		return
	}
	f.counts[n.slot] = v
	f.have |= 1 << n.slot
	switch n.slot {
	case slotIndex:
		f.hasIndex = true
	case slotErrorCode:
		f.status = v
	}
}

// word notes a label. long says that it was too long to be one.
func (f *facts) word(n *node, text []byte, long bool) {
	if long {
		text = nil
	}
	switch n.words {
	case typeWords:
		f.setType(text)
	case objectWords:
		if string(text) == "chat.completion.chunk" { // on every chunk of most streams
			f.votes |= 1 << OpenAIChat
		} else if o, ok := objectKinds[string(text)]; ok {
			f.signs |= o.sign
			f.votes |= 1 << o.dialect
		}
	case blockWords:
		f.block = blockKinds[string(text)]
	case finishWords:
		f.setFinish(n, text)
	case errorWords:
		f.setFailure(string(text))
	case modelWords:
		f.setModel(text)
	}
}

func (f *facts) setType(text []byte) {
	f.typed = true
	f.kind = kinds()[string(text)]
	f.nUnknown = 0
	if f.kind != nil {
		f.votes |= 1 << f.kind.dialect
		return
	}
	if !identifier(text) {
		text = []byte("other")
	}
	f.nUnknown = copy(f.unknown[:], text)
}

func (f *facts) setFinish(n *node, text []byte) {
	if len(text) == 0 || string(text) == "null" { // DashScope writes the string
		return
	}
	f.signs |= signFinish
	e, known := finishKinds[string(text)]
	f.finish = "other"
	if known {
		f.finish = string(text)
	} else {
		e = Completed
	}
	if n.name == "blockReason" {
		f.signs |= signBlocked
		e = Filtered
	}
	f.ending = max(f.ending, e)
}

func (f *facts) setFailure(text string) {
	switch {
	case text == "":
	case errorKinds[text] != "":
		f.failure = text
	case f.failure == "":
		f.failure = "other"
	}
}

func (f *facts) setModel(text []byte) {
	if string(text) == string(f.model[:f.oldModel]) { // it was looked at before
		f.nModel = f.oldModel
		return
	}
	for _, c := range text {
		if c-'a' > 25 && c-'A' > 25 && c-'0' > 9 && c != '.' && c != '-' && c != '_' && c != ':' &&
			c != '/' && c != '@' && c != '+' {
			return
		}
	}
	f.nModel = copy(f.model[:], text)
	f.oldModel = f.nModel
}

// typeName returns the name under which an event that is not a known type
// shows, "" where the event has no type of its own.
func (f *facts) typeName() string {
	switch {
	case f.kind != nil:
		return f.kind.name
	case f.typed:
		return string(f.unknown[:f.nUnknown])
	}
	return ""
}

// wholeNumber reads a JSON number that is whole and not negative.
func wholeNumber(text []byte) (int64, bool) {
	var v int64
	for _, c := range text {
		if c-'0' > 9 || v > 1e17 {
			return slowNumber(text)
		}
		v = v*10 + int64(c-'0')
	}
	return v, len(text) > 0
}

func slowNumber(text []byte) (int64, bool) {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || v < 0 || v > 1e15 || v != float64(int64(v)) {
		return 0, false
	}
	return int64(v), true
}
