package timeline

import "math"

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

// clean applies the cleaning rules of the specification, in their order, and
// leaves what it removed in r.Notes.
func (r *Row) clean() {
	r.cleanRange()
	r.cleanZero()
	r.cleanOrder()
	r.cleanText()
	r.stampStart()
	if r.set.Has(ColVisibleOutputTPS) {
		r.checkRate()
	}
}

func (r *Row) cleanRange() {
	(r.set & numericMask).each(func(i int) {
		v, limit := r.num[i], int64(math.MaxInt64)
		switch {
		case durations.Has(Column(i)):
			limit = MaxMicros
		case Column(i) == ColVisibleOutputTPS:
			limit = maxRate
		case Column(i) == ColStatus:
			limit = 599
			if v < 100 {
				v = -1
			}
		}
		if v < 0 || v > limit {
			r.Refuse(Column(i), OutOfRange)
		}
	})
}

func (r *Row) cleanZero() {
	(r.set & zeroMarks).each(func(i int) {
		if r.num[i] == 0 {
			r.Refuse(Column(i), ZeroMark)
		}
	})
}

// cleanOrder drops both members of each adjacent pair of recorded marks that
// stand out of order. Pairs are judged on the marks as recorded. A rounded mark
// may be out of order by its rounding.
func (r *Row) cleanOrder() {
	var bad Mask
	last := -1
	(r.set & ordered).each(func(i int) {
		if last >= 0 {
			slack := max(orderTolerance, r.Label.Slack(Column(last)), r.Label.Slack(Column(i)))
			if r.num[last] > r.num[i]+slack {
				bad |= MaskOf(Column(last), Column(i))
			}
		}
		last = i
	})
	for c := range bad.All {
		r.Refuse(c, OrderViolation)
	}
}

func (r *Row) cleanText() {
	(r.set &^ numericMask).each(func(i int) {
		c := Column(i)
		if len(r.text[c-FirstText]) > MaxText && fields[c].Group != GroupInternal {
			r.Refuse(c, TooLong)
		}
	})
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
