package stream

import (
	"encoding/base64"

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

// value reads the value of a member.
func (l *recordedLine) value(m member, i int) (int, scan.Fault) {
	if m == memberData && i < len(l.b) && l.b[i] == '"' {
		return l.data(i)
	}
	end, f := scan.Skip(l.b, i)
	if m == 0 || f != scan.OK {
		return end, f
	}
	v := scan.ValueOf(l.b[i:end])
	if v.Kind == scan.Null {
		l.seen &^= 1 << m
		return end, f
	}
	l.set(m, v)
	return end, scan.OK
}

// data decodes the text of a chunk, or only finds its end where it is long.
func (l *recordedLine) data(i int) (int, scan.Fault) {
	if len(l.b) > maxText {
		end, _, f := scan.String(l.b, i)
		l.long = i + 1
		return end, f
	}
	if need := len(l.b) - i + 16; cap(l.text) < need {
		l.text = make([]byte, need+need/2)
	}
	dst := l.text[:cap(l.text)]
	n, end, open, f := unquote(dst, l.b, i+1)
	l.text = dst[:n]
	if open {
		f = scan.Syntax // cannot be: the text is never longer than the line
	}
	return end, f
}

// set notes the value of a member. Values of the wrong kind are told by check.
func (l *recordedLine) set(m member, v scan.Value) {
	raw := v.Raw
	if v.Kind == scan.Text && v.Escaped {
		raw = l.plain(raw)
	}
	scalar := v.Kind == scan.Text || v.Kind == scan.Num
	switch {
	case m == memberData && v.Kind == scan.Object:
		l.object = raw
	case m == memberBase64 && v.Kind == scan.Text:
		l.base64 = raw
	case m == memberID && scalar:
		l.id = raw
	case m == memberMark && v.Kind == scan.Text:
		l.mark = recordedMarks[string(raw)]
	case m == memberStatus && scalar:
		l.status, _ = wholeNumber(raw)
	case m == memberAttempt && scalar:
		l.attempt, _ = wholeNumber(raw)
	case m == memberTime && scalar:
		us, p := timeline.Micros(raw, timeline.Millisecond)
		switch {
		case p == timeline.ParsedBad:
			l.seen |= badTime
		case p == timeline.ParsedOK && us >= 0 && us <= timeline.MaxMicros:
			l.at = timeline.At[timeline.Receipt](us)
		}
	case m == memberTime:
		l.seen |= badTime
	case m >= firstColumn && (scalar || v.Kind == scan.Bool):
		l.setMeta(timeline.Column(m-firstColumn), raw)
	}
}

// badTime is the bit of a t_ms that is no number. Members stay below it.
const badTime = 1 << 63

func (l *recordedLine) setMeta(c timeline.Column, raw []byte) {
	if c.IsText() {
		if len(raw) <= timeline.MaxText {
			l.meta = append(l.meta, metaValue{column: c, text: string(raw)})
		}
		return
	}
	l.row.Reset()
	l.row.Parse(c, raw, timeline.Millisecond*timeline.Unit(boolInt(c.IsDuration())), nil)
	if n, ok := l.row.Num(c); ok {
		l.meta = append(l.meta, metaValue{column: c, num: n})
	}
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// check says what the line lacks to be a line of a recording.
func (l *recordedLine) check() source.Rejection {
	has := func(m member) bool { return l.seen>>m&1 != 0 }
	switch {
	case len(l.id) == 0:
		return source.Rejection{Reason: source.NotARequest, Field: "request_id"}
	case len(l.id) > timeline.MaxText:
		return source.Rejection{Reason: source.TooLong, Field: "request_id"}
	case l.seen&badTime != 0:
		return source.Rejection{Reason: source.NotARecord, Field: "t_ms"}
	case has(memberMark) && l.mark == noMark:
		return source.Rejection{Reason: source.NotThisFormat, Field: "mark"}
	case l.mark != noMark && !has(memberTime):
		return source.Rejection{Reason: source.NotARecord, Field: "t_ms"}
	case has(memberData) && has(memberBase64):
		return source.Rejection{Reason: source.UnsupportedShape, Field: "b64"}
	case has(memberBase64) && !validBase64(l.base64):
		return source.Rejection{Reason: source.BadEncoding, Field: "b64"}
	}
	return source.Rejection{}
}

func validBase64(text []byte) bool {
	var dst [48]byte
	if len(text)%4 != 0 {
		return false
	}
	for len(text) > 0 {
		k := min(64, len(text))
		n, err := base64.StdEncoding.Decode(dst[:], text[:k])
		if err != nil || n < 48 && k < len(text) {
			return false
		}
		text = text[k:]
	}
	return true
}

// chunks feeds the body in the line to s. The line was checked before.
func (l *recordedLine) chunks(s *Stream) {
	const piece = 48 << 10
	switch {
	case l.long != 0:
		if cap(l.text) < piece {
			l.text = make([]byte, piece)
		}
		dst := l.text[:piece]
		for i, open := l.long, true; open; {
			var n int
			n, i, open, _ = unquote(dst, l.b, i)
			s.Chunk(l.at, dst[:n])
		}
	case l.base64 != nil:
		if cap(l.text) < piece {
			l.text = make([]byte, piece)
		}
		for text := l.base64; len(text) > 0; {
			k := min(piece/3*4, len(text))
			n, _ := base64.StdEncoding.Decode(l.text[:piece], text[:k])
			s.Chunk(l.at, l.text[:n])
			text = text[k:]
		}
	case l.object != nil:
		s.Message(l.at, nil, l.object)
	case len(l.text) > 0:
		s.Chunk(l.at, l.text)
	}
}
