package observe

import (
	"strconv"

	"ttdiag/ingest/document"
)

// Events says which events of a row count. Their own fields never fill a slot.
type Events struct {
	Slot  int      // of the elements of the list
	Names []string // of the events that count
	First int      // slot that takes the time of the first of them
	Count int      // slot that takes their number, -1 where it tells nothing
}

const (
	evName = iota
	evTime
)

var eventPaths = document.NewPaths([]string{evName: "name", evTime: "time timestamp"}...)

// Cells are the fields of one row. It is a sink of documents and of cells.
type Cells struct {
	*document.Cells
	rule  *Events
	event *document.Cells
	count int64
	first int64
	text  []byte
}

// Clear makes all fields absent.
func (c *Cells) Clear() {
	c.Cells.Clear()
	c.count = 0
}

// Value implements document.Sink.
func (c *Cells) Value(at document.Place, r *document.Reader) error {
	if c.rule == nil || at.Slot != c.rule.Slot {
		return c.Cells.Value(at, r)
	}
	c.event.Clear()
	if err := r.Extract(eventPaths, c.event); err != nil {
		return err
	}
	c.fold(c.event.Values)
	return nil
}

// fold counts an event and keeps the time of the first.
func (c *Cells) fold(v []document.Value) {
	when, ok := v[evTime].When(0)
	if !ok || !c.rule.counts(v[evName].Text) {
		return
	}
	if c.count == 0 || when < c.first {
		c.first = when
	}
	c.count++
	c.text = strconv.AppendInt(c.text[:0], c.first, 10)
	n := len(c.text)
	c.text = strconv.AppendInt(c.text, c.count, 10)
	c.Values[c.rule.First] = document.Value{Kind: document.Time, Text: c.text[:n:n]}
	if c.rule.Count >= 0 {
		c.Values[c.rule.Count] = document.Value{Kind: document.Number, Text: c.text[n:]}
	}
}

func (e *Events) counts(name []byte) bool {
	for _, known := range e.Names {
		if string(name) == known {
			return true
		}
	}
	return false
}
