package stats

// A Position is where a value stands in a sample: "longer than 461 of 480".
// The counts are exact, or by DDSketch those of the bins below the value's.
type Position struct {
	Below, Equal int64 // finished waits and lower bounds
	BoundsBelow  int64 // lower bounds in Below, which may have ended above
	N            int64
	Method       Method
}

// Position returns where a value stands, be it in the sample or not.
func (s *Sample) Position(value int64) Position {
	p := Position{N: s.n}
	if s.sketched {
		p.Method = DDSketch
		bin := theGrid().bin(value)
		p.Below = s.seenBins.below(bin)
		p.BoundsBelow = s.boundBin.below(bin)
		p.Equal = s.seenBins.at(bin) + s.boundBin.at(bin)
	} else {
		var equal int64
		p.Below, p.Equal = s.seen.below(value)
		p.BoundsBelow, equal = s.bounds.below(value)
		p.Equal += equal
	}
	p.Below += p.BoundsBelow
	return p
}

// boundsBelow is BoundsBelow of the position of a value.
func (s *Sample) boundsBelow(value int64) int64 {
	if s.sketched {
		return s.boundBin.below(theGrid().bin(value))
	}
	n, _ := s.bounds.below(value)
	return n
}

// below counts the values less than x and those equal to it.
func (v *values) below(x int64) (below, equal int64) {
	for y := range v.all() {
		if y < x {
			below++
		} else if y == x {
			equal++
		}
	}
	return below, equal
}

// below counts the values in lesser bins.
func (b *bins) below(bin int) int64 {
	n := int64(0)
	for i, c := range b.count {
		if b.first+i < bin {
			n += c
		}
	}
	return n
}
