package otlp

import (
	"bytes"
	"hash/maphash"

	"ttdiag/ingest/source"
)

const (
	// windowSpans is how many spans of calls wait for the other spans of theirs.
	windowSpans = 1 << 15
	// maxLinks is how many spans of anything are known as links between two
	// spans of a call, at most twice as many.
	maxLinks = 1 << 19
	maxHops  = 16
)

// window merges the spans of one call. They may stand anywhere in the file:
// each process writes its own, and inner spans end first. Memory is bounded:
// where two spans of a call have more than windowSpans spans of other calls
// between them, they stay two records.
type window struct {
	out   *source.Out
	spans []*span
	byKey map[uint64]*span
	links map[uint64]uint64 // from a span to its parent
	older map[uint64]uint64 // links of before
	seed  maphash.Seed
	lower []byte
}

func newWindow(out *source.Out) *window {
	return &window{out: out, byKey: map[uint64]*span{}, links: map[uint64]uint64{}, seed: maphash.MakeSeed()}
}

// keyOf returns the key of a span of a trace, 0 for none. Ids are hexadecimal,
// in upper or lower case.
func (w *window) keyOf(trace, id []byte) uint64 {
	if len(bytes.Trim(id, "0")) == 0 {
		return 0
	}
	w.lower = append(w.lower[:0], trace...)
	w.lower = append(append(w.lower, '/'), id...)
	for i, c := range w.lower {
		if 'A' <= c && c <= 'Z' {
			w.lower[i] = c | 0x20
		}
	}
	return maphash.Bytes(w.seed, w.lower) | 1
}

// link remembers the parent of a span.
func (w *window) link(key, parent uint64) {
	if key == 0 || parent == 0 {
		return
	}
	if len(w.links) == maxLinks {
		w.older, w.links = w.links, make(map[uint64]uint64, maxLinks)
	}
	w.links[key] = parent
}

func (w *window) parentOf(key uint64) uint64 {
	if p, ok := w.links[key]; ok {
		return p
	}
	return w.older[key]
}

// has reports whether a span is in the window: an exporter that tries again
// writes it twice.
func (w *window) has(key uint64) bool {
	_, ok := w.byKey[key]
	return ok
}

// add takes a span of a call.
func (w *window) add(s *span) {
	if len(w.spans) == windowSpans {
		w.merge()
		w.release(windowSpans / 2)
	}
	w.spans = append(w.spans, s)
	if s.key != 0 {
		w.byKey[s.key] = s
	}
}

// merge finds the spans above each span that are of the same call. Of clients
// one inside the other the inner one is nearer to the wire: the outer ones join
// it. A server's span joins the client's above it.
func (w *window) merge() {
	for _, s := range w.spans {
		if s.role != call || s.joined {
			continue
		}
		above := w.above(s)
		for hops := 0; above != nil && above != s && hops < maxHops; hops++ {
			if !above.joined {
				above.joined = true
				s.merge(above)
			}
			above = w.above(above)
		}
	}
	for _, s := range w.spans {
		if s.role != server || s.joined {
			continue
		}
		if above := w.above(s); above != nil {
			s.joined = true
			above.merge(s)
		}
	}
}

// above returns the nearest span of a call above s, nil if there is none.
func (w *window) above(s *span) *span {
	key := s.parent
	for range maxHops {
		if key == 0 {
			return nil
		}
		if found, ok := w.byKey[key]; ok && found != s {
			return found
		}
		key = w.parentOf(key)
	}
	return nil
}

// release adds the first n spans.
func (w *window) release(n int) {
	for i, s := range w.spans[:n] {
		w.spans[i] = nil
		w.out.At(s.at)
		if s.joined {
			w.out.Reject(source.Reject(source.Joined, 0))
		} else {
			s.fill(w.out.Row())
			w.out.Add()
		}
		delete(w.byKey, s.key)
	}
	w.spans = append(w.spans[:0], w.spans[n:]...)
}

func (w *window) close() {
	w.merge()
	w.release(len(w.spans))
}
