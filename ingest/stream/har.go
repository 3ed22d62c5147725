package stream

import (
	"context"
	"io"
	"strings"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// The slots of an entry of an HTTP archive.
const (
	harStarted = iota
	harTime
	harBlocked
	harDNS
	harConnect
	harSend
	harWait
	harReceive
	harStatus
	harType
	harText
	harMessages
	harChunks
)

var harPaths = document.NewPaths([]string{
	harStarted:  "startedDateTime",
	harTime:     "time",
	harBlocked:  "timings/blocked",
	harDNS:      "timings/dns",
	harConnect:  "timings/connect",
	harSend:     "timings/send",
	harWait:     "timings/wait",
	harReceive:  "timings/receive",
	harStatus:   "response/status",
	harType:     "response/content/mimeType",
	harText:     "response/content/text",
	harMessages: "_eventSourceMessages",
	harChunks:   "_chunks response/_chunks response/content/_chunks",
}...)

// har reads an HTTP archive: the entries whose body is a stream, or a whole
// response of a known dialect. Times of events come from _eventSourceMessages
// (Chrome: wall clock of each event) or from _chunks (WebPageTest: milliseconds
// from the entry's start and bytes of each chunk); without either, the archive
// only tells headers, end, classes and tokens.
type har struct {
	*reader
	out    *source.Out
	cells  *document.Cells
	chunks []harChunk
}

type harChunk struct {
	end int64 // bytes of the body up to the chunk's end
	us  int64
}

func readHAR(ctx context.Context, src io.Reader, opt source.Options, out *source.Out, t *tap) error {
	g := &har{reader: newReader(ctx, src, opt, out, t), out: out, cells: document.NewCells(harPaths)}
	return g.e.Run(func(document.Kind) error {
		return g.object(func(key []byte) error {
			if string(key) != "log" {
				return g.e.R.Skip()
			}
			return g.object(func(key []byte) error {
				if string(key) != "entries" {
					return g.e.R.Skip()
				}
				return g.array(func(int) error { return g.entry() })
			})
		})
	})
}

// entry reads an entry. Its body and its messages tell the same events; the
// messages have the times, so that they are preferred.
func (g *har) entry() error {
	if err := g.e.Begin(); err != nil {
		return err
	}
	g.cells.Clear()
	g.chunks = g.chunks[:0]
	quiet := &Options{ThinkTags: g.opts.ThinkTags, Transcript: g.opts.Transcript}
	body, messages := newLate(&g.desk, quiet), newLate(&g.desk, quiet)
	walk := map[int]func() error{
		harText: func() error {
			if !g.text() {
				return g.e.R.Skip()
			}
			return g.content(body.stream)
		},
		harMessages: func() error { return g.array(func(int) error { return g.message(messages) }) },
		harChunks:   func() error { return g.array(func(int) error { return g.chunk() }) },
	}
	if err := g.e.R.Extract(harPaths, &sink{g.cells, walk}); err != nil {
		return err
	}
	l := body
	if len(messages.events) > 0 {
		l = messages
	}
	l.stream.endBody()
	if !g.isRequest(l.stream) {
		g.e.Reject(source.NotARequest)
		return nil
	}
	l.opts = g.tap.options(nil, &g.opts)
	g.fill(l, l == messages)
	g.e.Add()
	return nil
}

// isRequest reports whether the entry is the answer of a model: by what its
// body says, or for an empty one by its type.
func (g *har) isRequest(s *Stream) bool {
	t := string(g.cells.Values[harType].Text)
	return s.dialect != UnknownDialect || strings.HasPrefix(t, "text/event-stream") ||
		strings.HasPrefix(t, "application/x-ndjson") || strings.HasPrefix(t, "application/vnd.amazon.eventstream")
}

func (g *har) fill(l *late, wall bool) {
	v := g.cells.Values
	started, known := v[harStarted].When(0)
	result := l.end(func(e *Event, us int64) Moment {
		switch {
		case wall && known && us != untimed:
			return outside(us - started)
		case !wall:
			return g.chunkAt(e.End)
		}
		return Moment{}
	})
	status, _ := v[harStatus].Int()
	row := g.out.Row()
	result.Fill(row, status)
	setStart(row)
	wait, waited := v[harWait].Micros(timeline.Millisecond)
	if waited && wait >= 0 && status > 0 {
		setHeaders(row, outside(g.before(harBlocked, harDNS, harConnect, harSend)+wait))
	}
	if total, ok := v[harTime].Micros(timeline.Millisecond); ok && total > 0 {
		timeline.SetMark(row, timeline.UpstreamDone, outside(total))
	}
	if known {
		row.SetNum(timeline.ColTimestamp, started)
	}
	if !row.Has(timeline.ColFirstSSEEvent) { // no times of events
		row.SetText(timeline.ColRecordable, []byte(timeline.Recordable(harMarks)))
	}
}

const harMarks = timeline.Mask(1<<timeline.ColUpstreamHeaders | 1<<timeline.ColUpstreamDone)

// before is the sum of phases; -1 says that a phase did not happen.
func (g *har) before(slots ...int) int64 {
	var sum int64
	for _, s := range slots {
		if us, ok := g.cells.Values[s].Micros(timeline.Millisecond); ok && us > 0 {
			sum += us
		}
	}
	return sum
}

// chunkAt returns the arrival of the chunk that holds the body's byte before
// end.
func (g *har) chunkAt(end int64) Moment {
	for _, c := range g.chunks {
		if c.end >= end {
			return outside(c.us)
		}
	}
	return Moment{}
}

func (g *har) chunk() error {
	c := harChunk{us: untimed}
	if n := len(g.chunks); n > 0 {
		c.end = g.chunks[n-1].end
	}
	err := g.object(func(key []byte) error {
		v, err := g.e.R.Scalar()
		switch string(key) {
		case "ts":
			if us, ok := v.Micros(timeline.Millisecond); ok {
				c.us = us
			}
		case "bytes":
			n, _ := v.Int()
			c.end += max(n, 0)
		}
		return err
	})
	g.chunks = append(g.chunks, c)
	return err
}

// message reads one event with its wall clock: seconds or milliseconds.
func (g *har) message(l *late) error {
	first := len(l.raw)
	us := int64(untimed)
	s := l.stream
	err := g.object(func(key []byte) error {
		switch {
		case string(key) == "time":
			v, err := g.e.R.Scalar()
			if at, ok := v.When(0); ok {
				us = at
			}
			return err
		case string(key) == "eventName" && g.text():
			s.beginField("event")
			return g.e.R.Pieces(func(b []byte) { s.field("event", b) })
		case string(key) == "data" && g.text():
			s.beginField("data")
			return g.e.R.Pieces(func(b []byte) { s.field("data", b) })
		}
		return g.e.R.Skip()
	})
	s.dispatch()
	l.stamp(first, us)
	return err
}
