package diagnose

// Wait is how long the caller of a request waited over all its attempts.
type Wait struct {
	Known   bool       // every attempt has a start and an end
	Whole   int64      // µs from the first start to the last end
	Lost    int64      // of that, before the last attempt started
	Backoff int64      // of the lost, between attempts
	Spans   [][2]int64 // start and end of each attempt, µs since the first start
}

// WaitOf returns the wait over attempts in order of their start.
func WaitOf(attempts []Explanation) Wait {
	var w Wait
	var base, end int64
	for i := range attempts {
		start, length, ok := attempts[i].span()
		if !ok {
			return Wait{}
		}
		if i == 0 {
			base, end = start, start
		}
		w.Backoff += max(start-end, 0)
		end = max(end, start+length)
		w.Lost = start - base
		w.Spans = append(w.Spans, [2]int64{start - base, start + length - base})
	}
	w.Known, w.Whole = len(attempts) > 0, end-base
	return w
}

// span returns t0 and the length up to the end of the request.
func (x *Explanation) span() (start, length int64, ok bool) {
	var timed, ended bool
	for _, v := range x.Metadata {
		if v.Name == "timestamp" {
			start, timed = v.Num, true
		}
	}
	for _, v := range x.Derived {
		if v.Name == "end_to_end_ms" {
			length, ended = v.Num, true
		}
	}
	return start, length, timed && ended
}

// Started returns t0 in µs since the epoch, 0 where it was not recorded.
func (x *Explanation) Started() int64 {
	start, _, _ := x.span()
	return start
}
