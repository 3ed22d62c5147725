// Package timeline is the vocabulary of ttdiag: the marks t0 to t7 of one
// streaming request, the columns that hold them, and batches of rows.
//
// It is the only place where a number becomes a time. Every time is a whole
// number of microseconds since an origin, and the origin is part of its type:
// [Receipt] (t0, the gateway received the request) or [UpstreamStart] (t1, the
// upstream request started). Lengths of local phases are a third kind. What
// was not measured is absent; the zero value of every type here is absent.
//
// There is no column for prompts, responses, keys, user names, client
// addresses or URLs with queries, so nothing that handles rows can store,
// print or log them.
package timeline
