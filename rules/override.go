package rules

// MaxOverrides is the greatest number of overrides.
const MaxOverrides = 64

// MatchModel returns the overrides, as bits, that a model does not rule out. ""
// is an absent model, which only an override for any model allows.
func (t Thresholds) MatchModel(model string) uint64 {
	return t.match(func(o *Override) bool {
		return o.Model == "" || model != "" && matchGlob(o.Model, model)
	})
}

// MatchWorkload returns the overrides, as bits, that a workload does not rule
// out. "" is an absent workload.
func (t Thresholds) MatchWorkload(workload string) uint64 {
	return t.match(func(o *Override) bool { return o.Workload == "" || o.Workload == workload })
}

func (t Thresholds) match(ok func(*Override) bool) uint64 {
	var set uint64
	for i := range t.Overrides {
		if ok(&t.Overrides[i]) {
			set |= 1 << i
		}
	}
	return set
}

// With returns the limits under the overrides of set, the last of which wins.
func (t Thresholds) With(set uint64) Limits {
	l := t.Base
	for i := range t.Overrides {
		if set>>i&1 == 0 {
			continue
		}
		for _, s := range t.Overrides[i].Set {
			l[s.Param] = s.Value
		}
	}
	return l
}

// For returns the limits in force for one model and workload, "" where absent.
func (t Thresholds) For(model, workload string) Limits {
	return t.With(t.MatchModel(model) & t.MatchWorkload(workload))
}

// matchGlob reports whether text matches a pattern in which * stands for any
// text and ? for one character. Case counts. Model names hold slashes, which
// are characters like others here.
func matchGlob(pattern, text string) bool {
	p, s := []rune(pattern), []rune(text)
	star, mark := -1, 0
	i, k := 0, 0
	for k < len(s) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, k
			i++
		case i < len(p) && (p[i] == '?' || p[i] == s[k]):
			i, k = i+1, k+1
		case star >= 0:
			mark++
			i, k = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
