package rules

// Class names the place on the timeline where a request waited, or says that
// there is none or that it cannot be told. The names are API.
type Class uint8

// The classes, in walk order. Those below NumSlow are steps of the walk.
const (
	UpstreamHeadersSlow Class = iota
	FirstEventSlow
	EventToResponseSlow
	FirstResponseSlow
	ResponseToTextSlow
	GenerationSlow
	LocalAuthSlow
	LocalDistributionSlow
	LocalBodyReadSlow
	LocalRelaySlow
	NoSlowStage
	Undetermined

	NumClasses = int(Undetermined) + 1
	// NumSlow is the number of steps of the walk.
	NumSlow = int(LocalRelaySlow) + 1
)

var classNames = [NumClasses]string{
	"upstream_headers_slow", "first_event_slow", "event_to_response_slow", "first_response_slow",
	"response_to_text_slow", "generation_slow", "local_auth_slow", "local_distribution_slow",
	"local_body_read_slow", "local_relay_slow", "no_slow_stage", "undetermined",
}

// String returns the name of the class.
func (c Class) String() string { return classNames[c] }

// ClassNamed returns the class of that exact name.
func ClassNamed(name string) (Class, bool) {
	for i, known := range classNames {
		if known == name {
			return Class(i), true
		}
	}
	return 0, false
}

// Slow reports whether c is a step of the walk.
func (c Class) Slow() bool { return int(c) < NumSlow }

// Stage returns the stage of the walk that a slow class stands in.
func (c Class) Stage() Stage {
	switch c {
	case UpstreamHeadersSlow:
		return StageHeaders
	case FirstEventSlow:
		return StageFirstEvent
	case EventToResponseSlow, FirstResponseSlow:
		return StageResponse
	case ResponseToTextSlow:
		return StageText
	case GenerationSlow:
		return StageGeneration
	}
	return StageLocal
}

// ClassSet is a set of classes that are steps of the walk.
type ClassSet uint16

// SetOf returns the set of the given classes.
func SetOf(classes ...Class) ClassSet {
	var s ClassSet
	for _, c := range classes {
		s |= 1 << c
	}
	return s
}

// Has reports whether c is in s.
func (s ClassSet) Has(c Class) bool { return s>>c&1 != 0 }

// With returns s and c.
func (s ClassSet) With(c Class) ClassSet { return s | 1<<c }

// All yields the classes of s in walk order.
func (s ClassSet) All(yield func(Class) bool) {
	for c := range Class(NumSlow) {
		if s.Has(c) && !yield(c) {
			return
		}
	}
}

// Names returns the names of the classes of s in walk order, never nil.
func (s ClassSet) Names() []string {
	names := []string{}
	for c := range s.All {
		names = append(names, c.String())
	}
	return names
}

// Stage is a part of the walk. Several steps may stand in one.
type Stage uint8

// The stages, in walk order.
const (
	StageHeaders Stage = iota
	StageFirstEvent
	StageResponse
	StageText
	StageGeneration
	StageLocal

	NumStages = int(StageLocal) + 1
)

var stageNames = [NumStages]string{"headers", "first_event", "response", "text", "generation", "local"}

// String returns the name of the stage.
func (s Stage) String() string { return stageNames[s] }

// StageSet is a set of stages.
type StageSet uint8

// Has reports whether g is in s.
func (s StageSet) Has(g Stage) bool { return s>>g&1 != 0 }

// All yields the stages of s in walk order.
func (s StageSet) All(yield func(Stage) bool) {
	for g := range Stage(NumStages) {
		if s.Has(g) && !yield(g) {
			return
		}
	}
}

// Verdict is what the walk says of one step.
type Verdict uint8

// The verdicts.
const (
	Absent        Verdict = iota // the metric was not recorded
	OK                           // recorded, and not beyond the threshold
	SlowVerdict                  // beyond the threshold
	Covered                      // contains an earlier step that is slow, or may be
	NotApplicable                // the step says nothing of such a request
)

var verdictNames = [...]string{"absent", "ok", "slow", "covered", "not_applicable"}

// String returns the name of the verdict.
func (v Verdict) String() string { return verdictNames[v] }

// Outcome is how a request ended, apart from where it waited.
type Outcome uint8

// The outcomes.
const (
	Success Outcome = iota
	ClientCancelled
	RateLimited
	Rejected
	Timeout
	UpstreamError
	Incomplete
	Unknown

	NumOutcomes = int(Unknown) + 1
)

var outcomeNames = [NumOutcomes]string{
	"success", "client_cancelled", "rate_limited", "rejected", "timeout", "upstream_error", "incomplete", "unknown",
}

// String returns the name of the outcome.
func (o Outcome) String() string { return outcomeNames[o] }

// Failed reports whether the outcome is neither success nor unknown.
func (o Outcome) Failed() bool { return o != Success && o != Unknown }

// Note is a remark of the engine about one record.
type Note uint8

// The notes of the engine.
const (
	NoteLooksNonStreaming Note = iota
	NoteHeadersWithFirstEvent
	NoteBufferedStream
	NoteEstimated         // since_upstream rests on the local phases
	NoteIncludesLocalTime // since_upstream counts from the receipt

	NumNotes = int(NoteIncludesLocalTime) + 1
)

var noteNames = [NumNotes]string{
	"looks_non_streaming", "headers_with_first_event", "buffered_stream",
	"estimated", "includes_local_time",
}

// String returns the name of the note.
func (n Note) String() string { return noteNames[n] }

// NoteSet is a set of notes of the engine.
type NoteSet uint8

// Has reports whether n is in s.
func (s NoteSet) Has(n Note) bool { return s>>n&1 != 0 }

// Origin is what a metric that should count from the upstream start counts from.
type Origin uint8

// The origins.
const (
	OriginUpstream  Origin = iota
	OriginEstimated        // the upstream start is taken to be the sum of the local phases
	OriginReceipt          // no local phase is known: the value includes local time
)

var originNames = [...]string{"upstream_start", "upstream_start_estimated", "receipt"}

// String returns the name of the origin.
func (o Origin) String() string { return originNames[o] }

// IntervalSet is a set of rows of the table of intervals; see Intervals.
type IntervalSet uint32

// All yields the indexes of the intervals in s, ascending.
func (s IntervalSet) All(yield func(int) bool) {
	for k := 0; s != 0; k, s = k+1, s>>1 {
		if s&1 != 0 && !yield(k) {
			return
		}
	}
}
