// Package stream reads recordings of streamed responses. It classifies every
// event, derives the marks t3 to t6 by one definition for every provider, and
// forgets the content as it reads.
//
// Bytes go through three layers, each of which can be cut anywhere: framing
// (SSE, JSON lines, a JSON array) finds events, a JSON scanner notes that "the
// string at path P is not empty" without keeping the string, and a table per
// dialect turns paths and event types into classes. What is kept of a stream
// is a few hundred bytes of counters, whatever its length.
package stream
