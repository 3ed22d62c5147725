package stream

import (
	"encoding/binary"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// maxOpen is how many requests of a recording may wait before the oldest is
// closed without a line that says so, if its stream has ended; four times as
// many, and it is closed in any case.
const maxOpen = 1 << 17

// recording reads ttdiag's own recording: one JSON object per line, one line
// per chunk of a body, the chunks of many requests in any mixture. Further
// lines hold a mark, or metadata under the names of the columns.
//
//	{"request_id":"a","t_ms":12.5,"mark":"upstream_start"}
//	{"request_id":"a","t_ms":240,"mark":"headers","status":200}
//	{"request_id":"a","t_ms":260,"data":"data: {…}\n\n"}
//	{"request_id":"a","model":"m","channel":"c1"}
//
// t_ms counts from the receipt of the request. Bytes that are no UTF-8, or cut
// inside a character, stand as base64 in b64 instead of data.
type recording struct {
	desk  desk
	opts  Options
	names map[string]member
	line  recordedLine
	open  map[string]*recorded
	last  *recorded // the one of the previous line
	queue []*recorded
	head  int           // queue[:head] was added
	marks timeline.Mask // marks that some line of the input told
	key   []byte
	tap   *tap
}

// recorded is one request of a recording.
type recorded struct {
	id      string
	pos     source.Position
	stream  *Stream
	start   int64 // of the upstream request, from receipt; untimed where not told
	headers int64
	done    int64
	handler int64
	status  int64
	attempt int64
	ended   bool
	meta    []metaValue
}

// metaValue is a column that a metadata line told.
type metaValue struct {
	column timeline.Column
	num    int64
	text   string
}

func newRecording(opts Options, t *tap) *recording {
	return &recording{opts: opts, names: memberNames(), open: map[string]*recorded{}, tap: t}
}

// Parse implements [source.LineParser].
func (p *recording) Parse(line []byte, out *source.Out) source.Rejection {
	l := &p.line
	l.reset(line)
	if r := l.read(p.names); r.Reason != source.OK {
		return r
	}
	if r := l.check(); r.Reason != source.OK {
		return r
	}
	q, first := p.request(out)
	p.take(q)
	p.flush(out, false)
	if !first {
		return source.Reject(source.Joined, 0)
	}
	return source.Rejection{}
}

// request returns the request that the line belongs to, and whether the line is
// its first one.
func (p *recording) request(out *source.Out) (*recorded, bool) {
	l := &p.line
	if q := p.last; q != nil && !q.ended && q.id == string(l.id) && max(q.attempt, 1) == max(l.attempt, 1) {
		return q, false
	}
	q := p.open[string(p.keyOf(l.id, l.attempt))]
	if q != nil {
		p.last = q
		return q, false
	}
	q = &recorded{
		id: string(l.id), stream: newStream(&p.desk, p.tap.options(l.id, &p.opts)), attempt: l.attempt, pos: out.Pos(),
		start: untimed, headers: untimed, done: untimed, handler: untimed,
	}
	p.open[string(p.keyOf(l.id, l.attempt))] = q
	p.queue = append(p.queue, q)
	p.last = q
	return q, true
}

// take adds what the line says to the request.
func (p *recording) take(q *recorded) {
	l := &p.line
	if l.status != 0 {
		q.status = l.status
	}
	if l.attempt != 0 {
		q.attempt = l.attempt
	}
	for _, m := range l.meta {
		q.set(m)
	}
	if l.mark != noMark {
		p.setMark(q)
	}
	l.chunks(q.stream)
}

func (p *recording) setMark(q *recorded) {
	us := inside(p.line.at)
	switch p.line.mark {
	case startMark:
		q.start = us
	case headersMark:
		q.headers = us
		p.marks = p.marks.With(timeline.ColUpstreamHeaders)
	case doneMark:
		q.done = us
	case handlerMark:
		q.handler = us
		p.marks = p.marks.With(timeline.ColTotalHandler)
		p.forget(q)
	}
}

// keyOf returns the key of a request. A first attempt need not be numbered, so
// that a metadata line may number it alone; later ones are requests of their own.
func (p *recording) keyOf(id []byte, attempt int64) []byte {
	p.key = append(p.key[:0], id...)
	if attempt > 1 {
		p.key = binary.LittleEndian.AppendUint64(append(p.key, 0), uint64(attempt))
	}
	return p.key
}

func (p *recording) forget(q *recorded) {
	q.ended = true
	delete(p.open, string(p.keyOf([]byte(q.id), q.attempt)))
}

func (q *recorded) set(m metaValue) {
	for i := range q.meta {
		if q.meta[i].column == m.column {
			q.meta[i] = m
			return
		}
	}
	q.meta = append(q.meta, m)
}

// over reports whether the stream has ended as far as can be seen.
func (q *recorded) over() bool {
	return q.ended || q.done != untimed || q.stream.marks.has(markDone) || q.stream.ending != Unended
}

// flush adds the requests at the head of the queue that have ended, all of them
// at the end of the input. Records so come in the order of their first lines.
func (p *recording) flush(out *source.Out, all bool) {
	for p.head < len(p.queue) {
		q := p.queue[p.head]
		waiting := len(p.queue) - p.head
		if !all && !q.ended && !(waiting > maxOpen && q.over()) && waiting <= 4*maxOpen {
			break
		}
		p.add(q, out)
		p.queue[p.head] = nil
		p.head++
	}
	if p.head > 1024 && p.head*2 > len(p.queue) {
		p.queue = append(p.queue[:0], p.queue[p.head:]...)
		p.head = 0
	}
}

// Close implements [source.SessionParser].
func (p *recording) Close(out *source.Out) { p.flush(out, true) }

func (p *recording) add(q *recorded, out *source.Out) {
	if !q.ended {
		p.forget(q)
	}
	result := q.stream.End()
	// A body without a byte is an empty stream too, if its end was seen.
	result.Empty = result.Empty || q.done != untimed && q.status < 300 && result.frames() == 0 && !result.Whole
	q.stream = nil
	here := out.Pos()
	out.At(q.pos)
	row := out.Row()
	result.Fill(row, q.status)
	q.fill(row)
	setRecordable(row, bodyMarks|p.marks, &result)
	out.Add()
	out.At(here)
}

// bodyMarks are the marks that a recording of bodies tells by itself.
const bodyMarks = timeline.Mask(1<<timeline.ColFirstSSEEvent | 1<<timeline.ColFirstResponse |
	1<<timeline.ColFirstTextDelta | 1<<timeline.ColUpstreamDone)

// setRecordable sets the marks whose absence means that they never came. A body
// proves that its headers came: without their mark, nobody noted it.
func setRecordable(row *timeline.Row, m timeline.Mask, r *Result) {
	if r.frames() > 0 && !row.Has(timeline.ColUpstreamHeaders) {
		m = m.Without(timeline.ColUpstreamHeaders)
	}
	row.SetText(timeline.ColRecordable, []byte(timeline.Recordable(m)))
}

// fill sets what the lines beside the chunks told.
func (q *recorded) fill(row *timeline.Row) {
	row.SetText(timeline.ColRequestID, []byte(q.id))
	timeline.SetMark(row, timeline.Start, outside(q.start))
	if q.headers != untimed && q.start != untimed {
		timeline.SetMark(row, timeline.UpstreamHeaders, timeline.At[timeline.UpstreamStart](q.headers-q.start))
	}
	timeline.SetMark(row, timeline.UpstreamDone, outside(q.done))
	timeline.SetMark(row, timeline.TotalHandler, outside(q.handler))
	if q.attempt != 0 {
		row.SetNum(timeline.ColAttempt, q.attempt)
	}
	for _, m := range q.meta {
		switch {
		case m.column.Info().Group == timeline.GroupTokens && row.Has(m.column):
		case m.column.IsText():
			row.SetText(m.column, []byte(m.text))
		default:
			row.SetNum(m.column, m.num)
		}
	}
}
