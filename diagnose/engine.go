package diagnose

import (
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// Engine classifies batches under fixed thresholds. It is safe for concurrent
// use.
type Engine struct {
	limits   resolver
	programs programs
}

// New returns an engine for the given thresholds.
func New(t rules.Thresholds) *Engine {
	go rules.TheTable() // made while the caller reads its first records
	return &Engine{limits: resolver{t}}
}

// Thresholds returns the thresholds in force.
func (e *Engine) Thresholds() rules.Thresholds { return e.limits.thresholds }

// Classify judges every row of b.
func (e *Engine) Classify(b *timeline.Batch) *Verdicts {
	v := newVerdicts(e, b)
	m := e.programs.take(v.binding)
	m.start(v.binding)
	for lo := 0; lo < b.Len(); lo += blockRows {
		m.block(lo)
		m.classify(v)
	}
	e.programs.give(m)
	return v
}

// classify writes what the rules say of the machine's block.
func (m *machine) classify(v *Verdicts) {
	lo, hi := m.lo, m.lo+m.n
	writeCodes(m, m.class, v.Class[lo:hi])
	writeCodes(m, m.outcome, v.Outcome[lo:hi])
	m.findSlow(v)
	m.findIntervals(v)
	for k, n := range m.remarks {
		yes, _ := m.truth(n)
		mark(v.Notes[lo:hi], yes, rules.NoteSet(1)<<m.table.Remarks[k].Note)
	}
	for s, n := range m.notEvaluated {
		yes, _ := m.truth(n)
		mark(v.NotEvaluated[lo:hi], yes, rules.StageSet(1)<<s)
	}
	yes, _ := m.truth(m.nonStreaming)
	copy(v.NonStreaming[lo/64:], yes[:m.words])
}

// findSlow finds the slow steps beside the class, and where the class is a step
// whether its evidence is a lower bound.
func (m *machine) findSlow(v *Verdicts) {
	for c, n := range m.slow {
		yes, _ := m.truth(n)
		if noBits(yes) {
			continue
		}
		class, bound := rules.Class(c), m.isBound(m.stepMetric[c])
		for i := range (timeline.Bitmap(yes)).All {
			row := m.lo + i
			if v.Class[row] != class {
				v.AlsoSlow[row] |= 1 << c
			} else if bound.Has(i) {
				v.LowerBound.Set(row)
			}
		}
	}
}

// isBound returns the rows for which a metric is a lower bound.
func (m *machine) isBound(metric int) timeline.Bitmap {
	yes, _ := m.truth(m.metrics[metric].bound)
	return yes
}

func (m *machine) findIntervals(v *Verdicts) {
	for k, n := range m.fires {
		yes, _ := m.truth(n)
		if noBits(yes) {
			continue
		}
		bound := m.isBound(m.waitMetric[k])
		for i := range (timeline.Bitmap(yes)).All {
			row := m.lo + i
			first := v.Fired[row] == 0
			v.Fired[row] |= 1 << k
			if first && v.Class[row] == rules.Undetermined && bound.Has(i) {
				v.LowerBound.Set(row)
			}
		}
	}
}

// writeCodes writes to every row the code of the first condition that is true.
func writeCodes[T ~uint8](m *machine, c codes, out []T) {
	for i := range out {
		out[i] = T(c.rest)
	}
	var open [blockWords]uint64
	copy(open[:], m.rows)
	for k, n := range c.when {
		yes, _ := m.truth(n)
		for w := range open {
			take := yes[w] & open[w]
			open[w] &^= take
			for i := range (timeline.Bitmap{take}).All {
				out[w*64+i] = T(c.then[k])
			}
		}
	}
}

// mark sets bits in the rows that are set.
func mark[T ~uint8](out []T, rows []uint64, bits T) {
	for w, set := range rows {
		if set == ^uint64(0) {
			for i := range out[w*64 : w*64+64] {
				out[w*64+i] |= bits
			}
			continue
		}
		for i := range (timeline.Bitmap{set}).All {
			out[w*64+i] |= bits
		}
	}
}
