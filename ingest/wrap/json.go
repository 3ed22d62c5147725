package wrap

import (
	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
)

// object describes a wrapper that is a JSON object.
type object struct {
	kind Kind
	text string   // the key of the text
	all  []string // keys that must be there
	any  []string // keys one of which must be there
	none []string // keys that may not
}

var objects = []object{
	{kind: Docker, text: "log", all: []string{"stream", "time"}, none: []string{"kubernetes"}},
	{kind: Fluent, text: "log", any: []string{"kubernetes", "docker", "container_id", "container_name", "source", "stream", "@timestamp", "date"}},
	{kind: Journald, text: "MESSAGE", any: []string{"__REALTIME_TIMESTAMP", "__CURSOR", "_BOOT_ID"}},
	{kind: Loki, text: "line", any: []string{"labels", "fields", "timestamp"}},
	{kind: CloudWatch, text: "message", any: []string{"ingestionTime", "eventId", "logStreamName"}},
	{kind: Vector, text: "message", any: []string{"kubernetes", "container_id", "source_type"}},
	{kind: GCP, text: "textPayload", any: []string{"logName", "resource", "insertId"}},
	{kind: Beats, text: "message", all: []string{"@timestamp"}},
}

// fits reports whether a line of that shape is of the wrapper. The text of
// journald may be an array of bytes.
func (o *object) fits(x *source.Object) bool {
	if k := x.Kind(o.text); k != '"' && !(o.kind == Journald && k == '[') {
		return false
	}
	for _, key := range o.all {
		if !x.Has(key) {
			return false
		}
	}
	for _, key := range o.none {
		if x.Has(key) {
			return false
		}
	}
	for _, key := range o.any {
		if x.Has(key) {
			return true
		}
	}
	return len(o.any) == 0
}

// objectReader takes the text out of lines of one JSON wrapper. What it returns
// is valid until its next line.
type objectReader struct {
	kind    Kind
	scan    *scan.Extractor
	scratch []byte
}

const (
	pathText = iota
	pathStream
)

func newObjectReader(k Kind) *objectReader {
	for i := range objects {
		if o := &objects[i]; o.kind == k {
			paths, err := scan.Compile("."+o.text, ".stream")
			if err != nil {
				panic(err) // the keys are ours
			}
			return &objectReader{kind: k, scan: paths.NewExtractor()}
		}
	}
	return nil
}

func (r *objectReader) take(line []byte) (p piece, why source.Rejection) {
	at, fault := r.scan.Scan(line)
	if fault != scan.OK {
		return p, source.Reject(fault.Reason(), at)
	}
	switch text := r.scan.Get(pathText); {
	case text.Kind == scan.Text:
		p.text = r.scan.Plain(text)
	case text.Kind == scan.Array && r.kind == Journald:
		var ok bool
		if r.scratch, ok = bytesOf(r.scratch[:0], text.Raw); !ok {
			return p, source.Reject(source.BadEncoding, 0)
		}
		p.text = r.scratch
	case text.Kind == scan.Null:
		p.text = nil // journald writes null for a message that is too long
	default:
		return p, source.Reject(source.NotThisFormat, 0)
	}
	n := len(p.text)
	ended := n > 0 && p.text[n-1] == '\n'
	if ended {
		p.text = p.text[:n-1]
	}
	if r.kind == Docker {
		p.more = !ended
		p.source = r.scan.Plain(r.scan.Get(pathStream))
	}
	if k := len(p.text); k > 0 && p.text[k-1] == '\r' {
		p.text = p.text[:k-1]
	}
	return p, source.Rejection{}
}

// bytesOf appends the bytes that a JSON array of numbers lists.
func bytesOf(dst, array []byte) ([]byte, bool) {
	n, digits := 0, 0
	for _, c := range array[1:] {
		switch {
		case c-'0' < 10:
			if n, digits = n*10+int(c-'0'), digits+1; n > 255 {
				return dst, false
			}
		case c == ',' || c == ']':
			if digits > 0 {
				dst = append(dst, byte(n))
			}
			n, digits = 0, 0
		case c != ' ' && c != '\n' && c != '\t':
			return dst, false
		}
	}
	return dst, true
}
