package store

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"time"

	"github.com/apache/arrow/go/v17/arrow/ipc"

	"ttdiag/ingest/timeline"
)

// Writer writes one run. Nothing of it can be found before Commit. After an
// error the only thing to do is Abort. A Writer is not safe for concurrent use.
type Writer struct {
	store   *Store
	file    *os.File
	buf     *bufio.Writer
	at      int64  // bytes written
	sum     uint32 // of the segment so far
	flushed int64  // bytes whose writing out has been started
	dropped int64  // bytes that have been written out and left the cache
	pending pending
	scratch scratch
	index   index
	filters []filter
	sealed  bool
}

// Begin starts a run. now names it; inputs are the names of what it read.
func (s *Store) Begin(now time.Time, inputs []string) (*Writer, error) {
	var random [4]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, fmt.Errorf("name run: %w", err)
	}
	name := now.UTC().Format("20060102T150405.000000Z") + "-" + hex.EncodeToString(random[:])
	file, err := os.OpenFile(filepath.Join(s.dir, name+tempSuffix), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("begin run: %w", err)
	}
	w := &Writer{store: s, file: file, buf: bufio.NewWriterSize(file, 1<<16)}
	w.index.Info = Info{Name: name, Created: now.UTC(), Inputs: inputs}
	return w, nil
}

// Append adds the rows of a batch, in order.
func (w *Writer) Append(b *timeline.Batch) error {
	if b.Len() == 0 {
		return nil
	}
	if w.pending.full(b.Len()) {
		if err := w.segment(w.pending.take()); err != nil {
			return err
		}
	}
	if w.pending.cols.N == 0 && b.Len() > timeline.BatchRows/2 {
		return w.segment(b)
	}
	w.pending.add(b)
	return nil
}

// segment writes one segment.
func (w *Writer) segment(b *timeline.Batch) error {
	w.scratch.reset()
	rec := record(b, &w.scratch)
	defer rec.Release()
	start := w.at
	w.sum = 0
	out := ipc.NewWriter(countingWriter{w}, ipc.WithSchema(rec.Schema()))
	if err := out.Write(rec); err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	f := filterOf(b.RequestIDs())
	w.filters = append(w.filters, f)
	from, to := timeRange(b)
	w.index.Segments = append(w.index.Segments, segment{
		Offset: start, Bytes: w.at - start, Rows: b.Len(), Sum: w.sum, Filter: len(f), From: from, To: to,
	})
	w.index.Info.add(b.Len(), from, to)
	w.startWriteback()
	return nil
}

func (i *Info) add(rows int, from, to int64) {
	i.Rows += int64(rows)
	if from == 0 && to == 0 {
		return
	}
	if i.From == 0 && i.To == 0 {
		i.From, i.To = from, to
		return
	}
	i.From, i.To = min(i.From, from), max(i.To, to)
}

func timeRange(b *timeline.Batch) (from, to int64) {
	col := b.Numbers(timeline.ColTimestamp)
	first := true
	for i := range col.Valid.All {
		v := col.Values[i]
		if first {
			from, to, first = v, v, false
		}
		from, to = min(from, v), max(to, v)
	}
	return from, to
}

// startWriteback lets the system write finished segments out meanwhile, so that
// the sync of Commit finds little to do. What was begun well before leaves the
// cache: a long run would fill it, at the cost of the log that is being read.
func (w *Writer) startWriteback() {
	const step, behind = 8 << 20, 24 << 20
	if w.at-w.flushed < step || w.buf.Flush() != nil {
		return // an error of Flush comes back at the next write
	}
	writeBack(w.file, w.flushed, w.at-w.flushed)
	if old := w.flushed - behind; old > w.dropped {
		drop(w.file, w.dropped, old-w.dropped)
		w.dropped = old
	}
	w.flushed = w.at
}

// Seal writes the index and syncs. It is what takes time of Commit, for those who
// have something else to do meanwhile; nothing can be appended after it.
func (w *Writer) Seal() error {
	if w.pending.cols.N > 0 {
		if err := w.segment(w.pending.take()); err != nil {
			return err
		}
	}
	tail, err := w.index.encode(w.at)
	if err != nil {
		return fmt.Errorf("encode index: %w", err)
	}
	for _, part := range append(w.filters, tail) {
		if _, err := (countingWriter{w}).Write(part); err != nil {
			return fmt.Errorf("write run: %w", err)
		}
	}
	if err := w.buf.Flush(); err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	if err := w.file.Sync(); err != nil {
		return fmt.Errorf("sync run: %w", err)
	}
	w.sealed = true
	return nil
}

// Commit seals the run, where that was not done, and renames it into place.
func (w *Writer) Commit() (Info, error) {
	if !w.sealed {
		if err := w.Seal(); err != nil {
			return Info{}, err
		}
	}
	temp := w.file.Name()
	if err := w.file.Close(); err != nil {
		return Info{}, fmt.Errorf("close run: %w", err)
	}
	if err := os.Rename(temp, w.store.path(w.index.Info.Name)); err != nil {
		return Info{}, fmt.Errorf("commit run: %w", err)
	}
	w.index.Info.Bytes = w.at
	return w.index.Info, syncDir(w.store.dir)
}

// Abort drops the run. It does nothing after Commit.
func (w *Writer) Abort() {
	w.file.Close()
	os.Remove(w.file.Name()) // of a committed run there is no such file left
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync store: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync store: %w", err)
	}
	return nil
}

type countingWriter struct{ w *Writer }

func (c countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.buf.Write(p)
	c.w.at += int64(n)
	c.w.sum = crc32.Update(c.w.sum, sumTable, p[:n])
	return n, err
}
