package scan

import "ttdiag/ingest/source"

// Fault says what is wrong at an offset. The zero value is no fault.
type Fault uint8

// The faults.
const (
	OK        Fault = iota
	Syntax          // not JSON
	Truncated       // the input ends inside a value
	UTF8            // a string that is not UTF-8
	Deep            // more than MaxDepth levels
	NotObject       // JSON, but no object
	Duplicate       // a wanted key stands twice in one object
)

var reasons = [...]source.Reason{
	OK: source.OK, Syntax: source.InvalidJSON, Truncated: source.TruncatedJSON, UTF8: source.InvalidUTF8,
	Deep: source.TooDeep, NotObject: source.NotAnObject, Duplicate: source.DuplicateKey,
}

// Reason returns the reason under which a line with the fault is rejected.
func (f Fault) Reason() source.Reason { return reasons[f] }
