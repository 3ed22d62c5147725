package diagnose

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"ttdiag/diagnose/stats"
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// CheckSchema names the layout of a [Check] in output.
const CheckSchema = "ttdiag.check/1"

// CheckedSchema names the layout of one [Checked] in output that has a line for
// each.
const CheckedSchema = "ttdiag.check_result/1"

// Check is what became of requirements.
type Check struct {
	N          int64 // requests that were judged
	Thresholds rules.InForce
	OnInterval bool // the unfavourable end of the interval must hold them
	Method     stats.Method
	By         []string
	Other      int64 // requests of groups beyond the limit, which were not checked
	Results    []Checked
}

// CheckVerdict is what became of one requirement.
type CheckVerdict uint8

// The verdicts, from best to worst for an exit status.
const (
	Pass CheckVerdict = iota
	TooLittle
	Fail
)

// String returns the name of the verdict in outputs.
func (v CheckVerdict) String() string { return [...]string{"pass", "too_little", "fail"}[v] }

// Checked is one requirement on one group and, for metrics, one pool.
type Checked struct {
	Requirement string
	Group       []KeyValue
	Mode        string // of a metric: streaming, non_streaming or unknown
	Basis       Basis
	Verdict     CheckVerdict
	Reason      string // why, in words
	Unit        rules.Unit
	Limit       int64 // kept in the unit
	Op          string
	N           int64
	NeedsN      int64         // requests that would do, 0 where that is not known or not missing
	Figure      *stats.Figure // of a percentile, max or min; these two have no interval
	Share       *stats.Share  // of a share or count; of a count N is that of all requests
	Lo, Hi      float64       // Wilson interval of a share
	Approximate bool
}

// Verdict returns the worst of the results; too little where there is none, or
// where requests were left unchecked.
func (c *Check) Verdict() CheckVerdict {
	worst := Pass
	if len(c.Results) == 0 || c.Other > 0 {
		worst = TooLittle
	}
	for i := range c.Results {
		worst = max(worst, c.Results[i].Verdict)
	}
	return worst
}

// Check tests requirements on what was counted: on every group where the tally
// splits, else on all. onInterval has the unfavourable end of the interval, the
// upper one under a limit from above, hold the requirement too.
func (t *Tally) Check(list []Requirement, onInterval bool) *Check {
	c := &Check{N: t.totals.Judged, Thresholds: t.engine.Thresholds().InForce(), OnInterval: onInterval, Method: t.opt.Method, By: t.by(), Other: t.other}
	if len(c.By) == 0 || len(t.groups) == 0 {
		for _, r := range list {
			c.Results = append(c.Results, t.whole.check(r, nil, c)...)
		}
		return c
	}
	for _, key := range slices.Sorted(maps.Keys(t.groups)) {
		for _, r := range list {
			c.Results = append(c.Results, t.groups[key].check(r, groupKey(c.By, key), c)...)
		}
	}
	return c
}

func (c *cell) check(r Requirement, group []KeyValue, how *Check) []Checked {
	base := Checked{Requirement: r.text, Group: group, Unit: r.unit, Limit: r.limit, Op: r.op}
	if r.metric < 0 {
		base.N = c.n
		if r.share {
			c.checkShare(r, &base, how.OnInterval)
		} else {
			c.checkCount(r, &base)
		}
		return []Checked{base}
	}
	var out []Checked
	for _, key := range slices.SortedFunc(maps.Keys(c.pools), poolKey.compare) {
		at := &c.pools[key].metrics[r.metric]
		if at.sample.N() == 0 {
			continue
		}
		one := base
		basis := key.basis()
		one.Mode, one.Basis, one.N = key.mode.String(), basis, at.sample.N()
		one.Approximate = approxOf(basis.Label, summaryNames[r.metric]) != nil
		f := r.figure(&at.sample, how.Method)
		one.Figure = &f
		r.judge(&one, f, how.OnInterval)
		out = append(out, one)
	}
	if len(out) == 0 {
		base.tooLittle("no request has a value", 0)
		out = append(out, base)
	}
	return out
}

// figure returns the percentile, or the extreme value as a figure without
// interval.
func (r Requirement) figure(s *stats.Sample, method stats.Method) stats.Figure {
	f := stats.Figure{Method: method, N: s.N(), Bounds: s.Bounds()}
	switch r.extreme {
	case greatest:
		f.Point = s.Max().Point
	case least:
		f.Point = s.Min().Point
	default:
		return s.Figures(method, r.level)[0]
	}
	return f
}

func (c *Checked) tooLittle(reason string, needs int64) {
	c.Verdict, c.Reason, c.NeedsN = TooLittle, reason, needs
}

func (c *Checked) fail(reason string) { c.Verdict, c.Reason = Fail, reason }

// judge decides on a figure. A lower bound is known to be at least its value.
func (r Requirement) judge(out *Checked, f stats.Figure, onInterval bool) {
	if !f.OK {
		r.judgeSmall(out, f)
		return
	}
	holds := r.holds(f.Value, r.limit)
	switch {
	case f.LowerBound && holds && r.upper():
		out.tooLittle("it lands on a wait that was cut off: the true value is at least this", 0)
	case f.LowerBound && !holds && !r.upper():
		out.tooLittle("it lands on a wait that was cut off: the true value may be above the limit", 0)
	case !holds:
		out.fail("the value is beyond the limit")
	case onInterval && r.extreme == noExtreme:
		r.judgeInterval(out, f)
	}
}

// judgeSmall decides where the sample is too small for the percentile: an end of
// its interval may be beyond the limit all the same.
func (r Requirement) judgeSmall(out *Checked, f stats.Figure) {
	if at, ok := f.AtLeast(); ok && r.upper() && !r.holds(at.Value, r.limit) {
		out.fail("n is too small for a value, but it is at least the lower end of the interval, beyond the limit")
		return
	}
	if at, ok := f.AtMost(); ok && !r.upper() && !at.LowerBound && !r.holds(at.Value, r.limit) {
		out.fail("n is too small for a value, but it is at most the upper end of the interval, beyond the limit")
		return
	}
	out.tooLittle(fmt.Sprintf("n=%d is too small for a value", f.N), f.NeedsN)
}

func (r Requirement) judgeInterval(out *Checked, f stats.Figure) {
	end, needs, name := f.Hi, f.HiNeedsN, "upper"
	if !r.upper() {
		end, needs, name = f.Lo, f.LoNeedsN, "lower"
	}
	switch holds := r.holds(end.Value, r.limit); {
	case !end.OK:
		out.tooLittle(fmt.Sprintf("n=%d is too small for an interval with an %s end", f.N, name), needs)
	case !holds:
		out.fail("the " + name + " end of the interval is beyond the limit")
	case end.LowerBound && r.upper():
		out.tooLittle("the upper end of the interval lands on a wait that was cut off", 0)
	}
}

// counted is how many requests are what is asked for.
type counted struct {
	is    int64
	may   int64 // further ones that may be
	of    int64
	blind string // why nothing can be told, "" where it can
}

func (c *cell) counted(w what) counted {
	out := counted{of: c.n}
	unknown := c.outcomeCount(rules.Unknown)
	switch w.kind {
	case everything:
		out.is = c.n
	case ofClass:
		out.is = c.classes[w.class]
		if w.class.Slow() {
			out.may = c.maybe(rules.SetOf(w.class))
			if c.evaluated[w.class.Stage()]+out.is+out.may == 0 {
				out.blind = "the stage was evaluated for no request"
			}
		}
	case allSlow:
		for k := range rules.Class(rules.NumSlow) {
			out.is += c.classes[k]
		}
		out.may = c.classes[rules.Undetermined]
	case allFailed, ofOutcome:
		for o := range rules.Outcome(rules.NumOutcomes) {
			if w.kind == allFailed && o.Failed() || w.kind == ofOutcome && o == w.outcome {
				out.is += c.outcomeCount(o)
			}
		}
		if w.outcome != rules.Unknown {
			out.of -= unknown
		}
		if out.of == 0 {
			out.blind = "the outcome of no request is known"
		}
	}
	if c.n == 0 {
		out.blind = "there is no request"
	}
	return out
}

func (c *cell) outcomeCount(o rules.Outcome) (n int64) {
	for _, k := range c.outcomes[o] {
		n += k
	}
	return n
}

// maybe counts undetermined requests that may be of one of the classes.
func (c *cell) maybe(set rules.ClassSet) (n int64) {
	for k, count := range c.between {
		if k.between&set != 0 {
			n += count
		}
	}
	return n
}

// checkShare decides on a share. It is too little where undetermined requests
// could turn the verdict, or where n cannot resolve the limit.
func (c *cell) checkShare(r Requirement, out *Checked, onInterval bool) {
	n := c.counted(r.what)
	out.N = n.of
	if n.blind != "" {
		out.tooLittle(n.blind, 0)
		return
	}
	share := stats.Share{K: n.is, N: n.of}
	out.Share = &share
	out.Lo, out.Hi = share.Wilson()
	holds := func(k int64) bool { return r.holds(k*1_000_000, r.limit*n.of) }
	needs := resolves(r)
	switch {
	case holds(n.is) != holds(n.is+n.may):
		out.tooLittle(fmt.Sprintf("%d undetermined requests may be of these", n.may), 0)
	case !holds(n.is):
		out.fail("the share is beyond the limit")
	case n.of < needs:
		out.tooLittle(fmt.Sprintf("n=%d cannot tell a share of the limit from none", n.of), needs)
	case onInterval && r.upper() && !r.holds(int64(math.Ceil(out.Hi*1e6)), r.limit):
		out.fail("the upper end of the interval is beyond the limit")
	case onInterval && !r.upper() && !r.holds(int64(math.Floor(out.Lo*1e6)), r.limit):
		out.fail("the lower end of the interval is beyond the limit")
	}
}

// resolves returns the number of requests of which one is no more than the share
// that the limit leaves.
func resolves(r Requirement) int64 {
	rare := r.limit
	if !r.upper() {
		rare = 1_000_000 - r.limit
	}
	if rare == 0 {
		return 1
	}
	return (1_000_000 + rare - 1) / rare
}

func (c *cell) checkCount(r Requirement, out *Checked) {
	n := c.counted(r.what)
	share := stats.Share{K: n.is, N: n.of}
	out.N, out.Share = n.of, &share
	switch {
	case n.blind != "" && r.what.kind != everything:
		out.tooLittle(n.blind, 0)
	case r.holds(n.is, r.limit) != r.holds(n.is+n.may, r.limit):
		out.tooLittle(fmt.Sprintf("%d undetermined requests may be of these", n.may), 0)
	case !r.holds(n.is, r.limit):
		out.fail("the count is beyond the limit")
	case n.blind != "" && r.upper():
		out.tooLittle(n.blind, 0)
	}
}

// basis returns what the values of the pool mean.
func (k poolKey) basis() Basis {
	b := Basis{Vantage: k.vantage, FirstToken: k.firstToken}
	if k.approx != "" {
		b.Label, _ = timeline.ParseLabel(k.approx)
	}
	return b
}
