package diagnose

import (
	"errors"
	"slices"

	"ttdiag/ingest/timeline"
)

// CompareOptions say what is compared and how.
type CompareOptions struct {
	Filter    Filter
	Warmup    bool              // compare warm-up requests too
	By        *timeline.Column  // the sides are values of it, nil for two inputs
	Match     []timeline.Column // compare within equal values of these
	Accept    []string          // conditions that may differ
	MinEffect float64           // 0 is DefaultMinEffect
	MaxRows   int               // kept of a side; 0 is DefaultCompareRows
}

const (
	// DefaultMinEffect is the least change that is worth telling.
	DefaultMinEffect = 0.1
	// DefaultCompareRows is how many requests of a side are compared unless told.
	// Of more, a fair sample is: it takes about 230 bytes a request.
	DefaultCompareRows = 1 << 17
	compareRate        = 0.05
	compareValues      = 4096 // of one condition
)

// CompareTally collects two sides. Like a [Tally] it may be split among workers
// and merged. It is not safe for concurrent use.
type CompareTally struct {
	opt   CompareOptions
	sides [2]*side
}

// side is what is collected of one side.
type side struct {
	SideSummary
	rows   *rowset
	warmed int64 // requests for which it is recorded whether they are warm-up
}

// ErrSides says that there is nothing on one of the sides.
var ErrSides = errors.New("no request on this side")

// compareMetrics are what questions are asked about.
var compareMetrics = []string{
	"upstream_headers_ms", "first_sse_event_ms", "first_response_ms", "first_text_delta_ms",
	"event_to_response_gap_ms", "response_to_text_gap_ms", "visible_output_tps", "effective_output_tps",
	"local_ms", "relay_tail_ms", "end_to_end_ms",
}

// The numbers of a kept row after its metrics.
const (
	numInput = iota
	numOutput
	numInflight
	numMaxOutput
	numStart
	numExtra
)

var extraColumns = [numExtra]timeline.Column{
	numInput: timeline.ColInputTokens, numOutput: timeline.ColOutputTokens, numInflight: timeline.ColInflight,
	numMaxOutput: timeline.ColMaxOutputTokens, numStart: timeline.ColTimestamp,
}

// NewCompareTally returns an empty tally for sides of the given names.
func NewCompareTally(a, b string, opt CompareOptions) *CompareTally {
	if opt.MinEffect <= 0 {
		opt.MinEffect = DefaultMinEffect
	}
	if opt.MaxRows <= 0 {
		opt.MaxRows = DefaultCompareRows
	}
	t := &CompareTally{opt: opt}
	for k, name := range []string{a, b} {
		dims := conditionDimensions()
		for _, c := range opt.Match {
			dims = append(dims, dimensionOf(c))
		}
		t.sides[k] = &side{
			SideSummary: SideSummary{Name: name},
			rows:        newRowset(opt.MaxRows, compareValues, len(compareMetrics)+numExtra, dims...),
		}
	}
	return t
}

// dimensionOf returns the values of a column, numbers of which there may be many
// in bins.
func dimensionOf(c timeline.Column) dimension {
	switch {
	case c.IsText():
		return labelOf(c)
	case c == timeline.ColTimestamp:
		return byTimeOfDay()
	case c == timeline.ColInflight:
		return inDoubles(c)
	case c == timeline.ColInputTokens, c == timeline.ColOutputTokens, c == timeline.ColCachedInputTokens, c == timeline.ColReasoningTokens:
		return inTokens(c)
	case c.Info().Kind == timeline.KindFlag:
		return flagged(c)
	}
	return exactly(c)
}

// AddA and AddB add the rows of v to a side.
func (t *CompareTally) AddA(v *Verdicts) { t.sides[0].add(v, keepRows(v, &t.opt.Filter, true), &t.opt) }

// AddB is AddA for the other side.
func (t *CompareTally) AddB(v *Verdicts) { t.sides[1].add(v, keepRows(v, &t.opt.Filter, true), &t.opt) }

// AddBy adds the rows of v to the sides that they belong to by their value of
// the column By.
func (t *CompareTally) AddBy(v *Verdicts) {
	keep := keepRows(v, &t.opt.Filter, true)
	key, text := dimensionOf(*t.opt.By).reader(v)
	parts := [2]timeline.Bitmap{timeline.NewBitmap(v.Batch.Len()), timeline.NewBitmap(v.Batch.Len())}
	for i := range keep.All {
		if k, ok := key(i); ok {
			if at := slices.IndexFunc(t.sides[:], func(s *side) bool { return s.Name == text(k) }); at >= 0 {
				parts[at].Set(i)
			}
		}
	}
	for k, s := range t.sides {
		s.add(v, parts[k], &t.opt)
	}
}

func (s *side) add(v *Verdicts, rows timeline.Bitmap, opt *CompareOptions) {
	warm := v.Batch.Numbers(timeline.ColWarmup)
	for i := range both(warm.Valid, rows).All {
		s.warmed++
		if warm.Values[i] != 0 && !opt.Warmup {
			s.Warmup++
			rows[i>>6] &^= 1 << (i & 63)
		}
	}
	if rows.Count() == 0 {
		return
	}
	columns, ok := v.MetricColumns(compareMetrics...)
	if !ok {
		panic("diagnose: a compared metric is not in the table")
	}
	for _, c := range extraColumns {
		col := v.Batch.Numbers(c)
		columns = append(columns, MetricColumn{Values: col.Values, Valid: col.Valid})
	}
	starts := columns[len(compareMetrics)+numStart]
	for i := range both(starts.Valid, rows).All {
		s.extend(starts.Values[i], starts.Values[i])
	}
	s.rows.add(v, rows, columns)
}

func (s *side) extend(from, to int64) {
	if !s.HasRange {
		s.From, s.To, s.HasRange = from, to, true
	}
	s.From, s.To = min(s.From, from), max(s.To, to)
}

// Merge adds what o collected. o must not be used afterwards.
func (t *CompareTally) Merge(o *CompareTally) {
	for k, s := range t.sides {
		from := o.sides[k]
		s.rows.merge(from.rows)
		s.Warmup += from.Warmup
		s.warmed += from.warmed
		if from.HasRange {
			s.extend(from.From, from.To)
		}
	}
}

// ValueTally counts the values of a column, to find the two that most requests
// have.
type ValueTally struct {
	filter Filter
	values dimValues
	counts []int64
}

// NewValueTally returns an empty tally.
func NewValueTally(c timeline.Column, filter Filter) *ValueTally {
	return &ValueTally{filter: filter, values: dimValues{dimension: dimensionOf(c), known: map[string]uint16{}}}
}

// Add counts the rows of v.
func (t *ValueTally) Add(v *Verdicts) {
	keep := keepRows(v, &t.filter, false)
	t.values.codes = t.values.codes[:0]
	t.values.add(v, keep, keep, compareValues)
	for _, code := range t.values.codes {
		for int(code) >= len(t.counts) {
			t.counts = append(t.counts, 0)
		}
		t.counts[code]++
	}
}

// ErrValues says that a column does not have two values, or too many.
var ErrValues = errors.New("want a column with two values or more, and no identifier")

// Largest returns the two values that most requests have, in order of their
// names. Of equally frequent ones the first by name are taken.
func (t *ValueTally) Largest() (a, b string, err error) {
	if t.values.dead || len(t.values.values) < 2 {
		return "", "", ErrValues
	}
	order := slices.Clone(t.values.values)
	slices.Sort(order)
	slices.SortStableFunc(order, func(a, b string) int {
		return int(t.counts[t.values.known[b]] - t.counts[t.values.known[a]])
	})
	two := order[:2]
	slices.Sort(two)
	return two[0], two[1], nil
}
