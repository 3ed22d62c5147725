package observe

import (
	"hash/maphash"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const (
	// windowRows is how many rows wait so that a later version of one
	// can take its place: some 250 bytes each.
	windowRows = 1 << 17
	// maxKnown is how many ids of rows that left the window are remembered.
	maxKnown = 1 << 22
)

// Rows turns the rows of one input into records, and drops all versions of a row
// but the latest. A store may export a row twice, in two of its time slices; the
// order of its rows says nothing about which is newer.
//
// Memory is bounded: rows wait in a window, and leave it in the order of the
// input when it is full. After that only their ids are known: a row with the id
// of one that has left is dropped even if it is newer. With more than
// windowRows rows between two versions, the first one stays.
type Rows struct {
	t      *Table
	exact  bool // leave approximate values absent
	out    *source.Out
	held   []held
	first  int64            // number of held[0]
	byID   map[uint64]int64 // number of the row with the id, if it is held
	known  map[uint64]struct{}
	seed   maphash.Seed
	rowing timeline.Row
}

// held is a row that waits.
type held struct {
	at     source.Position
	id     uint64 // hash; 0 is none
	latest int64
	dead   bool // a later version came
	kept   keptRow
}

// NewRows returns the rows of one input.
func (t *Table) NewRows(out *source.Out) *Rows {
	return &Rows{t: t, out: out, byID: map[uint64]int64{}, known: map[uint64]struct{}{}, seed: maphash.MakeSeed()}
}

// Add takes the cells of the row at a position, which it has to be counted for
// already. It returns why the row is no record, which the caller rejects, or OK:
// then the row is or will be added. Cells need not outlive the call.
func (w *Rows) Add(at source.Position, v []document.Value) source.Reason {
	if w.t.Latest < 0 {
		w.out.At(at)
		row := w.out.Row()
		if why := w.t.Fill(row, v); why != source.OK {
			return why
		}
		if w.exact {
			row.Drop(row.Label.Mask())
			row.Label = nil
		}
		w.out.Add()
		return source.OK
	}
	w.rowing.Reset()
	if why := w.t.Fill(&w.rowing, v); why != source.OK {
		return why
	}
	next := held{at: at, kept: keep(&w.rowing)}
	next.latest, _ = v[w.t.Latest].When(0)
	if id := v[w.t.ID].Label(); id != nil {
		next.id = maphash.Bytes(w.seed, id) | 1
	}
	if !w.takes(&next) {
		return source.Duplicate
	}
	if len(w.held) == windowRows {
		w.release(windowRows / 4)
	}
	if next.id != 0 {
		w.byID[next.id] = w.first + int64(len(w.held))
	}
	w.held = append(w.held, next)
	return source.OK
}

// takes reports whether next is a new row, or newer than the one it repeats,
// which is dropped.
func (w *Rows) takes(next *held) bool {
	if next.id == 0 {
		return true
	}
	if n, ok := w.byID[next.id]; ok {
		old := &w.held[n-w.first]
		if next.latest <= old.latest {
			return false
		}
		old.dead = true
		return true
	}
	_, gone := w.known[next.id]
	return !gone
}

// release adds the first n rows that wait.
func (w *Rows) release(n int) {
	for i := range w.held[:n] {
		h := &w.held[i]
		w.out.At(h.at)
		if h.dead {
			w.out.Reject(source.Reject(source.Duplicate, 0))
			continue
		}
		h.kept.restore(w.out.Row())
		w.out.Add()
		if h.id != 0 {
			delete(w.byID, h.id)
			if len(w.known) < maxKnown {
				w.known[h.id] = struct{}{}
			}
		}
	}
	w.held = append(w.held[:0], w.held[n:]...)
	w.first += int64(n)
}

// Close adds what is still in the window.
func (w *Rows) Close() { w.release(len(w.held)) }

// keptRow is a row in memory of its own.
type keptRow struct {
	set   timeline.Mask
	nums  []int64
	texts []byte
	ends  []uint16 // of the texts
	notes timeline.Notes
}

func keep(row *timeline.Row) keptRow {
	k := keptRow{set: row.Present(), notes: row.Notes}
	for c := range k.set.All {
		if !c.IsText() {
			n, _ := row.Num(c)
			k.nums = append(k.nums, n)
			continue
		}
		text := row.Text(c)
		k.texts = append(k.texts, text[:min(len(text), timeline.MaxText+1)]...)
		k.ends = append(k.ends, uint16(len(k.texts)))
	}
	return k
}

// restore fills an empty row.
func (k *keptRow) restore(row *timeline.Row) {
	nums, start, ends := k.nums, uint16(0), k.ends
	for c := range k.set.All {
		if c.IsText() {
			row.SetText(c, k.texts[start:ends[0]])
			start, ends = ends[0], ends[1:]
			continue
		}
		row.SetNum(c, nums[0])
		nums = nums[1:]
	}
	row.Notes = k.notes
}
