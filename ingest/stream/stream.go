package stream

import (
	"math"

	"ttdiag/ingest/timeline"
)

// Moment is the arrival of a chunk, in microseconds since the receipt of the
// request, or absent where the recording has no times.
type Moment = timeline.Time[timeline.Receipt]

// Options are the choices that a definition leaves open.
type Options struct {
	// ThinkTags reads <think>…</think> at the start of visible text as reasoning.
	ThinkTags bool
	// Transcript lets the transcript of spoken output be the first visible text.
	Transcript bool
	// OnEvent, where it is not nil, is called with every frame in order.
	OnEvent func(Event)
	// OnEnd, where it is not nil, is called with the result of End.
	OnEnd func(Result)
}

// untimed is an absent time inside a stream, which keeps many of them small.
const untimed int64 = math.MinInt64

func inside(m Moment) int64 {
	if us, ok := m.Micros(); ok {
		return us
	}
	return untimed
}

func outside(us int64) Moment {
	if us == untimed {
		return Moment{}
	}
	return timeline.At[timeline.Receipt](us)
}

// Stream classifies one recorded response. Feed it chunks in order of arrival,
// then call End once. Between two events it holds a few hundred bytes,
// whatever went through it, and never any content.
type Stream struct {
	desk    *desk
	opts    *Options
	tags    *taggers
	frame   *frame // the event at hand, nil between events
	framing framing
	mark    uint8 // bytes of the byte order mark that were seen
	line    lineState
	cr      bool // the last line ended with CR: an LF now is part of it
	dialect Dialect

	now      int64 // arrival of the chunk at hand
	fed      int64 // bytes of the body so far
	left     int   // of them not read yet
	previous int64 // time of the previous event
	number   int   // frames so far
	malformed,
	anomalies int
	truncated, unterminated, replayed, whole, chunked bool
	array                                             bool // the JSON objects are elements of an array

	marks   marks
	silence silence
	counts  [NumClasses]uint32
	events  uint32 // without heartbeats
	have    uint32 // token counts that were said
	tokens  [slotIndex]int64
	started bool  // the opening event was seen
	last    int64 // highest sequence number, -1 for none
	ending  Ending
	finish  string
	failure string
	status  int64
	model   string
	choices []Choice
	unknown []TypeCount
}

// New returns a stream that has seen nothing.
func New(opts Options) *Stream {
	return newStream(new(desk), &opts)
}

func newStream(d *desk, opts *Options) *Stream {
	s := &Stream{desk: d, opts: opts, now: untimed, previous: untimed, last: -1}
	s.marks.clear()
	s.silence.since = untimed
	if opts.ThinkTags {
		s.tags = new(taggers)
	}
	return s
}

// Chunk takes the next bytes of the body and the time at which they arrived.
// b is not kept.
func (s *Stream) Chunk(at Moment, b []byte) {
	s.arrived(at)
	if len(b) == 0 {
		return
	}
	s.marks.set(markByte, s.now)
	s.fed += int64(len(b))
	if s.framing == undecided {
		b = s.decide(b)
	}
	switch s.framing {
	case sseFrames:
		s.sse(b)
	case jsonFrames:
		s.json(b)
	}
}

func (s *Stream) arrived(at Moment) {
	s.now = inside(at)
}

// Comment takes a comment that a tool has already taken out of its frame.
func (s *Stream) Comment(at Moment) {
	s.arrived(at)
	s.marks.set(markByte, s.now)
	p := s.opened()
	s.event(p, verdict{classes: SetOf(Heartbeat), name: "comment"})
	s.closed()
}

// Message takes one event that a tool has already unframed: the value of its
// event field, if it had one, and its data. Neither is kept.
func (s *Stream) Message(at Moment, name, data []byte) {
	s.arrived(at)
	s.marks.set(markByte, s.now)
	p := s.opened()
	p.nName = copy(p.name[:], name)
	p.long = p.nName < len(name)
	p.lines = 1
	p.data(data)
	s.event(p, s.classify(p))
	s.closed()
}

// Choice is one of several answers in one stream.
type Choice struct {
	Index         int64
	FirstResponse Moment
	FirstText     Moment
	responded     bool
	texted        bool
}

// TypeCount is an event type that is not known and how often it came.
type TypeCount struct {
	Type  string // a plain identifier, or "other"
	Count int
}

const maxUnknown = 32

// event takes one frame: it counts it, sets marks, and forgets it.
func (s *Stream) event(p *frame, v verdict) {
	s.number++
	set := v.classes
	f := &p.scan.facts
	var tokens Tokens
	var t step
	if set != 0 && set != SetOf(Heartbeat) {
		tokens = s.note(f, v)
		t = s.set(f, v)
	}
	s.count(set, v)
	if s.opts.OnEvent != nil {
		e := s.eventOf(p, v)
		e.Tokens, e.Sets, e.step = tokens, t.sets, t
		s.opts.OnEvent(e)
	}
	if set != 0 {
		s.previous = s.now
	}
}

func (s *Stream) eventOf(p *frame, v verdict) Event {
	dialect := v.dialect
	if dialect == UnknownDialect {
		dialect = s.dialect
	}
	return Event{
		Number: s.number, At: outside(s.now), Dialect: dialect, Type: v.name, Classes: v.classes, Bytes: p.size,
		Gap: gap(s.previous, s.now), End: s.fed - int64(s.left),
	}
}

func gap(from, to int64) timeline.Length {
	if from == untimed || to == untimed {
		return timeline.Length{}
	}
	return timeline.LengthOf(to - from)
}

func (s *Stream) count(set ClassSet, v verdict) {
	for c := range set.All {
		s.counts[c]++
	}
	if set != 0 && !set.Has(Heartbeat) && !v.whole {
		s.events++
	}
	if v.unknown {
		s.countUnknown(v.name)
	}
}

func (s *Stream) countUnknown(name string) {
	for i := range s.unknown {
		if s.unknown[i].Type == name {
			s.unknown[i].Count++
			return
		}
	}
	if len(s.unknown) == maxUnknown {
		name = "other"
		last := &s.unknown[maxUnknown-1]
		last.Type = name
		last.Count++
		return
	}
	s.unknown = append(s.unknown, TypeCount{name, 1})
}
