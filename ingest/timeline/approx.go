package timeline

import (
	"encoding/json"
	"sync"
)

// Approx says how a column's value misses the column's definition: its zero or
// its point is shifted, or it is rounded.
type Approx struct {
	Column string `json:"column"`
	Origin string `json:"origin"` // what the value really counts from
	Point  string `json:"point"`  // what it really marks
	Bias   string `json:"bias"`   // which way it errs
	// PlusMinusMs is the half width of the interval that is known to hold the
	// true value, 0 where the value is not rounded. The ends are excluded.
	PlusMinusMs int64 `json:"plus_minus_ms,omitempty"`
}

// Label is a set of approximations that rows share by pointer. Make each once,
// when a format's table is made; a row names one Label.
type Label struct {
	Items []Approx
	text  string
	mask  Mask
	slack [NumNumeric]int64
}

// NewLabel returns the label of the given approximations, in schema order.
func NewLabel(items ...Approx) *Label {
	l := &Label{Items: items}
	text, err := json.Marshal(items)
	if err != nil {
		panic(err) // plain strings marshal
	}
	l.text = string(text)
	for _, a := range items {
		if c, ok := ColumnNamed(a.Column); ok {
			l.mask = l.mask.With(c)
			if !c.IsText() {
				l.slack[c] = a.PlusMinusMs * 1000
			}
		}
	}
	return l
}

// Text returns the label as the JSON array that the column approx holds.
func (l *Label) Text() string { return l.text }

// Mask returns the columns that are approximate.
func (l *Label) Mask() Mask {
	if l == nil {
		return 0
	}
	return l.mask
}

// Slack returns the half width of the interval of c in microseconds, or 0.
func (l *Label) Slack(c Column) int64 {
	if l == nil || c.IsText() {
		return 0
	}
	return l.slack[c]
}

// ParseLabel is the inverse of Text. It reports false for anything else.
func ParseLabel(text string) (*Label, bool) {
	var items []Approx
	if json.Unmarshal([]byte(text), &items) != nil {
		return nil, false
	}
	return NewLabel(items...), true
}

// Labels makes labels for formats whose approximate columns differ from row to
// row: it returns the same pointer for the same set of items. The zero value is
// ready; it is safe for concurrent use.
type Labels struct {
	mu   sync.Mutex
	made map[Mask]*Label
}

// Of returns the label of those items whose column is in present.
func (s *Labels) Of(items []Approx, present Mask) *Label {
	var kept []Approx
	var mask Mask
	for _, a := range items {
		if c, ok := ColumnNamed(a.Column); ok && present.Has(c) {
			kept = append(kept, a)
			mask = mask.With(c)
		}
	}
	if mask == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l, ok := s.made[mask]; ok {
		return l
	}
	if s.made == nil {
		s.made = make(map[Mask]*Label)
	}
	l := NewLabel(kept...)
	s.made[mask] = l
	return l
}
