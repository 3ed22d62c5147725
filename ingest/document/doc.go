// Package document walks JSON and CSV that need not fit into memory: documents
// of one value, values that follow each other, and lines. What a caller does
// not ask for is skipped as it streams by and never kept.
//
// It accepts what Python and JavaScript dumps hold beside RFC 8259: bare NaN,
// Infinity and -Infinity, and values with or without line ends between them.
package document
