package stats

import "math"

// A Lift compares how common something is here, among the requests with one
// value of a dimension, and elsewhere, among all others: "of ch-07, 40 of 120
// were slow; of the rest, 210 of 9 880".
type Lift struct {
	Here, Elsewhere Share
	// Ratio is the share here over the share elsewhere. It is none (OK false)
	// if the share elsewhere is 0 or has no values.
	Ratio struct {
		Value float64
		OK    bool
	}
	// Lo and Hi enclose the difference of the shares, here less elsewhere, by
	// Newcombe's method.
	Lo, Hi float64
	// Excess is the number of marked requests here above what the share
	// elsewhere would give.
	Excess float64
	// LogP is the natural logarithm of P, for ranking what underflows.
	P, LogP  float64
	Adjusted float64 // P after AdjustLifts; P itself before
}

// MethodLift names the test behind a Lift in outputs.
const MethodLift = "hypergeometric, one-sided"

// NewLift returns the lift of a share here over the share elsewhere. P is the
// one-sided p value of Fisher's exact test, that here is not above elsewhere:
// P(X ≥ k), X hypergeometric. Without values on either side nothing is told,
// and P is 1.
func NewLift(here, elsewhere Share) Lift {
	l := Lift{Here: here, Elsewhere: elsewhere, P: 1, Adjusted: 1}
	l.Lo, l.Hi = Newcombe(here, elsewhere)
	l.Lo, l.Hi = -l.Hi, -l.Lo
	if here.N == 0 || elsewhere.N == 0 {
		return l
	}
	if elsewhere.K > 0 {
		l.Ratio.Value, l.Ratio.OK = here.Value()/elsewhere.Value(), true
	}
	l.Excess = float64(here.K) - float64(here.N)*elsewhere.Value()
	l.LogP = enriched(here.K, here.N, elsewhere.K, elsewhere.N)
	l.P = math.Exp(l.LogP)
	l.Adjusted = l.P
	return l
}

// AdjustLifts sets Adjusted of every lift by Benjamini-Hochberg over all of
// them. Give it everything that was looked at, not only what stood out.
func AdjustLifts(lifts []Lift) {
	p := make([]float64, len(lifts))
	for i, l := range lifts {
		p[i] = l.P
	}
	for i, q := range BenjaminiHochberg(p) {
		lifts[i].Adjusted = q
	}
}
