package accesslog

import (
	"bytes"
	"fmt"
	"strings"

	"ttdiag/ingest/timeline"
)

// layoutBuilder puts a layout together from the pieces of a configured format.
type layoutBuilder struct {
	layout
	names []string // of the values, for messages
	err   error
}

func newLayoutBuilder() *layoutBuilder {
	return &layoutBuilder{layout: layout{pivot: -1}}
}

func (b *layoutBuilder) text(s string) {
	if len(b.steps) == 0 {
		b.head = append(b.head, s...)
		return
	}
	last := &b.steps[len(b.steps)-1]
	last.tail = append(last.tail, s...)
}

// meaning is how a configured value is read.
type meaning struct {
	to    slot
	unit  timeline.Unit
	free  bool // a client writes it
	list  bool // nginx writes it once per attempt
	stamp stampKind
	date  string
	end   bool
}

func (b *layoutBuilder) value(name string, m meaning) {
	if n := len(b.steps); n > 0 && len(b.steps[n-1].tail) == 0 {
		if b.steps[n-1].to == slotSkip && m.to == slotSkip {
			return // two values that nobody needs, side by side, are one
		}
		if b.err == nil {
			b.err = fmt.Errorf("%s and %s stand side by side with nothing between them", b.names[n-1], name)
		}
	}
	b.names = append(b.names, name)
	if m.to == slotTime && b.wanted.has(slotTime) && b.stamp == stampEpoch {
		m.to = slotSkip // the epoch is the finer one
	}
	switch {
	case m.to == slotTime:
		b.dropTime()
		b.stamp, b.date, b.end = m.stamp, m.date, m.end
	case b.wanted.has(m.to):
		m.to = slotSkip // the first of several wins
	}
	if m.to != slotSkip {
		b.wanted |= 1 << m.to
		b.unit[m.to] = m.unit
	}
	if m.free {
		b.pivot = len(b.steps)
	}
	date := m.date
	if m.stamp == stampCommon && m.end { // nginx: with a zone
		date = "%d %z"
	}
	b.steps = append(b.steps, step{to: m.to, list: m.list, date: date})
}

// dropTime forgets a coarser time in favour of the one to come.
func (b *layoutBuilder) dropTime() {
	for i := range b.steps {
		if b.steps[i].to == slotTime {
			b.steps[i].to = slotSkip
		}
	}
}

// captures makes room for HAProxy's captured headers after a blank: any number
// of {…} groups, each with a blank after it. It reports false where the format
// does not set them apart by blanks.
func (b *layoutBuilder) captures() bool {
	n := len(b.steps)
	if n == 0 || !bytes.HasSuffix(b.steps[n-1].tail, []byte(" ")) {
		return false
	}
	b.steps[n-1].captures = true
	return true
}

func (b *layoutBuilder) finish() (*layout, error) {
	if b.err != nil {
		return nil, b.err
	}
	l := b.layout
	if n := len(l.steps); n > 0 {
		l.steps[n-1].tail = bytes.TrimRight(l.steps[n-1].tail, " \t\r\n")
	}
	for i := range l.steps {
		if s := &l.steps[i]; s.date != "" && len(s.tail) > 0 {
			s.within = strings.Count(s.date, string(s.tail))
		}
	}
	return &l, nil
}
