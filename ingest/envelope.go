package ingest

import (
	"errors"

	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
	"ttdiag/ingest/wrap"
)

// enveloped gives the records at a path of a JSON document, or of several one
// after the other, to a parser of lines. What stands beside the path streams by.
type enveloped struct {
	entries
	path   wrap.Envelope
	parser source.LineParser
	out    *source.Out
	cut    func() source.Reason // why the input ended where it did
	spot   int64                // offset of the byte that column is of
	column int                  // of that byte in its line, -1 where something stands before it
	home   int                  // column of the last element
}

// errDamaged says that the document is damaged at the byte at hand. The damage
// has been rejected.
var errDamaged = errors.New("damaged document")

// read parses all of the document. It returns only errors of reading and of out.
func (v *enveloped) read(p source.LineParser, out *source.Out, cut func() source.Reason) error {
	v.parser, v.out, v.cut, v.home = p, out, cut, -1
	err := v.documents()
	if err == nil && cut() != source.OK && !v.torn {
		v.reject(cut())
		err = out.Err()
	}
	return err
}

func (v *enveloped) documents() error {
	damaged := false
	for first := true; ; first = false {
		c, more, err := v.next()
		switch {
		case err != nil || !more:
			return err
		case c == '[' && first, c == ',', c == ']': // of an array around all
			v.i++
			continue
		case c != '{':
			err = v.damage(scan.Syntax)
		case damaged && v.home >= 0 && v.column == v.home:
			if err = v.elements(v.rest(), true); err == nil {
				damaged = false
				err = v.resume(-1) // past what the envelope says behind its records
			}
		default:
			err = v.value(v.path)
		}
		if errors.Is(err, errDamaged) {
			damaged = true
			err = v.resume(v.home)
		}
		if err != nil {
			return err
		}
	}
}

// rest is the path from the elements of the innermost array on.
func (v *enveloped) rest() wrap.Envelope {
	for i := len(v.path); i > 0; i-- {
		if v.path[i-1] == wrap.Elements {
			return v.path[i:]
		}
	}
	return v.path
}

// value reads the value at hand. An object where the path wants an array stands
// for the one element of it.
func (v *enveloped) value(path wrap.Envelope) error {
	c, more, err := v.next()
	switch {
	case err != nil:
		return err
	case !more:
		return v.damage(scan.Truncated)
	case len(path) == 0:
		return v.record()
	case path[0] == wrap.Elements && c == '[':
		v.i++
		return v.elements(path[1:], false)
	case path[0] == wrap.Elements:
		return v.value(path[1:])
	case c == '{':
		return v.object(path)
	case c == 'n':
		return v.pass()
	}
	start := v.at + int64(v.i)
	if err = v.pass(); err == nil {
		v.rejectAt(start, source.NotARecord)
	}
	return firstOf(err, v.out.Err())
}

// elements reads elements up to the end of their array. resumed says that others
// were before.
func (v *enveloped) elements(path wrap.Envelope, resumed bool) error {
	for first := !resumed; ; first = false {
		c, more, err := v.next()
		switch {
		case err != nil:
			return err
		case !more:
			return v.damage(scan.Truncated)
		case c == ']':
			v.i++
			return nil
		case c == ',' && !first:
			v.i++
			if _, _, err = v.next(); err != nil {
				return err
			}
		case !first && !resumed:
			return v.damage(scan.Syntax)
		}
		resumed = false
		v.home = v.column
		if err := firstOf(v.value(path), v.out.Err()); err != nil {
			return err
		}
	}
}

// object looks for the first key of path. An object without it counts as one
// entry that is no record.
func (v *enveloped) object(path wrap.Envelope) error {
	start, found := v.at+int64(v.i), false
	v.i++
	for first := true; ; first = false {
		c, more, err := v.next()
		switch {
		case err != nil:
			return err
		case !more:
			return v.damage(scan.Truncated)
		case c == '}':
			v.i++
			if !found {
				v.rejectAt(start, source.NotARecord)
			}
			return v.out.Err()
		case c == ',' && !first:
			v.i++
		case !first:
			return v.damage(scan.Syntax)
		}
		wanted, err := v.key(path[0])
		if err != nil {
			return err
		}
		if found = found || wanted; wanted {
			err = v.value(path[1:])
		} else {
			err = v.pass()
		}
		if err != nil {
			return err
		}
	}
}

// key reads a key and its colon and compares it with the wanted one.
func (v *enveloped) key(wanted string) (is bool, err error) {
	c, _, err := v.next()
	if err != nil {
		return false, err
	}
	if c != '"' {
		return false, v.damage(scan.Syntax)
	}
	key, f, err := v.entry()
	if err != nil {
		return false, err
	}
	if f != scan.OK {
		return false, v.damage(f)
	}
	is = len(key) == len(wanted)+2 && string(key[1:len(key)-1]) == wanted
	v.i += len(key)
	c, more, err := v.next()
	switch {
	case err != nil:
		return false, err
	case !more:
		return false, v.damage(scan.Truncated)
	case c != ':':
		return false, v.damage(scan.Syntax)
	}
	v.i++
	return is, nil
}

// record parses the value at hand.
func (v *enveloped) record() error {
	entry, f, err := v.entry()
	if err != nil {
		return err
	}
	if f != scan.OK {
		return v.damage(f)
	}
	v.begin(v.at + int64(v.i))
	v.out.Reject(v.parser.Parse(entry, v.out))
	v.i += len(entry)
	return v.out.Err()
}

func (v *enveloped) begin(at int64) {
	v.n++
	v.out.At(source.Position{Line: v.n, Byte: at})
	v.out.Line()
}

func (v *enveloped) reject(why source.Reason) { v.rejectAt(v.at+int64(v.i), why) }

func (v *enveloped) rejectAt(at int64, why source.Reason) {
	v.begin(at)
	v.out.Reject(source.Reject(why, 0))
}

func (v *enveloped) damage(f scan.Fault) error {
	why := f.Reason()
	if v.torn = f == scan.Truncated; v.torn && v.ended && v.cut() != source.OK {
		why = v.cut()
	}
	v.reject(why)
	return firstOf(v.out.Err(), errDamaged)
}

// next moves to the next byte that is no blank; false at the end.
func (v *enveloped) next() (c byte, more bool, err error) {
	if here := v.at + int64(v.i); v.spot != here { // it is 0 in the beginning, and so is the column
		v.column = -1
	}
	for {
		for ; v.i < len(v.buf); v.i++ {
			switch c := v.buf[v.i]; {
			case c == '\n':
				v.column = 0
			case !isSpace(c):
				v.spot = v.at + int64(v.i)
				return c, true, nil
			case v.column >= 0:
				v.column++
			}
		}
		if v.ended {
			return 0, false, nil
		}
		if err := v.fill(); err != nil {
			return 0, false, err
		}
	}
}

// pass moves behind the value at hand, which is not held: of one that is not a
// text or a number only brackets and quotes are looked at.
func (v *enveloped) pass() error {
	c, more, err := v.next()
	if err != nil {
		return err
	}
	if !more {
		return v.damage(scan.Truncated)
	}
	if c != '{' && c != '[' && c != '"' {
		entry, f, err := v.entry()
		if err == nil && f != scan.OK {
			err = v.damage(f)
		}
		v.i += len(entry)
		return err
	}
	for p := (passer{}); ; {
		n, done := p.pass(v.buf[v.i:])
		v.i += n
		if done {
			return nil
		}
		if v.ended {
			return v.damage(scan.Truncated)
		}
		if err := v.fill(); err != nil {
			return err
		}
	}
}

// passer finds the end of a value that comes in pieces.
type passer struct {
	depth           int
	inText, escaped bool
}

func (p *passer) pass(b []byte) (n int, done bool) {
	for i := 0; i < len(b); i++ {
		if p.inText {
			if !p.escaped {
				i = scan.Plain(b, i)
			}
			switch {
			case i >= len(b):
				return len(b), false
			case p.escaped:
				p.escaped = false
			case b[i] == '\\':
				p.escaped = true
			case b[i] == '"':
				p.inText = false
			}
		} else {
			switch b[i] {
			case '"':
				p.inText = true
			case '{', '[':
				p.depth++
			case '}', ']':
				p.depth--
			}
		}
		if p.depth == 0 && !p.inText {
			return i + 1, true
		}
	}
	return len(b), false
}

// resume moves to a line that begins with an object at its start, or at the given
// column.
func (v *enveloped) resume(column int) error {
	for {
		if err := v.toNextLine(); err != nil {
			return err
		}
		c, more, err := v.next()
		if err != nil || !more || c == '{' && (v.column == 0 || v.column == column) {
			return err
		}
	}
}
