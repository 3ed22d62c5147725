package stream

import (
	"bytes"
	"math/bits"
)

// verdict is what an event turned out to be.
type verdict struct {
	classes ClassSet
	dialect Dialect
	name    string // the event's type; a word of the tables or a plain identifier
	kind    *kindRow
	whole   bool // a whole response in one piece
	unknown bool // the type is not known
}

// classify judges the data of a frame.
func (s *Stream) classify(p *frame) verdict {
	head := p.head[:p.nHead]
	if len(head) < len(p.head) || head[0] != '{' {
		head = bytes.TrimRight(head, " \t")
	}
	switch {
	case len(head) == 0:
		return verdict{classes: SetOf(Heartbeat), name: "empty"}
	case head[0] == ':':
		return verdict{classes: SetOf(Heartbeat), name: "comment"}
	case string(head) == "[DONE]":
		return verdict{classes: SetOf(Done), name: "[DONE]"}
	}
	f := &p.scan.facts
	kind := f.kind
	if !f.typed && p.nName > 0 {
		kind = kinds()[string(p.eventName())]
	}
	if kind != nil && kind.rule == heartbeat {
		return verdict{classes: SetOf(Heartbeat), name: kind.name}
	}
	if !p.scan.complete() {
		s.malformed++
		return verdict{classes: SetOf(Metadata), name: "malformed"}
	}
	v := verdict{kind: kind, dialect: s.dialectOf(f, kind)}
	v.name, v.unknown = v.typeName(p)
	v.whole = s.framing == jsonFrames && isWhole(f, kind)
	v.classes = s.classes(f, v)
	if v.classes == SetOf(Failure) && s.framing == jsonFrames && s.number == 0 {
		v.whole = true // the plain answer of a server that did not begin to stream
	}
	return v
}

// eventName returns the value of the field event, without what DashScope
// appends to it; nil for the default name.
func (p *frame) eventName() []byte {
	name, _, _ := bytes.Cut(p.name[:p.nName], []byte{':'})
	if p.long || string(name) == "message" {
		return nil
	}
	return name
}

func isWhole(f *facts, kind *kindRow) bool {
	if kind != nil {
		return kind.rule == whole
	}
	return f.signs&signWhole != 0 || f.signs&signMessage != 0 && f.signs&signDelta == 0
}

// dialectOf returns the dialect of an event: its own, else the stream's.
func (s *Stream) dialectOf(f *facts, kind *kindRow) Dialect {
	d := UnknownDialect
	if kind != nil {
		d = kind.dialect
	}
	if votes := f.votes &^ 1; d == UnknownDialect && votes != 0 {
		d = Dialect(bits.TrailingZeros16(votes))
	}
	if d == UnknownDialect {
		return s.dialect
	}
	if s.dialect == UnknownDialect {
		s.dialect = d
	}
	return d
}

// chunkNames are the names of events whose dialect has no event types.
var chunkNames = [NumDialects]string{
	OpenAIChat: "chat.completion.chunk", OpenAIResponses: "response", AnthropicMessages: "message", Gemini: "candidates", BedrockConverse: "metadata",
	CohereV2: "chunk", Ollama: "message", DashScope: "result",
}

// typeName returns the name that the event shows under, and whether it is a
// type that is not known.
func (v *verdict) typeName(p *frame) (string, bool) {
	f := &p.scan.facts
	switch {
	case v.kind != nil:
		return v.kind.name, false
	case f.typed:
		return f.typeName(), f.votes&^1 == 0
	case f.signs&signError != 0:
		return "error", false
	case f.member != "":
		return f.member, false
	case f.votes&^1 != 0:
		return chunkNames[v.dialect], false
	}
	name := p.eventName()
	switch {
	case len(name) == 0:
		return "untyped", false
	case identifier(name):
		return string(name), true
	}
	return "other", true
}

// classes turns an event's facts into classes, by its type or by its dialect.
func (s *Stream) classes(f *facts, v verdict) ClassSet {
	if f.signs&signError != 0 && (v.kind == nil || v.kind.rule == byPath) {
		return SetOf(Failure)
	}
	var set ClassSet
	if v.unknown && f.typed {
		return SetOf(Metadata) // what its members mean is not known
	}
	if v.kind != nil {
		set = byKind(f, v.kind)
	} else {
		set = s.byDialect(f, v)
	}
	if f.signs&signBlocked != 0 && f.signs&signChoice == 0 {
		set = SetOf(Failure)
	}
	if set.Has(Action) {
		set &^= 1 << ActionStart
	}
	if set.any(payload) {
		set &^= 1 << Metadata
	}
	return set
}
