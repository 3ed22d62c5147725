package stream

import (
	"encoding/base64"

	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// value reads the value of a member.
func (l *recordedLine) value(m member, i int) (int, scan.Fault) {
	if m == memberData && i < len(l.b) && l.b[i] == '"' {
		return l.data(i)
	}
	if end := l.quick(m, i); end > 0 {
		return end, scan.OK
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

// quick reads an identifier of plain ASCII and a time of up to nine digits and
// three decimals, which most lines have. It returns 0 for anything else.
func (l *recordedLine) quick(m member, i int) int {
	b := l.b
	switch {
	case m == memberID && i < len(b) && b[i] == '"':
		for j := i + 1; j < len(b) && b[j]-' ' < 0x5F && b[j] != '\\'; j++ {
			if b[j] == '"' {
				l.id = b[i+1 : j]
				return j + 1
			}
		}
	case m == memberTime:
		us, end := quickTime(b, i)
		if end > 0 {
			l.at = timeline.At[timeline.Receipt](us)
		}
		return end
	}
	return 0
}

// quickTime reads milliseconds as microseconds, and returns the offset behind
// them, 0 where they are written in another way.
func quickTime(b []byte, i int) (us int64, end int) {
	start := i
	for ; i < len(b) && b[i]-'0' <= 9 && i-start < 10; i++ {
		us = us*10 + int64(b[i]-'0')
	}
	whole := i - start
	if whole == 0 || whole > 8 || whole > 1 && b[start] == '0' {
		return 0, 0
	}
	us *= 1000
	if i < len(b) && b[i] == '.' {
		point := i
		unit := int64(100)
		for i++; i < len(b) && b[i]-'0' <= 9 && i-point < 4; i++ {
			us += int64(b[i]-'0') * unit
			unit /= 10
		}
		if i == point+1 {
			return 0, 0
		}
	}
	if i >= len(b) || b[i] != ',' && b[i] != '}' {
		return 0, 0
	}
	return us, i
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
