package diagnose

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"ttdiag/diagnose/stats"
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// poolKey is what requests must share for their figures to stand together.
type poolKey struct {
	mode       mode
	vantage    string
	firstToken string
	approx     string // text of the label
}

type mode uint8

const (
	streaming mode = iota
	nonStreaming
	unknownMode
)

func (m mode) String() string { return [...]string{"streaming", "non_streaming", "unknown"}[m] }

func (k poolKey) compare(o poolKey) int {
	return cmp.Or(cmp.Compare(k.mode, o.mode), strings.Compare(k.vantage, o.vantage),
		strings.Compare(k.firstToken, o.firstToken), strings.Compare(k.approx, o.approx))
}

// poolsOf splits rows by what their figures mean.
func poolsOf(v *Verdicts, rows timeline.Bitmap) map[poolKey]timeline.Bitmap {
	out := map[poolKey]timeline.Bitmap{}
	stream := v.Batch.Numbers(timeline.ColStream)
	vantage := v.Batch.Texts(timeline.ColVantage)
	first := v.Batch.Texts(timeline.ColFirstTokenBasis)
	approx := v.Batch.Texts(timeline.ColApprox)
	var last struct {
		codes [4]int32
		rows  timeline.Bitmap
	}
	for i := range rows.All {
		m := unknownMode
		switch {
		case v.NonStreaming.Has(i):
			m = nonStreaming
		case stream.Valid.Has(i) && stream.Values[i] != 0:
			m = streaming
		}
		codes := [4]int32{int32(m), codeAt(vantage, i), codeAt(first, i), codeAt(approx, i)}
		if last.rows == nil || codes != last.codes {
			key := poolKey{m, vantage.At(i), first.At(i), approx.At(i)}
			if out[key] == nil {
				out[key] = timeline.NewBitmap(v.Batch.Len())
			}
			last.codes, last.rows = codes, out[key]
		}
		last.rows.Set(i)
	}
	return out
}

func codeAt(t timeline.Texts, i int) int32 {
	if !t.Valid.Has(i) {
		return -1
	}
	return t.Codes[i]
}

// pool holds the samples of one pool.
type pool struct {
	n       int64
	metrics []pooled // parallel to rules.Metrics
}

type pooled struct {
	sample stats.Sample
	worst  Worst
}

func newPool(crowd []stats.Crowd) *pool {
	p := &pool{metrics: make([]pooled, len(summaryMetrics))}
	for k, m := range summaryMetrics {
		p.metrics[k].sample.Tail, p.metrics[k].sample.Crowd = m.tail, &crowd[k]
	}
	return p
}

// summaryMetrics are the metrics that a summary shows, in its order.
var summaryMetrics = []struct {
	name string
	tail stats.Tail
}{
	{"auth_ms", stats.High}, {"distribution_ms", stats.High}, {"body_read_ms", stats.High}, {"local_ms", stats.High},
	{"upstream_start_ms", stats.High},
	{"upstream_headers_ms", stats.High}, {"first_sse_event_ms", stats.High},
	{"first_response_ms", stats.High}, {"first_text_delta_ms", stats.High},
	{"upstream_done_ms", stats.High}, {"total_handler_ms", stats.High},
	{"event_to_response_gap_ms", stats.High}, {"response_to_text_gap_ms", stats.High},
	{"visible_generation_window_ms", stats.High}, {"inter_token_latency_ms", stats.High},
	{"relay_tail_ms", stats.High}, {"end_to_end_ms", stats.High},
	{"visible_output_tps", stats.Low}, {"effective_output_tps", stats.Low},
}

// summaryNames are the names of the summary's metrics.
var summaryNames = func() []string {
	var names []string
	for _, m := range summaryMetrics {
		names = append(names, m.name)
	}
	return names
}()

func (p *pool) add(m *measured, rows timeline.Bitmap) {
	n := int64(rows.Count())
	p.n += n
	for k, metric := range summaryMetrics {
		col, at := m.columns[k], &p.metrics[k]
		before := at.sample.N()
		if col.Values != nil {
			valid := m.common(col.Valid, rows)
			at.sample.AddSlice(col.Values, valid, col.Bound, 0)
			at.worst.add(m.Verdicts, col, valid, metric.tail)
		}
		at.addAbsent(m, metric.name, rows, col.Valid, n-(at.sample.N()-before))
	}
}

func both(a, b timeline.Bitmap) timeline.Bitmap {
	out := make(timeline.Bitmap, len(b))
	for k := range min(len(a), len(b)) {
		out[k] = a[k] & b[k]
	}
	return out
}

// The reasons for which a row has no value of a metric, beside those of cleaning.
const (
	notRecorded  = "not_recorded"
	inputsAbsent = "inputs_absent" // a derived metric lacks one of its marks or counts
)

// addAbsent counts the rows without a value by reason.
func (p *pooled) addAbsent(m *measured, name string, rows, valid timeline.Bitmap, absent int64) {
	if absent == 0 {
		return
	}
	c, ok := timeline.ColumnNamed(name)
	if !ok {
		p.sample.AddAbsent(inputsAbsent, absent)
		return
	}
	absent -= p.addCleaned(m, c, rows, valid)
	p.sample.AddAbsent(notRecorded, absent)
}

// addCleaned counts the rows whose value cleaning removed.
func (p *pooled) addCleaned(m *measured, c timeline.Column, rows, valid timeline.Bitmap) int64 {
	if !slices.ContainsFunc(m.reasons, func(by cleanedBy) bool { return by.mask.Has(c) }) {
		return 0
	}
	col := m.Batch.Texts(timeline.ColNotes)
	var sum int64
	for i := range both(col.Valid, rows).All {
		by := &m.reasons[col.Codes[i]]
		if valid.Has(i) || !by.mask.Has(c) {
			continue
		}
		for why, mask := range by.why {
			if mask.Has(c) {
				p.sample.AddAbsent(timeline.Cleaning(why).String(), 1)
				break
			}
		}
		sum++
	}
	return sum
}

// add keeps the worst value of the batch. Of equal values a lower bound comes
// first, then the least request id and place, so that order does not matter.
func (w *Worst) add(v *Verdicts, col MetricColumn, valid timeline.Bitmap, tail stats.Tail) {
	best, ok := extremeOf(col.Values, valid, tail)
	if !ok || w.OK && worse(w.Value, best, tail) {
		return
	}
	for k, word := range valid {
		for ; word != 0; word &= word - 1 {
			i := k<<6 | bits.TrailingZeros64(word)
			if col.Values[i] != best || w.isBefore(v.Batch, i, best, col.Bound.Has(i)) {
				continue
			}
			w.take(Worst{
				OK: true, Value: col.Values[i], LowerBound: col.Bound.Has(i),
				RequestID: v.Batch.Text(timeline.ColRequestID, i), Source: sourceOf(v.Batch, i),
			}, tail)
		}
	}
}

// isBefore reports whether w stands before an equal value of row i for what can be
// told without a copy of its texts.
func (w *Worst) isBefore(b *timeline.Batch, i int, value int64, bound bool) bool {
	return w.OK && w.Value == value && w.LowerBound == bound && w.RequestID < string(b.RequestIDs().At(i))
}

// extremeOf returns the worst of the values, and false where there is none.
func extremeOf(values []int64, valid timeline.Bitmap, tail stats.Tail) (best int64, ok bool) {
	sign := int64(1)
	if tail == stats.Low {
		sign = -1
	}
	best = math.MinInt64
	for k, word := range valid {
		ok = ok || word != 0
		part := values[k<<6:]
		for ; word != 0; word &= word - 1 {
			best = max(best, sign*part[bits.TrailingZeros64(word)])
		}
	}
	return sign * best, ok
}

func worse(a, b int64, tail stats.Tail) bool {
	if tail == stats.Low {
		return a < b
	}
	return a > b
}

func (w *Worst) take(o Worst, tail stats.Tail) {
	switch {
	case !o.OK:
	case !w.OK || worse(o.Value, w.Value, tail), o.Value == w.Value && w.before(o) > 0:
		*w = o
	}
}

// before orders worst values that are equal.
func (w *Worst) before(o Worst) int {
	if w.LowerBound != o.LowerBound {
		if w.LowerBound {
			return -1
		}
		return 1
	}
	return cmp.Or(strings.Compare(w.RequestID, o.RequestID), w.Source.compare(o.Source))
}

func (s Source) compare(o Source) int {
	return cmp.Or(strings.Compare(s.File, o.File), cmp.Compare(s.Line, o.Line), cmp.Compare(s.Byte, o.Byte))
}

func (p *pool) merge(o *pool) {
	p.n += o.n
	for k := range p.metrics {
		p.metrics[k].sample.Merge(&o.metrics[k].sample)
		p.metrics[k].worst.take(o.metrics[k].worst, summaryMetrics[k].tail)
	}
}

func (p *pool) summary(key poolKey, method stats.Method, jobs int) Pool {
	out := Pool{Mode: key.mode.String(), N: p.n, Basis: key.basis()}
	figures := make([][]stats.Figure, len(summaryMetrics))
	each(len(figures), jobs, func(k int) {
		figures[k] = p.metrics[k].sample.Figures(method, summaryMetrics[k].tail.Levels()...)
	})
	for k, m := range summaryMetrics {
		at := &p.metrics[k]
		f := MetricFigures{
			Metric: m.name, Unit: metricUnit(m.name), Tail: m.tail, N: at.sample.N(), Bounds: at.sample.Bounds(),
			Figures: figures[k], Worst: at.worst,
			Approx: approxOf(out.Basis.Label, m.name),
		}
		for reason, n := range at.sample.Absent() {
			f.Absent = append(f.Absent, ReasonCount{reason, n})
		}
		if f.N > 0 || len(f.Absent) > 0 {
			out.Metrics = append(out.Metrics, f)
		}
	}
	return out
}

func metricUnit(name string) rules.Unit {
	if strings.HasSuffix(name, "_tps") {
		return rules.TokensPerSecond
	}
	return rules.Milliseconds
}

func approxOf(label *timeline.Label, metric string) *timeline.Approx {
	if label == nil {
		return nil
	}
	for i := range label.Items {
		if label.Items[i].Column == metric {
			return &label.Items[i]
		}
	}
	return nil
}

// sourceOf returns where row i was read.
func sourceOf(b *timeline.Batch, i int) Source {
	s := Source{File: b.Text(timeline.ColSourceFile, i), Byte: -1}
	if line, ok := b.Num(timeline.ColSourceLine, i); ok {
		s.Line = line
	}
	if at, ok := b.Num(timeline.ColSourceByte, i); ok {
		s.Byte = at
	}
	return s
}
