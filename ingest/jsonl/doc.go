// Package jsonl reads ttdiag's own records: one JSON object a line, with the
// columns of timeline under their own names or an obvious spelling of them. It
// also reads what ttdiag itself writes as JSONL, where timings and tokens stand
// in objects of their own.
//
// It is an allow-list: a value under a key that names no column is checked to be
// JSON and passed over; no part of it is copied.
package jsonl
