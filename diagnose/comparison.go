package diagnose

import (
	"ttdiag/diagnose/stats"
	"ttdiag/rules"
)

// ComparisonSchema names the layout of a [Comparison] in output.
const ComparisonSchema = "ttdiag.comparison/1"

// Comparison sets two sides against each other: first whether they may be
// compared at all, then what changed from A to B.
type Comparison struct {
	A, B       SideSummary
	By         string // the column of which the sides are two values, "" for two inputs
	Match      []string
	Thresholds rules.InForce // that the verdicts of both sides rest on
	MinEffect  float64       // a smaller change is not worth telling
	Rate       float64       // false discovery rate over all Answers
	Conditions []Controlled
	Comparable bool
	Blocking   []string // conditions for which the sides are not comparable
	Answers    []Answer // none unless Comparable
	Mix        []MixShare
	Drift      []Drift
}

// SideSummary is one side.
type SideSummary struct {
	Name     string
	N        int64 // requests
	Kept     int64 // of them compared; fewer than N where memory bounds them
	Warmup   int64 // left out as warm-up
	From, To int64 // of t0, µs since the epoch
	HasRange bool
}

// State is what is known of a condition.
type State uint8

// The states.
const (
	StateUnknown State = iota
	StateEqual
	StateDifferent
)

// String returns the name of the state in outputs.
func (s State) String() string { return [...]string{"unknown", "equal", "different"}[s] }

// Controlled is one condition that two sides must share.
type Controlled struct {
	Name    string
	State   State
	Matters bool   // a difference makes the sides incomparable
	How     string // how it was judged
	// Accepted says why a difference does not count: it is what is compared, goes
	// along with it, is held equal by matching or was accepted; "" otherwise.
	Accepted string
}

// Answer is the answer to one question about one subject.
type Answer struct {
	Mode    string     // streaming, non_streaming or unknown
	Stratum []KeyValue // where the answer is of one stratum
	Fixed   bool       // the answer combines the strata at fixed mix
	Subject string     // a metric, or a share: slow, failed or a class
	Unit    rules.Unit // of a metric
	Change  stats.Change
	Verdict stats.Verdict
	Enough  int64 // requests a side that would do where the verdict is open, 0 where none would
	// Crude is the change without regard to strata: what of it is not in Change is
	// change of mix. It is there with Fixed only.
	Crude *stats.Change
}

// MixShare is how much of either side one stratum is.
type MixShare struct {
	Mode    string
	Stratum []KeyValue
	A, B    stats.Share
}

// Drift is a change from the first half of a side, by time, to the second.
type Drift struct {
	Side   string
	Mode   string
	Metric string
	Unit   rules.Unit
	Change stats.Change
}
