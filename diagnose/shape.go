package diagnose

import (
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// shape is what a batch has that makes the expressions simpler for it: a
// comparison with a column that no row has needs no work. It is the key under
// which programs are kept.
type shape struct {
	present timeline.Mask // columns with a value in any row
	full    timeline.Mask // columns with a value in every row
	rounded timeline.Mask // columns with a half width in any row
	varied  bool          // the limits differ from row to row
}

// binding is one batch with all that leaves of expressions need.
type binding struct {
	batch    *timeline.Batch
	shape    shape
	shown    timeline.Mask     // columns that a diagnosis copies as they are
	labels   []*timeline.Label // by code of the column approx
	variants []uint16          // of the limits, by row; nil where all rows have one
	limits   []rules.Limits    // by variant
}

func (e *Engine) bind(b *timeline.Batch) *binding {
	d := &binding{batch: b}
	d.shape.present = b.Present()
	for c := range d.shape.present.All {
		if c.Info().Group != timeline.GroupInternal {
			d.shown = d.shown.With(c)
		}
		if presentRows(b, c) == b.Len() {
			d.shape.full = d.shape.full.With(c)
		}
	}
	d.shown &^= timeline.MaskOf(timeline.ColRequestID, timeline.ColAttempt, timeline.ColModel, timeline.ColOutcome)
	d.bindLabels()
	d.limits, d.variants = e.limits.resolve(b)
	d.shape.varied = d.variants != nil
	return d
}

func presentRows(b *timeline.Batch, c timeline.Column) int {
	switch {
	case c == timeline.ColRequestID:
		return b.RequestIDs().Valid.Count()
	case c.IsText():
		return b.Texts(c).Valid.Count()
	case c == timeline.ColSourceLine:
		return 0 // stands in no expression
	}
	return b.Numbers(c).Valid.Count()
}

// bindLabels parses each label of the batch once.
func (d *binding) bindLabels() {
	for _, text := range d.batch.Texts(timeline.ColApprox).Values {
		label, ok := timeline.ParseLabel(text)
		if !ok {
			label = nil
		}
		d.labels = append(d.labels, label)
		for c := range label.Mask().All {
			if halfWidth(label, c) > 0 {
				d.shape.rounded = d.shape.rounded.With(c)
			}
		}
	}
}

// halfWidth is half the width of the interval that holds a rounded value. Its
// ends are excluded, so that the value is at least 1 µs inside.
func halfWidth(l *timeline.Label, c timeline.Column) int64 {
	return min(max(l.Slack(c)-1, 0), timeline.MaxMicros)
}

// resolver finds the limits of each row from its model and its workload.
type resolver struct {
	thresholds rules.Thresholds
}

// resolve returns the limits of the batch by variant, and the variant of each
// row: nil where there are no overrides and all rows have the same.
func (r *resolver) resolve(b *timeline.Batch) (limits []rules.Limits, variants []uint16) {
	if len(r.thresholds.Overrides) == 0 {
		return []rules.Limits{r.thresholds.Base}, nil
	}
	models, workloads := r.matches(b, timeline.ColModel), r.matches(b, timeline.ColWorkload)
	known := map[uint64]uint16{}
	variants = make([]uint16, b.Len())
	for i := range variants {
		set := models.at(i) & workloads.at(i)
		v, ok := known[set]
		if !ok {
			v = uint16(len(limits))
			known[set] = v
			limits = append(limits, r.thresholds.With(set))
		}
		variants[i] = v
	}
	return limits, variants
}

// matched holds, by code of a text column, which overrides its text allows.
type matched struct {
	texts  timeline.Texts
	sets   []uint64
	absent uint64
}

func (m matched) at(i int) uint64 {
	if !m.texts.Valid.Has(i) {
		return m.absent
	}
	return m.sets[m.texts.Codes[i]]
}

func (r *resolver) matches(b *timeline.Batch, c timeline.Column) matched {
	match := rules.Thresholds.MatchModel
	if c == timeline.ColWorkload {
		match = rules.Thresholds.MatchWorkload
	}
	m := matched{texts: b.Texts(c), absent: match(r.thresholds, "")}
	for _, text := range m.texts.Values {
		m.sets = append(m.sets, match(r.thresholds, text))
	}
	return m
}
