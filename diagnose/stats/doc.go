// Package stats holds the statistics of ttdiag on plain integers: samples of
// one statistic with their percentiles and exact intervals, the three
// questions of a comparison, and the shares and lifts of "what sets the slow
// ones apart". It knows neither Arrow nor rules nor units: microseconds,
// micro-tokens per second and plain counts are all int64, and the caller
// keeps apart what must not mix.
//
// Three habits hold everywhere:
//
//   - A value never stands alone: it comes with the number of values it rests
//     on, the method that made it and an interval, or with the number of
//     values that would be needed.
//   - Absent values are never in a sample; they are counted beside it, by
//     reason.
//   - Nothing depends on order: any order of adding, any split into samples
//     and any order of merging gives the same results to the last bit. Nothing
//     is drawn at random, and percentiles never pass through floating point.
package stats
