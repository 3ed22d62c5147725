package ingest

import (
	"context"
	"fmt"
	"sync"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// feed hands out jobs. Whoever wants the next one reads it: the worker that will
// parse a chunk copies it from the file into its own cache, and while one worker
// reads the others parse.
type feed struct {
	ctx      context.Context
	req      *Request
	progress *Progress

	mu     sync.Mutex
	inputs []*Input // not yet opened
	now    *opened  // being cut into chunks
	cut    cutter
	before *job // the last job of now
	failed bool
	order  chan *job            // jobs in order, for who takes the results
	long   chan struct{}        // holds a token while a long line is held
	free   chan *timeline.Batch // whose memory may be used again
}

// alone waits until no job holds a long line.
func (f *feed) alone() error {
	select {
	case f.long <- struct{}{}:
		return nil
	case <-f.ctx.Done():
		return f.ctx.Err()
	}
}

// job is a chunk of an input, or an input that must be read by one worker.
type job struct {
	from   *opened
	input  *Input
	chunk  chunk
	cut    source.Reason // of the last chunk: why the input ends here
	part   int           // of an input that is read by parts: which
	before *job          // the chunk before it in the same input
	err    error         // the job could not be made
	out    chan piece

	lines   int64         // physical lines up to the end of the chunk
	counted chan struct{} // closed when lines is known
}

// piece is a part of what a job gave.
type piece struct {
	value   any
	part    source.Part
	records int
	owned   *timeline.Batch // what part's batch was made of, if a builder made it
	err     error
}

const piecesAhead = 2

func (f *feed) newJob(in *Input, from *opened) *job {
	return &job{input: in, from: from, out: make(chan piece, piecesAhead), counted: make(chan struct{})}
}

// next returns the next job; nil when there is none. Of a chunk the bytes are in
// buf, or in a larger buffer in its place.
func (f *feed) next(buf []byte) *job {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed || f.ctx.Err() != nil {
		return nil
	}
	j := f.make(buf)
	if j == nil {
		return nil
	}
	select {
	case f.order <- j:
		return j
	case <-f.ctx.Done():
		f.failed = true
		f.closeNow()
		return nil
	}
}

func (f *feed) make(buf []byte) *job {
	for f.now != nil || len(f.inputs) > 0 {
		if f.now != nil {
			next := func() *job { return f.nextChunk(buf) }
			if f.now.parts != nil {
				next = f.nextPart
			}
			if j := next(); j != nil {
				return j
			}
			continue
		}
		in := f.inputs[0]
		f.inputs = f.inputs[1:]
		o, err := f.open(in)
		switch {
		case err != nil:
			return f.fail(in, err)
		case o == nil:
		case o.random() && o.flow.plain != nil:
			if !o.openParts(f) {
				o.flow.close()
				continue
			}
			f.now, f.before = o, nil
		case o.shape != asLines || o.format.Lines == nil:
			return f.newJob(in, o)
		default:
			f.now, f.before = o, nil
			f.cut = o.cutter(f.req)
			f.cut.alone = f.alone
		}
	}
	return nil
}

// open opens and tells an input; nil where no format fits.
func (f *feed) open(in *Input) (*opened, error) {
	s, err := openFlow(f.ctx, in, f.req, f.progress)
	if err != nil {
		return nil, err
	}
	o := &opened{input: in, flow: s}
	if err := o.tell(f.req); err != nil {
		s.close()
		return nil, fmt.Errorf("read %s: %w", in.Name, err)
	}
	if o.format == nil {
		in.Err = unrecognised(f.req, o)
		s.close()
		return nil, nil
	}
	return o, nil
}

func unrecognised(req *Request, o *opened) error {
	u := &Unrecognised{Found: o.input.Found, Hint: o.hint}
	for _, format := range req.Formats {
		u.Tried = append(u.Tried, format.Name)
	}
	return u
}

func (f *feed) nextChunk(buf []byte) *job {
	in := f.now.input
	c, ok, err := f.cut.next(buf)
	if err != nil {
		f.closeNow()
		return f.fail(in, fmt.Errorf("read %s: %w", in.Name, err))
	}
	if !ok {
		f.closeNow()
		return nil
	}
	j := f.newJob(in, f.now)
	j.chunk, j.before = c, f.before
	f.before = j
	if c.last {
		j.cut = f.now.flow.why()
		f.closeNow()
	}
	return j
}

// cutter returns a cutter of the whole input.
func (o *opened) cutter(req *Request) cutter {
	c := cutter{r: o.reader(), size: req.Chunk, maxLine: req.MaxLine, at: o.flow.skip}
	if o.flow.plain != nil {
		c.lineEnd = lineEndIn(o.flow.plain)
	}
	return c
}

func (f *feed) closeNow() {
	switch {
	case f.now == nil:
	case f.now.parts != nil:
		f.now.release()
	default:
		f.now.flow.close()
	}
	f.now, f.before = nil, nil
}

func (f *feed) fail(in *Input, err error) *job {
	f.failed = true
	j := f.newJob(in, nil)
	j.err = err
	return j
}
