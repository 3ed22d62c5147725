package diagnose

import (
	"math"
	"math/bits"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// WhyOptions say which requests are compared. Classes of the filter choose what
// is told, not what is compared: without other requests nothing stands out.
type WhyOptions struct {
	Filter  Filter
	Warmup  bool
	MaxRows int // requests that are kept for comparing; 0 is DefaultWhyRows
}

const (
	// DefaultWhyRows is how many requests are compared unless told. Of more, a
	// fair sample is: it takes about 80 bytes a request.
	DefaultWhyRows = 1 << 19
	// whyValues is the number of values above which a dimension is an identifier.
	whyValues = 200
)

// whyDimensions are what slow requests may have in common. What follows from
// being slow, such as the outcome, is none.
func whyDimensions() []dimension {
	return []dimension{
		labelOf(timeline.ColChannel), labelOf(timeline.ColRoute), labelOf(timeline.ColRegion),
		labelOf(timeline.ColProvider), labelOf(timeline.ColModel), labelOf(timeline.ColGroup),
		labelOf(timeline.ColWorkload), labelOf(timeline.ColReasoningEffort), flagged(timeline.ColTools),
		byMode(), inTokens(timeline.ColInputTokens), inTokens(timeline.ColCachedInputTokens),
		inTokens(timeline.ColMaxOutputTokens), inDoubles(timeline.ColInflight), byHour(),
		labelOf(timeline.ColNetworkPath), labelOf(timeline.ColRetryPolicy), exactly(timeline.ColAttempt),
		labelOf(timeline.ColVantage), labelOf(timeline.ColSourceFile),
	}
}

// WhyTally collects what [Why] is found from. Like a [Tally] it may be split
// among workers and merged. It is not safe for concurrent use.
type WhyTally struct {
	opt     WhyOptions
	classes []rules.Class // that are told, nil is all
	rows    *rowset
	usual   [rules.NumClasses]logBins // of the requests that are not of the class
	metric  []string
}

// The numbers that a kept row has: see excessOf.
const (
	whyTime = iota
	whyTokens
	numWhy
)

// NewWhyTally returns an empty tally.
func NewWhyTally(opt WhyOptions) *WhyTally { return newWhyTally(opt, whyDimensions()) }

func newWhyTally(opt WhyOptions, dims []dimension) *WhyTally {
	if opt.MaxRows <= 0 {
		opt.MaxRows = DefaultWhyRows
	}
	classes := opt.Filter.Classes
	opt.Filter.Classes = nil
	t := &WhyTally{opt: opt, classes: classes, rows: newRowset(opt.MaxRows, whyValues, numWhy, dims...)}
	for c := range rules.Class(rules.NumClasses) {
		t.metric = append(t.metric, classMetric(c))
	}
	t.metric = append(t.metric, "effective_output_tps", "visible_generation_window_ms", "effective_generation_window_ms")
	return t
}

// The columns after those of the classes.
const (
	whyEffective = rules.NumClasses + iota
	whyVisibleWindow
	whyEffectiveWindow
)

// classMetric names what a class is measured by. Undetermined requests have no
// metric of their own; their whole length stands for it.
func classMetric(c rules.Class) string {
	if c.Slow() {
		return rules.TheTable().Steps[c].Metric.Name
	}
	return "end_to_end_ms"
}

// Add offers the rows of v.
func (t *WhyTally) Add(v *Verdicts) {
	columns, ok := v.MetricColumns(t.metric...)
	if !ok {
		panic("diagnose: a class metric is not in the table")
	}
	fillSpeed(&columns[rules.GenerationSlow], columns[whyEffective])
	fillSpeed(&columns[whyVisibleWindow], columns[whyEffectiveWindow])
	keep := keepRows(v, &t.opt.Filter, t.opt.Warmup)
	for c := range rules.Class(rules.NumClasses) {
		if c != rules.NoSlowStage {
			t.usual[c].addOthers(v, keep, columns[c], c)
		}
	}
	t.rows.add(v, keep, whyNumbers(v, keep, columns))
}

// fillSpeed fills in from what is measured without visible text.
func fillSpeed(to *MetricColumn, from MetricColumn) {
	if from.Values == nil {
		return
	}
	if to.Values == nil {
		*to = from
		return
	}
	for i := range from.Valid.All {
		if !to.Valid.Has(i) {
			to.Values[i] = from.Values[i]
			to.Valid.Set(i)
		}
	}
}

// whyNumbers returns for each row the time that its class measured, and for slow
// generation the tokens that came in it, in thousandths.
func whyNumbers(v *Verdicts, rows timeline.Bitmap, columns []MetricColumn) []MetricColumn {
	n := v.Batch.Len()
	times := MetricColumn{Values: make([]int64, n), Valid: timeline.NewBitmap(n)}
	tokens := MetricColumn{Values: make([]int64, n), Valid: timeline.NewBitmap(n)}
	for i := range rows.All {
		c := v.Class[i]
		if c == rules.NoSlowStage || !columns[c].Valid.Has(i) {
			continue
		}
		times.Values[i] = columns[c].Values[i]
		if c == rules.GenerationSlow {
			window := columns[whyVisibleWindow]
			if !window.Valid.Has(i) {
				continue
			}
			times.Values[i] = window.Values[i]
			tokens.Values[i] = int64(math.Round(float64(window.Values[i]) * float64(columns[c].Values[i]) / 1e9))
			tokens.Valid.Set(i)
		}
		times.Valid.Set(i)
	}
	return []MetricColumn{whyTime: times, whyTokens: tokens}
}

// Merge adds what o collected. o must not be used afterwards.
func (t *WhyTally) Merge(o *WhyTally) {
	t.rows.merge(o.rows)
	for c := range t.usual {
		t.usual[c].merge(&o.usual[c])
	}
}

// logBins counts values in 128 bins for each doubling, so that a median is known
// to 0.4 %.
type logBins struct {
	count []int64
	n     int64
}

// WhyRelativeError is the relative error of the usual value of a class.
const WhyRelativeError = 0.004

const logSteps = 7 // 2^7 bins for each doubling

func (b *logBins) addOthers(v *Verdicts, rows timeline.Bitmap, col MetricColumn, class rules.Class) {
	if col.Values == nil {
		return
	}
	for i := range both(col.Valid, rows).All {
		if v.Class[i] != class {
			b.add(col.Values[i])
		}
	}
}

func (b *logBins) add(v int64) {
	if b.count == nil {
		b.count = make([]int64, 64<<logSteps)
	}
	b.count[logBin(v)]++
	b.n++
}

func logBin(v int64) int {
	if v < 1<<logSteps {
		return int(max(v, 0))
	}
	e := bits.Len64(uint64(v)) - 1 - logSteps
	return e<<logSteps + int(v>>e)
}

// logValue is the middle of a bin.
func logValue(bin int) int64 {
	if bin < 1<<logSteps {
		return int64(bin)
	}
	e := bin>>logSteps - 1
	return int64(bin-e<<logSteps)<<e + int64(1)<<e/2
}

func (b *logBins) merge(o *logBins) {
	for k, n := range o.count {
		if n > 0 && b.count == nil {
			b.count = make([]int64, 64<<logSteps)
		}
		if n > 0 {
			b.count[k] += n
		}
	}
	b.n += o.n
}

// median returns the middle value, and false without values.
func (b *logBins) median() (int64, bool) {
	rank := (b.n + 1) / 2
	for k, n := range b.count {
		if rank -= n; rank <= 0 && b.n > 0 {
			return logValue(k), true
		}
	}
	return 0, false
}
