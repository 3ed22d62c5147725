package diagnose

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ttdiag/diagnose/stats"
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// Requirement is one condition that the figures of a log must hold, such as
//
//	first_text_delta_ms p95 < 3s
//	visible_output_tps p5 > 15
//	total_handler_ms max <= 60s
//	share upstream_headers_slow < 1%
//	share outcome=timeout < 0.5%
//	count > 1000
type Requirement struct {
	text    string
	metric  int // index into summaryMetrics; -1 for shares and counts
	level   stats.Level
	extreme extreme
	share   bool // of whether a share or a count
	what    what
	op      string
	limit   int64 // kept in the unit: µs, millionths, or a count
	unit    rules.Unit
}

type extreme uint8

const (
	noExtreme extreme = iota
	greatest
	least
)

// what is counted: all requests, those of a class, all slow ones, all failed
// ones, or those of an outcome.
type what struct {
	kind    whatKind
	class   rules.Class
	outcome rules.Outcome
}

type whatKind uint8

const (
	everything whatKind = iota
	ofClass
	allSlow
	allFailed
	ofOutcome
)

// ErrRequirement says what a requirement looks like.
var ErrRequirement = errors.New("want METRIC p95|max|min OP VALUE, share WHAT OP PERCENT, or count [WHAT] OP NUMBER, where OP is <, <=, > or >=")

// String returns the requirement as it was written, with single blanks.
func (r Requirement) String() string { return r.text }

// ParseRequirement reads one requirement. A length of time may have the unit us,
// ms, s, m or h; without one it is in milliseconds. A share is a percentage, or a
// fraction without the sign.
func ParseRequirement(text string) (Requirement, error) {
	r := Requirement{text: strings.Join(strings.Fields(text), " "), metric: -1}
	at := strings.IndexAny(text, "<>")
	if at < 0 {
		return r, ErrRequirement
	}
	subject, value := strings.Fields(text[:at]), text[at+1:]
	r.op = text[at : at+1]
	if rest, ok := strings.CutPrefix(value, "="); ok {
		r.op, value = r.op+"=", rest
	}
	value = strings.TrimSpace(value)
	if len(subject) == 0 || value == "" || strings.ContainsAny(value, "<>=") {
		return r, ErrRequirement
	}
	switch subject[0] {
	case "share":
		return r.parseShare(subject[1:], value)
	case "count":
		return r.parseCount(subject[1:], value)
	}
	return r.parseMetric(subject, value)
}

func (r Requirement) parseMetric(subject []string, value string) (Requirement, error) {
	if len(subject) != 2 {
		return r, ErrRequirement
	}
	if r.metric = slices.Index(summaryNames, subject[0]); r.metric < 0 {
		return r, fmt.Errorf("no metric of that name; there are %s", strings.Join(summaryNames, ", "))
	}
	r.unit = metricUnit(subject[0])
	switch subject[1] {
	case "max":
		r.extreme = greatest
	case "min":
		r.extreme = least
	default:
		var err error
		if r.level, err = stats.ParseLevel(subject[1]); err != nil {
			return r, err
		}
	}
	var ok bool
	if r.unit == rules.TokensPerSecond {
		r.limit, ok = parseRate(value)
	} else {
		r.limit, ok = parseLength(value)
	}
	if !ok {
		return r, fmt.Errorf("%s: not a value of the metric's unit", subject[0])
	}
	return r, nil
}

func parseLength(text string) (int64, bool) {
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzµ ")
	scale, ok := map[string]int64{
		"": 1000, "us": 1, "µs": 1, "ms": 1000, "s": 1_000_000, "m": minuteUs, "min": minuteUs, "h": hourUs,
	}[strings.TrimSpace(text[len(digits):])]
	v, parsed := timeline.ParseScaled([]byte(digits), scale, 1)
	return v, ok && parsed == timeline.ParsedOK && v >= 0
}

func parseRate(text string) (int64, bool) {
	for _, unit := range []string{"tokens/s", "tok/s", "tps"} {
		text = strings.TrimSpace(strings.TrimSuffix(text, unit))
	}
	v, parsed := timeline.ParseScaled([]byte(text), 1_000_000, 1)
	return v, parsed == timeline.ParsedOK && v >= 0
}

func (r Requirement) parseShare(subject []string, value string) (Requirement, error) {
	r.share, r.unit = true, rules.Fraction
	if len(subject) != 1 {
		return r, ErrRequirement
	}
	var err error
	if r.what, err = parseWhat(subject[0]); err != nil {
		return r, err
	}
	scale := int64(1_000_000)
	digits, percent := strings.CutSuffix(value, "%")
	if percent {
		scale = 10_000
	}
	v, parsed := timeline.ParseScaled([]byte(strings.TrimSpace(digits)), scale, 1)
	if parsed != timeline.ParsedOK || v < 0 || v > 1_000_000 {
		return r, errors.New("not a share: want a percentage up to 100 %, or a fraction up to 1")
	}
	r.limit = v
	return r, nil
}

func (r Requirement) parseCount(subject []string, value string) (Requirement, error) {
	r.unit = rules.Plain
	if len(subject) > 1 {
		return r, ErrRequirement
	}
	if len(subject) == 1 {
		var err error
		if r.what, err = parseWhat(subject[0]); err != nil {
			return r, err
		}
	}
	const parts = 1_000_000
	v, parsed := timeline.ParseScaled([]byte(value), parts, 1)
	if parsed != timeline.ParsedOK || v < 0 || v%parts != 0 {
		return r, errors.New("not a count")
	}
	r.limit = v / parts
	return r, nil
}

func parseWhat(name string) (what, error) {
	switch name {
	case "slow":
		return what{kind: allSlow}, nil
	case "failed":
		return what{kind: allFailed}, nil
	}
	if outcome, ok := strings.CutPrefix(name, "outcome="); ok {
		for o := range rules.Outcome(rules.NumOutcomes) {
			if o.String() == outcome {
				return what{kind: ofOutcome, outcome: o}, nil
			}
		}
		return what{}, errors.New("no such outcome")
	}
	if c, ok := rules.ClassNamed(name); ok {
		return what{kind: ofClass, class: c}, nil
	}
	return what{}, errors.New("want a class, slow, failed or outcome=NAME")
}

// upper reports whether the limit is one from above.
func (r Requirement) upper() bool { return r.op[0] == '<' }

// holds compares part/whole with the limit.
func (r Requirement) holds(part, limit int64) bool {
	switch r.op {
	case "<":
		return part < limit
	case "<=":
		return part <= limit
	case ">":
		return part > limit
	}
	return part >= limit
}
