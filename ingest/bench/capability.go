package bench

import (
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// mark is a capability of a tool that records c whenever it happens, counted
// from its start of the request.
func mark(c timeline.Column, field, unit, point string) source.Capability {
	return source.Capability{Column: c, Field: field, Unit: unit, Origin: "the client sends the request", Point: point}
}

// known is a capability of a column that is no duration.
func known(c timeline.Column, field string) source.Capability {
	return source.Capability{Column: c, Field: field}
}

// sometimes is a capability of a column that some records have.
func sometimes(c timeline.Column, field string) source.Capability {
	return source.Capability{Column: c, Quality: source.Sometimes, Field: field}
}
