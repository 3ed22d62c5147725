package rules

import (
	"sync"

	"ttdiag/ingest/timeline"
)

// Step is one step of the walk.
type Step struct {
	Class  Class
	Stage  Stage
	Metric *Metric // what it watches
	// Other is watched instead where UseOther is true; nil where there is none.
	Other    *Metric
	UseOther *Expr
	Limit    Param
	Relation string // ">" or "<": how the metric of a slow request stands to Limit
	Slow     *Expr
	Verdict  *Expr // code of the Verdict
}

// Interval is one row of the table of missing marks: a wait between two recorded
// moments that is longer than all that the stages in it may take.
type Interval struct {
	Name      string
	At        Class // the first stage in it, where it stands in the walk
	Metric    *Metric
	Limits    []Param // their sum is the limit
	PerToken  bool    // and the time that output_tokens may take at GenerationLimit
	Between   ClassSet
	WouldNeed timeline.Mask
	Fires     *Expr
}

// Metric is a number that a row has or lacks. It is Value where that is there,
// else Part × Scale ÷ Whole, rounded to the nearest.
type Metric struct {
	Name   string
	Unit   Unit
	Origin string // receipt, upstream_start, phase, or "" where the metric is no time
	Value  *Expr
	Part   *Expr // nil where there is no quotient; it and Whole are absent where it has no meaning
	Whole  *Expr // above 0
	Scale  int64
	Bound  *Expr // true where a failed request never got there, and Value is the wait so far
	Since  bool  // counted from the upstream start, which may be estimated
}

// Remark is a note of the engine and when it is made.
type Remark struct {
	Note Note
	When *Expr
}

// Term is a condition that other conditions name.
type Term struct {
	Name string
	Doc  string
	Expr *Expr
}

// Table is the rule table. All its expressions are shared: equal ones are the
// same pointer.
type Table struct {
	Steps        [NumSlow]Step
	Intervals    []Interval
	Metrics      []*Metric
	Remarks      []Remark
	Terms        []Term
	Outcome      *Expr // code of the Outcome
	SinceOrigin  *Expr // code of the Origin of metrics that count from the upstream start
	NonStreaming *Expr // judged as one interval
	// HeadersProven says that headers that were not recorded were in time, because
	// a later mark was.
	HeadersProven *Expr
	// NotEvaluated says for each stage but the local one that its walk has neither
	// slow, ok nor covered to say.
	NotEvaluated [StageLocal]*Expr
	Class        *Expr // code of the Class
}

// TheTable returns the rule table. It is made once and never changes.
func TheTable() *Table { return theTable() }

var theTable = sync.OnceValue(func() *Table {
	b := &builder{request: newRequest(), named: map[string]*Metric{}}
	b.metrics()
	b.walk()
	b.intervals()
	b.finish()
	b.share()
	return &b.table
})

// MetricNamed returns the metric of that exact name.
func (t *Table) MetricNamed(name string) (*Metric, bool) {
	for _, m := range t.Metrics {
		if m.Name == name {
			return m, true
		}
	}
	return nil, false
}

// builder makes the table from the expressions of a request.
type builder struct {
	*request
	table Table
	named map[string]*Metric

	visible, effective Span // windows
	textGap            Span
	responseGap        Span
	eventTime          Span
	responseTime       Span
	headersTime        Span
	textTime           Span
	eventToText        Span
	eventToEnd         Span
	relay              Span
	visibleTokens      *Expr
	buffered, noSpeed  *Expr

	slow                         [NumSlow]*Expr
	headersProven, headersOpen   *Expr
	eventOpen, responseOpen      *Expr // intervals in which headers are missing
	useEffective                 *Expr
	longVisible, longOutput      *Expr
	visibleKnown, effectiveKnown *Expr
	rateFine                     *Expr
}
