package ingest

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"

	"ttdiag/ingest/source"
)

// maxInMemory is the largest input that is held in memory because its format must
// be read out of order and it is not a plain file. It is not written to a
// temporary file: it holds what must not lie about.
const maxInMemory = 1 << 30

// random reports whether the input is read by parts.
func (o *opened) random() bool { return o.shape == asWhole && o.format.Random != nil }

// openParts opens the parts of a plain file. It reports false where that fails,
// which the account of the input says.
func (o *opened) openParts(f *feed) bool {
	info, err := o.flow.plain.Stat()
	if err == nil {
		r := &counterAt{r: o.flow.plain, progress: f.progress}
		r.left.Store(info.Size())
		o.input.raws.Store(info.Size())
		o.parts, err = o.format.Random(r, info.Size(), f.req.Options)
	}
	if err != nil {
		o.input.Err = err
		return false
	}
	o.format = o.parts.Format()
	o.input.Format = o.format
	o.users.Store(1)
	return true
}

// release closes the file when the feed and all workers are done with it.
func (o *opened) release() {
	if o.users.Add(-1) == 0 {
		o.flow.close()
	}
}

// nextPart returns the job of the next part of the current input, nil after the
// last one.
func (f *feed) nextPart() *job {
	o := f.now
	if o.partsTaken == o.parts.Len() {
		f.closeNow()
		return nil
	}
	o.users.Add(1)
	j := f.newJob(o.input, o)
	j.part = o.partsTaken
	o.partsTaken++
	return j
}

// part reads the part that the job is.
func (w *worker) part() error {
	o := w.job.from
	defer o.release()
	if w.from != o {
		w.from, w.reader = o, o.parts.NewReader()
	}
	return w.readPart(o, w.reader, w.job.part)
}

func (w *worker) readPart(o *opened, reader source.PartReader, i int) error {
	out := w.out(o.format)
	if err := reader.Read(w.ctx, i, out); err != nil {
		return fmt.Errorf("read %s: %w", o.input.Name, err)
	}
	if out.Err() != nil {
		return out.Err()
	}
	return w.flush(out)
}

// inMemory reads an input by parts that is no plain file.
func (w *worker) inMemory(o *opened) error {
	all, err := io.ReadAll(io.LimitReader(o.reader(), maxInMemory+1))
	if err != nil {
		return err
	}
	if len(all) > maxInMemory {
		o.input.Err = fmt.Errorf("it must be read out of order, and is more than %d bytes that are no plain file: decompress it into a file first", maxInMemory)
		return nil
	}
	parts, err := o.format.Random(bytes.NewReader(all), int64(len(all)), w.feed.req.Options)
	if err != nil {
		if why := o.flow.why(); why != source.OK {
			err = fmt.Errorf("%s: %w", why, err)
		}
		o.input.Err = err
		return nil
	}
	o.format = parts.Format()
	o.input.Format = o.format
	reader := parts.NewReader()
	for i := range parts.Len() {
		if err := w.readPart(o, reader, i); err != nil {
			return err
		}
	}
	return nil
}

// counterAt counts what is read of a file towards the progress, each byte of its
// size once at most.
type counterAt struct {
	r        io.ReaderAt
	progress *Progress
	left     atomic.Int64
}

// ReadAt implements [io.ReaderAt].
func (c *counterAt) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.r.ReadAt(p, off)
	if c.left.Add(-int64(n)) >= 0 {
		c.progress.done.Add(int64(n))
	}
	return n, err
}
