package diagnose

import (
	"ttdiag/diagnose/stats"
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// SummarySchema names the layout of a [Summary] in output.
const SummarySchema = "ttdiag.summary/1"

// Summary is what is said of many requests at once. Every figure stands with
// its n, and with what was absent by reason.
type Summary struct {
	Inputs     []InputSummary
	From, To   int64 // least and greatest t0, µs since the epoch
	HasRange   bool  // whether any record has a timestamp
	Thresholds rules.InForce
	Method     stats.Method // of percentiles, in samples that are kept whole
	Totals     Totals
	Retries    Retries
	Whole      GroupSummary   // all requests
	By         []string       // columns that Groups are split by
	Groups     []GroupSummary // largest first; where asked for
	Other      int64          // records of groups beyond the limit, counted in Whole only
	Cleaning   []CleaningCount
	Slowest    []SlowRequest
	Record     *Instrumentation // nil where no change would help
	Why        *Why             // nil unless asked for
}

// InputSummary accounts for one input: Lines = Records + Rejected + Blank +
// Joined.
type InputSummary struct {
	Name     string
	Bytes    int64
	Format   string
	Lines    int64 // lines, or entries of an input that is not made of lines
	Records  int64
	Rejected int64
	Blank    int64
	Joined   int64 // lines that belong to the record of another line
	Reasons  []ReasonCount
}

// ReasonCount is a reason and how often it was met.
type ReasonCount struct {
	Reason string
	Count  int64
}

// Totals counts records. Records = Judged + Warmup + Filtered.
type Totals struct {
	Records  int64 // attempts that were read
	Judged   int64 // attempts that the figures are about
	Warmup   int64 // left out: warm-up of a benchmark
	Filtered int64 // left out by a filter
	Requests int64 // distinct requests among the judged
}

// Retries is what attempts beyond the first cost. A caller's wait goes from the
// start of the first attempt to the end of the last.
type Retries struct {
	Retried   int64 // requests with more than one attempt
	Attempts  int64 // their attempts
	Failed    int64 // of them failed
	Measured  int64 // retried requests whose attempts all have a start and an end
	CallerUs  int64 // sum of the callers' waits of the measured
	LostUs    int64 // of that, before the last attempt started
	BackoffUs int64 // of the lost, between attempts
	Partial   bool  // too many requests to follow all: only failed ones and numbered attempts were
	OneIn     int64 // of how many requests one was followed, by its id, where there were too many; 0 is all
}

// GroupSummary is the summary of one group of records, or of all.
type GroupSummary struct {
	Key        []KeyValue
	N          int64
	Classes    []ClassCount   // in walk order, those that occur
	Outcomes   []OutcomeCount // those that occur
	Stages     []StageCount
	Pools      []Pool
	Throughput Throughput
	Notes      []ReasonCount
}

// KeyValue is the value of one grouping column; Absent is that of records
// without one.
type KeyValue struct {
	Column string
	Value  string
	Absent bool
}

// ClassCount is one class.
type ClassCount struct {
	Class   rules.Class
	Count   int64
	Between []BetweenCount // of Undetermined, most frequent first
}

// BetweenCount is one set of candidates of undetermined requests.
type BetweenCount struct {
	Between   rules.ClassSet
	WouldNeed timeline.Mask
	Count     int64
}

// OutcomeCount is one outcome, and where those requests waited.
type OutcomeCount struct {
	Outcome rules.Outcome
	Count   int64
	Classes []ClassCount
}

// StageCount says of how many requests a stage could be evaluated.
type StageCount struct {
	Stage     rules.Stage
	Evaluated int64
	Slow      int64
	N         int64
}

// Pool is a set of requests whose figures may stand together: one stream mode,
// one meaning of every column.
type Pool struct {
	Mode    string // streaming, non_streaming or unknown
	Basis   Basis
	N       int64
	Metrics []MetricFigures
}

// Basis is what the values of a pool mean beyond the column's definition.
type Basis struct {
	Vantage    string // gateway, client or engine
	FirstToken string // what the source's first-token mark is
	Label      *timeline.Label
}

// MetricFigures are the figures of one metric in one pool.
type MetricFigures struct {
	Metric  string
	Unit    rules.Unit
	Tail    stats.Tail
	N       int64
	Bounds  int64 // values that are lower bounds
	Absent  []ReasonCount
	Figures []stats.Figure // p50 and the two of the bad tail
	Worst   Worst          // the extreme value of the bad tail
	Approx  *timeline.Approx
}

// Worst is the worst value and the request that it belongs to.
type Worst struct {
	OK         bool
	Value      int64
	LowerBound bool
	RequestID  string
	Source     Source
}

// Throughput is tokens of all requests together over wall-clock time; it is no
// speed that a reader saw.
type Throughput struct {
	N      int64 // requests with a token count and a timestamp
	Tokens int64
	SpanUs int64 // from the first start to the last end
}

// CleaningCount is how many values of a column one rule removed or doubted.
type CleaningCount struct {
	Column timeline.Column
	Note   timeline.Cleaning
	Count  int64
}

// SlowRequest is one of the slowest requests by end_to_end_ms.
type SlowRequest struct {
	RequestID  string
	Attempt    int64
	EndToEnd   int64 // µs
	LowerBound bool
	Class      rules.Class
	Excess     *Excess
	Model      string
	Channel    string
	Source     Source
}

// Instrumentation is the one column whose recording would turn the most
// undetermined requests into answers.
type Instrumentation struct {
	Column timeline.Column
	Would  int64 // undetermined requests that need it
	Alone  int64 // of them need nothing else
	N      int64 // undetermined requests
}
