package diagnose

import (
	"maps"
	"slices"
	"strings"
	"time"

	"ttdiag/diagnose/stats"
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// TallyOptions say what is counted and how.
type TallyOptions struct {
	Filter Filter
	By     []timeline.Column // split by these
	Every  time.Duration     // and by time, 0 is not
	Top    int               // length of the list of slowest requests
	Warmup bool              // count warm-up requests too
	Method stats.Method
	// MaxGroups is how many groups are kept, 0 is DefaultGroups: the first ones
	// in the order of their keys. Records of further ones are counted in the
	// whole only. It bounds the memory of a tally.
	MaxGroups int
	Jobs      int // goroutines that Summary may use; 0 is 1
	// MaxMemory is how many bytes the values of tallies that are siblings may
	// take, about; 0 is no limit. Beyond it fewer groups are kept, again the
	// first ones, and fewer values before a sample becomes a sketch.
	MaxMemory int64
}

// DefaultGroups is the number of groups that a tally keeps unless told.
const DefaultGroups = 4096

// Tally counts verdicts. Its result depends on the records alone, not on the
// order of batches nor on which tally took which: merge tallies of several
// workers at the end. A Tally is not safe for concurrent use.
type Tally struct {
	engine  *Engine
	opt     TallyOptions
	whole   *cell
	groups  map[string]*cell
	beyond  string // once groups were dropped: the first key that was
	other   int64
	totals  Totals
	cleaned map[CleaningCount]int64
	retries retryTally
	slowest slowest
	from    int64
	to      int64
	ranged  bool
	needs   map[timeline.Mask]int64 // of undetermined requests
	room    measuredRoom
	*siblings
}

// NewTally returns an empty tally for verdicts of e.
func NewTally(e *Engine, opt TallyOptions) *Tally {
	if opt.MaxGroups <= 0 {
		opt.MaxGroups = DefaultGroups
	}
	return newTally(e, opt, newSiblings(opt.MaxMemory))
}

func newTally(e *Engine, opt TallyOptions, s *siblings) *Tally {
	return &Tally{
		engine: e, opt: opt, whole: newCell(s, ""), groups: map[string]*cell{},
		cleaned: map[CleaningCount]int64{}, needs: map[timeline.Mask]int64{},
		slowest: slowest{limit: opt.Top}, retries: retryTally{siblings: s}, siblings: s,
	}
}

// Sibling returns an empty tally for another goroutine, to be merged with t at
// the end. Siblings keep together what one tally would keep.
func (t *Tally) Sibling() *Tally { return newTally(t.engine, t.opt, t.siblings) }

// Add counts the rows of v that pass the filter.
func (t *Tally) Add(v *Verdicts) {
	keep := t.judged(v)
	t.addCleaned(v.Batch)
	t.addRange(v.Batch, keep)
	m := newMeasured(v, &t.room)
	t.whole.add(m, keep)
	if len(t.opt.By) > 0 || t.opt.Every > 0 {
		for key, rows := range t.split(v, keep) {
			n := int64(rows.Count())
			if t.beyond == "" || key < t.beyond {
				t.giveUp(t.charge(key, n))
			}
			if g := t.group(key, n); g != nil {
				g.add(m, rows)
			}
		}
	}
	for i := range keep.All {
		if v.Class[i] == rules.Undetermined {
			t.needs[v.WouldNeed(i)]++
		}
	}
	t.retries.add(v, keep)
	t.slowest.add(m, keep)
	v.Release()
}

// judged counts what is left out, and returns the rest.
func (t *Tally) judged(v *Verdicts) timeline.Bitmap {
	n := v.Batch.Len()
	t.totals.Records += int64(n)
	keep := timeline.NewBitmap(n)
	if t.opt.Filter.All() {
		for i := range n {
			keep.Set(i)
		}
	} else {
		keep = t.opt.Filter.Keep(v)
		t.totals.Filtered += int64(n - keep.Count())
	}
	if warm := v.Batch.Numbers(timeline.ColWarmup); !t.opt.Warmup && warm.Values != nil {
		for i := range warm.Valid.All {
			if warm.Values[i] != 0 && keep.Has(i) {
				keep[i>>6] &^= 1 << (i & 63)
				t.totals.Warmup++
			}
		}
	}
	t.totals.Judged += int64(keep.Count())
	return keep
}

func (t *Tally) addCleaned(b *timeline.Batch) {
	for why := range timeline.NumCleanings {
		for c := range timeline.Column(timeline.NumColumns) {
			if n := b.Cleaned(timeline.Cleaning(why), c); n > 0 {
				t.cleaned[CleaningCount{Column: c, Note: timeline.Cleaning(why)}] += n
			}
		}
	}
}

func (t *Tally) addRange(b *timeline.Batch, keep timeline.Bitmap) {
	col := b.Numbers(timeline.ColTimestamp)
	for k, w := range col.Valid {
		for i := range (timeline.Bitmap{w & keep[k]}).All {
			t.extend(col.Values[k<<6+i])
		}
	}
}

func (t *Tally) extend(us int64) {
	if !t.ranged {
		t.from, t.to, t.ranged = us, us, true
		return
	}
	t.from, t.to = min(t.from, us), max(t.to, us)
}

// split returns the rows of each group of the batch. Keys hold the values,
// separated by NUL, each after a byte that says whether it is there.
func (t *Tally) split(v *Verdicts, keep timeline.Bitmap) map[string]timeline.Bitmap {
	out := map[string]timeline.Bitmap{}
	var key []byte
	for i := range keep.All {
		key = key[:0]
		if t.opt.Every > 0 {
			key = t.appendBucket(key, v.Batch, i)
		}
		for _, c := range t.opt.By {
			key = appendGroupKey(key, v, c, i)
		}
		rows, ok := out[string(key)]
		if !ok {
			rows = timeline.NewBitmap(v.Batch.Len())
			out[string(key)] = rows
		}
		rows.Set(i)
	}
	return out
}

func (t *Tally) appendBucket(key []byte, b *timeline.Batch, i int) []byte {
	us, ok := b.Num(timeline.ColTimestamp, i)
	if !ok {
		return append(key, '-', 0)
	}
	width := max(t.opt.Every.Microseconds(), 1)
	start := us - us%width
	if us < 0 && us%width != 0 {
		start -= width
	}
	key = append(key, '=')
	return append(time.UnixMicro(start).UTC().AppendFormat(key, time.RFC3339), 0)
}

func appendGroupKey(key []byte, v *Verdicts, c timeline.Column, i int) []byte {
	switch {
	case c == timeline.ColOutcome:
		key = append(append(key, '='), v.Outcome[i].String()...)
	case !v.Batch.Has(c, i):
		key = append(key, '-')
	case c.IsText():
		key = append(append(key, '='), strings.ReplaceAll(v.Batch.Text(c, i), "\x00", "\uFFFD")...)
	default:
		key = append(key, '=')
		key = appendNumber(key, v.Batch, c, i)
	}
	return append(key, 0)
}

// group returns the group of a key, nil where it is beyond the limit; then the n
// records are counted as other. Which groups stay depends on the keys alone.
func (t *Tally) group(key string, n int64) *cell {
	if g, ok := t.groups[key]; ok {
		return g
	}
	if t.beyond != "" && key >= t.beyond {
		t.other += n
		return nil
	}
	if len(t.groups) >= t.opt.MaxGroups {
		last := t.lastKey()
		if key > last {
			t.drop(key, n)
			return nil
		}
		t.drop(last, t.groups[last].n)
	}
	g := newCell(t.siblings, strings.Clone(key))
	t.groups[key] = g
	return g
}

// lastKey returns the last of the groups' keys.
func (t *Tally) lastKey() string {
	last := ""
	for key := range t.groups {
		last = max(last, key)
	}
	return last
}

// drop gives up a group for good: no later key may be kept either.
func (t *Tally) drop(key string, n int64) {
	delete(t.groups, key)
	t.forget(key)
	t.other += n
	if t.beyond == "" || key < t.beyond {
		t.beyond = key
	}
}

// Merge adds what o counted. o must not be used afterwards.
func (t *Tally) Merge(o *Tally) {
	t.whole.merge(o.whole)
	t.mergeGroups(o)
	t.other += o.other
	t.totals.Records += o.totals.Records
	t.totals.Judged += o.totals.Judged
	t.totals.Warmup += o.totals.Warmup
	t.totals.Filtered += o.totals.Filtered
	for k, n := range o.cleaned {
		t.cleaned[k] += n
	}
	for k, n := range o.needs {
		t.needs[k] += n
	}
	t.retries.merge(&o.retries)
	t.slowest.merge(&o.slowest)
	if o.ranged {
		t.extend(o.from)
		t.extend(o.to)
	}
}

// mergeGroups adds the groups of o. One that either has dropped is dropped.
func (t *Tally) mergeGroups(o *Tally) {
	t.giveUp(o.beyond)
	if o.siblings == t.siblings {
		t.giveUp(t.limit())
	}
	for key, g := range o.groups {
		if into := t.group(key, g.n); into != nil {
			into.merge(g)
		}
	}
}

// giveUp drops the groups from a key on; "" is none.
func (t *Tally) giveUp(beyond string) {
	if beyond == "" || t.beyond != "" && t.beyond <= beyond {
		return
	}
	for key, g := range t.groups {
		if key >= beyond {
			t.drop(key, g.n)
		}
	}
	t.beyond = beyond
}

// Summary returns what was counted. Inputs are the caller's to set.
func (t *Tally) Summary() *Summary {
	s := &Summary{
		From: t.from, To: t.to, HasRange: t.ranged,
		Thresholds: t.engine.Thresholds().InForce(), Method: t.opt.Method,
		Totals: t.totals, Whole: t.whole.summary(nil, t.opt.Method, t.opt.Jobs), Other: t.other,
		Slowest: t.slowest.list(), Record: t.instrumentation(),
	}
	s.Retries, s.Totals.Requests = t.retries.result(t.totals.Judged, t.opt.Jobs)
	for k, n := range t.cleaned {
		k.Count = n
		s.Cleaning = append(s.Cleaning, k)
	}
	slices.SortFunc(s.Cleaning, func(a, b CleaningCount) int {
		return int(a.Note)*timeline.NumColumns + int(a.Column) - int(b.Note)*timeline.NumColumns - int(b.Column)
	})
	t.addGroups(s)
	return s
}

func (t *Tally) addGroups(s *Summary) {
	s.By = t.by()
	keys := slices.Collect(maps.Keys(t.groups))
	s.Groups = slices.Grow(s.Groups, len(keys))[:len(keys)]
	each(len(keys), t.opt.Jobs, func(i int) {
		s.Groups[i] = t.groups[keys[i]].summary(groupKey(s.By, keys[i]), t.opt.Method, 1)
	})
	slices.SortFunc(s.Groups, func(a, b GroupSummary) int {
		if t.opt.Every == 0 && a.N != b.N {
			return int(b.N - a.N)
		}
		return compareKeys(a.Key, b.Key)
	})
}

// by names the columns that groups are split by.
func (t *Tally) by() []string {
	var names []string
	if t.opt.Every > 0 {
		names = append(names, timeBucket)
	}
	for _, c := range t.opt.By {
		names = append(names, c.String())
	}
	return names
}

// timeBucket names the column of groups by time.
const timeBucket = "from"

func groupKey(by []string, key string) []KeyValue {
	var out []KeyValue
	for i, part := range strings.Split(strings.TrimSuffix(key, "\x00"), "\x00") {
		out = append(out, KeyValue{Column: by[i], Value: part[1:], Absent: part[0] == '-'})
	}
	return out
}

func compareKeys(a, b []KeyValue) int {
	return slices.CompareFunc(a, b, func(x, y KeyValue) int {
		if x.Absent != y.Absent {
			if x.Absent {
				return 1
			}
			return -1
		}
		return strings.Compare(x.Value, y.Value)
	})
}

// instrumentation finds the column that the most undetermined requests need.
func (t *Tally) instrumentation() *Instrumentation {
	var best Instrumentation
	for c := range timeline.Column(timeline.NumColumns) {
		one := Instrumentation{Column: c}
		for need, n := range t.needs {
			one.N += n
			if need.Has(c) {
				one.Would += n
			}
			if need == timeline.MaskOf(c) {
				one.Alone += n
			}
		}
		if one.Alone > best.Alone || one.Alone == best.Alone && one.Would > best.Would {
			best = one
		}
	}
	if best.Would == 0 {
		return nil
	}
	return &best
}
