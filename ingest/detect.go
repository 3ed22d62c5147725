package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"ttdiag/ingest/delimited"
	"ttdiag/ingest/mapping"
	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
	"ttdiag/ingest/wrap"
)

const (
	ownFormat      = "jsonl"
	maxHead        = 256 << 10 // bytes that detectors see
	maxWindow      = 4 << 20   // bytes that are looked through for lines they know
	maxWindowLines = 200
	maxPlainLine   = 32 << 20 // bytes that are looked through for the end of a line of text; a line of JSON may be longer
)

// Unrecognised says that no format fits an input.
type Unrecognised struct {
	Tried []string // the formats that were looked for
	Found string   // what there was, in words of shape only
	Hint  string   // what may help, "" where nothing is known to
}

// Error implements error.
func (u *Unrecognised) Error() string {
	text := fmt.Sprintf("no format fits: looked for any of the %d that \"ttdiag formats\" lists, found %s", len(u.Tried), u.Found)
	if u.Hint != "" {
		text += "; " + u.Hint
	}
	return text
}

// shape is how an input is taken apart.
type shape uint8

const (
	asLines    shape = iota // one record a line
	asEntries               // values of a JSON array, or one after the other, over lines
	asEnvelope              // values inside of a JSON document
	asWhole                 // by the format itself
)

// opened is an input that is open and told.
type opened struct {
	input    *Input
	flow     *flow
	format   *source.Format
	seen     *source.Window // by which the format was told
	hint     string         // what may help where none fits
	shape    shape
	envelope wrap.Envelope // of asEnvelope: where the values stand
	document wrap.Document
	head     []byte // what was read to tell it
	whole    bool   // head is everything

	parts      source.Parts // of a plain file that is read by parts
	partsTaken int          // by workers
	users      atomic.Int32 // of the file of parts: the feed, and workers
}

// reader returns a reader of all of the input.
func (o *opened) reader() io.Reader {
	if o.whole {
		return bytes.NewReader(o.head)
	}
	return io.MultiReader(bytes.NewReader(o.head), o.flow.r)
}

// more reads until head holds size bytes or everything.
func (o *opened) more(size int) error {
	if o.whole || len(o.head) >= size {
		return nil
	}
	have := len(o.head)
	grown := make([]byte, size)
	copy(grown, o.head)
	n, err := io.ReadFull(o.flow.r, grown[have:])
	o.head = grown[:have+n]
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		o.whole = true
		return nil
	}
	return err
}

// tell finds the format of the input. A window in which nothing is known, such
// as one filled by a single long line, is widened before it is given up.
func (o *opened) tell(req *Request) error {
	formats := req.Formats
	if req.Format != "" {
		formats = []*source.Format{formatNamed(req.Formats, req.Format)}
		for _, f := range req.Formats { // containers, in which there may be that format
			if f.Random != nil && f != formats[0] {
				formats = append(formats, f)
			}
		}
		formats = append(formats, req.mapped...)
	}
	for size := maxHead; ; size *= 4 {
		if err := o.more(size); err != nil {
			return err
		}
		w := o.window()
		o.input.Found, o.hint = describe(w)
		if o.whole && len(o.head) == 0 && o.flow.why() != source.OK {
			o.input.Found = "nothing before a cut or damage in " + o.input.Compression + " data"
		}
		if isArchive(w.Head) {
			return nil
		}
		o.choose(formats, w)
		if o.input.Confidence < source.Likely {
			o.unwrap(formats, w)
		}
		o.unseal(formats, w, nil)
		if o.input.Confidence < source.Likely && o.document == wrap.NoDocument {
			if o.document = wrap.DetectDocument(o.head); o.document != wrap.NoDocument {
				o.enter()
				return o.tell(req)
			}
		}
		longest := req.MaxLine
		if c := bytes.TrimLeft(o.head, " \t\r\n\x00"); len(c) > 0 && c[0] != '{' && c[0] != '[' {
			longest = min(longest, maxPlainLine)
		}
		seen := size >= maxWindow && (len(w.Lines) > 0 || size >= longest)
		if o.format != nil || o.whole || seen {
			break
		}
	}
	if req.Format != "" && o.format == nil {
		o.format = formats[0]
		o.shape = o.shapeFor(o.format, o.window())
	}
	o.input.Format = o.format
	if o.seen != nil && len(req.Options.Map) > 0 {
		seen := o.seen
		if o.format.Document != nil {
			seen = delimited.Sample(seen, req.Options.Map)
		}
		return mapping.CheckMagnitudes(seen, req.Options.Map)
	}
	return nil
}

// unwrap looks for a format that is surer of what is inside of wrapped lines.
func (o *opened) unwrap(formats []*source.Format, w *source.Window) {
	nesting := wrap.Detect(w.Lines)
	if len(nesting) == 0 {
		return
	}
	inner := nesting.Inner(w)
	for _, f := range formats {
		if f.Detect == nil || shapeOf(f) == asWhole {
			continue
		}
		if c := f.Detect(inner); c > o.input.Confidence {
			o.format, o.input.Confidence, o.shape, o.seen = nesting.Around(f), c, asLines, inner
			o.input.Wrapper = nesting.String()
		}
	}
	o.unseal(formats, inner, nesting)
}

// unseal looks for a format that is surer of what stands inside of JSON envelopes
// than any is of the envelopes. Records that happen to hold such a key are left
// alone, unless they are a single one and ttdiag's own.
func (o *opened) unseal(formats []*source.Format, w *source.Window, around wrap.Nesting) {
	own := o.format != nil && o.format.Name == ownFormat && len(w.Objects()) < 2
	over := around == nil && o.shape == asLines && opensOver(w)
	if o.input.Confidence >= source.Likely && !own && !over {
		return
	}
	values, shape := [][]byte{o.head}, asEnvelope
	if around != nil || len(w.Objects()) > 1 && !over {
		values, shape = w.Lines, asLines
	}
	for _, e := range wrap.FindEnvelopes(values...) {
		inner := &source.Window{Head: bytes.Join(e.Records, []byte{'\n'}), Lines: e.Records, Whole: w.Whole, Name: w.Name}
		within := wrap.Detect(e.Records)
		if o.fromEnvelope(formats, &sealed{inner, e.Path, shape, around, nil}, over && len(e.Records) >= len(w.Objects())) {
			over = false
		}
		if len(within) > 0 && o.input.Confidence < source.Likely {
			o.fromEnvelope(formats, &sealed{within.Inner(inner), e.Path, shape, around, within}, false)
		}
	}
}

// sealed is what stands inside of envelopes of one kind.
type sealed struct {
	window *source.Window
	path   wrap.Envelope
	shape  shape
	around wrap.Nesting // around the envelopes
	within wrap.Nesting // around what is in them
}

// fromEnvelope chooses the format that is surer of what was sealed than any before,
// or as sure if it may tie.
func (o *opened) fromEnvelope(formats []*source.Format, s *sealed, tie bool) (chosen bool) {
	for _, f := range formats {
		if f.Detect == nil || f.Lines == nil && f.Session == nil {
			continue
		}
		c := f.Detect(s.window)
		if c == source.No || c < o.input.Confidence || c == o.input.Confidence && (!tie || chosen) {
			continue
		}
		chosen = true
		o.input.Confidence, o.shape, o.seen, o.envelope = c, s.shape, s.window, s.path
		o.format = s.within.Around(f)
		if s.shape == asLines {
			o.format = s.around.Around(s.path.Inside(o.format))
		}
		var names []string
		for _, name := range []string{s.around.String(), s.path.String(), s.within.String()} {
			if name != "" {
				names = append(names, name)
			}
		}
		o.input.Wrapper = strings.Join(names, ">")
	}
	return chosen
}

// enter goes on with the lines in a JSON document instead of the document.
func (o *opened) enter() {
	s := &flow{outer: o.flow, close: o.flow.close}
	s.r = &documentLines{r: o.document.Reader(o.reader()), flow: s}
	o.flow, o.head, o.whole = s, nil, false
	o.input.Wrapper = o.document.String()
}

// documentLines reads the lines in a document; damage to it ends them.
type documentLines struct {
	r    io.Reader
	flow *flow
}

func (d *documentLines) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if errors.Is(err, wrap.ErrDocument) {
		d.flow.cut = source.DamagedInput
		err = io.EOF
	}
	return n, err
}

// window returns what detectors see of the head.
func (o *opened) window() *source.Window {
	w := &source.Window{Head: o.head[:min(len(o.head), maxHead)], Whole: o.whole, Name: filepath.Base(o.input.Name)}
	for rest := o.head; len(rest) > 0 && len(w.Lines) < maxWindowLines; {
		line, after, complete := bytes.Cut(rest, []byte{'\n'})
		if !complete && !o.whole {
			break
		}
		rest = after
		line = bytes.Trim(line, "\x00\r")
		if !isBlank(line) {
			w.Lines = append(w.Lines, line)
		}
	}
	return w
}

// choose sets the format that is surest of the window. Formats of lines also see
// the entries of a JSON document as lines.
func (o *opened) choose(formats []*source.Format, lines *source.Window) {
	o.format, o.input.Confidence, o.seen = nil, source.No, nil
	entries := entriesOf(lines)
	for _, f := range formats {
		if f.Detect == nil {
			continue
		}
		if c := f.Detect(lines); c > o.input.Confidence {
			o.format, o.input.Confidence, o.shape, o.seen = f, c, shapeOf(f), lines
		}
		if entries == nil || f.Lines == nil {
			continue
		}
		c := f.Detect(entries)
		if c > o.input.Confidence || c == o.input.Confidence && o.format == f { // there are more of them
			o.format, o.input.Confidence, o.shape, o.seen = f, c, asEntries, entries
		}
	}
}

// opensOver reports whether the input begins with an object that goes on in the
// next line.
func opensOver(w *source.Window) bool {
	if len(w.Lines) == 0 || !isOpen(w.Lines[0]) {
		return false
	}
	_, f := scan.Skip(w.Lines[0], 0)
	return f == scan.Truncated
}

func isOpen(line []byte) bool {
	i := scan.Space(line, 0)
	return i < len(line) && line[i] == '{'
}

func shapeOf(f *source.Format) shape {
	if f.Document != nil || f.Random != nil {
		return asWhole
	}
	return asLines
}

func (o *opened) shapeFor(f *source.Format, w *source.Window) shape {
	if s := shapeOf(f); s == asWhole || f.Lines == nil || entriesOf(w) == nil {
		return s
	}
	return asEntries
}

// entriesOf returns a window of the objects of a JSON document that is not one
// object a line; nil where the window is no such document, or where there are as
// many objects that are lines.
func entriesOf(lines *source.Window) *source.Window {
	i := scan.Space(lines.Head, 0)
	if i == len(lines.Head) || lines.Head[i] != '[' && lines.Head[i] != '{' {
		return nil
	}
	w := &source.Window{Head: lines.Head, Whole: lines.Whole, Name: lines.Name}
	if lines.Head[i] == '[' {
		i++
	}
	for len(w.Lines) < maxWindowLines {
		i = nextEntry(lines.Head, i)
		end, f := scan.Skip(lines.Head, i)
		if f != scan.OK {
			break
		}
		if lines.Head[i] == '{' {
			w.Lines = append(w.Lines, lines.Head[i:end])
		}
		i = end
	}
	if len(w.Lines) <= objectLines(lines) {
		return nil
	}
	return w
}

// nextEntry passes over blanks and commas.
func nextEntry(b []byte, i int) int {
	for i < len(b) && (b[i] == ',' || isSpace(b[i])) {
		i++
	}
	return i
}

func objectLines(w *source.Window) int {
	n := 0
	for _, line := range w.Lines {
		if isObject(line) {
			n++
		}
	}
	return n
}

func isObject(line []byte) bool {
	i := scan.Space(line, 0)
	if i == len(line) || line[i] != '{' {
		return false
	}
	end, f := scan.Skip(line, i)
	return f == scan.OK && scan.Space(line, end) == len(line)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isBlank(line []byte) bool {
	for _, c := range line {
		if !isSpace(c) {
			return false
		}
	}
	return true
}

// describe says what the window holds, in words that quote nothing of it, and
// what may help where no format fits.
func describe(w *source.Window) (found, hint string) {
	switch {
	case len(w.Head) == 0:
		return "nothing: it is empty", ""
	case isArchive(w.Head):
		return "an archive of files", "unpack it first"
	case isUTF16(w.Head):
		return "UTF-16 text", "convert it to UTF-8 first"
	case len(w.Lines) == 0 && w.Whole && len(bytes.Trim(w.Head, "\x00")) == 0:
		return "zero bytes only", ""
	case len(w.Lines) == 0 && w.Whole:
		return "blank lines only", ""
	case len(w.Lines) == 0:
		return "no end of a line in the first bytes", ""
	}
	var objects, binary, broken, others int
	for _, line := range w.Lines {
		switch {
		case isObject(line):
			objects++
		case bytes.IndexByte(line, 0) >= 0:
			binary++
		case isOpen(line):
			broken++
		default:
			others++
		}
	}
	found = fmt.Sprintf("%d lines looked at: %d JSON objects, %d of binary data, %d of broken JSON, %d others",
		len(w.Lines), objects, binary, broken, others)
	e := entriesOf(w)
	if e != nil {
		found = fmt.Sprintf("a JSON document over lines, %d objects of it looked at", len(e.Lines))
	}
	switch {
	case objects > others || e != nil:
		hint = "no object has the fields of a known format: name the fields with --map, or the format with --format"
	case others > binary+broken && utf8.Valid(bytes.Join(w.Lines, nil)):
		hint = "for an access log of another layout give its definition with --log-format"
	}
	return found, hint
}

// isArchive tells archives of files that lie in them as they are or packed.
func isArchive(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("7z\xbc\xaf\x27\x1c")) ||
		len(head) > 262 && string(head[257:262]) == "ustar"
}

// isUTF16 tells a byte order mark, or text of which every other byte is 0.
func isUTF16(head []byte) bool {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return true
	}
	head = head[:min(len(head), 512)]
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i&1]++
		}
	}
	most := max(zeros[0], zeros[1])
	return len(head) >= 4 && most*5 >= len(head)*2 && zeros[0]+zeros[1]-most == 0
}
