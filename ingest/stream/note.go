package stream

// note takes what an event says besides its classes.
func (s *Stream) note(f *facts, v verdict) Tokens {
	if f.nModel > 0 && string(f.model[:f.nModel]) != s.model {
		s.model = string(f.model[:f.nModel])
	}
	if f.finish != "" {
		s.finish = f.finish
	}
	s.noteEnding(f, v)
	s.noteReplay(f, v)
	s.chunked = s.chunked || f.signs&signDelta != 0
	if v.whole {
		s.whole = true
	}
	return s.take(f, v)
}

func (s *Stream) noteEnding(f *facts, v verdict) {
	e := f.ending
	if v.classes.Has(Failure) {
		e = max(e, Failed)
		if f.signs&signBlocked != 0 {
			e = Filtered
		}
		s.failure = f.failure
		if s.failure == "" {
			s.failure = "other"
		}
		if f.status != 0 {
			s.status = f.status
		}
	}
	if v.whole || v.kind != nil && v.classes.Has(Done) {
		e = max(e, Completed)
	}
	if v.kind != nil && v.kind.name == "response.cancelled" {
		e = Cancelled
	}
	s.ending = max(s.ending, e)
}

// noteReplay notices events that come a second time.
func (s *Stream) noteReplay(f *facts, v verdict) {
	opens := v.kind != nil && v.kind.opens || f.member == "messageStart"
	if opens && s.started {
		s.replayed = true
	}
	s.started = s.started || opens
	if f.have>>slotSequence&1 != 0 {
		if f.counts[slotSequence] <= s.last {
			s.replayed = true
		}
		s.last = max(s.last, f.counts[slotSequence])
	}
}
