package bench

import (
	"bytes"
	"errors"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// The values of first_token_basis that tools of this package need.
const (
	anyChunk     = "any_chunk"            // the first chunk, whatever it holds
	choicesChunk = "choices_chunk"        // the first chunk with choices, a bare role included
	reasoningToo = "content_or_reasoning" // the first content, reasoning included
	contentOnly  = "content_only"         // the first text; reasoning is not seen
	contentUsage = "content_or_usage"     // the first text, or the usage chunk where there is none
)

// The values of outcome.
const (
	success   = "success"
	cancelled = "client_cancelled"
	limited   = "rate_limited"
	rejected  = "rejected"
	timedOut  = "timeout"
	failed    = "upstream_error"
)

func label(row *timeline.Row, c timeline.Column, v string) { row.SetText(c, []byte(v)) }

// duration sets a mark from a duration of the tool. A key that stood twice with
// two values says nothing.
func duration(row *timeline.Row, c timeline.Column, v document.Value, unit timeline.Unit) {
	switch {
	case !v.Has():
	case v.Twice:
		row.Refuse(c, timeline.BadValue)
	default:
		row.Parse(c, v.Text, unit, nil)
	}
}

// clock is a clock of a tool, by the unit that it counts in.
type clock timeline.Unit

const (
	secondClock = clock(timeline.Second)
	nanoClock   = clock(timeline.Nanosecond)
)

// since sets a mark from two readings; absent where either is missing.
func (k clock) since(row *timeline.Row, c timeline.Column, start, end document.Value) {
	from, ok1 := k.nanos(start)
	to, ok2 := k.nanos(end)
	if ok1 && ok2 {
		row.SetNum(c, micros(to-from))
	}
}

// nanos returns a reading in nanoseconds.
func (k clock) nanos(v document.Value) (int64, bool) {
	if !v.Has() || v.Twice {
		return 0, false
	}
	ns, p := timeline.ParseScaled(v.Text, int64(k), 1)
	return ns, p == timeline.ParsedOK
}

// micros rounds nanoseconds to microseconds, half away from zero.
func micros(ns int64) int64 {
	if ns < 0 {
		return -micros(-ns)
	}
	return ns/1000 + (ns%1000+500)/1000
}

// count sets a count that is there and not one of the tool's zeros for "none".
func count(row *timeline.Row, c timeline.Column, v document.Value) bool {
	n, ok := v.Int()
	if !ok || n <= 0 || v.Twice {
		return false
	}
	row.SetNum(c, n)
	return true
}

// tally sets a count of which 0 is a real value.
func tally(row *timeline.Row, c timeline.Column, v document.Value) {
	if n, ok := v.Int(); ok && n >= 0 && !v.Twice {
		row.SetNum(c, n)
	}
}

// basis says what the first-token mark c of row is, where it has one.
func basis(row *timeline.Row, c timeline.Column, what string) {
	if v, ok := row.Num(c); ok && v > 0 {
		label(row, timeline.ColFirstTokenBasis, what)
	}
}

// statusIn returns the three digits of an HTTP status that a client library put
// between the given words of an error text, 0 if there is none. Nothing else of
// the text is used.
func statusIn(text []byte, before, after string) int64 {
	i := bytes.Index(text, []byte(before))
	if i < 0 {
		return 0
	}
	rest := text[i+len(before):]
	if len(rest) < 3 || !bytes.HasPrefix(rest[3:], []byte(after)) {
		return 0
	}
	n, p := timeline.ParseScaled(rest[:3], 1, 1)
	if p != timeline.ParsedOK || n < 100 || n > 599 {
		return 0
	}
	return n
}

// hasWord reports whether an error text names a kind of failure, whatever the
// case.
func hasWord(text []byte, word string) bool {
	return bytes.Contains(bytes.ToLower(text), []byte(word))
}

// failure returns the outcome that an error text without a status tells.
func failure(text []byte) string {
	switch {
	case hasWord(text, "timeout"), hasWord(text, "timed out"):
		return timedOut
	case hasWord(text, "cancelled"), hasWord(text, "canceled"):
		return cancelled
	case hasWord(text, "too many requests"):
		return limited
	}
	return failed
}

// errorClass returns the class of an exception at the start of the last line of
// a text, as in "aiohttp.ClientError: …", without its module. Anything that does
// not look like one is nil: it may be content.
func errorClass(text []byte) []byte {
	text = bytes.TrimSpace(text)
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	name, _, _ := bytes.Cut(text, []byte(":"))
	if i := bytes.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	if len(name) > 64 {
		return nil
	}
	for _, c := range name {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return nil
		}
	}
	for _, end := range []string{"Error", "Exception", "Disconnected", "Timeout"} {
		if bytes.HasSuffix(name, []byte(end)) {
			return name
		}
	}
	return nil
}

// extractLine reads a line that is one object.
func extractLine(r *document.Reader, paths *document.Paths, cells *document.Cells) source.Rejection {
	kind, err := r.Next()
	if err != nil || kind != document.Object {
		return source.Reject(source.NotAnObject, 0)
	}
	if err := r.Extract(paths, cells); err != nil {
		return rejection(err)
	}
	if kind, _ := r.Next(); kind != document.Absent {
		return source.Reject(source.InvalidJSON, int(r.Offset()))
	}
	return source.Rejection{}
}

// rejection returns the damage of a line in memory, where nothing else can fail.
func rejection(err error) source.Rejection {
	var damage *document.Error
	if errors.As(err, &damage) {
		return damage.Rejection(0)
	}
	return source.Reject(source.InvalidJSON, 0)
}
