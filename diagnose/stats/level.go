package stats

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Level names a percentile in thousandths of a percent, so that ranks are
// exact integers: 95 % of 100 is the 95th value, never the 96th by a rounding
// of 0.95.
type Level int32

// The levels that ttdiag prints. P5 and P1 are the slow tail of a rate.
const (
	P1   Level = 1_000
	P5   Level = 5_000
	P10  Level = 10_000
	P50  Level = 50_000
	P90  Level = 90_000
	P95  Level = 95_000
	P99  Level = 99_000
	P999 Level = 99_900

	whole Level = 100_000
)

// ErrLevel is returned by ParseLevel for anything that is no percentile
// strictly between 0 and 100 with at most three decimals.
var ErrLevel = errors.New("not a percentile such as p95 or p99.9")

// ParseLevel reads a name as String prints it: p50, p95, p99.9.
func ParseLevel(name string) (Level, error) {
	digits, ok := strings.CutPrefix(name, "p")
	units, decimals, dotted := strings.Cut(digits, ".")
	if !ok || units == "" || len(units) > 2 || len(decimals) > 3 || dotted == (decimals == "") {
		return 0, ErrLevel
	}
	v, err := strconv.ParseUint(units+decimals+strings.Repeat("0", 3-len(decimals)), 10, 32)
	if err != nil || v == 0 || Level(v) >= whole {
		return 0, ErrLevel
	}
	return Level(v), nil
}

// String returns the name of the level: p95, p99.9.
func (l Level) String() string {
	return "p" + strconv.FormatFloat(float64(l)/1000, 'f', -1, 64)
}

// Fraction returns the level as a probability and its complement. Both come
// from integers, so that a level and its mirror swap them exactly.
func (l Level) Fraction() (p, q float64) {
	return float64(l) / float64(whole), float64(whole-l) / float64(whole)
}

// Mirror returns the level as far from the other end: p5 for p95.
func (l Level) Mirror() Level { return whole - l }

// rank returns the nearest rank ⌈n·p⌉, 1 ≤ rank ≤ n: the inverse of the
// empirical distribution function, type 1 of Hyndman and Fan, "Sample
// quantiles in statistical packages", The American Statistician 50 (1996).
func (l Level) rank(n int64) int64 {
	whole := int64(whole)
	return n/whole*int64(l) + (n%whole*int64(l)+whole-1)/whole
}

// valueNeeds returns the least n at which a percentile is more than the
// extreme value under another name: 1/(1−p), or 1/p in the lower half.
func (l Level) valueNeeds() int64 {
	side := int64(min(l, l.Mirror()))
	return (int64(whole) + side - 1) / side
}

// Tail says which end of a statistic is the bad one.
type Tail uint8

const (
	// High is the tail of waits: p95 and p99 are the slow ones.
	High Tail = iota
	// Low is the tail of rates: p5 and p1 are the slow ones.
	Low
)

// Bad returns the level as far into the bad tail as l is into the high one:
// p95 for waits, p5 for rates.
func (t Tail) Bad(l Level) Level {
	if t == Low {
		return l.Mirror()
	}
	return l
}

// Levels returns the three levels that a summary shows, from typical to bad:
// p50, p95, p99, or p50, p5, p1.
func (t Tail) Levels() []Level {
	return []Level{P50, t.Bad(P95), t.Bad(P99)}
}

// powerNeeds returns the least n with p^n ≤ alpha.
func powerNeeds(p, alpha float64) int64 {
	n := int64(math.Log(alpha) / math.Log(p))
	for n > 1 && math.Pow(p, float64(n-1)) <= alpha {
		n--
	}
	for n < 1 || math.Pow(p, float64(n)) > alpha {
		n++
	}
	return n
}
