package accesslog

import (
	"bytes"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// joiner reads the text logs of New API and One API, where a request is told by
// several lines with its id: gin's line, the line of the bill, and lines about
// channels that failed. Requests are added in the order of their first line.
// Memory is bounded: a request that stays open for horizon lines is taken as
// complete.
type joiner struct {
	clock  clock
	approx approximations
	lines  int64
	open   map[string]*joined
	queue  []*joined // in order of first lines; those before head are gone
	head   int
}

const (
	// horizon is how many lines a stream may last from its first line on.
	horizon = 1 << 16
	// billDelay is how many lines after gin's the bill may come: it is written
	// beside the handler.
	billDelay = 1 << 10
)

// joined is a request on its way.
type joined struct {
	id       string
	pos      source.Position
	line     int64 // number of its first line
	done     int64 // number of gin's line, 0 before
	closed   bool  // its id was used again
	counted  bool  // a line of it stands for the record
	hasTotal bool
	billed   bool

	end     int64 // microseconds since the epoch, 0 is none
	total   int64
	code    int64
	channel string
	model   string
	group   string
	stream  int8 // -1 no, 1 yes, 0 unknown
	input   int64
	output  int64
	cached  int64
	attempt int64
	first   int64 // microseconds, 0 is none
	spent   int64 // microseconds of the bill, -1 is none
	spentBy int8  // 1: whole seconds, 2: milliseconds of the last attempt
	retried bool
}

func newJoiner(opt source.Options) *joiner {
	return &joiner{
		clock:  clock{zone: opt.Zone},
		approx: newApproximations(opt, timeline.MaskOf(timeline.ColTotalHandler)),
		open:   map[string]*joined{},
	}
}

// Parse reads one line.
func (j *joiner) Parse(line []byte, out *source.Out) source.Rejection {
	j.lines++
	why := j.line(bytes.TrimRight(line, " \r\t"), out)
	j.drain(out, false)
	return why
}

// Close adds the requests that are still open.
func (j *joiner) Close(out *source.Out) { j.drain(out, true) }

func (j *joiner) line(line []byte, out *source.Out) source.Rejection {
	if g, ok := parseGin(line); ok {
		return j.gin(g, out)
	}
	date, id, message, ok := leveled(line)
	if !ok {
		return source.Reject(source.NotARequest, 0)
	}
	if params, ok := bytes.CutPrefix(message, []byte("record consume log: ")); ok {
		return j.consumed(date, id, params, out)
	}
	if row, ok := bytes.CutPrefix(message, []byte("record log: &{")); ok {
		e := j.bill(date, id, out)
		e.spell(row)
		return j.count(e)
	}
	if chain, ok := bytes.CutPrefix(message, []byte("重试：")); ok {
		e := j.request(id, out)
		e.attempt = max(e.attempt, int64(bytes.Count(chain, []byte("->")))+1)
		e.retried = true
		return source.Reject(source.Joined, 0)
	}
	if bytes.HasPrefix(message, []byte("channel error (")) {
		j.request(id, out).retried = true
		return source.Reject(source.Joined, 0)
	}
	return source.Reject(source.NotARequest, 0)
}

// leveled takes "[LEVEL] date | id | message" apart.
func leveled(line []byte) (date, id, message []byte, ok bool) {
	level, rest, ok := bracketed(line)
	if !ok || len(level) > 5 {
		return nil, nil, nil, false
	}
	date, rest, ok = bytes.Cut(rest, []byte(" | "))
	id, message, ok2 := bytes.Cut(rest, []byte(" | "))
	if !ok || !ok2 || len(id) == 0 || len(id) > timeline.MaxText || identifier(id) == nil {
		return nil, nil, nil, false
	}
	return date, id, message, true
}

// request returns the open request of that id, opening it where there is none.
func (j *joiner) request(id []byte, out *source.Out) *joined {
	if e, ok := j.open[string(id)]; ok {
		return e
	}
	e := &joined{id: string(id), pos: out.Pos(), line: j.lines, input: -1, output: -1, cached: -1, spent: -1}
	j.open[e.id] = e
	j.queue = append(j.queue, e)
	return e
}

// count says what the line is: the one that stands for the record, or one more.
func (j *joiner) count(e *joined) source.Rejection {
	if e.counted {
		return source.Reject(source.Joined, 0)
	}
	e.counted = true
	return source.Rejection{}
}

// reopened returns the request of that id, a new one where the old one has what
// is to come already.
func (j *joiner) reopened(id []byte, has func(*joined) bool, out *source.Out) *joined {
	e := j.request(id, out)
	if has(e) {
		e.closed = true
		delete(j.open, e.id)
		e = j.request(id, out)
	}
	return e
}

func (j *joiner) gin(g ginLine, out *source.Out) source.Rejection {
	if g.id == nil || len(g.id) > timeline.MaxText || identifier(g.id) == nil {
		return source.Reject(source.NotARequest, 0)
	}
	e := j.reopened(g.id, func(e *joined) bool { return e.hasTotal }, out)
	e.hasTotal, e.total, e.code, e.done = true, g.duration, g.code, j.lines
	if us, ok := j.clock.slashed(g.date); ok && (e.end == 0 || e.spentBy != 2) {
		e.end = us
	}
	return j.count(e)
}

// bill returns the request to which a bill belongs.
func (j *joiner) bill(date, id []byte, out *source.Out) *joined {
	e := j.reopened(id, func(e *joined) bool { return e.billed }, out)
	e.billed = true
	if us, ok := j.clock.slashed(date); ok && e.end == 0 {
		e.end = us
	}
	return e
}

func (j *joiner) consumed(date, id, params []byte, out *source.Out) source.Rejection {
	_, rest, ok := bytes.Cut(params, []byte(", "))
	if !ok {
		return source.Reject(source.TornLine, 0)
	}
	object, isJSON := bytes.CutPrefix(rest, []byte("params="))
	if isJSON && !members(object, func(_, _ []byte) {}) {
		return source.Reject(source.InvalidJSON, 0)
	}
	e := j.bill(date, id, out)
	if isJSON {
		members(object, e.param)
	} else {
		e.older(rest)
	}
	return j.count(e)
}

// drain adds the requests at the head of the queue that are complete; all of
// them at the end.
func (j *joiner) drain(out *source.Out, all bool) {
	for ; j.head < len(j.queue); j.head++ {
		e := j.queue[j.head]
		age := j.lines - e.line
		ready := all || e.closed || age > horizon || e.hasTotal && (e.billed || j.lines-e.done > billDelay)
		if !ready {
			break
		}
		j.queue[j.head] = nil
		if j.open[e.id] == e {
			delete(j.open, e.id)
		}
		if e.counted {
			j.add(e, out)
		}
	}
	if j.head > 1024 && j.head*2 > len(j.queue) {
		j.queue = append(j.queue[:0], j.queue[j.head:]...)
		j.head = 0
	}
}
