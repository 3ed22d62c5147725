package timeline

import (
	"math"
	"math/bits"
)

const (
	numericMask = Mask(1)<<FirstText - 1
	// zeroMarks are the marks for which 0 means "did not happen".
	zeroMarks = Mask(1<<ColUpstreamHeaders | 1<<ColFirstSSEEvent | 1<<ColFirstResponse |
		1<<ColFirstTextDelta | 1<<ColUpstreamDone)
	durations = Mask(1<<ColAuth | 1<<ColDistribution | 1<<ColBodyRead | 1<<ColUpstreamStart |
		1<<ColUpstreamHeaders | 1<<ColFirstSSEEvent | 1<<ColFirstResponse | 1<<ColFirstTextDelta |
		1<<ColUpstreamDone | 1<<ColTotalHandler | 1<<ColLongestGap | 1<<ColLongestGapAt)
	ordered = Mask(1<<ColFirstSSEEvent | 1<<ColFirstResponse | 1<<ColFirstTextDelta |
		1<<ColUpstreamDone | 1<<ColTotalHandler)

	// orderTolerance is how far marks may stand out of order by rounding.
	orderTolerance = 1000
	maxRate        = 1e6 * 1e6 // a million tokens per second
)

// limits holds the largest value of each numeric column.
var limits = func() (l [NumNumeric]uint64) {
	for i := range l {
		switch c := Column(i); {
		case durations.Has(c):
			l[i] = uint64(MaxMicros)
		case c == ColVisibleOutputTPS:
			l[i] = maxRate
		case c == ColStatus:
			l[i] = 599
		default:
			l[i] = math.MaxInt64
		}
	}
	return l
}()

// clean applies the cleaning rules of the specification, in their order, and
// leaves what it removed in r.Notes.
func (r *Row) clean() {
	r.cleanRange()
	r.cleanZero()
	r.cleanOrder()
	r.cleanText()
	if r.TimestampIsEnd {
		r.stampStart()
	}
	if r.set.Has(ColVisibleOutputTPS) {
		r.checkRate()
	}
}

func (r *Row) cleanRange() {
	for m := r.set & numericMask; m != 0; m &= m - 1 {
		c := bits.TrailingZeros64(uint64(m)) % 64
		if uint64(r.num[c]) > limits[c] { // a negative number is a large one
			r.Refuse(Column(c), OutOfRange)
		}
	}
	if r.set.Has(ColStatus) && r.num[ColStatus] < 100 {
		r.Refuse(ColStatus, OutOfRange)
	}
}

func (r *Row) cleanZero() {
	for m := r.set & zeroMarks; m != 0; m &= m - 1 {
		c := bits.TrailingZeros64(uint64(m)) % 64
		if r.num[c] == 0 {
			r.Refuse(Column(c), ZeroMark)
		}
	}
}

// cleanOrder drops both members of each adjacent pair of recorded marks that
// stand out of order, and looks again at those that are neighbours then: what is
// left is in order, so that a record that is read again stays as it is. A rounded
// mark may be out of order by its rounding.
func (r *Row) cleanOrder() {
	for bad := r.outOfOrder(); bad != 0; bad = r.outOfOrder() {
		for c := range bad.All {
			r.Refuse(c, OrderViolation)
		}
	}
}

// outOfOrder returns the marks of adjacent pairs that stand out of order.
func (r *Row) outOfOrder() (bad Mask) {
	last := -1
	for m := r.set & ordered; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(uint64(m)) % 64
		if last >= 0 && r.num[last] > r.num[i] {
			slack := max(orderTolerance, r.Label.Slack(Column(last)), r.Label.Slack(Column(i)))
			if r.num[last] > r.num[i]+slack {
				bad |= MaskOf(Column(last), Column(i))
			}
		}
		last = i
	}
	return bad
}

func (r *Row) cleanText() {
	for m := r.set >> FirstText; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(uint64(m)) % 64
		if len(r.text[i]) > MaxText && fields[int(FirstText)+i].Group != GroupInternal {
			r.Refuse(FirstText+Column(i), TooLong)
		}
	}
}

// stampStart moves a timestamp that a source took at the end to t0.
func (r *Row) stampStart() {
	if !r.TimestampIsEnd || !r.set.Has(ColTimestamp) {
		return
	}
	switch {
	case r.set.Has(ColTotalHandler):
		r.num[ColTimestamp] -= r.num[ColTotalHandler]
	case r.set.Has(ColUpstreamDone):
		r.num[ColTimestamp] -= r.num[ColUpstreamDone]
	default:
		r.SetText(ColTimestampBasis, basisEnd)
	}
}

var basisEnd = []byte("end")

// checkRate notes a recorded speed that is more than twice, or less than half,
// of the one that tokens and window give.
func (r *Row) checkRate() {
	final := ColUpstreamDone
	if !r.set.Has(final) {
		final = ColTotalHandler
	}
	if need := MaskOf(ColOutputTokens, ColFirstTextDelta, final); r.set&need != need {
		return
	}
	tokens := r.num[ColOutputTokens]
	if r.set.Has(ColReasoningTokens) {
		tokens -= r.num[ColReasoningTokens]
	}
	window := r.num[final] - r.num[ColFirstTextDelta]
	if window <= 0 || tokens <= 0 {
		return
	}
	recorded := float64(r.num[ColVisibleOutputTPS]) * float64(window)
	derived := float64(tokens) * 1e12
	if recorded > 2*derived || derived > 2*recorded {
		r.Notes.Cleaned[TPSMismatch] = r.Notes.Cleaned[TPSMismatch].With(ColVisibleOutputTPS)
	}
}
