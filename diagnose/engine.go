package diagnose

import (
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// Engine classifies batches under fixed thresholds. It is safe for concurrent
// use.
type Engine struct {
	thresholds rules.Thresholds
}

// New returns an engine for the given thresholds.
func New(t rules.Thresholds) *Engine { return &Engine{thresholds: t} }

// Thresholds returns the thresholds in force.
func (e *Engine) Thresholds() rules.Thresholds { return e.thresholds }

// Verdicts holds what the rules say of every row of a batch. The slices are
// parallel to its rows. Reading the slices is safe for concurrent use;
// Diagnosis, Fill, Derived and Explain keep a block of work and are not.
type Verdicts struct {
	Batch *timeline.Batch

	Class        []rules.Class
	AlsoSlow     []rules.ClassSet // slow steps beside Class
	Fired        []rules.IntervalSet
	NotEvaluated []rules.StageSet
	Notes        []rules.NoteSet
	Outcome      []rules.Outcome
	LowerBound   timeline.Bitmap // the evidence is a lower bound
	NonStreaming timeline.Bitmap // judged as non-streaming
}

// Classify judges every row of b.
func (e *Engine) Classify(b *timeline.Batch) *Verdicts { return &Verdicts{Batch: b} }

// Between returns the candidate classes of row i, none where nothing is
// undetermined.
func (v *Verdicts) Between(i int) rules.ClassSet { return 0 }

// WouldNeed returns the columns that would decide between them.
func (v *Verdicts) WouldNeed(i int) timeline.Mask { return 0 }

// Diagnosis returns all that is said of row i.
func (v *Verdicts) Diagnosis(i int) Diagnosis {
	var d Diagnosis
	v.Fill(i, &d)
	return d
}

// Fill is Diagnosis into d, whose slices are used again.
func (v *Verdicts) Fill(i int, d *Diagnosis) {}

// Derived appends the derived metrics of row i to list.
func (v *Verdicts) Derived(list []Value, i int) []Value { return list }

// Explain returns the explanation of row i.
func (v *Verdicts) Explain(i int) Explanation { return Explanation{Diagnosis: v.Diagnosis(i)} }

// MetricColumn is one metric over the rows of a batch.
type MetricColumn struct {
	Values []int64 // in the kept whole numbers of the metric's unit
	Valid  timeline.Bitmap
	Bound  timeline.Bitmap // the wait was cut off: the value is a lower bound
}

// Metric returns a recorded or derived metric of every row, by its name, and
// false where there is none of that name.
func (v *Verdicts) Metric(name string) (MetricColumn, bool) { return MetricColumn{}, false }
