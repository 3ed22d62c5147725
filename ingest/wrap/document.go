package wrap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Document is an export that is one JSON document with log lines in it.
type Document uint8

// The documents.
const (
	NoDocument        Document = iota
	LokiAnswer                 // {"data":{"result":[{"values":[["ns","line"]]}]}}, also {"streams":[…]}
	CloudWatchEvents           // {"events":[{"message":"…"}]} or {"logEvents":[…]}, also several one after the other
	CloudWatchResults          // {"results":[[{"field":"@message","value":"…"}]]}
	Entries                    // [{"line":"…"}, …] of Grafana, and objects over several lines: journalctl -o json-pretty
)

// String returns the name of the document.
func (d Document) String() string {
	return [...]string{"none", "loki_answer", "cloudwatch_events", "cloudwatch_results", "entries"}[d]
}

// ErrDocument says that a document is not JSON, or ends early.
var ErrDocument = errors.New("damaged JSON document")

// DetectDocument tells a document by the beginning of an input.
func DetectDocument(head []byte) Document {
	trimmed := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '[' {
		return NoDocument
	}
	for _, d := range []Document{LokiAnswer, CloudWatchEvents, CloudWatchResults, Entries} {
		if !d.marked(trimmed) {
			continue
		}
		var one [1]byte
		if n, _ := d.Reader(bytes.NewReader(trimmed)).Read(one[:]); n == 1 {
			return d
		}
	}
	return NoDocument
}

// marked asks for the keys that a document always has beside its lines.
func (d Document) marked(head []byte) bool {
	has := func(key string) bool { return bytes.Contains(head, []byte(`"`+key+`"`)) }
	switch d {
	case LokiAnswer:
		return has("values") && has("stream") && (has("result") || has("streams"))
	case CloudWatchEvents:
		return has("events") && (has("ingestionTime") || has("eventId")) || has("logEvents") && has("logGroup")
	case Entries:
		// One object a line is no document.
		if line, _, _ := bytes.Cut(head, []byte{'\n'}); line[0] == '{' && json.Valid(line) {
			return false
		}
		return has("line") && (has("labels") || has("fields")) || has("message") && has("ingestionTime") ||
			has("MESSAGE") && has("__CURSOR")
	}
	return has("results") && has("field") && has("@message")
}

// Reader returns a reader of the lines in the document that r holds, each with
// a line feed after it; events of several lines are as many. It reads r as it
// goes and holds one value in memory. Damage ends it with an error that wraps
// ErrDocument, after all that came before.
func (d Document) Reader(r io.Reader) io.Reader {
	return &documentReader{kind: d, json: json.NewDecoder(r)}
}

type documentReader struct {
	kind  Document
	json  *json.Decoder
	stack []frame
	ready []byte
	field string // CloudWatchResults: the field whose value is to come
	err   error
}

// frame is an object or an array that is open.
type frame struct {
	object bool
	key    string // of an object, the key at hand
	isKey  bool   // of an object, a key comes next
	index  int    // of an array
}

// maxFrames is deeper than any line of any document stands.
const maxFrames = 64

// Read implements [io.Reader].
func (d *documentReader) Read(p []byte) (int, error) {
	for len(d.ready) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		d.step()
	}
	n := copy(p, d.ready)
	d.ready = d.ready[n:]
	return n, nil
}

func (d *documentReader) step() {
	token, err := d.json.Token()
	switch {
	case err == io.EOF && len(d.stack) == 0:
		d.err = io.EOF
		return
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		d.err = fmt.Errorf("%w: it ends early", ErrDocument)
		return
	case err != nil:
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			err = fmt.Errorf("%w at byte %d", ErrDocument, syntax.Offset)
		}
		d.err = err
		return
	}
	d.token(token)
}

func (d *documentReader) token(token json.Token) {
	top := len(d.stack) - 1
	switch t := token.(type) {
	case json.Delim:
		if t == '{' || t == '[' {
			if len(d.stack) == maxFrames {
				d.err = fmt.Errorf("%w: nested too deep", ErrDocument)
				return
			}
			d.stack = append(d.stack, frame{object: t == '{', isKey: t == '{'})
			return
		}
		d.stack = d.stack[:top]
		d.after()
		return
	case string:
		if top >= 0 && d.stack[top].object && d.stack[top].isKey {
			d.stack[top].key, d.stack[top].isKey = t, false
			return
		}
		d.text(t)
	}
	d.after()
}

// after moves on behind a value.
func (d *documentReader) after() {
	if top := len(d.stack) - 1; top >= 0 {
		if d.stack[top].object {
			d.stack[top].isKey = true
		} else {
			d.stack[top].index++
		}
	}
}

// text takes a string value if it is a line.
func (d *documentReader) text(v string) {
	top := len(d.stack) - 1
	if top < 0 || top < 2 && d.kind != Entries {
		return
	}
	f := d.stack[top]
	switch d.kind {
	case LokiAnswer: // values: [ [ns, line] ]
		if f.object || f.index != 1 || !d.in(top-2, "values") {
			return
		}
	case CloudWatchEvents: // events: [ {message} ]
		if f.key != "message" || top != 2 || !d.in(0, "events") && !d.in(0, "logEvents") {
			return
		}
	case Entries: // [ {line} ] or {line}
		if top > 1 || top == 1 && d.stack[0].object || f.key != "line" && f.key != "message" && f.key != "MESSAGE" {
			return
		}
	case CloudWatchResults: // results: [ [ {field, value} ] ]
		if !d.in(0, "results") || top != 3 {
			return
		}
		if f.key == "field" {
			d.field = v
		}
		if f.key != "value" || d.field != "@message" {
			return
		}
		d.field = ""
	}
	d.ready = append(append(d.ready[:0], trimEnd(v)...), '\n')
}

// in reports whether level is an object at that key.
func (d *documentReader) in(level int, key string) bool {
	return level >= 0 && d.stack[level].object && d.stack[level].key == key
}

func trimEnd(v string) string {
	for len(v) > 0 && (v[len(v)-1] == '\n' || v[len(v)-1] == '\r') {
		v = v[:len(v)-1]
	}
	return v
}
