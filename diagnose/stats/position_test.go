package stats

import (
	"math/rand/v2"
	"testing"
)

func TestPosition(t *testing.T) {
	var s Sample
	for i, v := range []int64{10, 20, 20, 30} {
		s.Add(v, int64(i))
	}
	s.AddBound(20, 4)
	s.AddBound(5, 5)
	for _, c := range []struct{ value, below, equal, bounds int64 }{
		{1, 0, 0, 0}, {5, 0, 1, 0}, {20, 2, 3, 1}, {25, 5, 0, 2}, {99, 6, 0, 2},
	} {
		p := s.Position(c.value)
		if p.Below != c.below || p.Equal != c.equal || p.BoundsBelow != c.bounds || p.N != 6 || p.Method != NearestRank {
			t.Errorf("%d: %+v", c.value, p)
		}
	}
	if p := new(Sample).Position(3); p != (Position{}) {
		t.Errorf("no values: %+v", p)
	}
}

func TestPositionInSketch(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	values := waits(rnd, ExactLimit+1, 0.05, 1)
	s := sampleOf(values)
	below := int64(0)
	for _, v := range values {
		if v < 1_500_000 {
			below++
		}
	}
	p := s.Position(1_500_000)
	if p.Method != DDSketch || below < p.Below || below > p.Below+p.Equal {
		t.Errorf("%+v, want %d below", p, below)
	}
}
