package stream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"

	"ttdiag/ingest/source"
)

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
		if r.Whole {
			e.Sets &= SetsT6
		}
		if int32(e.Number) == r.startNumber {
			e.Sets |= SetsT4
		}
		if int32(e.Number) == r.doneNumber {
			e.Sets |= SetsT6
		}
	}
}

func ordinal(n int) string { return "#" + strconv.Itoa(n) }

var (
	// ErrNoRequest says that a recording does not hold the request.
	ErrNoRequest = errors.New("no such request in the recording")
	// ErrManyRequests says that a recording holds more than one request and none
	// was named.
	ErrManyRequests = errors.New("more than one request in the recording: name one")
	// ErrNotAStream says that a format holds no recorded streams.
	ErrNotAStream = errors.New("not a format of recorded streams")
)

// Events returns the events of one request of a recording in the named format.
// The request is named by its identifier, or by its place ("#3" is the third);
// "" is the only one. Lines and entries that are damaged are passed over.
func Events(ctx context.Context, format string, r io.Reader, id string, opt source.Options) (*EventList, error) {
	t := &tap{id: id}
	f := formatNamed(format)
	if f == nil {
		return nil, ErrNotAStream
	}
	var out *source.Out
	out = source.NewOut(f, func() error {
		out.Flush()
		return ctx.Err()
	})
	var err error
	if read := documents[format]; read != nil {
		err = read(ctx, r, opt, out, t)
	} else {
		err = eventLines(ctx, r, newRecording(options(opt), t), out)
	}
	switch {
	case err != nil:
		return nil, err
	case t.list == nil:
		return nil, ErrNoRequest
	case id == "" && t.number > 1:
		return t.list, ErrManyRequests
	}
	return t.list, nil
}

func formatNamed(name string) *source.Format {
	for _, f := range Formats() {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// eventLines reads the lines of a recording.
func eventLines(ctx context.Context, r io.Reader, p source.SessionParser, out *source.Out) error {
	lines := bufio.NewReaderSize(r, 1<<20)
	var long []byte
	for n := 0; ; n++ {
		line, err := lines.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			long = append(long, line...)
			continue
		}
		if len(long) > 0 {
			line = append(long, line...)
			long = long[:0]
		}
		if line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte(byteOrderMark))); len(line) > 0 {
			p.Parse(line, out)
		}
		switch {
		case err == io.EOF:
			p.Close(out)
			return nil
		case err != nil:
			return err
		case n%1024 == 0 && ctx.Err() != nil:
			return ctx.Err()
		}
	}
}
