package stream

// markName is one of the moments that a stream keeps.
type markName uint8

const (
	markByte     markName = iota // first byte of the body, heartbeats included
	markEvent                    // t3
	markResponse                 // t4
	markText                     // t5
	markDone                     // t6: the first terminal event
	markStart                    // first event that names a tool
	markInk                      // first visible text that is not whitespace
	markRefusal                  // first text of a refusal
	markLast                     // last event that is no heartbeat
	numMarks     = int(markLast) + 1
)

// marks are moments and whether they were seen: in a recording without times a
// mark can be seen and have no time.
type marks struct {
	at     [numMarks]int64
	number [numMarks]int32 // the frame that set it
	seen   uint16
}

func (m *marks) clear() {
	for i := range m.at {
		m.at[i] = untimed
	}
}

// set sets a mark that was not seen yet, and reports whether it did.
func (m *marks) set(n markName, at int64) bool {
	if m.seen>>n&1 != 0 {
		return false
	}
	m.seen |= 1 << n
	m.at[n] = at
	return true
}

func (m *marks) has(n markName) bool { return m.seen>>n&1 != 0 }

// replace sets a mark whether it was seen or not.
func (m *marks) replace(n markName, at int64) {
	m.seen |= 1 << n
	m.at[n] = at
}

// Sets is the set of marks that an event set.
type Sets uint8

// The marks of an event list.
const (
	SetsT3 Sets = 1 << iota
	SetsT4
	SetsT5
	SetsT6
)

// Names returns the names of the marks in s.
func (s Sets) Names() []string {
	var names []string
	for i, name := range [...]string{"t3", "t4", "t5", "t6"} {
		if s>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// set moves the marks of the stream on by one event that is no heartbeat.
func (s *Stream) set(f *facts, v verdict) step {
	t := step{set: v.classes, ink: f.signs&signInk != 0, whole: v.whole, tool: s.activityOf(f, v)}
	t.sets = s.step(t)
	if !v.whole {
		s.setChoices(f)
	}
	return t
}

// step is what the marks need to know of an event.
type step struct {
	set   ClassSet
	ink   bool // its visible text is more than whitespace
	whole bool
	tool  activity
	sets  Sets // marks that it set
}

// step moves the marks on by an event at the time s.now.
func (s *Stream) step(t step) Sets {
	m := &s.marks
	m.replace(markLast, s.now)
	m.number[markLast] = int32(s.number)
	if t.whole {
		return 0
	}
	if m.has(markDone) && t.set.any(progress) {
		s.anomalies++ // content after the end is no part of the answer
		return 0
	}
	text := s.textClasses()
	sets := s.first(markEvent, t.set&^silent != 0, SetsT3)
	s.silence.begin(m)
	sets |= s.first(markResponse, t.set.any(effective), SetsT4)
	sets |= s.first(markText, t.set.any(text), SetsT5)
	s.first(markInk, t.set.any(text) && (t.ink || !t.set.Has(VisibleText)), 0)
	s.first(markStart, t.set.Has(ActionStart), 0)
	s.first(markRefusal, t.set.Has(Refusal), 0)
	s.silence.event(s.now, t.set, t.tool, m)
	return sets | s.first(markDone, t.set.Has(Done), SetsT6)
}

// first sets a mark that was not seen, if the event is one for it.
func (s *Stream) first(n markName, when bool, sign Sets) Sets {
	if !when || !s.marks.set(n, s.now) {
		return 0
	}
	s.marks.number[n] = int32(s.number)
	return sign
}

func (s *Stream) textClasses() ClassSet {
	if s.opts.Transcript {
		return SetOf(VisibleText, Transcript)
	}
	return SetOf(VisibleText)
}

// setChoices keeps the marks of every choice, once there is more than one.
func (s *Stream) setChoices(f *facts) {
	if s.anomalies > 0 {
		return
	}
	several := s.choices != nil
	for i := range f.choices[:f.numChoices] {
		several = several || f.choices[i].index != 0
	}
	if !several {
		return
	}
	if s.choices == nil {
		s.choices = []Choice{s.onlyChoice()}
	}
	for i := range f.choices[:f.numChoices] {
		s.setChoice(&f.choices[i])
	}
}

// onlyChoice is choice 0, which so far was the only one.
func (s *Stream) onlyChoice() Choice {
	c := Choice{responded: s.marks.has(markResponse), texted: s.marks.has(markText)}
	number := int32(s.number)
	if c.responded && s.marks.number[markResponse] != number {
		c.FirstResponse = outside(s.marks.at[markResponse])
	} else {
		c.responded = false
	}
	if c.texted && s.marks.number[markText] != number {
		c.FirstText = outside(s.marks.at[markText])
	} else {
		c.texted = false
	}
	return c
}

const maxKeptChoices = 128

func (s *Stream) setChoice(c *choiceFact) {
	at := -1
	for i := range s.choices {
		if s.choices[i].Index == c.index {
			at = i
		}
	}
	if at < 0 {
		if len(s.choices) == maxKeptChoices {
			return
		}
		at = len(s.choices)
		s.choices = append(s.choices, Choice{Index: c.index})
	}
	k := &s.choices[at]
	if !k.responded && c.classes.any(effective) {
		k.responded, k.FirstResponse = true, outside(s.now)
	}
	if !k.texted && c.classes.any(s.textClasses()) {
		k.texted, k.FirstText = true, outside(s.now)
	}
}

// activityOf says what an event means for a tool that the server runs.
func (s *Stream) activityOf(f *facts, v verdict) activity {
	if v.kind == nil {
		return noTool
	}
	switch {
	case f.block == serverBlock:
		s.silence.server = true
	case f.block == resultBlock:
		return toolEnds
	case s.silence.server && v.kind.name == "content_block_stop":
		s.silence.server = false
		return toolRuns
	}
	return v.kind.tool
}
