package stats

import (
	"iter"
	"slices"
)

// A run is a value and how often it occurs. Samples are compared as runs in
// ascending order, so that ties and sketches need no care of their own.
type run struct{ value, n int64 }

// binnedFrom is the number of values a side from which a comparison looks at
// grid bins instead of single values. Its effects then carry up to
// RelativeError for each side.
const binnedFrom = 1 << 13

// runsOf returns two samples as runs, of grid bins if either is large. A lower
// bound counts with its recorded length.
func runsOf(a, b *Sample) (ra, rb []run, binned bool) {
	if max(a.n, b.n) >= binnedFrom {
		return a.binRuns(), b.binRuns(), true
	}
	return a.valueRuns(), b.valueRuns(), false
}

func (s *Sample) valueRuns() []run {
	all := append(s.seen.sorted(), s.bounds.sorted()...)
	slices.Sort(all)
	var out []run
	for _, v := range all {
		if last := len(out) - 1; last >= 0 && out[last].value == v {
			out[last].n++
		} else {
			out = append(out, run{v, 1})
		}
	}
	return out
}

func (s *Sample) binRuns() []run {
	var seen, bounds bins
	s.binned(&seen, &bounds)
	var out []run
	first, end := span(&seen, &bounds)
	for bin := first; bin < end; bin++ {
		if n := seen.at(bin) + bounds.at(bin); n > 0 {
			out = append(out, run{theGrid().value(bin), n})
		}
	}
	return out
}

// A pooled is a value and how often it occurs on either side.
type pooled struct{ value, a, b int64 }

// pool merges the runs of two sides, in ascending order.
func pool(ra, rb []run) iter.Seq[pooled] {
	return func(yield func(pooled) bool) {
		i, j := 0, 0
		for i < len(ra) || j < len(rb) {
			var p pooled
			if j == len(rb) || i < len(ra) && ra[i].value <= rb[j].value {
				p.value = ra[i].value
			} else {
				p.value = rb[j].value
			}
			if i < len(ra) && ra[i].value == p.value {
				p.a = ra[i].n
				i++
			}
			if j < len(rb) && rb[j].value == p.value {
				p.b = rb[j].n
				j++
			}
			if !yield(p) {
				return
			}
		}
	}
}
