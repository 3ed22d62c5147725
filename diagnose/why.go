package diagnose

import (
	"ttdiag/diagnose/stats"
	"ttdiag/rules"
)

// WhySchema names the layout of a [Why] in output.
const WhySchema = "ttdiag.why/1"

// Why says what sets the slow requests of each class apart from the rest.
type Why struct {
	N          int64 // requests that were offered
	Looked     int64 // requests that were compared; fewer than N where memory bounds them
	Dimensions []WhyDimension
	Tests      int64   // comparisons made, over which P is adjusted
	Rate       float64 // false discovery rate
	MinLift    float64
	Classes    []WhyClass // in walk order, those that occur
}

// WhyDimension is one thing by which requests were compared.
type WhyDimension struct {
	Name   string
	Values int  // distinct values; with TooMany, at least that many
	Too    bool // too many values to compare: an identifier, not a group
}

// WhyClass is what was found about one class. No finding says that nothing
// stands out.
type WhyClass struct {
	Class rules.Class
	Slow  stats.Share // of the requests in which it could be told
	// Metric is what the class is measured by, Usual its median among the other
	// requests, in the kept whole numbers of Unit.
	Metric   string
	Unit     rules.Unit
	Usual    int64
	UsualN   int64 // values that Usual rests on; it is within 0.4 %
	HasUsual bool
	// ExcessUs is the time that the slow ones took beyond the usual: of a speed,
	// beyond what their tokens take at the usual speed.
	ExcessUs int64
	Findings []WhyFinding
}

// WhyFinding is a value of one dimension, or values of two, that the slow
// requests share more often than others do.
type WhyFinding struct {
	Where []KeyValue
	Lift  stats.Lift // share of slow ones here and elsewhere
	// ExcessUs is the time that requests here took beyond what they would have
	// taken had they been like those elsewhere.
	ExcessUs int64
	Same     [][]KeyValue // other values that exactly the same requests have
}
