package wrap

import (
	"ttdiag/ingest/source"
)

// MaxJoined is the longest inner line, in bytes, that is put together from
// several lines. A longer one is rejected as too long.
const MaxJoined = 64 << 20

// Unwrapper takes the wrappers off the lines of one input. It is used by one
// goroutine, and where its nesting joins lines, it must see them in order.
type Unwrapper struct {
	layers []layer
}

// layer takes one wrapper off.
type layer struct {
	kind   Kind
	take   func([]byte) (piece, bool)
	object *objectReader
	open   []openLine
}

// openLine is an inner line of one source that is not complete.
type openLine struct {
	source  string
	text    []byte
	open    bool
	tooLong bool
}

// maxSources is how many sources can have an open line at once: a container has
// two.
const maxSources = 16

var takers = [numKinds]func([]byte) (piece, bool){
	CRI: takeCRI, Kubectl: takeKubectl, Compose: takeCompose, Syslog: takeSyslog,
	LokiText: takeLokiText, TailText: takeTail, Timestamp: takeTimestamp,
}

// NewUnwrapper returns an unwrapper of n.
func NewUnwrapper(n Nesting) *Unwrapper {
	u := &Unwrapper{layers: make([]layer, len(n))}
	for i, k := range n {
		u.layers[i] = layer{kind: k, take: takers[k]}
		if takers[k] == nil {
			u.layers[i].object = newObjectReader(k)
		}
	}
	return u
}

// Line unwraps one physical line, without its line end. It returns the inner
// line and an acceptance; the inner line may alias line or a buffer of u, and
// holds until the next call. Otherwise there is no inner line: the reason is
// Joined for a line that is part of a later one, and says for any other what is
// wrong with its wrapper.
func (u *Unwrapper) Line(line []byte) (inner []byte, why source.Rejection) {
	inner = line
	for i := range u.layers {
		if inner, why = u.layers[i].line(inner); why.Reason != source.OK {
			return nil, why
		}
	}
	return inner, why
}

func (l *layer) line(line []byte) (inner []byte, why source.Rejection) {
	var p piece
	if l.object != nil {
		if p, why = l.object.take(line); why.Reason != source.OK {
			return nil, why
		}
	} else {
		var ok bool
		if p, ok = l.take(line); !ok {
			return nil, source.Reject(source.BadEncoding, 0)
		}
	}
	if !l.kind.partial() {
		return p.text, why
	}
	return l.join(p)
}

func (l *layer) join(p piece) (inner []byte, why source.Rejection) {
	o := l.sourceOf(p.source)
	if !p.more && !o.open {
		return p.text, why
	}
	if !o.open {
		o.text, o.open, o.tooLong = o.text[:0], true, false
	}
	if len(o.text)+len(p.text) > MaxJoined {
		o.tooLong, o.text = true, nil
	}
	if !o.tooLong {
		o.text = append(o.text, p.text...)
	}
	if p.more {
		return nil, source.Reject(source.Joined, 0)
	}
	o.open = false
	if o.tooLong {
		return nil, source.Reject(source.TooLong, 0)
	}
	return o.text, why
}

func (l *layer) sourceOf(name []byte) *openLine {
	for i := range l.open {
		if l.open[i].source == string(name) {
			return &l.open[i]
		}
	}
	if len(l.open) == maxSources { // never so in a log of one container
		l.open = l.open[:0]
	}
	l.open = append(l.open, openLine{source: string(name)})
	return &l.open[len(l.open)-1]
}

// Rest yields, at the end of the input, the lines whose last part never came,
// as far as they go.
func (u *Unwrapper) Rest(yield func(inner []byte) bool) {
	for i := range u.layers {
		for k := range u.layers[i].open {
			o := &u.layers[i].open[k]
			if !o.open || o.tooLong {
				continue
			}
			o.open = false
			inner, why := o.text, source.Rejection{}
			for m := i + 1; m < len(u.layers) && why.Reason == source.OK; m++ {
				inner, why = u.layers[m].line(inner)
			}
			if why.Reason == source.OK && !yield(inner) {
				return
			}
		}
	}
}
