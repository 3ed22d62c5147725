package diagnose

import (
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// Verdicts holds what the rules say of every row of a batch. The slices are
// parallel to its rows. Reading them is safe for concurrent use; the methods
// that take a row keep a block of work and are not.
type Verdicts struct {
	Batch *timeline.Batch

	Class        []rules.Class
	AlsoSlow     []rules.ClassSet    // slow steps beside Class
	Fired        []rules.IntervalSet // bit k: interval k of the table
	NotEvaluated []rules.StageSet
	Notes        []rules.NoteSet
	Outcome      []rules.Outcome
	LowerBound   timeline.Bitmap // the evidence is a lower bound
	NonStreaming timeline.Bitmap // judged as non-streaming

	engine  *Engine
	binding *binding
	machine *machine // nil until a row is asked for
	loaded  int      // first row of the block that machine holds
}

func newVerdicts(e *Engine, b *timeline.Batch) *Verdicts {
	n := b.Len()
	return &Verdicts{
		Batch:        b,
		Class:        make([]rules.Class, n),
		AlsoSlow:     make([]rules.ClassSet, n),
		Fired:        make([]rules.IntervalSet, n),
		NotEvaluated: make([]rules.StageSet, n),
		Notes:        make([]rules.NoteSet, n),
		Outcome:      make([]rules.Outcome, n),
		LowerBound:   timeline.NewBitmap(n),
		NonStreaming: timeline.NewBitmap(n),
		engine:       e,
		binding:      e.bind(b),
	}
}

// Engine returns the engine that judged the batch.
func (v *Verdicts) Engine() *Engine { return v.engine }

// Between returns the candidate classes of row i, none where no interval is
// unexplained.
func (v *Verdicts) Between(i int) rules.ClassSet {
	var set rules.ClassSet
	for k := range v.Fired[i].All {
		set |= rules.TheTable().Intervals[k].Between
	}
	return set
}

// WouldNeed returns the columns that would decide between the candidates.
func (v *Verdicts) WouldNeed(i int) timeline.Mask {
	var mask timeline.Mask
	for k := range v.Fired[i].All {
		mask |= rules.TheTable().Intervals[k].WouldNeed
	}
	return mask
}

// Release gives back what the methods that take a row have kept. It may be
// called at any time, and need not be.
func (v *Verdicts) Release() {
	if v.machine != nil {
		v.engine.programs.give(v.machine)
		v.machine = nil
	}
}

// load returns a machine whose block holds row i.
func (v *Verdicts) load(i int) *machine {
	lo := i &^ (blockRows - 1)
	if v.machine == nil {
		v.machine = v.engine.programs.take(v.binding)
		v.machine.start(v.binding)
		v.loaded = -1
	}
	if v.loaded != lo {
		v.machine.block(lo)
		v.loaded = lo
	}
	return v.machine
}
