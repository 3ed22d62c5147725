package document

// Column is a place of a set of paths that a column of a table (CSV, Parquet)
// fills: the value itself, or what the document in it holds.
type Column struct{ node *node }

// Column returns the place of a column by its name: a key of the top level, or
// the keys of a nested column one after another. It reports false where no path
// leads through it.
func (p *Paths) Column(steps ...string) (Column, bool) {
	n := p.root()
	for _, step := range steps {
		if n = n.find([]byte(step)); n == nil {
			return Column{}, false
		}
	}
	return Column{n}, true
}

// Feeder hands the cells of tables to a sink as Extract hands the values of a
// document: a cell that holds a document is searched like the value it stands
// for.
type Feeder struct {
	r    Reader
	sink Putter
}

// Putter is a [Sink] that also takes values that were read already.
type Putter interface {
	Sink
	Put(at Place, v Value)
}

// NewFeeder returns a feeder of sink.
func NewFeeder(sink Putter) *Feeder { return &Feeder{sink: sink} }

// Feed hands over the cell of a column. Text of v that holds JSON must stay
// unchanged until the row is done. A cell of broken JSON yields what was found
// before the damage.
func (f *Feeder) Feed(c Column, v Value) {
	n := c.node
	if !v.Has() {
		return
	}
	if v.Kind == String && n.inner != nil {
		n = n.inner
	}
	if n.keys != nil || n.each != nil {
		free := f.r.arena
		f.r.Reset(v.Text)
		f.r.arena = free[len(free):] // values of other cells stay
		_ = f.r.extract(n, f.sink)
		return
	}
	if n.leaf {
		f.sink.Put(n.place, v)
	}
}
