package diagnose

import (
	"bytes"
	"slices"

	"ttdiag/diagnose/stats"
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// PeerTally compares one request with others. Give it every batch that is to be
// looked at, the request's own too. It is not safe for concurrent use.
type PeerTally struct {
	target  peerTarget
	looked  int64
	n       int64
	ranks   []peerSample
	shares  [len(peerLabels)][2]stats.Share // elsewhere, here
	load    PeerLoad
	busy    int64 // µs that requests were in progress in the minutes around
	from    int64 // the part of these minutes for which there are requests
	to      int64
	minutes [2*minutesEach + 1]PeerMinute
	why     *WhyTally // nil where the target is not slow
}

type peerSample struct {
	PeerRank
	sample stats.Sample
}

// peerTarget is the request.
type peerTarget struct {
	id         string
	source     Source
	class      rules.Class
	mode       mode
	labels     [len(peerLabels)]string
	model      string
	workload   string
	tokens     int64 // bin of input tokens
	hasTokens  bool
	start, end int64
	timed      bool // start is known
	ended      bool
	values     map[string]string // of the dimensions by which slow requests are compared
}

// NewPeerTally returns an empty tally for row i of v.
func NewPeerTally(v *Verdicts, i int) *PeerTally {
	b := v.Batch
	t := &PeerTally{target: peerTarget{
		id: b.Text(timeline.ColRequestID, i), source: sourceOf(b, i), class: v.Class[i], mode: v.modeOf(i),
		model: b.Text(timeline.ColModel, i), workload: b.Text(timeline.ColWorkload, i),
	}}
	for k, c := range peerLabels {
		t.target.labels[k] = b.Text(c, i)
	}
	if tokens, ok := b.Num(timeline.ColInputTokens, i); ok {
		t.target.tokens, t.target.hasTokens = tokenBin(tokens), true
	}
	t.target.start, t.target.end, t.target.timed, t.target.ended = spanOf(b, i)
	for k := range t.minutes {
		t.minutes[k].Start = t.target.start - t.target.start%minuteUs + int64(k-minutesEach)*minuteUs
	}
	t.addRanks(v, i)
	if !t.anySlow() {
		t.why = NewWhyTally(WhyOptions{})
		t.target.values = map[string]string{}
		for _, d := range whyDimensions() {
			key, text := d.reader(v)
			if k, ok := key(i); ok {
				t.target.values[d.name] = text(k)
			}
		}
	}
	return t
}

// Of reports whether the tally is of the attempt that x explains.
func (t *PeerTally) Of(x *Explanation) bool { return t.target.source == x.Source }

// spanOf returns the start and the end of row i, µs since the epoch.
func spanOf(b *timeline.Batch, i int) (start, end int64, timed, ended bool) {
	start, timed = b.Num(timeline.ColTimestamp, i)
	length, ended := b.Num(timeline.ColTotalHandler, i)
	if !ended {
		length, ended = b.Num(timeline.ColUpstreamDone, i)
	}
	return start, start + length, timed, timed && ended
}

func (t *PeerTally) addRanks(v *Verdicts, i int) {
	add := func(stage, metric string) bool {
		col, ok := v.Metric(metric)
		if !ok || !col.Valid.Has(i) {
			return false
		}
		r := peerSample{PeerRank: PeerRank{
			Stage: stage, Metric: metric, Unit: col.Unit, Value: col.Values[i], LowerBound: col.Bound.Has(i), Tail: tailOf(col.Unit),
		}}
		r.sample.Tail = r.Tail
		t.ranks = append(t.ranks, r)
		return true
	}
	for _, step := range rules.TheTable().Steps {
		if !add(step.Stage.String(), step.Metric.Name) && step.Other != nil {
			add(step.Stage.String(), step.Other.Name)
		}
	}
	add("", "end_to_end_ms")
	if at, ok := v.Batch.Num(timeline.ColInflight, i); ok {
		t.ranks = append(t.ranks, peerSample{PeerRank: PeerRank{Metric: timeline.ColInflight.String(), Unit: rules.Plain, Value: at}})
	}
}

func tailOf(u rules.Unit) stats.Tail {
	if u == rules.TokensPerSecond {
		return stats.Low
	}
	return stats.High
}

// Add looks at the rows of v.
func (t *PeerTally) Add(v *Verdicts) {
	t.looked += int64(v.Batch.Len())
	t.addLoad(v)
	if t.why != nil {
		t.why.Add(v)
	}
	peers := t.peers(v)
	n := peers.Count()
	t.n += int64(n)
	if n == 0 {
		return
	}
	t.addSamples(v, peers)
	t.addShares(v, peers)
}

func (t *PeerTally) addSamples(v *Verdicts, peers timeline.Bitmap) {
	var names []string
	for k := range t.ranks {
		if t.ranks[k].Unit != rules.Plain {
			names = append(names, t.ranks[k].Metric)
		}
	}
	columns, ok := v.MetricColumns(names...)
	if !ok {
		panic("diagnose: a ranked metric is not in the table")
	}
	if len(names) < len(t.ranks) { // the last one is inflight
		col := v.Batch.Numbers(timeline.ColInflight)
		columns = append(columns, MetricColumn{Values: col.Values, Valid: col.Valid})
	}
	for k, col := range columns {
		if col.Values != nil {
			t.ranks[k].sample.AddSlice(col.Values, both(col.Valid, peers), col.Bound, 0)
		}
	}
}

// peers returns the rows that are like the target, without its own attempts.
func (t *PeerTally) peers(v *Verdicts) timeline.Bitmap {
	b := v.Batch
	model := wanted(b.Texts(timeline.ColModel), t.target.model)
	workload := wanted(b.Texts(timeline.ColWorkload), t.target.workload)
	out := timeline.NewBitmap(b.Len())
	for i := range b.Len() {
		if v.modeOf(i) != t.target.mode || !model(i) || !workload(i) || t.isTarget(b, i) {
			continue
		}
		if tokens, ok := b.Num(timeline.ColInputTokens, i); t.target.hasTokens && (!ok || tokenBin(tokens) != t.target.tokens) {
			continue
		}
		out.Set(i)
	}
	return out
}

// wanted returns whether a row has a text; every row has an absent one.
func wanted(col timeline.Texts, text string) func(i int) bool {
	if text == "" {
		return func(int) bool { return true }
	}
	is := make([]bool, len(col.Values))
	for k, value := range col.Values {
		is[k] = value == text
	}
	return func(i int) bool { return col.Valid.Has(i) && is[col.Codes[i]] }
}

func (t *PeerTally) isTarget(b *timeline.Batch, i int) bool {
	if t.target.id != "" {
		return bytes.Equal(b.RequestIDs().At(i), []byte(t.target.id))
	}
	line, _ := b.Num(timeline.ColSourceLine, i)
	at, ok := b.Num(timeline.ColSourceByte, i)
	return line == t.target.source.Line && (!ok || at == t.target.source.Byte) && b.Text(timeline.ColSourceFile, i) == t.target.source.File
}

// counts reports whether row i is of what is counted.
func (t *PeerTally) counts(v *Verdicts, i int) bool {
	if t.anySlow() {
		return v.Class[i].Slow()
	}
	return v.Class[i] == t.target.class
}

func (t *PeerTally) anySlow() bool { return t.target.class == rules.NoSlowStage }

func (t *PeerTally) addShares(v *Verdicts, peers timeline.Bitmap) {
	for k, c := range peerLabels {
		if t.target.labels[k] == "" {
			continue
		}
		col := v.Batch.Texts(c)
		here := wanted(col, t.target.labels[k])
		for i := range both(col.Valid, peers).All {
			side := &t.shares[k][0]
			if here(i) {
				side = &t.shares[k][1]
			}
			side.N++
			if t.counts(v, i) {
				side.K++
			}
		}
	}
}

// addLoad counts what else went on, whether peer or not.
func (t *PeerTally) addLoad(v *Verdicts) {
	if !t.target.timed {
		return
	}
	first := t.minutes[0].Start
	last := t.minutes[len(t.minutes)-1].Start + minuteUs
	for i := range v.Batch.Len() {
		start, end, timed, ended := spanOf(v.Batch, i)
		if !timed {
			continue
		}
		if at := (start - first) / minuteUs; start >= first && start < last {
			m := &t.minutes[at]
			m.N++
			if t.counts(v, i) {
				m.OfClass++
			}
			if v.Outcome[i].Failed() {
				m.Failed++
			}
		}
		if ended {
			t.addSpan(v.Batch, i, [2]int64{start, end}, [2]int64{first, last})
		}
	}
}

// addSpan counts a request that is in progress in span; around are the minutes
// around the target.
func (t *PeerTally) addSpan(b *timeline.Batch, i int, span, around [2]int64) {
	t.load.Timed++
	if t.load.Timed == 1 {
		t.from, t.to = span[0], span[1]
	}
	t.from, t.to = min(t.from, span[0]), max(t.to, span[1])
	t.busy += max(0, min(span[1], around[1])-max(span[0], around[0]))
	if !t.target.ended || t.isTarget(b, i) {
		return
	}
	if span[0] <= t.target.start && t.target.start < span[1] {
		t.load.AtStart++
	}
	if span[0] < t.target.end && t.target.start < span[1] {
		t.load.Overlap++
	}
}

// Merge adds what o saw. Both must be of the same request.
func (t *PeerTally) Merge(o *PeerTally) {
	t.looked += o.looked
	t.n += o.n
	if t.why != nil {
		t.why.Merge(o.why)
	}
	for k := range t.ranks {
		t.ranks[k].sample.Merge(&o.ranks[k].sample)
	}
	for k := range t.shares {
		for side := range t.shares[k] {
			t.shares[k][side].K += o.shares[k][side].K
			t.shares[k][side].N += o.shares[k][side].N
		}
	}
	for k := range t.minutes {
		t.minutes[k].N += o.minutes[k].N
		t.minutes[k].OfClass += o.minutes[k].OfClass
		t.minutes[k].Failed += o.minutes[k].Failed
	}
	if o.load.Timed > 0 {
		if t.load.Timed == 0 {
			t.from, t.to = o.from, o.to
		}
		t.from, t.to = min(t.from, o.from), max(t.to, o.to)
	}
	t.load.Timed += o.load.Timed
	t.load.AtStart += o.load.AtStart
	t.load.Overlap += o.load.Overlap
	t.busy += o.busy
}

// Peers returns what was seen.
func (t *PeerTally) Peers() *Peers {
	p := &Peers{Of: t.common(), N: t.n, Looked: t.looked, Class: t.target.class, AnySlow: t.anySlow(), Load: t.load}
	for k := range t.ranks {
		r := t.ranks[k].PeerRank
		r.Position = t.ranks[k].sample.Position(r.Value)
		r.Median = t.ranks[k].sample.Figures(stats.NearestRank, stats.P50)[0]
		if r.Unit == rules.Plain {
			p.Load.Inflight = &r
			continue
		}
		p.Ranks = append(p.Ranks, r)
	}
	p.Shares = t.shareList()
	p.Apart = t.apart()
	if !t.target.timed {
		return p
	}
	p.Load.Known = t.target.ended
	around := [2]int64{t.minutes[0].Start, t.minutes[len(t.minutes)-1].Start + minuteUs}
	if span := min(t.to, around[1]) - max(t.from, around[0]); span > 0 && t.load.Timed > 0 {
		p.Load.Mean = float64(t.busy) / float64(span)
	}
	p.Minutes = append(p.Minutes, t.minutes[:]...)
	return p
}

// apart finds what sets the target's class apart.
func (t *PeerTally) apart() *PeerApart {
	if t.why == nil {
		return nil
	}
	w := t.why.Why()
	for _, c := range w.Classes {
		if c.Class != t.target.class {
			continue
		}
		out := &PeerApart{WhyClass: c, N: w.N}
		for _, f := range c.Findings {
			out.Has = append(out.Has, !slices.ContainsFunc(f.Where, func(k KeyValue) bool { return t.target.values[k.Column] != k.Value }))
		}
		return out
	}
	return nil
}

func (t *PeerTally) common() []KeyValue {
	var of []KeyValue
	add := func(name, value string) {
		if value != "" {
			of = append(of, KeyValue{Column: name, Value: value})
		}
	}
	add("model", t.target.model)
	add("stream", t.target.mode.String())
	add("workload", t.target.workload)
	if t.target.hasTokens {
		add("input_tokens", tokenBinLabel(t.target.tokens))
	}
	return of
}

func (t *PeerTally) shareList() []PeerShare {
	var out []PeerShare
	var p []float64
	for k, c := range peerLabels {
		elsewhere, here := t.shares[k][0], t.shares[k][1]
		if t.target.labels[k] == "" || here.N == 0 || elsewhere.N == 0 {
			continue
		}
		one := PeerShare{Column: c.String(), Value: t.target.labels[k], Here: here, Elsewhere: elsewhere}
		one.Lo, one.Hi = stats.Newcombe(elsewhere, here)
		p = append(p, stats.FisherExact(elsewhere, here))
		out = append(out, one)
	}
	for i, adjusted := range stats.BenjaminiHochberg(p) {
		out[i].P = adjusted
	}
	return out
}
