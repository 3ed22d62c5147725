package stream

// late is a stream whose times are known only after its events: a document
// tells them in another place than the bodies. It keeps what the marks need to
// know of each event, and no content.
type late struct {
	stream *Stream
	opts   *Options
	events []Event
	raw    []int64 // by event, whatever tells its time: a clock or an index
	clock  int64   // for the events to come
	// partial says that the tool dropped events: the first that it kept need not
	// be the first one, nor the first effective one unless it comes before text.
	partial bool
}

func newLate(d *desk, opts *Options) *late {
	l := &late{opts: opts}
	inner := *opts
	inner.OnEnd = nil
	inner.OnEvent = func(e Event) {
		l.events = append(l.events, e)
		l.raw = append(l.raw, l.clock)
	}
	l.stream = newStream(d, &inner)
	return l
}

// stamp gives the events from number i on the same clock.
func (l *late) stamp(i int, clock int64) {
	for ; i < len(l.raw); i++ {
		l.raw[i] = clock
	}
}

// end ends the stream. at tells the time of an event.
func (l *late) end(at func(e *Event, raw int64) Moment) Result {
	s := l.stream
	s.endBody()
	s.marks.clear()
	s.marks.seen = 0
	s.silence = silence{since: untimed}
	s.anomalies = 0
	previous := untimed
	for i := range l.events {
		e := &l.events[i]
		e.At = at(e, l.raw[i])
		s.now, s.number = inside(e.At), e.Number
		s.marks.set(markByte, s.now)
		e.Gap = gap(previous, s.now)
		if e.Classes != 0 {
			previous = s.now
			if e.Classes != SetOf(Heartbeat) {
				e.Sets = l.known(s.step(e.step))
			}
		}
		if l.opts.OnEvent != nil {
			l.opts.OnEvent(*e)
		}
	}
	r := s.result()
	if l.opts.OnEnd != nil {
		l.opts.OnEnd(r)
	}
	return r
}

func (l *late) known(sets Sets) Sets {
	if l.partial {
		sets &^= SetsT3
		if sets&SetsT5 != 0 {
			sets &^= SetsT4
		}
	}
	return sets
}
