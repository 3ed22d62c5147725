package stream

import "strconv"

// tap listens to the events of one request of a recording. The nil tap listens
// to none.
type tap struct {
	id     string // the request; "" is the only one, "#3" the third
	number int    // requests so far
	list   *EventList
}

// options returns the options for the stream of a request that begins.
func (t *tap) options(id []byte, opts *Options) *Options {
	if t == nil {
		return opts
	}
	t.number++
	if t.list != nil || t.id != "" && t.id != string(id) && t.id != ordinal(t.number) {
		return opts
	}
	t.list = &EventList{RequestID: string(id), Ordinal: t.number}
	tapped := *opts
	tapped.OnEvent = func(e Event) { t.list.Events = append(t.list.Events, e) }
	tapped.OnEnd = func(r Result) { t.list.end(r) }
	return &tapped
}

// EventList is the classified list of the frames of one recorded stream.
type EventList struct {
	RequestID string // empty where the recording has no identifiers
	Ordinal   int    // place of the request in the recording, 1 is the first
	Events    []Event
	Result    Result
}

// end puts down the marks that only the end of the stream tells.
func (l *EventList) end(r Result) {
	l.Result = r
	for i := range l.Events {
		e := &l.Events[i]
		if int32(e.Number) == r.startNumber {
			e.Sets |= SetsT4
		}
		if int32(e.Number) == r.doneNumber {
			e.Sets |= SetsT6
		}
	}
}

func ordinal(n int) string { return "#" + strconv.Itoa(n) }
