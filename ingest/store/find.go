package store

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/cespare/xxhash/v2"

	"ttdiag/ingest/timeline"
)

// Hit is a batch in which some rows have the id that was looked for.
type Hit struct {
	Run     Info
	Segment int // number of the batch in the run
	Batch   *timeline.Batch
	Rows    []int
}

// Find yields the batches that have rows of that request id, newest run first:
// attempts of one request may stand in logs that were read in different runs,
// and a log that was read twice shows up twice. Only batches whose filter may
// have the id are read. Damaged runs are passed over.
func (s *Store) Find(id []byte) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		names, err := s.names()
		if err != nil {
			yield(Hit{}, err)
			return
		}
		for _, name := range slices.Backward(names) {
			if !s.findIn(name, id, yield) {
				return
			}
		}
	}
}

// findIn reports whether to go on.
func (s *Store) findIn(name string, id []byte, yield func(Hit, error) bool) bool {
	x, file, err := s.open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDamaged) {
		return true
	}
	if err != nil {
		return yield(Hit{}, err)
	}
	defer file.Close()
	candidates, err := x.candidates(file, id)
	if err != nil {
		return yield(Hit{}, err)
	}
	for _, k := range candidates {
		b, err := x.read(file, k)
		if errors.Is(err, ErrDamaged) {
			continue
		}
		if err != nil {
			return yield(Hit{}, err)
		}
		if rows := rowsOf(b, id); rows != nil && !yield(Hit{Run: x.Info, Segment: k, Batch: b, Rows: rows}, nil) {
			return false
		}
	}
	return true
}

// candidates returns the segments that may have the id, reading one block of
// each filter.
func (x *index) candidates(r io.ReaderAt, id []byte) ([]int, error) {
	hash := xxhash.Sum64(id)
	at := x.filters
	var out []int
	var block [filterBlock]byte
	for k, s := range x.Segments {
		if s.Filter >= filterBlock {
			start := blockOf(hash, s.Filter)
			if _, err := r.ReadAt(block[:], at+int64(start)); err != nil {
				return nil, fmt.Errorf("read filter: %w", err)
			}
			if blockMayHave(block[:], hash) {
				out = append(out, k)
			}
		}
		at += int64(s.Filter)
	}
	return out, nil
}

func rowsOf(b *timeline.Batch, id []byte) []int {
	ids := b.RequestIDs()
	var rows []int
	for i := range ids.Valid.All {
		if bytes.Equal(ids.At(i), id) {
			rows = append(rows, i)
		}
	}
	return rows
}

// Batches yields segments from to to (excluded) of a run; to below 0 is all.
func (s *Store) Batches(run string, from, to int) iter.Seq2[*timeline.Batch, error] {
	return func(yield func(*timeline.Batch, error) bool) {
		x, file, err := s.open(run)
		if err != nil {
			yield(nil, err)
			return
		}
		defer file.Close()
		if to < 0 || to > len(x.Segments) {
			to = len(x.Segments)
		}
		for k := max(from, 0); k < to; k++ {
			b, err := x.read(file, k)
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// read reads segment k. Whatever the bytes are, it returns a batch or
// ErrDamaged. The sum guards the Arrow library, which some damage makes panic or
// ask for more memory than there is.
func (x *index) read(r io.ReaderAt, k int) (b *timeline.Batch, err error) {
	defer func() {
		if recover() != nil {
			b, err = nil, fmt.Errorf("segment %d: %w", k, ErrDamaged)
		}
	}()
	s := x.Segments[k]
	raw, give := x.room(int(s.Bytes))
	defer give() // nothing of a batch is in it
	if _, err := r.ReadAt(raw, s.Offset); err != nil {
		return nil, fmt.Errorf("read segment %d: %w", k, err)
	}
	if crc32.Checksum(raw, sumTable) != s.Sum {
		return nil, fmt.Errorf("segment %d: %w", k, ErrDamaged)
	}
	reader, err := ipc.NewReaderFromMessageReader(&messages{rest: raw})
	if err != nil {
		return nil, fmt.Errorf("segment %d: %w", k, ErrDamaged)
	}
	defer reader.Release()
	if !reader.Next() {
		return nil, fmt.Errorf("segment %d: %w", k, ErrDamaged)
	}
	return batchOf(reader.Record())
}
