package ingest

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// worker does jobs, one after the other.
type worker struct {
	ctx    context.Context
	feed   *feed
	work   func(*timeline.Batch) (any, error)
	buf    []byte
	job    *job
	outs   map[*source.Format]*source.Out
	input  *Input // whose lines parser reads
	parser source.LineParser
	from   *opened // whose parts reader reads
	reader source.PartReader
}

// maxKept is the largest chunk buffer, in chunks, that is kept for the next job.
const maxKept = 4

func (w *worker) run() {
	for {
		w.job = w.feed.next(w.buf)
		if w.job == nil {
			return
		}
		if err := w.do(); err != nil {
			w.send(piece{err: err})
		}
		w.job.finish()
		close(w.job.out)
		w.drop()
	}
}

// drop gives a buffer back that had to grow for a long line, and lets the next
// long line in.
func (w *worker) drop() {
	alone := w.job.chunk.alone
	w.job.chunk = chunk{}
	if cap(w.buf) > maxKept*w.feed.req.Chunk {
		w.buf = nil
	}
	if alone {
		// The last row and what a parser remembers may point into it.
		w.outs, w.input, w.parser = map[*source.Format]*source.Out{}, nil, nil
		debug.FreeOSMemory() // or the next long line comes on top of it
		<-w.feed.long
	}
}

// finish makes the line count known to the next job, whatever became of this one.
func (j *job) finish() {
	select {
	case <-j.counted:
	default:
		close(j.counted)
	}
	j.before = nil
}

func (w *worker) do() error {
	j := w.job
	if j.err != nil {
		return j.err
	}
	if j.from.shape == asLines && j.from.format.Lines != nil {
		return w.chunk()
	}
	if j.from.parts != nil {
		return w.part()
	}
	defer j.from.flow.close()
	err := w.whole(j.from)
	if err != nil {
		return fmt.Errorf("read %s: %w", j.input.Name, err)
	}
	return w.flush(w.out(j.from.format))
}

// out returns the worker's collector for a format, empty.
func (w *worker) out(f *source.Format) *source.Out {
	out := w.outs[f]
	if out == nil {
		out = source.NewOut(f, func() error { return w.flush(w.outs[f]) })
		w.outs[f] = out
	}
	return out
}

func (w *worker) chunk() error {
	j := w.job
	w.buf = j.chunk.buf
	if w.input != j.input {
		w.input, w.parser = j.input, j.from.format.Lines(w.feed.req.Options)
	}
	out := w.out(j.from.format)
	l := liner{parser: w.parser, out: out, most: w.feed.req.MaxLine}
	l.take(j.chunk, j.cut)
	if out.Err() != nil {
		return out.Err()
	}
	j.lines = w.base() + l.line
	err := w.flush(out)
	return err
}

// base returns the number of physical lines before the job's chunk.
func (w *worker) base() int64 {
	before := w.job.before
	if before == nil {
		return 0
	}
	select {
	case <-before.counted:
		return before.lines
	case <-w.ctx.Done():
		return 0
	}
}

// flush has the collected batch worked on and sends it.
func (w *worker) flush(out *source.Out) error {
	part := out.Flush()
	batch := part.Batch
	if base := w.base(); base != 0 {
		part.Batch = batch.WithLineBase(base)
		for i := range part.Rejected {
			part.Rejected[i].Line += base
		}
	}
	err := w.emit(part, batch)
	if w.feed.req.Transient {
		out.Recycle(batch)
		return err
	}
	select {
	case b := <-w.feed.free:
		out.Recycle(b)
	default:
	}
	return err
}

// emit has a batch worked on and sends what became of it. owned is what it was
// made of, where its memory can be used again.
func (w *worker) emit(part source.Part, owned *timeline.Batch) error {
	if part.Batch == nil {
		part.Batch = timeline.NewBuilder().Flush()
	}
	part.Batch = part.Batch.WithSource(w.job.input.Name)
	records := part.Batch.Len()
	value, err := w.work(part.Batch)
	if err != nil {
		return err
	}
	if w.feed.req.Transient {
		part.Batch, owned = nil, nil
	}
	w.send(piece{value: value, part: part, records: records, owned: owned})
	return w.ctx.Err()
}

func (w *worker) send(p piece) {
	select {
	case w.job.out <- p:
	case <-w.ctx.Done():
	}
}

// whole reads an input that one worker must read.
func (w *worker) whole(o *opened) error {
	out := w.out(o.format)
	cut := func() source.Reason { return o.flow.why() }
	req := w.feed.req
	switch f := o.format; {
	case f.Random != nil:
		return w.inMemory(o)
	case f.Document != nil:
		if err := f.Document(w.ctx, o.reader(), req.Options, out); err != nil {
			return err
		}
		return w.afterDocument(o, out)
	case o.shape == asEnvelope:
		return w.enveloped(o, out)
	case f.Session != nil:
		return w.session(o, f.Session(req.Options), out)
	default:
		e := &entries{r: o.reader(), size: req.Chunk, maxLine: req.MaxLine, at: o.flow.skip}
		return e.read(w.ctx, f.Lines(req.Options), out, cut)
	}
}

func (w *worker) enveloped(o *opened, out *source.Out) error {
	req := w.feed.req
	v := &enveloped{
		entries: entries{r: o.reader(), size: req.Chunk, maxLine: req.MaxLine, at: o.flow.skip},
		path:    o.envelope,
	}
	if o.format.Session == nil {
		return v.read(o.format.Lines(req.Options), out, o.flow.why)
	}
	p := o.format.Session(req.Options)
	if err := v.read(p, out, o.flow.why); err != nil {
		return err
	}
	p.Close(out)
	return out.Err()
}

func (w *worker) afterDocument(o *opened, out *source.Out) error {
	if _, err := io.Copy(io.Discard, o.flow.r); err != nil {
		return err
	}
	if o.flow.why() != source.OK {
		out.Line()
		out.Reject(source.Reject(o.flow.why(), 0))
	}
	return out.Err()
}

func (w *worker) session(o *opened, p source.SessionParser, out *source.Out) error {
	l := liner{parser: p, out: out, most: w.feed.req.MaxLine}
	c := o.cutter(w.feed.req)
	for {
		chunk, ok, err := c.next(w.buf)
		if err != nil {
			return err
		}
		if !ok {
			p.Close(out)
			return out.Err()
		}
		w.buf = chunk.buf
		var cut source.Reason
		if chunk.last {
			cut = o.flow.why()
		}
		l.take(chunk, cut)
		if err := firstOf(out.Err(), w.ctx.Err()); err != nil {
			return err
		}
	}
}
