// Package ingest turns files into batches of timing records. It finds and opens
// inputs, takes compression and wrappers off, tells the format, cuts the bytes
// into chunks, has them parsed side by side and hands the batches out in the
// order of the input, with every line accounted for.
//
// Nothing an input holds stops the reading of it: what is no record is counted,
// with its position and a reason that never quotes it. Only an operating system
// that cannot read does.
package ingest
