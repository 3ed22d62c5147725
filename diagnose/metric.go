package diagnose

import (
	"math/bits"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// MetricColumn is one metric over the rows of a batch.
type MetricColumn struct {
	Unit   rules.Unit
	Values []int64 // in the kept whole numbers of Unit; nil where no row has the metric
	Valid  timeline.Bitmap
	Bound  timeline.Bitmap // the wait was cut off: the value is a lower bound
}

// Metrics returns the names that [Verdicts.Metric] knows, in table order.
func Metrics() []string {
	var names []string
	for _, m := range rules.TheTable().Metrics {
		names = append(names, m.Name)
	}
	return names
}

// Metric returns a recorded or derived metric of every row, by its name, and
// false where there is none of that name. Where a failed request waited for a
// mark that never came, the value is the wait so far and marked in Bound.
func (v *Verdicts) Metric(name string) (MetricColumn, bool) {
	list, ok := v.MetricColumns(name)
	if !ok {
		return MetricColumn{}, false
	}
	return list[0], true
}

// MetricColumns returns several metrics in one pass over the batch, in the order
// of names, and false where one of the names is none.
func (v *Verdicts) MetricColumns(names ...string) ([]MetricColumn, bool) {
	return v.metricColumns(make([]MetricColumn, len(names)), names)
}

// metricColumns is MetricColumns in the memory of columns, one for each name,
// that are no longer used. It leaves what it does not use of it as it is.
func (v *Verdicts) metricColumns(room []MetricColumn, names []string) ([]MetricColumn, bool) {
	index := make([]int, len(names))
	for i, name := range names {
		if index[i] = metricIndex(name); index[i] < 0 {
			return nil, false
		}
	}
	out := make([]MetricColumn, len(names))
	if v.machine == nil {
		defer v.Release()
	}
	for lo := 0; lo < v.Batch.Len(); lo += blockRows {
		m := v.load(lo)
		for i, k := range index {
			m.copyMetric(&m.metrics[k], &out[i], &room[i])
		}
	}
	for i, k := range index {
		out[i].Unit = rules.TheTable().Metrics[k].Unit
	}
	return out, true
}

func metricIndex(name string) int {
	for i, m := range rules.TheTable().Metrics {
		if m.Name == name {
			return i
		}
	}
	return -1
}

func (m *machine) copyMetric(q *measure, out, room *MetricColumn) {
	if q.value.isNull() && (q.part == nil || q.part.isNull()) {
		return
	}
	if out.Values == nil {
		room.grow(m.batch.Len())
		*out = *room
	}
	vals, valid := m.numbers(q.value)
	copy(out.Valid[m.lo/64:], valid[:m.words])
	for w := range m.words {
		copyValid(out.Values[m.lo+w*64:], vals[w*64:], valid[w])
	}
	bound, _ := m.truth(q.bound)
	copy(out.Bound[m.lo/64:], bound[:m.words])
	if q.part != nil {
		m.copyQuotients(q, out)
	}
}

// grow makes the columns n rows long. What stands in them means nothing.
func (c *MetricColumn) grow(n int) {
	words := (n + 63) / 64
	if cap(c.Values) < n {
		c.Values = make([]int64, n)
	}
	if cap(c.Valid) < words || cap(c.Bound) < words {
		c.Valid, c.Bound = timeline.NewBitmap(n), timeline.NewBitmap(n)
	}
	c.Values, c.Valid, c.Bound = c.Values[:n], c.Valid[:words], c.Bound[:words]
}

func copyValid(to, from []int64, set uint64) {
	if set == ^uint64(0) {
		copy(to[:64], from)
		return
	}
	for i := range (timeline.Bitmap{set}).All {
		to[i] = from[i]
	}
}

// copyQuotients fills in the quotient where there is no value.
func (m *machine) copyQuotients(q *measure, out *MetricColumn) {
	part, partValid := m.numbers(q.part)
	whole, wholeValid := m.numbers(q.whole)
	for w := range m.words {
		at := m.lo/64 + w
		more := partValid[w] & wholeValid[w] &^ out.Valid[at]
		out.Valid[at] |= more
		for i := range (timeline.Bitmap{more}).All {
			row := w*64 + i
			out.Values[m.lo+row] = quotient(part[row], q.metric.Scale, whole[row])
		}
	}
}

// quotient returns part × scale ÷ whole rounded to the nearest, for part ≥ 0 and
// whole > 0; the greatest int64 where it is larger.
func quotient(part, scale, whole int64) int64 {
	const most = 1<<63 - 1
	hi, lo := bits.Mul64(uint64(part), uint64(scale))
	lo, carry := bits.Add64(lo, uint64(whole/2), 0)
	hi += carry
	if hi >= uint64(whole) {
		return most
	}
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return int64(min(q, most))
}

// reading is a metric of one row.
type reading struct {
	value   int64
	ok      bool
	bound   bool
	derived bool // a quotient
}

func (m *machine) read(metric, i int) reading {
	q := &m.metrics[metric]
	if v, ok := m.at(q.value, i); ok {
		return reading{value: v, ok: true, bound: m.has(q.bound, i)}
	}
	if q.part == nil {
		return reading{}
	}
	part, ok1 := m.at(q.part, i)
	whole, ok2 := m.at(q.whole, i)
	if !ok1 || !ok2 {
		return reading{}
	}
	return reading{value: quotient(part, q.metric.Scale, whole), ok: true, derived: true}
}
