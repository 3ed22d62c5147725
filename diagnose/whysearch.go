package diagnose

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"ttdiag/diagnose/stats"
	"ttdiag/rules"
)

const (
	whyRate      = 0.01 // false discovery rate, and level of each closer look
	whyMinLift   = 1.5
	whyMinSlow   = 5  // fewer slow requests are no group
	whyMinRows   = 10 // nor are fewer requests
	whyFindings  = 10 // kept of one class
	whyStandouts = 200
)

// candidate is a value of one dimension, or of two.
type candidate struct {
	dim    [2]int // the second is -1 for a single value
	code   [2]uint16
	n, k   int64
	excess float64 // µs
	lift   stats.Lift
}

func (c *candidate) single() bool { return c.dim[1] < 0 }

// whySearch looks at one class.
type whySearch struct {
	rows   *rowset
	class  rules.Class
	base   []int32 // rows in which the class could be told
	slow   []int32 // of those, the ones of the class
	excess []int64 // of the slow ones, µs
	total  int64   // their sum
	found  []candidate
	tests  int64
}

// Why returns what was found.
func (t *WhyTally) Why() *Why {
	w := &Why{N: t.rows.seen, Looked: int64(t.rows.len()), Rate: whyRate, MinLift: whyMinLift}
	for k := range t.rows.dims {
		d := &t.rows.dims[k]
		if one := (WhyDimension{Name: d.name, Values: len(d.values), Too: d.dead}); one.Too {
			one.Values = whyValues + 1
			w.Dimensions = append(w.Dimensions, one)
		} else if one.Values > 0 {
			w.Dimensions = append(w.Dimensions, one)
		}
	}
	var searches []*whySearch
	for c := range rules.Class(rules.NumClasses) {
		if c == rules.NoSlowStage || t.classes != nil && !slices.Contains(t.classes, c) {
			continue
		}
		if s := t.search(c); s != nil {
			searches = append(searches, s)
			w.Tests += s.tests
		}
	}
	adjust(searches, w.Tests)
	for _, s := range searches {
		w.Classes = append(w.Classes, t.whyClass(s))
	}
	return w
}

// search collects the candidates of a class, nil where it does not occur.
func (t *WhyTally) search(c rules.Class) *whySearch {
	s := &whySearch{rows: t.rows, class: c}
	usual, ok := t.usual[c].median()
	for i := range t.rows.len() {
		is := t.rows.class[i] == c
		if !is && c.Slow() && t.rows.skipped[i].Has(c.Stage()) {
			continue
		}
		s.base = append(s.base, int32(i))
		if is {
			s.slow = append(s.slow, int32(i))
			s.excess = append(s.excess, t.excessOf(i, usual, ok))
			s.total += s.excess[len(s.excess)-1]
		}
	}
	if len(s.slow) == 0 {
		return nil
	}
	s.singles()
	s.pairs()
	return s
}

// excessOf is the time that a slow request took beyond the usual: its wait less
// the usual wait, or its window less the time of its tokens at the usual speed.
func (t *WhyTally) excessOf(i int, usual int64, known bool) int64 {
	times, tokens := &t.rows.nums[whyTime], &t.rows.nums[whyTokens]
	if !known || times.state[i] == numAbsent {
		return 0
	}
	if tokens.state[i] == numAbsent {
		return max(0, times.values[i]-usual)
	}
	if usual == 0 {
		return 0
	}
	return max(0, times.values[i]-int64(float64(tokens.values[i])*1e9/float64(usual)))
}

func (s *whySearch) singles() {
	for d := range s.rows.dims {
		v := &s.rows.dims[d]
		if v.dead || len(v.values) < 1 {
			continue
		}
		n, k, e := make([]int64, len(v.values)+1), make([]int64, len(v.values)+1), make([]int64, len(v.values)+1)
		for _, i := range s.base {
			n[v.codes[i]]++
		}
		for at, i := range s.slow {
			k[v.codes[i]]++
			e[v.codes[i]] += s.excess[at]
		}
		for code := 1; code < len(n); code++ {
			if n[code] >= whyMinRows {
				s.tests++
				s.consider(candidate{dim: [2]int{d, -1}, code: [2]uint16{uint16(code)}, n: n[code], k: k[code]}, e[code])
			}
		}
	}
}

// pairs counts values of two dimensions together. Where there may be more pairs
// of values than could be looked at, the tests count as that many.
func (s *whySearch) pairs() {
	for a := range s.rows.dims {
		for b := a + 1; b < len(s.rows.dims); b++ {
			if va, vb := &s.rows.dims[a], &s.rows.dims[b]; !va.dead && !vb.dead && len(va.values) > 1 && len(vb.values) > 1 {
				s.tests += int64(min(len(va.values)*len(vb.values), len(s.base)/whyMinRows))
				s.pair(a, b)
			}
		}
	}
}

func (s *whySearch) pair(a, b int) {
	va, vb := &s.rows.dims[a], &s.rows.dims[b]
	width := len(vb.values) + 1
	k, e := make([]int64, (len(va.values)+1)*width), make([]int64, (len(va.values)+1)*width)
	most := int64(0)
	for at, i := range s.slow {
		if va.codes[i] == 0 || vb.codes[i] == 0 {
			continue
		}
		cell := int(va.codes[i])*width + int(vb.codes[i])
		k[cell]++
		e[cell] += s.excess[at]
		most = max(most, k[cell])
	}
	if most < whyMinSlow {
		return
	}
	n := make([]int32, len(k))
	for _, i := range s.base {
		n[int(va.codes[i])*width+int(vb.codes[i])]++
	}
	for cell := range k {
		if k[cell] >= whyMinSlow && n[cell] >= whyMinRows {
			code := [2]uint16{uint16(cell / width), uint16(cell % width)}
			s.consider(candidate{dim: [2]int{a, b}, code: code, n: int64(n[cell]), k: k[cell]}, e[cell])
		}
	}
}

// consider keeps a candidate whose share of slow requests is so much above that
// elsewhere that the exact test is worth making.
func (s *whySearch) consider(c candidate, excess int64) {
	all, slow := int64(len(s.base)), int64(len(s.slow))
	if c.k < whyMinSlow || c.n >= all {
		return
	}
	here, elsewhere := stats.Share{K: c.k, N: c.n}, stats.Share{K: slow - c.k, N: all - c.n}
	if here.Value() < whyMinLift*elsewhere.Value() || tooClose(here, slow, all) {
		return
	}
	c.excess = float64(excess) - float64(c.n)*float64(s.total-excess)/float64(all-c.n)
	c.lift = stats.NewLift(here, elsewhere)
	s.found = append(s.found, c)
}

// tooClose reports whether the share is within two standard errors of the whole,
// so that no correction leaves anything of it.
func tooClose(here stats.Share, slow, all int64) bool {
	p := float64(slow) / float64(all)
	return here.Value()-p < 2*math.Sqrt(p*(1-p)/float64(here.N))
}

// adjust corrects for everything that was looked at in all classes.
func adjust(searches []*whySearch, tests int64) {
	var p []float64
	for _, s := range searches {
		for i := range s.found {
			p = append(p, s.found[i].lift.P)
		}
	}
	found := len(p)
	for len(p) < int(tests) {
		p = append(p, 1)
	}
	p = stats.BenjaminiHochberg(p)[:found]
	for _, s := range searches {
		for i := range s.found {
			s.found[i].lift.Adjusted, p = p[0], p[1:]
		}
	}
}

// choose returns the findings, those first that explain most with fewest
// requests: by excess² / n, the part of the spread that they explain.
func (s *whySearch) choose() (chosen []candidate, same [][]candidate) {
	list := slices.DeleteFunc(slices.Clone(s.found), func(c candidate) bool {
		return c.lift.Adjusted >= whyRate || c.excess < 0
	})
	slices.SortFunc(list, s.compare)
	list = list[:min(len(list), whyStandouts)]
	open := make([]bool, s.rows.len()) // rows that no finding has yet
	for _, i := range s.base {
		open[i] = true
	}
	level := whyRate / float64(max(len(list), 1))
	for _, c := range list {
		if !c.single() && !s.beatsBoth(c, level) {
			continue
		}
		if at := s.sameRows(chosen, c); at >= 0 {
			same[at] = append(same[at], c)
			continue
		}
		if len(chosen) >= whyFindings || !s.standsAlone(c, open, level) {
			continue
		}
		chosen, same = append(chosen, c), append(same, nil)
		for _, i := range s.base {
			if s.has(c, i) {
				open[i] = false
			}
		}
	}
	return chosen, same
}

func (c *candidate) score() float64 { return c.excess * math.Abs(c.excess) / float64(c.n) }

func (s *whySearch) compare(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.score(), a.score()), cmp.Compare(a.lift.LogP, b.lift.LogP), cmp.Compare(a.dim[1], b.dim[1]),
		cmp.Compare(a.dim[0], b.dim[0]), strings.Compare(s.name(a, 0), s.name(b, 0)), strings.Compare(s.name(a, 1), s.name(b, 1)))
}

func (s *whySearch) name(c candidate, which int) string {
	if c.dim[which] < 0 {
		return ""
	}
	value, _ := s.rows.dims[c.dim[which]].value(c.code[which])
	return value
}

func (s *whySearch) has(c candidate, i int32) bool {
	return s.rows.dims[c.dim[0]].codes[i] == c.code[0] && (c.single() || s.rows.dims[c.dim[1]].codes[i] == c.code[1])
}

// beatsBoth reports whether a pair says more than either of its values: among
// the requests with the one value, those with the other too are slower.
func (s *whySearch) beatsBoth(c candidate, level float64) bool {
	for which := range 2 {
		one := candidate{dim: [2]int{c.dim[which], -1}, code: [2]uint16{c.code[which]}}
		whole := s.count(one, nil)
		rest := stats.Share{K: whole.K - c.k, N: whole.N - c.n}
		lift := stats.NewLift(stats.Share{K: c.k, N: c.n}, rest)
		if rest.N == 0 || lift.P > level || float64(c.k)*float64(rest.N) < whyMinLift*float64(rest.K)*float64(c.n) {
			return false
		}
	}
	return true
}

// standsAlone reports whether a candidate still stands out among the requests
// that no earlier finding has.
func (s *whySearch) standsAlone(c candidate, open []bool, level float64) bool {
	here := s.count(c, open)
	var all stats.Share
	for _, i := range s.base {
		if open[i] {
			all.N++
		}
	}
	for _, i := range s.slow {
		if open[i] {
			all.K++
		}
	}
	rest := stats.Share{K: all.K - here.K, N: all.N - here.N}
	if here.K < whyMinSlow || rest.N == 0 || here.Value() < whyMinLift*rest.Value() {
		return false
	}
	return stats.NewLift(here, rest).P <= level
}

// count returns the slow ones among the requests of a candidate; open, where it
// is not nil, says which count.
func (s *whySearch) count(c candidate, open []bool) (here stats.Share) {
	for _, i := range s.base {
		if (open == nil || open[i]) && s.has(c, i) {
			here.N++
		}
	}
	for _, i := range s.slow {
		if (open == nil || open[i]) && s.has(c, i) {
			here.K++
		}
	}
	return here
}

// sameRows returns the finding that has exactly the requests of c, or -1.
func (s *whySearch) sameRows(chosen []candidate, c candidate) int {
	return slices.IndexFunc(chosen, func(o candidate) bool {
		return o.n == c.n && o.k == c.k && !slices.ContainsFunc(s.base, func(i int32) bool { return s.has(o, i) != s.has(c, i) })
	})
}

func (t *WhyTally) whyClass(s *whySearch) WhyClass {
	out := WhyClass{
		Class: s.class, Slow: stats.Share{K: int64(len(s.slow)), N: int64(len(s.base))},
		Metric: classMetric(s.class), ExcessUs: scaled(float64(s.total), t.rows.weight()),
	}
	out.Unit = metricUnit(out.Metric)
	out.Usual, out.HasUsual = t.usual[s.class].median()
	out.UsualN = t.usual[s.class].n
	chosen, same := s.choose()
	for i, c := range chosen {
		f := WhyFinding{Where: s.where(c), Lift: c.lift, ExcessUs: scaled(c.excess, t.rows.weight())}
		for _, o := range same[i] {
			f.Same = append(f.Same, s.where(o))
		}
		out.Findings = append(out.Findings, f)
	}
	return out
}

func scaled(us, weight float64) int64 { return int64(math.Round(us * weight)) }

func (s *whySearch) where(c candidate) []KeyValue {
	var out []KeyValue
	for which, d := range c.dim {
		if d >= 0 {
			out = append(out, KeyValue{Column: s.rows.dims[d].name, Value: s.name(c, which)})
		}
	}
	return out
}
