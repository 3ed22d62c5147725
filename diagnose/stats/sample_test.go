package stats

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// A wait is what a reference keeps of one value.
type wait struct {
	value, tag int64
	bound      bool
}

func (s *Sample) addWait(w wait) {
	if w.bound {
		s.AddBound(w.value, w.tag)
	} else {
		s.Add(w.value, w.tag)
	}
}

// sorted returns waits as a percentile sees them.
func sorted(ws []wait) []Point {
	out := make([]Point, len(ws))
	for i, w := range ws {
		out[i] = Point{Value: w.value, OK: true, LowerBound: w.bound}
	}
	slices.SortFunc(out, Point.compare)
	return out
}

func randomWaits(rnd *rand.Rand, n int) []wait {
	ws := make([]wait, n)
	for i := range ws {
		v := int64(1e6 * math.Exp(rnd.NormFloat64()))
		switch rnd.IntN(50) {
		case 0:
			v = -v
		case 1:
			v = 0
		case 2:
			v <<= 20
		case 3, 4, 5:
			v = 2_000_000 // many ties
		}
		ws[i] = wait{v, int64(i), rnd.IntN(20) == 0}
	}
	return ws
}

var allLevels = []Level{P1, P5, P50, P90, P95, P99, P999}

func TestFiguresAgainstSorting(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{1, 2, 3, 10, 71, 72, 400, sortBelow - 1, sortBelow, 5000, 40_000} {
		ws := randomWaits(rnd, n)
		var s Sample
		for _, w := range ws {
			s.addWait(w)
		}
		ref := sorted(ws)
		for i, f := range s.Figures(NearestRank, allLevels...) {
			l := allLevels[i]
			ends := IntervalRanks(int64(n), l)
			if f.OK && f.Point != ref[l.rank(int64(n))-1] ||
				f.Lo.OK && f.Lo != ref[ends.Lo-1] || f.Hi.OK && f.Hi != ref[ends.Hi-1] ||
				f.Lo.OK != (ends.Lo > 0) || f.Hi.OK != (ends.Hi > 0) || f.OK != (int64(n) >= l.valueNeeds()) {
				t.Errorf("n=%d %v: %+v", n, l, f)
			}
		}
	}
}

func TestSmallSamples(t *testing.T) {
	var s Sample
	if f := s.Figures(NearestRank, P50, P99); f[0].OK || f[0].Lo.OK || f[0].NeedsN != 2 || f[1].NeedsN != 100 || f[1].HiNeedsN != 368 {
		t.Errorf("no values: %+v", f)
	}
	if s.Max().OK || s.Min().OK {
		t.Error("no values, but an extreme")
	}
	s.Add(5, 1)
	if f := s.Figures(NearestRank, P50)[0]; f.OK || f.NeedsN != 2 || f.N != 1 {
		t.Errorf("one value: %+v", f)
	}
	if m := s.Max(); m.Value != 5 || m.Tag != 1 || s.Min() != m {
		t.Errorf("one value: maximum %+v", m)
	}
	s.Add(7, 2)
	if f := s.Figures(NearestRank, P50)[0]; f.Value != 5 || f.Hi.OK || f.HiNeedsN != 6 {
		t.Errorf("two values: %+v", f)
	}
	if f := s.Figures(Linear, P50)[0]; f.Value != 6 || f.Method != Linear {
		t.Errorf("two values, linear: %+v", f)
	}
}

func TestBoundWithoutValue(t *testing.T) {
	for _, c := range []struct {
		n       int64
		level   Level
		atLeast int64 // 0 is none
	}{
		{80, P99, 77}, {15, P95, 0}, {15, P99, 0}, {19, P95, 0}, {20, P95, 17}, {71, P95, 63}, {72, P95, 0},
	} {
		var s Sample
		for i := int64(1); i <= c.n; i++ {
			s.Add(i, i)
		}
		p, ok := s.Figures(NearestRank, c.level)[0].AtLeast()
		if ok != (c.atLeast > 0) || ok && p.Value != c.atLeast {
			t.Errorf("%v n=%d: at least %v, %v; want %d", c.level, c.n, p.Value, ok, c.atLeast)
		}
	}
	rates := NewSample(Low)
	for i := int64(1); i <= 80; i++ {
		rates.Add(i, i)
	}
	if p, ok := rates.Figures(NearestRank, P1)[0].AtMost(); !ok || p.Value != 4 {
		t.Errorf("p1 of 80 rates: at most %v, %v", p.Value, ok)
	}
}

func TestAllEqual(t *testing.T) {
	for _, n := range []int{500, 50_000, ExactLimit + 1} {
		var s Sample
		values := make([]int64, n)
		for i := range values {
			values[i] = 123_457
		}
		s.AddSlice(values, nil, nil, 100)
		for _, f := range s.Figures(NearestRank, P50, P99) {
			if f.Value != 123_457 || f.Lo.Value != 123_457 || f.Hi.Value != 123_457 {
				t.Errorf("n=%d: %+v", n, f)
			}
		}
		if m := s.Max(); m.Tag != 100 {
			t.Errorf("n=%d: the first of equal rows is %d", n, m.Tag)
		}
	}
}

func TestLowerBounds(t *testing.T) {
	for _, c := range []struct {
		name  string
		waits string // one letter a value, ascending: s(een) or b(ound)
		rank  int64  // of 10: p50 is 5, p90 is 9
		bound bool
		below int64
	}{
		{"none", "ssssssssss", 9, false, 0},
		{"above", "sssssssssb", 9, false, 0},
		{"on it", "ssssssssbs", 9, true, 0},
		{"below it", "bbsssssbss", 9, false, 3},
		{"all", "bbbbbbbbbb", 5, true, 4},
	} {
		var s Sample
		for i, kind := range c.waits {
			s.addWait(wait{int64(i), int64(i), kind == 'b'})
		}
		f := s.Figures(NearestRank, Level(c.rank)*10_000)[0]
		if f.LowerBound != c.bound || f.BoundsBelow != c.below || f.Value != c.rank-1 {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
	var s Sample // at the same length, the unfinished wait is the longer one
	s.AddBound(5, 1)
	s.Add(5, 2)
	if f := s.Figures(NearestRank, P50)[0]; f.LowerBound || !s.Max().LowerBound || s.Min().LowerBound {
		t.Errorf("tie: %+v, max %+v, min %+v", f, s.Max(), s.Min())
	}
}

func TestAddSliceLikeAdd(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{0, 1, 63, 64, 65, 1000, 50_000} {
		ws := randomWaits(rnd, n)
		values, valid, bounds := make([]int64, n), make([]uint64, n/64+1), make([]uint64, n/64+1)
		var one, all, rest Sample
		for i, w := range ws {
			values[i] = w.value
			if i/640%2 == 0 && rnd.IntN(5) == 0 { // a stale number under a null
				values[i] = math.MaxInt64
				continue
			}
			valid[i/64] |= 1 << (i % 64)
			if w.bound {
				bounds[i/64] |= 1 << (i % 64)
			}
			w.tag += 7
			one.addWait(w)
		}
		all.AddSlice(values, valid, bounds, 7)
		cut := n / 128 * 64
		rest.AddSlice(values[cut:], valid[cut/64:], bounds[cut/64:], int64(7+cut))
		rest.AddSlice(values[:cut], valid, bounds, 7)
		for _, s := range []*Sample{&all, &rest} {
			if !sameAnswers(&one, s) {
				t.Errorf("n=%d: a column differs from its values", n)
			}
		}
	}
}

func sameAnswers(a, b *Sample) bool {
	return a.N() == b.N() && a.Bounds() == b.Bounds() && a.Max() == b.Max() && a.Min() == b.Min() &&
		reflect.DeepEqual(a.Figures(NearestRank, allLevels...), b.Figures(NearestRank, allLevels...)) &&
		reflect.DeepEqual(a.Figures(Linear, allLevels...), b.Figures(Linear, allLevels...)) &&
		reflect.DeepEqual(absences(a), absences(b))
}

// absences lists the absent values.
func absences(s *Sample) (out []any) {
	for reason, n := range s.Absent() {
		out = append(out, reason, n)
	}
	return out
}

func TestOrderAndSplitChangeNothing(t *testing.T) {
	sizes := []int{3000, 30_000, ExactLimit, ExactLimit + 1}
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, n := range sizes {
		rnd := rand.New(rand.NewPCG(4, uint64(n)))
		ws := randomWaits(rnd, n)
		var whole Sample
		for _, w := range ws {
			whole.addWait(w)
		}
		whole.AddAbsent("not recorded", 12)
		rnd.Shuffle(n, func(i, j int) { ws[i], ws[j] = ws[j], ws[i] })
		parts := make([]Sample, 5)
		for i, w := range ws {
			parts[rnd.IntN(i%5+1)].addWait(w)
		}
		for i := range parts {
			parts[i].AddAbsent("not recorded", int64(i))
		}
		parts[0].AddAbsent("not recorded", 2)
		var left, right Sample
		for i := range parts {
			left.Merge(&parts[i])
		}
		parts[3].Merge(&parts[4])
		for i := range 4 {
			right.Merge(&parts[3-i])
		}
		if !sameAnswers(&whole, &left) || !sameAnswers(&whole, &right) {
			t.Errorf("n=%d: the order of adding or merging shows", n)
		}
		if got := left.Figures(Linear, P50)[0].Method; (got == DDSketch) != (n > ExactLimit) {
			t.Errorf("n=%d: method %v", n, got)
		}
	}
}

func TestSketchIsCloseAndFlat(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	ws := randomWaits(rnd, ExactLimit+5000)
	var s Sample
	for _, w := range ws {
		s.addWait(w)
	}
	ref := sorted(ws)
	for _, f := range s.Figures(NearestRank, allLevels...) {
		want := ref[f.Level.rank(f.N)-1].Value
		if f.Method.RelativeError() != 0.001 || math.Abs(float64(f.Value-want)) > 0.001*math.Abs(float64(want)) {
			t.Errorf("%v: %d for %d by %v", f.Level, f.Value, want, f.Method)
		}
	}
	if m := s.Max(); m.Value != ref[len(ref)-1].Value {
		t.Errorf("maximum %d, want %d", m.Value, ref[len(ref)-1].Value)
	}
	before := s.Bytes()
	for _, w := range ws {
		s.addWait(w)
	}
	if s.Bytes() != before || before > 1<<20 {
		t.Errorf("memory went from %d to %d bytes", before, s.Bytes())
	}
}

func TestExtremeTags(t *testing.T) {
	var a, b Sample
	a.Add(10, 5)
	a.Add(10, 3)
	b.Add(10, 4)
	b.Add(1, 9)
	b.Add(1, 8)
	a.Merge(&b)
	if a.Max().Tag != 3 || a.Min().Tag != 8 || a.Worst() != a.Max() {
		t.Errorf("max %+v, min %+v", a.Max(), a.Min())
	}
	if a.Tail = Low; a.Worst() != a.Min() {
		t.Errorf("worst rate %+v", a.Worst())
	}
}

// Any bytes make a sample that answers as sorting does, however it is split.
func FuzzFigures(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, uint8(1))
	f.Add(slices.Repeat([]byte{255, 255, 255, 127, 0, 9, 200, 128}, 300), uint8(7))
	f.Fuzz(func(t *testing.T, data []byte, split uint8) {
		var ws []wait
		for i := 0; i+3 < len(data); i += 4 {
			v := int64(int16(data[i])|int16(data[i+1])<<8) << (data[i+2] % 49)
			ws = append(ws, wait{v, int64(i), data[i+3]%5 == 0})
		}
		var whole, part, other Sample
		for i, w := range ws {
			whole.addWait(w)
			if uint8(i) < split {
				part.addWait(w)
			} else {
				other.addWait(w)
			}
		}
		other.Merge(&part)
		if !sameAnswers(&whole, &other) {
			t.Error("the split shows")
		}
		ref := sorted(ws)
		for _, fig := range whole.Figures(NearestRank, allLevels...) {
			if fig.OK && fig.Point != ref[fig.Level.rank(fig.N)-1] {
				t.Errorf("%+v, want %+v", fig, ref[fig.Level.rank(fig.N)-1])
			}
		}
	})
}
