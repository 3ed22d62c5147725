// Package diagnose evaluates the rules over batches and puts the findings into
// words: the class of every row, the full diagnosis of one row, and the
// explanation of one row with its walk and its phases.
//
// It holds no condition of its own. What is slow, what is undetermined and what
// a metric is stands in package rules.
package diagnose
