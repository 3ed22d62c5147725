package diagnose

import (
	"cmp"
	"slices"
	"strings"

	"ttdiag/diagnose/stats"
	"ttdiag/rules"
)

// stratum is the rows of either side that have the same values of the columns
// that are matched.
type stratum struct {
	mode mode
	key  []KeyValue
	rows [2][]int32
}

// onBoth reports whether either side has requests of the stratum.
func (s stratum) onBoth() bool { return len(s.rows[0]) > 0 && len(s.rows[1]) > 0 }

// Compare judges the conditions and answers the questions. It returns ErrSides
// where a side is empty.
func (t *CompareTally) Compare() (*Comparison, error) {
	c := &Comparison{MinEffect: t.opt.MinEffect, Rate: compareRate}
	if t.opt.By != nil {
		c.By = t.opt.By.String()
	}
	for _, m := range t.opt.Match {
		c.Match = append(c.Match, m.String())
	}
	for k, s := range t.sides {
		s.N, s.Kept = s.rows.seen, int64(s.rows.len())
		*[]*SideSummary{&c.A, &c.B}[k] = s.SideSummary
	}
	if c.A.N == 0 || c.B.N == 0 {
		return c, ErrSides
	}
	var strata []stratum
	if len(t.opt.Match) > 0 {
		strata = t.strata(true)
		for _, s := range strata {
			c.Mix = append(c.Mix, t.mixShare(s))
		}
	}
	c.Conditions = t.judgeAll(strata)
	c.Blocking = t.blocking(c.Conditions)
	if len(c.Blocking) == 0 && len(strata) > 0 && !slices.ContainsFunc(strata, stratum.onBoth) {
		c.Blocking = append(c.Blocking, c.Match...) // they have no value in common
	}
	c.Comparable = len(c.Blocking) == 0
	if c.Comparable {
		c.Answers = t.answers(strata)
	}
	c.Drift = append(t.drift(t.sides[0]), t.drift(t.sides[1])...)
	return c, nil
}

// blocking names the conditions for which the sides are not comparable. Models
// are compared only where both are known to have had prompts of equal length.
func (t *CompareTally) blocking(list []Controlled) []string {
	var names []string
	for _, c := range list {
		prompts := c.Name == "input_tokens" && c.State == StateUnknown && (t.opt.By != nil && t.opt.By.String() == "model" || differs(list, "model"))
		if c.Matters && c.State == StateDifferent && c.Accepted == "" || prompts {
			names = append(names, c.Name)
		}
	}
	return names
}

func differs(list []Controlled, name string) bool {
	return slices.ContainsFunc(list, func(c Controlled) bool { return c.Name == name && c.State == StateDifferent })
}

// strata returns the strata that both sides have, largest first; where matched is
// false, all rows of a mode are one.
func (t *CompareTally) strata(matched bool) []stratum {
	found := map[string]*stratum{}
	for k, s := range t.sides {
		match := s.rows.dims[len(s.rows.dims)-len(t.opt.Match):]
		if !matched {
			match = nil
		}
		for i := range s.rows.len() {
			key, text := []KeyValue(nil), s.rows.mode[i].String()
			for m := range match {
				one := KeyValue{Column: match[m].name}
				if match[m].dead {
					one.Absent = true
				} else if value, ok := match[m].value(match[m].codes[i]); ok {
					one.Value = value
				} else {
					one.Absent = true
				}
				key = append(key, one)
				text += "\x00" + one.Value
			}
			if found[text] == nil {
				found[text] = &stratum{mode: s.rows.mode[i], key: key}
			}
			found[text].rows[k] = append(found[text].rows[k], int32(i))
		}
	}
	var out []stratum
	for _, s := range found {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b stratum) int {
		return cmp.Or(cmp.Compare(a.mode, b.mode), cmp.Compare(len(b.rows[0])+len(b.rows[1]), len(a.rows[0])+len(a.rows[1])), compareKeys(a.key, b.key))
	})
	return out
}

func (t *CompareTally) mixShare(s stratum) MixShare {
	return MixShare{
		Mode: s.mode.String(), Stratum: s.key,
		A: stats.Share{K: int64(len(s.rows[0])), N: int64(t.sides[0].rows.len())},
		B: stats.Share{K: int64(len(s.rows[1])), N: int64(t.sides[1].rows.len())},
	}
}

// answers asks the three questions of every mode, and of every stratum.
func (t *CompareTally) answers(strata []stratum) []Answer {
	var out []Answer
	for _, whole := range t.strata(false) {
		if len(strata) == 0 {
			out = append(out, t.ask(whole)...)
			continue
		}
		out = append(out, t.askMatched(whole, strata)...)
	}
	changes := make([]stats.Change, len(out))
	for i := range out {
		changes[i] = out[i].Change
	}
	stats.Adjust(changes)
	for i := range out {
		out[i].Change = changes[i]
		out[i].Verdict = changes[i].Verdict(compareRate, t.opt.MinEffect)
		if out[i].Verdict == stats.TooFew || out[i].Verdict == stats.Unclear {
			out[i].Enough = changes[i].Enough(t.opt.MinEffect)
		}
	}
	return out
}

// ask asks the three questions of one part.
func (t *CompareTally) ask(s stratum) []Answer {
	var out []Answer
	for num, metric := range compareMetrics {
		unit := metricUnit(metric)
		a, b := t.sides[0].rows.sample(num, s.rows[0], tailOf(unit)), t.sides[1].rows.sample(num, s.rows[1], tailOf(unit))
		if a.N() == 0 || b.N() == 0 {
			continue
		}
		for _, change := range []stats.Change{stats.TypicalChange(a, b), stats.TailChange(a, b, stats.P95)} {
			out = append(out, Answer{Mode: s.mode.String(), Stratum: s.key, Subject: metric, Unit: unit, Change: change})
		}
	}
	for _, q := range shareQuestions() {
		a, b := t.sides[0].rows.share(q, s.rows[0]), t.sides[1].rows.share(q, s.rows[1])
		if a.N > 0 && b.N > 0 && (a.K+b.K > 0 || q.always) {
			out = append(out, Answer{Mode: s.mode.String(), Stratum: s.key, Subject: q.name, Change: stats.ShareChange(a, b)})
		}
	}
	return out
}

// askMatched asks within strata and combines their answers at fixed mix; the
// combined ones come first.
func (t *CompareTally) askMatched(whole stratum, strata []stratum) []Answer {
	crude := t.ask(whole)
	var parts []Answer
	for _, s := range strata {
		if s.mode == whole.mode && s.onBoth() {
			parts = append(parts, t.ask(s)...)
		}
	}
	var out []Answer
	for i := range crude {
		var same []stats.Change
		for _, p := range parts {
			if p.Subject == crude[i].Subject && p.Change.Question == crude[i].Change.Question {
				same = append(same, p.Change)
			}
		}
		if len(same) == 0 {
			continue
		}
		fixed := crude[i]
		fixed.Fixed, fixed.Crude, fixed.Change = true, &crude[i].Change, stats.FixedMix(same)
		out = append(out, fixed)
	}
	return append(out, parts...)
}

// shareQuestion asks for a share of requests.
type shareQuestion struct {
	name   string
	of     func(s *rowset, i int32) (in, is bool)
	always bool
}

func shareQuestions() []shareQuestion {
	out := []shareQuestion{
		{"slow", func(s *rowset, i int32) (bool, bool) { return true, s.class[i].Slow() }, true},
		{"failed", func(s *rowset, i int32) (bool, bool) {
			return s.outcome[i] != rules.Unknown, s.outcome[i].Failed()
		}, false},
	}
	for c := range rules.Class(rules.NumSlow) {
		out = append(out, shareQuestion{c.String(), func(s *rowset, i int32) (bool, bool) {
			return s.slow[i].Has(c) || !s.skipped[i].Has(c.Stage()), s.slow[i].Has(c)
		}, false})
	}
	return out
}

func (s *rowset) share(q shareQuestion, rows []int32) (out stats.Share) {
	for _, i := range rows {
		in, is := q.of(s, i)
		if in {
			out.N++
		}
		if in && is {
			out.K++
		}
	}
	return out
}

// drift compares the first half of a side, by time, with the second.
func (t *CompareTally) drift(s *side) []Drift {
	starts := &s.rows.nums[len(compareMetrics)+numStart]
	var out []Drift
	for m := range mode(unknownMode + 1) {
		var rows []int32
		for i := range s.rows.len() {
			if s.rows.mode[i] == m && starts.state[i] != numAbsent {
				rows = append(rows, int32(i))
			}
		}
		slices.SortFunc(rows, func(a, b int32) int {
			return cmp.Or(cmp.Compare(starts.values[a], starts.values[b]), cmp.Compare(s.rows.hash[a], s.rows.hash[b]))
		})
		halves := [2][]int32{rows[:len(rows)/2], rows[len(rows)/2:]}
		for num, metric := range compareMetrics {
			unit := metricUnit(metric)
			change := stats.TypicalChange(s.rows.sample(num, halves[0], tailOf(unit)), s.rows.sample(num, halves[1], tailOf(unit)))
			if change.OK {
				out = append(out, Drift{Side: s.Name, Mode: m.String(), Metric: metric, Unit: unit, Change: change})
			}
		}
	}
	changes := make([]stats.Change, len(out))
	for i := range out {
		changes[i] = out[i].Change
	}
	stats.Adjust(changes)
	for i := range out {
		out[i].Change = changes[i]
	}
	out = slices.DeleteFunc(out, func(d Drift) bool { return d.Change.Verdict(compareRate, t.opt.MinEffect) != stats.Changed })
	slices.SortStableFunc(out, func(a, b Drift) int { return strings.Compare(a.Mode, b.Mode) })
	return out
}
