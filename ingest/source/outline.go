package source

import "bytes"

const (
	maxOutlineValues   = 64   // top-level values looked at
	maxOutlineElements = 8    // elements of an array looked at
	maxOutlinePaths    = 4096 // after which no more are noted
	maxOutlineDepth    = 10
)

// Outline returns the paths of the JSON values at the head of the input, taken
// together: of one document, even where the head is cut off inside it, or of
// values that follow each other. The elements of a top-level array stand under
// "[]". Bare NaN and Infinity count as numbers. It is nil where the head is not
// JSON.
func (w *Window) Outline() *Object {
	if !w.outlined {
		w.outlined = true
		o := &outliner{b: bytes.TrimPrefix(w.Head, []byte("\xEF\xBB\xBF")), kinds: map[string]byte{}}
		for range maxOutlineValues {
			o.space()
			if o.i >= len(o.b) || o.b[o.i] != '{' && o.b[o.i] != '[' || !o.value("", 0) {
				break
			}
		}
		if len(o.kinds) > 0 {
			w.outline = &Object{kinds: o.kinds}
		}
	}
	return w.outline
}

// outliner walks JSON leniently. Its methods report false at the end of the
// bytes and at damage.
type outliner struct {
	b     []byte
	i     int
	kinds map[string]byte
}

func (o *outliner) space() {
	for o.i < len(o.b) && (o.b[o.i] == ' ' || o.b[o.i] == '\n' || o.b[o.i] == '\t' || o.b[o.i] == '\r') {
		o.i++
	}
}

func (o *outliner) note(path string, kind byte) {
	if path == "" || len(o.kinds) >= maxOutlinePaths {
		return
	}
	if old := o.kinds[path]; old == 0 || old == 'n' {
		o.kinds[path] = kind
	}
}

func (o *outliner) value(path string, depth int) bool {
	o.space()
	if o.i >= len(o.b) || depth > 200 {
		return false
	}
	if depth > maxOutlineDepth {
		path = ""
	}
	switch c := o.b[o.i]; c {
	case '{':
		o.note(path, c)
		return o.object(path, depth)
	case '[':
		o.note(path, c)
		return o.array(path, depth)
	case '"':
		o.note(path, c)
		_, ok := o.text()
		return ok
	}
	return o.literal(path)
}

func (o *outliner) object(path string, depth int) bool {
	for o.i++; ; {
		o.space()
		if o.i >= len(o.b) {
			return false
		}
		switch o.b[o.i] {
		case '}':
			o.i++
			return true
		case ',':
			o.i++
			continue
		case '"':
		default:
			return false
		}
		key, ok := o.text()
		o.space()
		if !ok || o.i >= len(o.b) || o.b[o.i] != ':' {
			return false
		}
		o.i++
		name := string(key)
		if path != "" {
			name = path + "." + name
		}
		if depth > maxOutlineDepth {
			name = ""
		}
		if !o.value(name, depth+1) {
			return false
		}
	}
}

func (o *outliner) array(path string, depth int) bool {
	if path != "" {
		path += "."
	}
	for n := 0; ; {
		if n == 0 {
			o.i++
		}
		o.space()
		if o.i >= len(o.b) {
			return false
		}
		switch o.b[o.i] {
		case ']':
			o.i++
			return true
		case ',':
			o.i++
		}
		name := path + "[]"
		if n++; n > maxOutlineElements || depth > maxOutlineDepth {
			name, depth = "", max(depth, maxOutlineDepth+1)
		}
		o.space()
		if o.i < len(o.b) && o.b[o.i] == ']' {
			continue
		}
		if !o.value(name, depth+1) {
			return false
		}
	}
}

// text reads a string, escapes and all.
func (o *outliner) text() ([]byte, bool) {
	start := o.i + 1
	for i := start; i < len(o.b); i++ {
		switch o.b[i] {
		case '\\':
			i++
		case '"':
			o.i = i + 1
			return o.b[start:i], true
		}
	}
	o.i = len(o.b)
	return nil, false
}

func (o *outliner) literal(path string) bool {
	start := o.i
	for o.i < len(o.b) && !bytes.ContainsRune([]byte(",]} \t\r\n"), rune(o.b[o.i])) {
		o.i++
	}
	if o.i == start {
		return false
	}
	kind := byte('0')
	switch o.b[start] {
	case 'n':
		kind = 'n'
	case 't', 'f':
		kind = 't'
	}
	o.note(path, kind)
	return o.i < len(o.b) || o.i-start < 32
}
