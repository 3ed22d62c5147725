package stream

import (
	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// member is what a key of a recorded line stands for.
type member uint8

const (
	memberData member = iota + 1
	memberBase64
	memberTime
	memberID
	memberMark
	memberStatus
	memberAttempt
	firstColumn // firstColumn+c is the metadata column c
)

// recordedMark is the moment that a line marks.
type recordedMark uint8

const (
	noMark recordedMark = iota
	startMark
	headersMark
	doneMark
	handlerMark
)

var recordedMarks = map[string]recordedMark{
	"upstream_start": startMark, "headers": headersMark, "done": doneMark, "handler_done": handlerMark,
}

// memberNames are the keys that are read. Everything else is passed over.
func memberNames() map[string]member {
	names := map[string]member{
		"data": memberData, "b64": memberBase64, "t_ms": memberTime, "request_id": memberID, "mark": memberMark,
		"status": memberStatus, "attempt": memberAttempt,
	}
	for c := range timeline.Column(timeline.NumColumns) {
		if _, known := names[c.String()]; !known && isMeta(c) {
			names[c.String()] = firstColumn + member(c)
		}
	}
	return names
}

// isMeta reports whether a metadata line may tell c: what the events themselves
// do not tell.
func isMeta(c timeline.Column) bool {
	switch c {
	case timeline.ColEventCount, timeline.ColHeartbeatCount, timeline.ColFirstTokenBasis:
		return false
	case timeline.ColAuth, timeline.ColDistribution, timeline.ColBodyRead:
		return true
	}
	g := c.Info().Group
	return g == timeline.GroupMetadata || g == timeline.GroupTokens
}

// maxText is the longest data that is decoded in one piece.
const maxText = 1 << 20

// recordedLine is one line. Its slices are valid until the next one.
type recordedLine struct {
	b       []byte
	seen    uint64 // members that stood in the line
	id      []byte
	at      Moment
	mark    recordedMark
	status  int64
	attempt int64
	meta    []metaValue
	text    []byte // decoded data
	long    int    // offset of data that is not decoded yet, 0 for none
	base64  []byte
	object  []byte // data that is an event already, as JSON
	words   []byte // decoded labels
	row     timeline.Row
}

func (l *recordedLine) reset(b []byte) {
	l.b, l.seen, l.id, l.at, l.mark, l.status, l.attempt = b, 0, nil, Moment{}, noMark, 0, 0
	l.meta, l.text, l.long, l.base64, l.words = l.meta[:0], l.text[:0], 0, nil, l.words[:0]
	l.object = nil
}

// read reads the members of the line.
func (l *recordedLine) read(names map[string]member) source.Rejection {
	b := l.b
	i := scan.Space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return source.Reject(source.NotAnObject, i)
	}
	i = scan.Space(b, i+1)
	for first := true; ; first = false {
		if first && i < len(b) && b[i] == '}' {
			i++
			break
		}
		name, next, f := l.name(i)
		if f != scan.OK {
			return source.Reject(f.Reason(), next)
		}
		m := memberOf(names, name)
		if m != 0 {
			if l.seen>>m&1 != 0 {
				return source.Rejection{Reason: source.DuplicateKey, Offset: i, Field: memberField(m)}
			}
			l.seen |= 1 << m
		}
		i = scan.Space(b, next)
		if i, f = l.value(m, i); f != scan.OK {
			return source.Reject(f.Reason(), i)
		}
		i = scan.Space(b, i)
		if i >= len(b) {
			return source.Reject(source.TruncatedJSON, len(b))
		}
		if b[i] == '}' {
			i++
			break
		}
		if b[i] != ',' {
			return source.Reject(source.InvalidJSON, i)
		}
		i = scan.Space(b, i+1)
	}
	if i = scan.Space(b, i); i != len(b) {
		return source.Reject(source.InvalidJSON, i)
	}
	return source.Rejection{}
}

// memberOf returns what a name stands for, 0 for nothing. The names of most lines
// come first.
func memberOf(names map[string]member, name []byte) member {
	switch string(name) {
	case "request_id":
		return memberID
	case "t_ms":
		return memberTime
	case "data":
		return memberData
	}
	return names[string(name)]
}

var memberFields = [firstColumn]string{
	memberData: "data", memberBase64: "b64", memberTime: "t_ms", memberID: "request_id", memberMark: "mark",
	memberStatus: "status", memberAttempt: "attempt",
}

func memberField(m member) string {
	if m < firstColumn {
		return memberFields[m]
	}
	return timeline.Column(m - firstColumn).String()
}

// name reads a key and its colon.
func (l *recordedLine) name(i int) (name []byte, next int, f scan.Fault) {
	b := l.b
	if i >= len(b) {
		return nil, len(b), scan.Truncated
	}
	if b[i] != '"' {
		return nil, i, scan.Syntax
	}
	for j := i + 1; j < len(b) && b[j]-'_' < 28; j++ { // most names, at one look
		if j+2 < len(b) && b[j+1] == '"' && b[j+2] == ':' {
			return b[i+1 : j+1], j + 3, scan.OK
		}
	}
	end, escaped, f := scan.String(b, i)
	if f != scan.OK {
		return nil, end, f
	}
	name = b[i+1 : end-1]
	if escaped {
		name = l.plain(name)
	}
	colon := scan.Space(b, end)
	switch {
	case colon >= len(b):
		return nil, len(b), scan.Truncated
	case b[colon] != ':':
		return nil, colon, scan.Syntax
	}
	return name, colon + 1, scan.OK
}

// plain decodes a label into memory of the line.
func (l *recordedLine) plain(raw []byte) []byte {
	start := len(l.words)
	l.words = scan.Unescape(l.words, raw)
	return l.words[start:len(l.words):len(l.words)]
}
