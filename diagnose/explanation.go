package diagnose

import "ttdiag/rules"

// ExplanationSchema names the layout of an [Explanation] in output.
const ExplanationSchema = "ttdiag.explanation/1"

// Explanation is a diagnosis with the way to it.
type Explanation struct {
	Diagnosis
	Walk      []Step
	Intervals []Finding // waits that something unrecorded must explain
	Phases    []PhaseSpan
	Unplaced  []string // times that cannot be placed on the line, in words

	Why          string   // why the class matters
	DoesNotProve []string // what the class does not prove
	CompareNext  []string // what to compare next
	CannotHelp   []string // remedies that cannot help
	Peers        *Peers   // nil until somebody compared
}

// Step is one step of the walk.
type Step struct {
	Class      rules.Class // the class that the step would give
	Stage      string
	Verdict    rules.Verdict
	Metric     string
	HasValue   bool
	Value      int64 // in the kept whole numbers of Unit
	Limit      int64
	Unit       rules.Unit
	Relation   string
	Origin     string
	LowerBound bool
	Reason     string
}

// Finding is one unexplained interval.
type Finding struct {
	Evidence  Evidence
	Between   []string
	WouldNeed []string
	Reason    string
}

// PhaseSpan is a part of [t0, end], in microseconds since t0.
type PhaseSpan struct {
	Name  string
	Start int64
	End   int64
}
