package stream

import "ttdiag/ingest/timeline"

// Event is one frame of a stream: sizes and classes, never text.
type Event struct {
	Number  int             // 1 is the first frame
	At      Moment          // arrival of the chunk that holds the event's end
	Gap     timeline.Length // since the previous event, heartbeats included
	Dialect Dialect
	Type    string // event type; of types that are not known only plain identifiers
	Classes ClassSet
	Bytes   int64  // size of the data
	Tokens  Tokens // what the event itself says
	Sets    Sets   // marks that the event set
	End     int64  // offset behind the event in the body; 0 where a tool had unframed it

	step step
}

// Result is what is known of a stream when it has ended.
type Result struct {
	Dialect Dialect
	Ending  Ending
	Finish  string // finish reason, as the provider spells it; "other" where unknown
	Failure string // label of an error, "other" where unknown
	Status  int64  // HTTP status inside an error, 0 if none
	Model   string

	FirstByte     Moment // first byte of the body, heartbeats included
	FirstEvent    Moment // t3
	FirstResponse Moment // t4
	FirstText     Moment // t5
	FirstInk      Moment // first visible text that is not whitespace
	FirstRefusal  Moment
	Done          Moment // t6, by the terminal event; absent where none was seen
	Counts        [NumClasses]uint32
	Events        uint32 // dispatched events, heartbeats not counted
	Tokens        Tokens
	Gap           Gap
	Choices       []Choice // nil where there is one choice
	Unknown       []TypeCount
	Malformed     int  // events whose data is not JSON
	Anomalies     int  // events with content after the terminal event
	Whole         bool // the body is one whole response, not a stream: no marks but its end
	Empty         bool // nothing but heartbeats and a terminal event came
	Truncated     bool // ends inside an event, or without a terminal one
	Unterminated  bool // the last event lacked its blank line
	Replayed      bool
	Buffered      bool
	Stalled       bool
	ActionStart   bool // t4 is the start of an action without arguments
	VisibleRate   Rate // of the visible text, where a tool of the server ran meanwhile

	startNumber, doneNumber int32 // frames of a t4 and a t6 that were found at the end
}

// Gap is the longest silence of a stream. Length is absent where there is none.
type Gap struct {
	Length    timeline.Length
	From      Moment
	AfterText bool // it starts after the first visible text
}

// Rate is in millionths of a token per second, absent where ok is false.
type Rate struct {
	micro int64
	ok    bool
}

// Value returns the rate in millionths of a token per second.
func (r Rate) Value() (micro int64, ok bool) { return r.micro, r.ok }

// StallAfter is the silence, in microseconds, beyond which a stream that had
// begun to answer has stalled.
const StallAfter = 2_000_000

// Tokens from which a stream can be told to be buffered or replayed, and the
// speed beyond which no model wrote it.
const (
	minTokens    = 64
	maxTokenRate = 10_000
)

// End ends the stream and returns what is known of it.
func (s *Stream) End() Result {
	r := s.end()
	if s.opts.OnEnd != nil {
		s.opts.OnEnd(r)
	}
	return r
}

func (s *Stream) end() Result {
	s.endBody()
	return s.result()
}

// endBody ends the framing.
func (s *Stream) endBody() {
	s.left = 0
	switch {
	case s.framing == jsonFrames && s.frame != nil:
		s.truncated = true
		s.closed()
	case s.framing == sseFrames:
		s.endSSE()
	}
}

func (s *Stream) result() Result {
	r := Result{
		Dialect: s.dialect, Ending: s.ending, Finish: s.finish, Failure: s.failure, Status: s.status, Model: s.model,
		Counts: s.counts, Events: s.events, Choices: s.choices, Unknown: s.unknown,
		Malformed: s.malformed, Anomalies: s.anomalies, Unterminated: s.unterminated, Replayed: s.replayed,
		Whole: s.whole && !s.chunked && s.counts[Done] == 0 || s.lone(),
	}
	r.Tokens = tokensOf(s.dialect, s.have, s.tokens[:])
	s.endMarks(&r)
	if s.counts[Done] > 0 {
		r.Ending = max(r.Ending, Completed)
	}
	r.Empty = !s.marks.has(markEvent) && !r.Whole && s.number > 0
	r.Truncated = s.truncated || r.Ending == Unended && s.number > 0
	if !r.Whole {
		s.endSilence(&r)
		s.endShape(&r)
	}
	return r
}

// lone reports whether the body is one JSON object of a dialect that answers in
// the same shape whether it streams or not: one that streams sends more of them,
// or puts them into an array.
func (s *Stream) lone() bool {
	return s.framing == jsonFrames && !s.array && s.number == 1 && !s.truncated && s.ending != Unended &&
		(s.dialect == Gemini || s.dialect == Ollama || s.dialect == DashScope)
}

// endMarks copies the marks and finds those that only the end can tell.
func (s *Stream) endMarks(r *Result) {
	m := &s.marks
	if r.Whole {
		for n := markEvent; n <= markRefusal; n++ {
			if n != markDone {
				m.seen &^= 1 << n
				m.at[n] = untimed
			}
		}
	}
	r.FirstByte, r.FirstEvent = outside(m.at[markByte]), outside(m.at[markEvent])
	r.FirstResponse, r.FirstText = outside(m.at[markResponse]), outside(m.at[markText])
	r.FirstInk, r.FirstRefusal = outside(m.at[markInk]), outside(m.at[markRefusal])
	if !m.has(markResponse) && m.has(markStart) {
		r.ActionStart = true
		r.FirstResponse = outside(m.at[markStart])
		r.startNumber = m.number[markStart]
	}
	switch {
	case m.has(markDone):
		r.Done = outside(m.at[markDone])
	case s.ending != Unended && m.has(markLast):
		r.Done = outside(m.at[markLast])
		r.doneNumber = m.number[markLast]
	}
}

func (s *Stream) endSilence(r *Result) {
	if done, ok := r.Done.Micros(); ok && s.silence.since != untimed && !s.silence.running {
		s.silence.end(done, &s.marks)
	}
	if s.silence.longest > 0 {
		r.Gap = Gap{timeline.LengthOf(s.silence.longest), outside(s.silence.from), s.silence.afterText}
	}
	r.Stalled = s.silence.stall > StallAfter
}

// endShape tells streams that were held back or sent again on the way, and the
// speed of those in which a tool ran.
func (s *Stream) endShape(r *Result) {
	done, ok := r.Done.Micros()
	out, known := r.Tokens.Output.Value()
	if !ok || !known {
		return
	}
	if out > minTokens {
		if first, ok := r.FirstEvent.Micros(); ok {
			r.Buffered = (done-first)*20 <= done
		}
		if from, ok := r.FirstResponse.Micros(); ok && !r.Buffered && s.silence.arrivals > 1 {
			r.Replayed = r.Replayed || out > (done-from)/1000*maxTokenRate/1000
		}
	}
	r.VisibleRate = s.visibleRate(r, done)
}

// visibleRate is the speed of the visible text without the time in which a tool
// ran. It is absent where no tool ran, because the columns then tell it, and
// where the tokens are not those of the window.
func (s *Stream) visibleRate(r *Result, done int64) Rate {
	text, ok := r.FirstText.Micros()
	if !ok || s.silence.tools == 0 || r.Buffered || r.Replayed {
		return Rate{}
	}
	tokens := r.Tokens.Output.n
	if r.Tokens.Reasoning.ok {
		tokens -= r.Tokens.Reasoning.n
	} else if s.counts[Reasoning] > 0 {
		return Rate{}
	}
	window := done - text - s.silence.tools
	if window <= 0 || tokens <= 0 || tokens > 1e6 {
		return Rate{}
	}
	return Rate{tokens * 1e12 / window, true}
}
