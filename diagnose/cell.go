package diagnose

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"ttdiag/diagnose/stats"
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// cell counts one group of records, or all.
type cell struct {
	n          int64
	classes    [rules.NumClasses]int64
	outcomes   [rules.NumOutcomes][rules.NumClasses]int64
	between    map[betweenKey]int64
	evaluated  [rules.NumStages]int64
	slow       [rules.NumStages]int64
	notes      map[string]int64
	pools      map[poolKey]*pool
	throughput throughput
	name       string // the key of the group, "" for all
	siblings   *siblings
}

type betweenKey struct {
	between rules.ClassSet
	need    timeline.Mask
}

func newCell(s *siblings, name string) *cell {
	return &cell{siblings: s, name: name, between: map[betweenKey]int64{}, notes: map[string]int64{}, pools: map[poolKey]*pool{}}
}

// measured is a batch with its verdicts and its metrics, which are computed once
// for all cells.
type measured struct {
	*Verdicts
	columns []MetricColumn // parallel to summaryMetrics
	reasons []cleanedBy    // by code of the column notes
	scratch timeline.Bitmap
}

// common returns the rows that are in a and in b, until the next call.
func (m *measured) common(a, b timeline.Bitmap) timeline.Bitmap {
	if len(m.scratch) < len(b) {
		m.scratch = make(timeline.Bitmap, len(b))
	}
	out := m.scratch[:len(b)]
	clear(out)
	for k := range min(len(a), len(b)) {
		out[k] = a[k] & b[k]
	}
	return out
}

// cleanedBy says which columns cleaning made absent, and why.
type cleanedBy struct {
	mask timeline.Mask
	why  [timeline.NumCleanings]timeline.Mask
}

// measuredRoom is memory for the metrics of one batch after another.
type measuredRoom struct {
	names   []string
	columns []MetricColumn
}

// newMeasured computes the metrics of a batch, which are valid until the next
// call with the same room.
func newMeasured(v *Verdicts, room *measuredRoom) *measured {
	if room.names == nil {
		room.names = computedNames()
		room.columns = make([]MetricColumn, len(room.names))
	}
	computed, ok := v.metricColumns(room.columns, room.names)
	if !ok {
		panic("diagnose: a summary metric is not in the table")
	}
	m := &measured{Verdicts: v}
	for _, name := range summaryNames {
		if c, ok := recordedOnly(name); ok {
			col := v.Batch.Numbers(c)
			m.columns = append(m.columns, MetricColumn{Unit: metricUnit(name), Values: col.Values, Valid: col.Valid})
			continue
		}
		m.columns, computed = append(m.columns, computed[0]), computed[1:]
	}
	for _, text := range v.Batch.Texts(timeline.ColNotes).Values {
		var one cleanedBy
		one.why = timeline.ParseNotes(text).Cleaned
		one.why[timeline.TPSMismatch] = 0 // kept
		for _, mask := range one.why {
			one.mask |= mask
		}
		m.reasons = append(m.reasons, one)
	}
	return m
}

// computedNames are the summary's metrics that are more than their column.
func computedNames() []string {
	var names []string
	for _, name := range summaryNames {
		if _, ok := recordedOnly(name); !ok {
			names = append(names, name)
		}
	}
	return names
}

// recordedOnly returns the column of a metric that the rules take as it is
// recorded, never as a lower bound: it need not be copied.
func recordedOnly(name string) (timeline.Column, bool) {
	m, ok := rules.TheTable().MetricNamed(name)
	if !ok || m.Value.Op != rules.OpColumn || m.Part != nil || m.Bound.Op != rules.OpEqual {
		return 0, false
	}
	for _, side := range m.Bound.Args {
		if side.Op != rules.OpLiteral {
			return 0, false
		}
	}
	return m.Value.Column, m.Bound.Args[0].Value != m.Bound.Args[1].Value
}

func (c *cell) add(m *measured, rows timeline.Bitmap) {
	c.n += int64(rows.Count())
	var skipped [1 << rules.NumStages]int64
	slow := map[rules.ClassSet]int64{}
	for i := range rows.All {
		class := m.Class[i]
		c.classes[class]++
		c.outcomes[m.Outcome[i]][class]++
		skipped[m.NotEvaluated[i]]++
		if class == rules.Undetermined {
			c.between[betweenKey{m.Between(i), m.WouldNeed(i)}]++
		}
		if class != rules.NoSlowStage {
			slow[slowSteps(m.Verdicts, i)]++
		}
		if m.Notes[i] != 0 {
			c.addNotes(m.Notes[i])
		}
	}
	c.addStages(&skipped, slow)
	c.evaluated[rules.StageLocal] += m.localRows(rows)
	c.addReaderNotes(m.Batch, rows)
	for key, part := range poolsOf(m.Verdicts, rows) {
		c.pool(key).add(m, part)
	}
	c.throughput.add(m.Batch, rows)
}

// localRows counts the rows in which any local phase or the relay's is recorded:
// the rules have a verdict on the local stage for every row.
func (m *measured) localRows(rows timeline.Bitmap) (n int64) {
	local, relay := m.column("local_ms").Valid, m.column("relay_tail_ms").Valid
	for k, w := range rows {
		var any uint64
		if k < len(local) {
			any |= local[k]
		}
		if k < len(relay) {
			any |= relay[k]
		}
		n += int64(bits.OnesCount64(w & any))
	}
	return n
}

func (m *measured) column(name string) MetricColumn {
	return m.columns[slices.Index(summaryNames, name)]
}

// addStages counts the stages that were evaluated, and those that were slow.
func (c *cell) addStages(skipped *[1 << rules.NumStages]int64, slow map[rules.ClassSet]int64) {
	for set, n := range skipped {
		for g := range rules.StageLocal {
			if !rules.StageSet(set).Has(g) {
				c.evaluated[g] += n
			}
		}
	}
	for set, n := range slow {
		var stages rules.StageSet
		for s := range set.All {
			stages |= 1 << s.Stage()
		}
		for g := range stages.All {
			c.slow[g] += n
		}
	}
}

func slowSteps(v *Verdicts, i int) rules.ClassSet {
	if class := v.Class[i]; class.Slow() {
		return v.AlsoSlow[i].With(class)
	}
	return v.AlsoSlow[i]
}

func (c *cell) addNotes(set rules.NoteSet) {
	for n := range rules.Note(rules.NumNotes) {
		if set.Has(n) {
			c.notes[n.String()]++
		}
	}
}

// addReaderNotes counts the notes of readers, by dictionary code.
func (c *cell) addReaderNotes(b *timeline.Batch, rows timeline.Bitmap) {
	col := b.Texts(timeline.ColNotes)
	if col.Codes == nil {
		return
	}
	counts := make([]int64, len(col.Values))
	for i := range rows.All {
		if col.Valid.Has(i) {
			counts[col.Codes[i]]++
		}
	}
	for k, text := range col.Values {
		set := timeline.ParseNotes(text).Set
		for n := range timeline.NumNotes {
			if set>>n&1 != 0 && counts[k] > 0 {
				c.notes[timeline.Note(n).String()] += counts[k]
			}
		}
	}
}

func (c *cell) pool(key poolKey) *pool {
	p, ok := c.pools[key]
	if !ok {
		p = newPool(c.siblings.crowd(c.name, key))
		c.pools[key] = p
	}
	return p
}

func (c *cell) merge(o *cell) {
	c.n += o.n
	for k := range c.classes {
		c.classes[k] += o.classes[k]
	}
	for k := range c.outcomes {
		for j := range c.outcomes[k] {
			c.outcomes[k][j] += o.outcomes[k][j]
		}
	}
	for k := range c.evaluated {
		c.evaluated[k] += o.evaluated[k]
		c.slow[k] += o.slow[k]
	}
	for k, n := range o.between {
		c.between[k] += n
	}
	for k, n := range o.notes {
		c.notes[k] += n
	}
	for k, p := range o.pools {
		c.pool(k).merge(p)
	}
	c.throughput.merge(&o.throughput)
}

// summary may use several goroutines.
func (c *cell) summary(key []KeyValue, method stats.Method, jobs int) GroupSummary {
	g := GroupSummary{Key: key, N: c.n, Throughput: c.throughput.result()}
	g.Classes = classCounts(c.classes)
	for i := range g.Classes {
		if g.Classes[i].Class == rules.Undetermined {
			g.Classes[i].Between = c.betweenCounts()
		}
	}
	for o, classes := range c.outcomes {
		one := OutcomeCount{Outcome: rules.Outcome(o), Classes: classCounts(classes)}
		for _, k := range one.Classes {
			one.Count += k.Count
		}
		if one.Count > 0 {
			g.Outcomes = append(g.Outcomes, one)
		}
	}
	for s := range rules.Stage(rules.NumStages) {
		g.Stages = append(g.Stages, StageCount{Stage: s, Evaluated: c.evaluated[s], Slow: c.slow[s], N: c.n})
	}
	for _, name := range slices.Sorted(maps.Keys(c.notes)) {
		g.Notes = append(g.Notes, ReasonCount{name, c.notes[name]})
	}
	for _, k := range slices.SortedFunc(maps.Keys(c.pools), poolKey.compare) {
		g.Pools = append(g.Pools, c.pools[k].summary(k, method, jobs))
	}
	return g
}

func classCounts(counts [rules.NumClasses]int64) []ClassCount {
	var out []ClassCount
	for k, n := range counts {
		if n > 0 {
			out = append(out, ClassCount{Class: rules.Class(k), Count: n})
		}
	}
	return out
}

func (c *cell) betweenCounts() []BetweenCount {
	var out []BetweenCount
	for k, n := range c.between {
		out = append(out, BetweenCount{Between: k.between, WouldNeed: k.need, Count: n})
	}
	slices.SortFunc(out, func(a, b BetweenCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Between, b.Between), cmp.Compare(a.WouldNeed, b.WouldNeed))
	})
	return out
}

// throughput is the tokens of requests that have a start, and the span of time
// from the first start to the last end.
type throughput struct {
	n, tokens int64
	from, to  int64
}

func (t *throughput) add(b *timeline.Batch, rows timeline.Bitmap) {
	tokens, start := b.Numbers(timeline.ColOutputTokens), b.Numbers(timeline.ColTimestamp)
	if tokens.Values == nil || start.Values == nil {
		return
	}
	done, total := b.Numbers(timeline.ColUpstreamDone), b.Numbers(timeline.ColTotalHandler)
	for i := range rows.All {
		if !tokens.Valid.Has(i) || !start.Valid.Has(i) {
			continue
		}
		end := start.Values[i]
		switch {
		case total.Valid.Has(i):
			end += total.Values[i]
		case done.Valid.Has(i):
			end += done.Values[i]
		}
		t.extend(throughput{n: 1, tokens: tokens.Values[i], from: start.Values[i], to: end})
	}
}

func (t *throughput) extend(o throughput) {
	if t.n == 0 {
		*t = o
		return
	}
	t.n += o.n
	t.tokens += o.tokens
	t.from, t.to = min(t.from, o.from), max(t.to, o.to)
}

func (t *throughput) merge(o *throughput) {
	if o.n > 0 {
		t.extend(*o)
	}
}

func (t *throughput) result() Throughput {
	return Throughput{N: t.n, Tokens: t.tokens, SpanUs: t.to - t.from}
}
