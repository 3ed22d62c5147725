package observe

import (
	"bytes"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// The values of first_token_basis that stores of this package need.
const (
	declared = "declared"  // whatever the user of the SDK set
	anyChunk = "any_chunk" // the first chunk, whatever it holds
)

// The values of outcome.
const (
	success   = "success"
	cancelled = "client_cancelled"
	timedOut  = "timeout"
	failed    = "upstream_error"
)

func label(row *timeline.Row, c timeline.Column, v string) { row.SetText(c, []byte(v)) }

// span sets the start of a row and its length, and returns the start. ok is
// false where there is no start.
func span(row *timeline.Row, start, end document.Value, unit timeline.Unit) (us int64, ok bool) {
	us, ok = start.When(unit)
	if !ok || start.Twice {
		return 0, false
	}
	row.SetNum(timeline.ColTimestamp, us)
	if at, ended := end.When(unit); ended && !end.Twice {
		row.SetNum(timeline.ColTotalHandler, at-us)
	}
	return us, true
}

// firstToken is what a store's first token is.
type firstToken struct {
	column timeline.Column
	basis  string
}

// set sets the mark from a point in time.
func (f firstToken) set(row *timeline.Row, start int64, at document.Value) {
	us, ok := at.When(0)
	if !ok || at.Twice {
		return
	}
	row.SetNum(f.column, us-start)
	if us > start {
		label(row, timeline.ColFirstTokenBasis, f.basis)
		row.SetFlag(timeline.ColStream, true)
	}
}

// count sets a number of tokens; 0 of a request or a response is none.
func count(row *timeline.Row, c timeline.Column, v document.Value) {
	if n, ok := v.Int(); ok && n > 0 && !v.Twice {
		row.SetNum(c, n)
	}
}

// tally sets a count of which 0 is a real value.
func tally(row *timeline.Row, c timeline.Column, v document.Value) {
	if n, ok := v.Int(); ok && n >= 0 && !v.Twice {
		row.SetNum(c, n)
	}
}

// failure returns the outcome that an error text tells.
func failure(text []byte) string {
	text = bytes.ToLower(text)
	switch {
	case bytes.Contains(text, []byte("timeout")), bytes.Contains(text, []byte("timed out")):
		return timedOut
	case bytes.Contains(text, []byte("cancel")):
		return cancelled
	}
	return failed
}

// known is a capability of a column that is no duration.
func known(c timeline.Column, field string) source.Capability {
	return source.Capability{Column: c, Field: field}
}

// sometimes is a capability of a column that some records have.
func sometimes(c timeline.Column, field string) source.Capability {
	return source.Capability{Column: c, Quality: source.Sometimes, Field: field}
}

// mark is a capability of a mark that counts from the start of the span.
func mark(c timeline.Column, field, point string) source.Capability {
	return source.Capability{Column: c, Field: field, Origin: "the call starts", Point: point}
}

// format completes a table and its format.
func (t *Table) format(f source.Format) *Table {
	f.Family, f.Vantage = family, vantage
	f.Detect = t.detect
	f.Document = t.read
	t.Format = &f
	return t
}

// detect knows objects and CSV headers that have all names of one of the marks.
func (t *Table) detect(w *source.Window) source.Confidence {
	for _, marks := range t.Marks {
		if hasAll(w, marks) {
			return source.Certain
		}
	}
	return source.No
}

func hasAll(w *source.Window, names []string) bool {
	o := w.Outline()
	if o == nil {
		return headerHas(w, names)
	}
	for _, prefix := range []string{"", "[].", "data.[].", "runs.[].", "observations.[].", "spans.[].", "events.[].", "rows.[]."} {
		if objectHas(o, prefix, names) {
			return true
		}
	}
	for _, line := range w.Objects() { // the head may end inside a long first text
		if objectHas(line, "", names) {
			return true
		}
	}
	return false
}

func objectHas(o *source.Object, prefix string, names []string) bool {
	for _, name := range names {
		if !o.Has(prefix + name) {
			return false
		}
	}
	return true
}

// headerHas reports whether the first line is a CSV header with all the names.
func headerHas(w *source.Window, names []string) bool {
	if len(w.Lines) == 0 || isJSON(w.Lines[0]) {
		return false
	}
	header := map[string]bool{}
	line := bytes.TrimPrefix(w.Lines[0], []byte("\xEF\xBB\xBF"))
	for cell := range bytes.SplitSeq(line, []byte(",")) {
		header[string(bytes.Trim(cell, "\" \r"))] = true
	}
	for _, name := range names {
		if !header[name] {
			return false
		}
	}
	return true
}
