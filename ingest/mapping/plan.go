package mapping

import (
	"fmt"
	"sync"

	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// Plan is a compiled table. It does not change and may be shared.
type Plan struct {
	table  *Table
	paths  []string
	slots  map[string]int
	scan   *scan.Paths
	steps  []step
	only   []cond
	doubts []doubt
	format *source.Format
	labels labels
}

// step is a field with its paths as numbers.
type step struct {
	*Field
	values   []int // Path, then Or
	terms    []term
	same     []int
	when     []cond
	constant []byte
	words    [][]byte // the values of Words
	basis    []byte   // of marks of a first token: what it marks
	label    int      // bit in the set of approximations, -1 for exact fields
}

// term is a value that is added, with sign 1, or taken off.
type term struct {
	slot int
	sign int64
}

type cond struct {
	slot   int
	op     Op
	values []string
}

type doubt struct {
	note timeline.Note
	when []cond
}

const firstMarks = timeline.Mask(1<<timeline.ColFirstSSEEvent | 1<<timeline.ColFirstResponse | 1<<timeline.ColFirstTextDelta)

// maxLabels is how many approximate fields a table may have: a set of them is a
// word.
const maxLabels = 64

// Compile compiles a table. It fails only on a fault of the table itself.
func Compile(t *Table) (*Plan, error) {
	p := &Plan{table: t, slots: map[string]int{}}
	for i := range t.Fields {
		if err := p.addField(&t.Fields[i]); err != nil {
			return nil, fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	p.only = p.conds(t.Only)
	for _, d := range t.Notes {
		p.doubts = append(p.doubts, doubt{d.Note, p.conds(d.When)})
	}
	paths, err := scan.Compile(p.paths...)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t.Name, err)
	}
	p.scan = paths
	p.format = t.format(func() *Plan { return p })
	return p, nil
}

func (p *Plan) addField(f *Field) error {
	s := step{Field: f, label: -1, when: p.conds(f.When), same: p.all(f.NotSame)}
	if (f.Path == "") == (f.Const == "") {
		return fmt.Errorf("column %s wants either a path or a constant", f.Column)
	}
	if len(f.Words)%2 != 0 {
		return fmt.Errorf("column %s has a word without a value", f.Column)
	}
	if f.Path != "" {
		s.values = append([]int{p.slot(f.Path)}, p.all(f.Or)...)
	}
	for _, slot := range p.all(f.Plus) {
		s.terms = append(s.terms, term{slot, 1})
	}
	for _, slot := range p.all(f.Minus) {
		s.terms = append(s.terms, term{slot, -1})
	}
	s.constant = []byte(f.Const)
	if firstMarks.Has(f.Column) && f.Point != "" {
		s.basis = []byte(f.Point)
	}
	for i := 1; i < len(f.Words); i += 2 {
		s.words = append(s.words, []byte(f.Words[i]))
	}
	if f.approximate() {
		if s.label = len(p.labels.items); s.label == maxLabels {
			return fmt.Errorf("more than %d approximate fields", maxLabels)
		}
		p.labels.items = append(p.labels.items, timeline.Approx{
			Column: f.Column.String(), Origin: f.Origin, Point: f.Point, Bias: f.Bias, PlusMinusMs: f.PlusMinusMs,
		})
	}
	p.steps = append(p.steps, s)
	return nil
}

func (p *Plan) slot(path string) int {
	i, ok := p.slots[path]
	if !ok {
		i = len(p.paths)
		p.slots[path] = i
		p.paths = append(p.paths, path)
	}
	return i
}

func (p *Plan) all(paths []string) []int {
	var slots []int
	for _, path := range paths {
		slots = append(slots, p.slot(path))
	}
	return slots
}

func (p *Plan) conds(list []Cond) []cond {
	var out []cond
	for _, c := range list {
		out = append(out, cond{p.slot(c.Path), c.Op, c.Values})
	}
	return out
}

// Paths returns the paths that the table looks at. The value of path number i
// is number i of the [Values] that a Filler takes.
func (p *Plan) Paths() []string { return p.paths }

// Extractor returns an extractor of the paths from JSON, to be given to Fill.
func (p *Plan) Extractor() *scan.Extractor { return p.scan.NewExtractor() }

// Format returns the format of the table, reading lines of JSON.
func (p *Plan) Format() *source.Format { return p.format }

// labels makes the label for a set of approximate fields once, so that all rows
// with the set share it. It is safe for concurrent use.
type labels struct {
	items []timeline.Approx // by bit
	mu    sync.Mutex
	made  map[uint64]*timeline.Label
}

func (l *labels) of(set uint64) *timeline.Label {
	l.mu.Lock()
	defer l.mu.Unlock()
	if made, ok := l.made[set]; ok {
		return made
	}
	var items []timeline.Approx
	for i, item := range l.items {
		if set>>i&1 != 0 {
			items = append(items, item)
		}
	}
	if l.made == nil {
		l.made = map[uint64]*timeline.Label{}
	}
	made := timeline.NewLabel(items...)
	l.made[set] = made
	return made
}
