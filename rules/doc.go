// Package rules is the table by which ttdiag names where a request waited.
//
// The walk has a fixed order. Each of its steps is one [Class], which stands in
// one [Stage], watches one [Metric] and is slow beyond one [Param] of the
// [Thresholds]. Every condition, those of failed requests and of missing marks
// included, is an expression over columns; no condition is written anywhere
// else. The same expressions are evaluated over columns (by package diagnose),
// printed as words, and printed as SQL.
//
// Expressions are made of whole numbers, have no division, and know three
// truth values: a comparison with an absent value is neither true nor false.
// One node is one operator of SQL.
package rules
