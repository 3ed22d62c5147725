package stats

// Question is one of the three fixed questions of a comparison.
type Question uint8

const (
	// Typical asks whether the typical value moved.
	Typical Question = iota
	// Slow asks whether the bad tail moved.
	Slow
	// OverLimit asks whether the share over a limit moved.
	OverLimit
)

// String returns the name of the question in outputs.
func (q Question) String() string { return [...]string{"typical", "tail", "share"}[q] }

// The methods of the questions, as outputs name them.
const (
	MethodTypicalExact = "hodges-lehmann ratio, exact mann-whitney"
	MethodTypical      = "hodges-lehmann ratio, mann-whitney"
	MethodTail         = "nearest-rank ratio, square-and-add interval, exact permutation test"
	MethodShare        = "newcombe interval, fisher exact"

	// MethodBinned is added for large samples, MethodFixedMix for strata.
	MethodBinned   = ", values within 0.1 %"
	MethodFixedMix = ", strata weighted by size"
)

// The least sizes of a side. 6 values give the median an interval. A share of
// which 35 values show none is under 10 % with Confidence. For the tail it is
// the size that gives the percentile an interval, 72 for p95.
const (
	typicalNeeds = 6
	shareNeeds   = 35
)
