package diagnose

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// rowset keeps rows as columns: the values of dimensions as codes, and numbers.
// Beyond its limit it keeps one row in two, four, eight …, chosen by a hash of
// the row, so that which rows it keeps depends on the rows alone and those kept
// are a fair sample.
type rowset struct {
	limit     int
	maxValues int   // of a dimension; one with more is given up
	seen      int64 // rows offered
	shift     uint  // rows are kept whose hash ends in that many zero bits

	dims []dimValues
	nums []numValues
	hash []uint64

	class   []rules.Class
	slow    []rules.ClassSet // all slow steps
	skipped []rules.StageSet
	outcome []rules.Outcome
	mode    []mode
}

// dimValues are the values of one dimension: code 0 is absent, code k is
// values[k-1].
type dimValues struct {
	dimension
	codes  []uint16
	values []string
	known  map[string]uint16
	dead   bool // more values than can be kept apart
}

// numValues is one number of every row.
type numValues struct {
	values []int64
	state  []numState
}

type numState uint8

const (
	numAbsent numState = iota
	numKnown
	numBound // a lower bound
)

func newRowset(limit, maxValues int, nums int, dims ...dimension) *rowset {
	s := &rowset{limit: limit, maxValues: maxValues, nums: make([]numValues, nums)}
	for _, d := range dims {
		s.dims = append(s.dims, dimValues{dimension: d, known: map[string]uint16{}})
	}
	return s
}

func (s *rowset) len() int { return len(s.hash) }

// weight is how many rows a kept row stands for.
func (s *rowset) weight() float64 {
	if s.len() == 0 {
		return 1
	}
	return float64(s.seen) / float64(s.len())
}

// add offers the rows; nums are parallel to the numbers of the set.
func (s *rowset) add(v *Verdicts, rows timeline.Bitmap, nums []MetricColumn) {
	s.seen += int64(rows.Count())
	kept := s.hashes(v.Batch, rows)
	for k := range s.dims {
		s.dims[k].add(v, rows, kept, s.maxValues)
	}
	for k := range s.nums {
		s.nums[k].add(nums[k], kept)
	}
	for i := range kept.All {
		s.class = append(s.class, v.Class[i])
		s.slow = append(s.slow, slowSteps(v, i))
		s.skipped = append(s.skipped, v.NotEvaluated[i])
		s.outcome = append(s.outcome, v.Outcome[i])
		s.mode = append(s.mode, v.modeOf(i))
	}
	s.thin()
}

// hashes appends the hashes of the rows that are kept, and returns these.
func (s *rowset) hashes(b *timeline.Batch, rows timeline.Bitmap) timeline.Bitmap {
	kept := timeline.NewBitmap(b.Len())
	ids := b.RequestIDs()
	files := b.Texts(timeline.ColSourceFile)
	var names []uint64
	for _, name := range files.Values {
		names = append(names, xxhash.Sum64String(name))
	}
	for i := range rows.All {
		h := uint64(0)
		if ids.Valid.Has(i) {
			h = xxhash.Sum64(ids.At(i))
		}
		if files.Valid.Has(i) {
			h = mix(h, names[files.Codes[i]])
		}
		for _, c := range []timeline.Column{timeline.ColTimestamp, timeline.ColSourceLine, timeline.ColSourceByte, timeline.ColTotalHandler, timeline.ColAttempt} {
			if x, ok := b.Num(c, i); ok {
				h = mix(h, uint64(x))
			}
		}
		if h = mix(h, 1); s.takes(h) {
			kept.Set(i)
			s.hash = append(s.hash, h)
		}
	}
	return kept
}

func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9E3779B97F4A7C15
	return h ^ h>>32
}

func (s *rowset) takes(h uint64) bool { return h&(1<<s.shift-1) == 0 }

// add appends the codes of the kept rows, and learns the values of all.
func (d *dimValues) add(v *Verdicts, rows, kept timeline.Bitmap, maxValues int) {
	if d.dead {
		return
	}
	key, text := d.reader(v)
	known := map[int64]uint16{}
	last, lastCode := int64(0), uint16(0)
	for i := range rows.All {
		k, ok := key(i)
		code := uint16(0)
		switch {
		case !ok:
		case lastCode != 0 && k == last:
			code = lastCode
		default:
			if code, ok = known[k]; !ok {
				if code = d.code(text(k), maxValues); code == 0 {
					return
				}
				known[k] = code
			}
			last, lastCode = k, code
		}
		if kept.Has(i) {
			d.codes = append(d.codes, code)
		}
	}
}

// code returns the code of a value, 0 where there are too many.
func (d *dimValues) code(value string, maxValues int) uint16 {
	if code, ok := d.known[value]; ok {
		return code
	}
	if len(d.values) >= maxValues {
		d.giveUp()
		return 0
	}
	d.values = append(d.values, value)
	d.known[value] = uint16(len(d.values))
	return uint16(len(d.values))
}

func (d *dimValues) giveUp() {
	d.dead = true
	d.codes, d.values, d.known = nil, nil, nil
}

// value returns a code's value, and false for absent.
func (d *dimValues) value(code uint16) (string, bool) {
	if code == 0 {
		return "", false
	}
	return d.values[code-1], true
}

func (n *numValues) add(col MetricColumn, kept timeline.Bitmap) {
	for i := range kept.All {
		switch {
		case !col.Valid.Has(i):
			n.values, n.state = append(n.values, 0), append(n.state, numAbsent)
		case col.Bound.Has(i):
			n.values, n.state = append(n.values, col.Values[i]), append(n.state, numBound)
		default:
			n.values, n.state = append(n.values, col.Values[i]), append(n.state, numKnown)
		}
	}
}

// thin drops every other row while there are too many.
func (s *rowset) thin() {
	for s.len() > s.limit && s.shift < 63 {
		s.shift++
		s.drop()
	}
}

// drop drops the rows that are no longer taken.
func (s *rowset) drop() {
	keep := make([]bool, len(s.hash))
	for i, h := range s.hash {
		keep[i] = s.takes(h)
	}
	for k := range s.dims {
		if !s.dims[k].dead {
			s.dims[k].codes = compact(s.dims[k].codes, keep)
		}
	}
	for k := range s.nums {
		s.nums[k].values, s.nums[k].state = compact(s.nums[k].values, keep), compact(s.nums[k].state, keep)
	}
	s.class, s.slow, s.skipped = compact(s.class, keep), compact(s.slow, keep), compact(s.skipped, keep)
	s.outcome, s.mode = compact(s.outcome, keep), compact(s.mode, keep)
	s.hash = compact(s.hash, keep)
}

func compact[T any](list []T, keep []bool) []T {
	n := 0
	for i, v := range list {
		if keep[i] {
			list[n] = v
			n++
		}
	}
	return list[:n]
}

// merge adds the rows of o, which must not be used afterwards.
func (s *rowset) merge(o *rowset) {
	s.seen += o.seen
	if shift := max(s.shift, o.shift); shift > 0 {
		s.shift, o.shift = shift, shift
		s.drop()
		o.drop()
	}
	for k := range s.dims {
		s.dims[k].merge(&o.dims[k], s.maxValues)
	}
	for k := range s.nums {
		s.nums[k].values = append(s.nums[k].values, o.nums[k].values...)
		s.nums[k].state = append(s.nums[k].state, o.nums[k].state...)
	}
	s.class, s.slow = append(s.class, o.class...), append(s.slow, o.slow...)
	s.skipped, s.outcome = append(s.skipped, o.skipped...), append(s.outcome, o.outcome...)
	s.mode, s.hash = append(s.mode, o.mode...), append(s.hash, o.hash...)
	s.thin()
}

func (d *dimValues) merge(o *dimValues, maxValues int) {
	if d.dead || o.dead {
		d.giveUp()
		return
	}
	to := make([]uint16, len(o.values)+1)
	for k, value := range o.values {
		if to[k+1] = d.code(value, maxValues); to[k+1] == 0 {
			return
		}
	}
	d.codes = slices.Grow(d.codes, len(o.codes))
	for _, code := range o.codes {
		d.codes = append(d.codes, to[code])
	}
}

// keepRows returns the rows that pass, with warm-up rows left out unless wanted.
func keepRows(v *Verdicts, f *Filter, warmup bool) timeline.Bitmap {
	keep := f.Keep(v)
	if warm := v.Batch.Numbers(timeline.ColWarmup); !warmup && warm.Values != nil {
		for i := range warm.Valid.All {
			if warm.Values[i] != 0 {
				keep[i>>6] &^= 1 << (i & 63)
			}
		}
	}
	return keep
}
