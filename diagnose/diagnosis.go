package diagnose

import "ttdiag/rules"

// Schema names the layout of a [Diagnosis] in output.
const Schema = "ttdiag.diagnosis/1"

// Diagnosis is what is said of one attempt. Empty texts and nil pointers are
// absent. The slices are never nil where the output always has the key.
type Diagnosis struct {
	Schema    string
	RequestID string
	Attempt   int64 // 0 where absent
	Model     string
	Outcome   rules.Outcome
	Class     rules.Class
	Stage     string // "" where no stage is slow, or none can be named

	AlsoSlow  []string
	Between   []string
	WouldNeed []string

	Evidence      *Evidence
	LargestExcess *Excess
	NotEvaluated  []string
	LookAt        []string
	Notes         []string
	Cleaned       []Cleaned // absent from output when empty

	Timings  []Value
	Tokens   []Value
	Derived  []Value
	Metadata []Value  // other columns that are present, in schema order, for the top level
	Approx   []Approx // absent from output when empty
	Source   Source
	// Recordable names the marks that the source records when they happen,
	// comma-separated; "" is all, "none" is none.
	Recordable string

	evidence Evidence // what Evidence points to
	excess   Excess
}

// Value is one named number or text.
type Value struct {
	Name string
	Unit rules.Unit // rules.Text: Text holds it
	Num  int64      // in the kept whole numbers of Unit
	Text string
}

// Evidence is the comparison on which the class rests.
type Evidence struct {
	Metric     string
	Value      int64 // in the kept whole numbers of Unit
	Limit      int64
	Unit       rules.Unit
	Relation   string // ">" or "<"
	Origin     string // receipt, upstream_start, upstream_start_estimated or phase
	LowerBound bool   // the wait was cut off: the value is at least this
	since      bool   // counted from the upstream start, known or not
}

// Excess is the stage that is furthest beyond its threshold.
type Excess struct {
	Stage  string
	Metric string
	Value  int64
	Limit  int64
	Unit   rules.Unit
}

// Cleaned is one value that cleaning removed or doubted.
type Cleaned struct {
	Column string
	Note   string
}

// Approx is one approximate column of the record.
type Approx struct {
	Column    string
	Origin    string
	Point     string
	Bias      string
	PlusMinus int64 // microseconds, 0 where the value is not rounded
}

// Source is where a record was read.
type Source struct {
	File string
	Line int64 // 0 where absent
	Byte int64 // -1 where absent
}
