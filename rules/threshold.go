package rules

// Param is one threshold. The zero value is a valid Param.
type Param uint8

// The thresholds.
const (
	HeadersLimit Param = iota
	FirstEventLimit
	ResponseGapLimit
	FirstResponseLimit
	TextGapLimit
	GenerationLimit
	GenerationWindow
	GenerationTokens
	AuthLimit
	DistributionLimit
	BodyReadLimit
	RelayLimit
	UnknownTokensLimit

	NumParams = int(UnknownTokensLimit) + 1
)

// Unit is the unit of a number that leaves the engine.
type Unit uint8

// The units, with the whole number that a value of each is kept as.
const (
	Milliseconds    Unit = iota // microseconds
	TokensPerSecond             // millionths of a token per second
	Tokens                      // tokens
	Plain                       // a plain count
	Flag                        // 0 or 1
	Fraction                    // millionths
	Timestamp                   // microseconds since 1970-01-01T00:00:00Z
	Text                        // not a number
)

// Scale returns the kept whole numbers in one of the unit.
func (u Unit) Scale() int64 {
	switch u {
	case Milliseconds:
		return 1000
	case TokensPerSecond, Fraction:
		return 1_000_000
	}
	return 1
}

type paramInfo struct {
	key    string // after "rule."
	unit   Unit
	preset int64
	max    int64
	doc    string
}

var params = [NumParams]paramInfo{
	HeadersLimit:       {"headers_ms", Milliseconds, 2_000_000, maxLimit, "upstream_headers_ms is slow beyond it"},
	FirstEventLimit:    {"first_event_ms", Milliseconds, 3_000_000, maxLimit, "the first event, counted from the upstream start, is slow beyond it"},
	ResponseGapLimit:   {"event_to_response_ms", Milliseconds, 2_000_000, maxLimit, "event_to_response_gap_ms is slow beyond it"},
	FirstResponseLimit: {"first_response_ms", Milliseconds, 3_000_000, maxLimit, "the first effective response, counted from the upstream start, is slow beyond it"},
	TextGapLimit:       {"response_to_text_ms", Milliseconds, 2_000_000, maxLimit, "response_to_text_gap_ms is slow beyond it"},
	GenerationLimit:    {"generation_tps", TokensPerSecond, 15_000_000, maxSpeed, "visible_output_tps is slow below it"},
	GenerationWindow:   {"generation_window_ms", Milliseconds, 1_000_000, maxLimit, "a shorter window, where known, says nothing about speed"},
	GenerationTokens:   {"generation_tokens", Tokens, 16, 1_000_000_000, "fewer tokens, where known, say nothing about speed"},
	AuthLimit:          {"auth_ms", Milliseconds, 500_000, maxLimit, "auth_ms is slow beyond it"},
	DistributionLimit:  {"distribution_ms", Milliseconds, 500_000, maxLimit, "distribution_ms is slow beyond it"},
	BodyReadLimit:      {"body_read_ms", Milliseconds, 1_000_000, maxLimit, "body_read_ms is slow beyond it"},
	RelayLimit:         {"relay_ms", Milliseconds, 1_000_000, maxLimit, "relay_tail_ms is slow beyond it"},
	UnknownTokensLimit: {"unknown_tokens_ms", Milliseconds, 10_000_000, maxLimit, "a wait that holds the generation of unknown many tokens is unexplained beyond it"},
}

const (
	maxLimit = 24 * 3600 * 1_000_000 // a day
	maxSpeed = 10_000 * 1_000_000    // keeps products of windows and speeds inside int64
)

// Key returns the name of the threshold in configuration: rule.headers_ms.
func (p Param) Key() string { return "rule." + params[p].key }

// Unit returns the unit of the threshold.
func (p Param) Unit() Unit { return params[p].unit }

// Default returns the threshold that holds where nothing else is configured.
func (p Param) Default() int64 { return params[p].preset }

// Doc says in one line what the threshold does.
func (p Param) Doc() string { return params[p].doc }

// ParamKeyed returns the threshold of a key, with or without "rule.".
func ParamKeyed(key string) (Param, bool) {
	for i := range params {
		if key == params[i].key || key == "rule."+params[i].key {
			return Param(i), true
		}
	}
	return 0, false
}

// Limits holds one value for every threshold, in the kept whole numbers.
type Limits [NumParams]int64

// DefaultLimits returns the thresholds of the specification.
func DefaultLimits() Limits {
	var l Limits
	for p := range Param(NumParams) {
		l[p] = p.Default()
	}
	return l
}

// Operand returns the threshold as expressions see it: speeds are in thousandths
// of a token per second there, so that their product with a length fits.
func (l *Limits) Operand(p Param) int64 { return operand(p, l[p]) }

func operand(p Param, v int64) int64 {
	if params[p].unit == TokensPerSecond {
		return v / 1000
	}
	return v
}

// Setting is one threshold that somebody set, for all requests or for some.
type Setting struct {
	Param Param
	Value int64
}

// Override is what holds for the requests that match Model (a glob, "" is any)
// and Workload (exact, "" is any).
type Override struct {
	Model    string
	Workload string
	Set      []Setting
}

// Thresholds are the limits in force: Base, changed by every override that
// matches, in order, so that the last one wins. The zero value is not ready;
// see [Defaults].
type Thresholds struct {
	Base      Limits
	Overrides []Override
	from      [NumParams]string // where each of Base came from: "", "file", "environment", "flag"
}

// Defaults returns the thresholds of the specification, without overrides.
func Defaults() Thresholds { return Thresholds{Base: DefaultLimits()} }

// InForce is the serialisable form of thresholds, in table order.
type InForce struct {
	Rules     []Threshold
	Overrides []OverrideInForce
}

// Threshold is one limit with its unit, which is also the end of its name.
type Threshold struct {
	Key   string // headers_ms
	Value int64  // in the kept whole numbers of Unit
	Unit  Unit
	From  string // default, file, environment or flag
}

// OverrideInForce is one override with its limits.
type OverrideInForce struct {
	Model    string
	Workload string
	Rules    []Threshold
}

// InForce returns the thresholds for output.
func (t Thresholds) InForce() InForce {
	out := InForce{}
	for p := range Param(NumParams) {
		from := t.from[p]
		if from == "" {
			from = "default"
		}
		out.Rules = append(out.Rules, Threshold{params[p].key, t.Base[p], p.Unit(), from})
	}
	for _, o := range t.Overrides {
		one := OverrideInForce{Model: o.Model, Workload: o.Workload}
		for _, s := range o.Set {
			one.Rules = append(one.Rules, Threshold{params[s.Param].key, s.Value, s.Param.Unit(), "file"})
		}
		out.Overrides = append(out.Overrides, one)
	}
	return out
}
