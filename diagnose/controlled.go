package diagnose

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ttdiag/diagnose/stats"
	"ttdiag/ingest/timeline"
)

// condition is one of the controlled conditions and how it is judged.
type condition struct {
	name    string
	matters bool
	fixed   bool        // a difference is never accepted: it changes what figures mean
	dims    []dimension // whose distributions must be equal
	number  int         // a number whose middle must be equal too, or -1
	with    []timeline.Column
	absent  string // what it means that there is no value, "" is nothing
}

// conditions are the controlled conditions, in the order in which they are
// shown. Those without a dimension are judged apart.
func conditions() []condition {
	environment := []timeline.Column{timeline.ColChannel, timeline.ColProvider}
	label := func(name string, c timeline.Column, with ...timeline.Column) condition {
		return condition{name: name, matters: true, dims: []dimension{labelOf(c)}, number: -1, with: append(with, c)}
	}
	number := func(name string, d dimension, num int) condition {
		return condition{name: name, matters: true, dims: []dimension{d}, number: num, with: []timeline.Column{d.column}}
	}
	return []condition{
		label("model", timeline.ColModel),
		label("route", timeline.ColRoute, environment...),
		number("input_tokens", inTokens(timeline.ColInputTokens), numInput),
		number("output_tokens", inTokens(timeline.ColOutputTokens), numOutput),
		{name: "streaming", matters: true, fixed: true, dims: []dimension{byMode()}, number: -1, with: []timeline.Column{timeline.ColStream}},
		label("reasoning_effort", timeline.ColReasoningEffort),
		number("tools", flagged(timeline.ColTools), -1),
		label("region", timeline.ColRegion, append(environment, timeline.ColRoute)...),
		label("network_path", timeline.ColNetworkPath, append(environment, timeline.ColRoute, timeline.ColRegion)...),
		number("concurrency", inDoubles(timeline.ColInflight), numInflight),
		number("sampling", exactly(timeline.ColTemperature), -1),
		number("max_output", inTokens(timeline.ColMaxOutputTokens), numMaxOutput),
		{name: "warmup", matters: true, number: -1},
		label("retry_policy", timeline.ColRetryPolicy, environment...),
		{name: "sample_size", number: -1},
		{name: "percentile_method", number: -1},
		{name: "vantage", matters: true, fixed: true, dims: []dimension{labelOf(timeline.ColVantage)}, number: -1, with: []timeline.Column{timeline.ColVantage}},
		{name: "time_of_day", dims: []dimension{byTimeOfDay()}, number: -1, with: []timeline.Column{timeline.ColTimestamp}},
		{name: "first_token_basis", matters: true, fixed: true, number: -1, absent: "as defined", with: []timeline.Column{timeline.ColFirstTokenBasis},
			dims: []dimension{labelOf(timeline.ColFirstTokenBasis), labelOf(timeline.ColApprox)}},
	}
}

// Conditions returns the names of the controlled conditions.
func Conditions() []string {
	var names []string
	for _, c := range conditions() {
		names = append(names, c.name)
	}
	return names
}

func conditionDimensions() []dimension {
	var dims []dimension
	for _, c := range conditions() {
		dims = append(dims, c.dims...)
	}
	return dims
}

const (
	maxApart     = 0.1   // total variation distance of two equal distributions
	surelyApart  = 0.001 // p below which a greater distance is no chance
	enoughKnown  = 0.5   // of the requests of a side must have the value
	majorStratum = 0.1   // a smaller part of the requests decides nothing
)

// judgement is what was found about one condition.
type judgement struct {
	state State
	how   string
}

// judgeAll judges every condition, within strata where there are any.
func (t *CompareTally) judgeAll(strata []stratum) []Controlled {
	var out []Controlled
	dim := 0
	for _, c := range conditions() {
		j := judgement{}
		switch c.name {
		case "warmup":
			j = t.judgeWarmup()
		case "sample_size":
			j = t.judgeSize()
		case "percentile_method":
			j = judgement{StateEqual, stats.NearestRank.String() + " on both sides"}
		default:
			within := strata
			if c.fixed && !t.matches(c) {
				within = nil // strata that only one side has would hide the difference
			}
			j = t.judgeDims(c, dim, within)
			dim += len(c.dims)
		}
		one := Controlled{Name: c.name, State: j.state, Matters: c.matters, How: j.how}
		if j.state == StateDifferent {
			one.Accepted = t.accepted(c)
		}
		out = append(out, one)
	}
	return out
}

// accepted says why a difference does not count, "" where it does.
func (t *CompareTally) accepted(c condition) string {
	switch {
	case c.fixed:
		return ""
	case t.matches(c):
		return "held equal by matching"
	case t.opt.By != nil && len(c.with) > 0 && *t.opt.By == c.with[len(c.with)-1]:
		return "it is what is compared"
	case t.opt.By != nil && slices.Contains(c.with, *t.opt.By):
		return "it goes along with " + t.opt.By.String()
	case slices.Contains(t.opt.Accept, c.name):
		return "accepted by the caller"
	}
	return ""
}

// matches reports whether the condition's own column is matched.
func (t *CompareTally) matches(c condition) bool {
	return len(c.with) > 0 && slices.Contains(t.opt.Match, c.with[len(c.with)-1])
}

func (t *CompareTally) judgeWarmup() judgement {
	a, b := t.sides[0], t.sides[1]
	switch {
	case a.warmed == 0 && b.warmed == 0:
		return judgement{StateUnknown, "recorded on neither side"}
	case a.warmed == 0 || b.warmed == 0:
		return judgement{StateUnknown, "recorded on one side only"}
	case t.opt.Warmup:
		return judgement{StateUnknown, "warm-up requests are compared too"}
	}
	return judgement{StateEqual, fmt.Sprintf("left out: %d of A, %d of B", a.Warmup, b.Warmup)}
}

func (t *CompareTally) judgeSize() judgement {
	a, b := t.sides[0].rows.seen, t.sides[1].rows.seen
	how := fmt.Sprintf("%d against %d", a, b)
	if a <= 2*b && b <= 2*a {
		return judgement{StateEqual, how + ", within a factor of 2"}
	}
	return judgement{StateDifferent, how + "; intervals tell what that costs"}
}

// judgeDims judges dims from at on. Within strata, one that is different in any
// that is not minor makes the whole different.
func (t *CompareTally) judgeDims(c condition, at int, strata []stratum) judgement {
	if len(strata) == 0 {
		return t.judgePart(c, at, [2][]int32{allRows(t.sides[0].rows), allRows(t.sides[1].rows)})
	}
	worst := judgement{StateUnknown, "in no stratum"}
	var equal, known, total float64
	for _, s := range strata {
		n := float64(len(s.rows[0]) + len(s.rows[1]))
		total += n
		j := t.judgePart(c, at, s.rows)
		switch {
		case j.state == StateDifferent && n >= majorStratum*t.kept():
			return judgement{StateDifferent, j.how + ", at " + whereWords(s.key)}
		case j.state == StateEqual:
			equal += n
		}
		if j.state != StateUnknown {
			known += n
		}
		worst = j
	}
	if equal > total/2 && equal == known {
		return judgement{StateEqual, "within the strata that most requests are in"}
	}
	if len(strata) == 1 {
		return worst
	}
	return judgement{StateUnknown, "in most strata"}
}

func (t *CompareTally) kept() float64 {
	return float64(t.sides[0].rows.len() + t.sides[1].rows.len())
}

func whereWords(key []KeyValue) string {
	var parts []string
	for _, k := range key {
		parts = append(parts, k.Column+"="+k.Value)
	}
	return strings.Join(parts, ", ")
}

func allRows(s *rowset) []int32 {
	rows := make([]int32, s.len())
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// judgePart judges a condition among some rows of either side.
func (t *CompareTally) judgePart(c condition, at int, rows [2][]int32) judgement {
	out := judgement{state: StateUnknown, how: "recorded on neither side"}
	for k := range c.dims {
		j := t.judgeDistribution(at+k, rows, c.absent)
		if k == 0 || j.state > out.state {
			out = j
		}
	}
	if c.number < 0 || out.state == StateUnknown {
		return out
	}
	return t.judgeMiddle(c, out, rows)
}

// judgeMiddle adds to the distribution by bins what a shift within them says.
func (t *CompareTally) judgeMiddle(c condition, j judgement, rows [2][]int32) judgement {
	num := len(compareMetrics) + c.number
	a, b := t.sides[0].rows.sample(num, rows[0], stats.High), t.sides[1].rows.sample(num, rows[1], stats.High)
	change := stats.TypicalChange(a, b)
	if !change.OK {
		return j
	}
	j.how = fmt.Sprintf("median %s against %s, %s", plainNumber(change.A), plainNumber(change.B), j.how)
	moved := math.Abs(math.Log(change.Ratio)) >= math.Log1p(t.opt.MinEffect)
	switch {
	case moved && change.P < surelyApart:
		j.state = StateDifferent
	case moved && j.state == StateEqual:
		j = judgement{StateUnknown, j.how + ", which chance may do"}
	}
	return j
}

func plainNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// judgeDistribution compares the shares of the values of one dimension.
func (t *CompareTally) judgeDistribution(dim int, rows [2][]int32, absent string) judgement {
	a, b := &t.sides[0].rows.dims[dim], &t.sides[1].rows.dims[dim]
	if a.dead || b.dead {
		return judgement{StateUnknown, "too many values to compare"}
	}
	counts := [2]map[string]int64{a.countValues(rows[0]), b.countValues(rows[1])}
	na, nb := int64(len(rows[0])), int64(len(rows[1]))
	if na == 0 || nb == 0 {
		return judgement{StateUnknown, "no request on one side"}
	}
	for _, side := range counts {
		if n := side[""]; n > 0 && absent != "" {
			delete(side, "")
			side[absent] += n
		}
	}
	knownA, knownB := 1-float64(counts[0][""])/float64(na), 1-float64(counts[1][""])/float64(nb)
	switch {
	case knownA == 0 && knownB == 0:
		return judgement{StateUnknown, "recorded on neither side"}
	case knownA < enoughKnown || knownB < enoughKnown:
		return judgement{StateUnknown, fmt.Sprintf("recorded for %s of A and %s of B", wholePercent(knownA), wholePercent(knownB))}
	}
	distance, p := apart(counts, na, nb)
	if one, other := only(counts[0]), only(counts[1]); a.chosen && one != "" && other != "" {
		if one == other {
			return judgement{StateEqual, shortValue(one) + " on both sides"}
		}
		return judgement{StateDifferent, shortValue(one) + " against " + shortValue(other)}
	}
	how := fmt.Sprintf("shares differ by %s points", plainNumber(math.Round(distance*1000)/10))
	switch {
	case distance <= maxApart:
		return judgement{StateEqual, how}
	case p < surelyApart:
		return judgement{StateDifferent, how + mostApart(counts, na, nb)}
	}
	return judgement{StateUnknown, how + ", which chance may do"}
}

func wholePercent(v float64) string { return strconv.FormatFloat(100*v, 'f', 0, 64) + " %" }

// countValues counts the values of the rows; "" is absent.
func (d *dimValues) countValues(rows []int32) map[string]int64 {
	counts := make([]int64, len(d.values)+1)
	for _, i := range rows {
		counts[d.codes[i]]++
	}
	out := map[string]int64{}
	for code, n := range counts {
		if n > 0 {
			value, _ := d.value(uint16(code))
			out[value] = n
		}
	}
	return out
}

// only returns the value that all rows have, "" where there is none.
func only(counts map[string]int64) string {
	if len(counts) == 1 {
		for value := range counts {
			return value
		}
	}
	return ""
}

// apart returns the total variation distance of two distributions, and the p
// value of Pearson's chi-square test that they are one. Values that are rarer
// than the test can take are put together.
func apart(counts [2]map[string]int64, na, nb int64) (distance, p float64) {
	var values []string
	for _, side := range counts {
		for value := range side {
			values = append(values, value)
		}
	}
	slices.Sort(values)
	values = slices.Compact(values)
	var x, rareA, rareB float64
	cells := 0
	add := func(a, b float64) {
		whole := (a + b) / float64(na+nb)
		ea, eb := whole*float64(na), whole*float64(nb)
		x += (a-ea)*(a-ea)/ea + (b-eb)*(b-eb)/eb
		cells++
	}
	for _, v := range values {
		a, b := float64(counts[0][v]), float64(counts[1][v])
		distance += math.Abs(a/float64(na)-b/float64(nb)) / 2
		if (a+b)*float64(min(na, nb)) < 5*float64(na+nb) {
			rareA, rareB = rareA+a, rareB+b
			continue
		}
		add(a, b)
	}
	if rareA+rareB > 0 {
		add(rareA, rareB)
	}
	return distance, chiSquareTail(x, float64(cells-1))
}

// chiSquareTail returns P(X ≥ x) of the chi-square distribution (Wilson and
// Hilferty, "The distribution of chi-square", PNAS 17, 1931), good enough to
// tell 0.001 from chance.
func chiSquareTail(x, df float64) float64 {
	if df < 1 {
		return 1
	}
	z := (math.Cbrt(x/df) - (1 - 2/(9*df))) / math.Sqrt(2/(9*df))
	return math.Erfc(z/math.Sqrt2) / 2
}

// mostApart names the value whose share differs most.
func mostApart(counts [2]map[string]int64, na, nb int64) string {
	best, most := "", 0.0
	for _, side := range counts {
		for v := range side {
			d := math.Abs(float64(counts[0][v])/float64(na) - float64(counts[1][v])/float64(nb))
			if d > most || d == most && v < best {
				best, most = v, d
			}
		}
	}
	name := shortValue(best)
	if best == "" {
		name = "absent"
	}
	return fmt.Sprintf("; %s: %s against %s", name, wholePercent(float64(counts[0][best])/float64(na)), wholePercent(float64(counts[1][best])/float64(nb)))
}

// shortValue keeps long values, such as those of approx, to a few words.
func shortValue(v string) string {
	if label, ok := timeline.ParseLabel(v); ok {
		var names []string
		for _, a := range label.Items {
			names = append(names, a.Column)
		}
		return "approximate " + strings.Join(names, ", ")
	}
	if r := []rune(v); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return v
}

// sample returns a number of some rows.
func (s *rowset) sample(num int, rows []int32, tail stats.Tail) *stats.Sample {
	out := stats.NewSample(tail)
	n := &s.nums[num]
	for _, i := range rows {
		switch n.state[i] {
		case numKnown:
			out.Add(n.values[i], int64(i))
		case numBound:
			out.AddBound(n.values[i], int64(i))
		}
	}
	return out
}
