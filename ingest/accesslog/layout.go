package accesslog

import (
	"bytes"
	"strings"

	"ttdiag/ingest/timeline"
)

// layout is a compiled log format: texts with values between them. It is
// immutable and shared by parsers.
type layout struct {
	steps []step
	head  []byte // the text before the first value
	// pivot is the value that a client can write freely and that is matched
	// last, as what the others leave; -1 for none. Those after it are matched
	// from the end of the line, so that quotes in it shift nothing.
	pivot  int
	wanted slots
	unit   [numSlots]timeline.Unit
	stamp  stampKind
	date   string // the pattern of stampPattern
	end    bool   // the time is that of the end
}

// step is a value and the text after it.
type step struct {
	to       slot
	list     bool   // the value may hold ", " and " : "
	within   int    // how often the value itself holds tail, as dates hold blanks
	captures bool   // groups {…} may follow the tail
	date     string // how a time is written, for its blanks
	tail     []byte
}

// match takes line apart into r, which it empties first. It reports false where
// the line is not of the layout.
func (l *layout) match(line []byte, r *record) bool {
	r.set = 0
	line = bytes.TrimRight(line, " \t\r\n")
	if !bytes.HasPrefix(line, l.head) {
		return false
	}
	from, to := len(l.head), len(line)
	upTo := len(l.steps)
	if l.pivot >= 0 {
		upTo = l.pivot
	}
	from, ok := l.forward(line, from, upTo, r)
	if !ok {
		return false
	}
	if l.pivot < 0 {
		return from == to
	}
	start, ok := l.backward(line, from, r)
	if !ok {
		return false
	}
	if k := l.steps[l.pivot].to; k != slotSkip {
		r.put(k, line[from:start])
	}
	return true
}

// forward matches the steps before upTo, from offset pos on, and returns the
// offset after the text that follows them.
func (l *layout) forward(line []byte, pos, upTo int, r *record) (int, bool) {
	for i := range l.steps[:upTo] {
		s := &l.steps[i]
		end := len(line)
		if len(s.tail) > 0 {
			n := s.next(line[pos:])
			if n < 0 {
				return pos, false
			}
			end = pos + n
		}
		if s.to != slotSkip {
			r.put(s.to, line[pos:end])
		}
		pos = end + len(s.tail)
		if s.captures {
			pos = skipCaptures(line, pos)
		}
	}
	return pos, true
}

// next returns the offset of the text after the value at the start of b, or -1.
func (s *step) next(b []byte) int {
	for from, skip := 0, s.within; ; from++ {
		n := bytes.IndexByte(b[from:], s.tail[0])
		if n < 0 {
			return -1
		}
		from += n
		if len(b)-from < len(s.tail) {
			return -1
		}
		if string(b[from:from+len(s.tail)]) == string(s.tail) && s.ends(b, from) {
			if skip == 0 {
				return from
			}
			skip--
		}
	}
}

// ends reports whether a value can end at b[at]: a quote that is escaped, and a
// blank inside a list, end none.
func (s *step) ends(b []byte, at int) bool {
	switch b[at] {
	case '"':
		slashes := 0
		for at-slashes > 0 && b[at-slashes-1] == '\\' {
			slashes++
		}
		return slashes%2 == 0
	case ' ':
		return !s.list || !inList(b, at)
	}
	return true
}

// inList reports whether the blank at b[at] stands inside a list: after a comma
// or beside a colon that stands alone.
func inList(b []byte, at int) bool {
	if at > 0 && (b[at-1] == ',' || b[at-1] == ':' && at > 1 && b[at-2] == ' ') {
		return true
	}
	return at+2 < len(b) && b[at+1] == ':' && b[at+2] == ' '
}

// backward matches the steps after the pivot, from the end of the line down to
// offset low, and returns the offset where the pivot's value ends.
func (l *layout) backward(line []byte, low int, r *record) (int, bool) {
	end := len(line)
	tail := l.steps[len(l.steps)-1].tail
	if end-low < len(tail) || string(line[end-len(tail):]) != string(tail) {
		return 0, false
	}
	end -= len(tail)
	for i := len(l.steps) - 1; i > l.pivot; i-- {
		before, s := &l.steps[i-1], &l.steps[i]
		at := before.previous(line, low, end, s)
		if at < 0 {
			return 0, false
		}
		if s.to != slotSkip {
			r.put(s.to, line[at+len(before.tail):end])
		}
		end = at
	}
	return end, true
}

// previous returns the offset of the text of s before the value of after, which
// ends at end, or -1.
func (s *step) previous(line []byte, low, end int, after *step) int {
	skip := 0
	if after.date != "" {
		skip = strings.Count(after.date, string(s.tail))
	}
	size := len(s.tail)
	for at := end - size; at >= low; at-- {
		// The tails are short and near: a loop beats a search that prepares.
		if line[at] != s.tail[0] || string(line[at:at+size]) != string(s.tail) {
			continue
		}
		last := at + size - 1
		if s.ends(line, at) && !(after.list && line[last] == ' ' && inList(line, last)) {
			if skip == 0 {
				return at
			}
			skip--
		}
	}
	return -1
}

func skipCaptures(line []byte, pos int) int {
	for pos < len(line) && line[pos] == '{' {
		n := bytes.IndexByte(line[pos:], '}')
		if n < 0 || pos+n+1 >= len(line) || line[pos+n+1] != ' ' {
			break
		}
		pos += n + 2
	}
	return pos
}

// time reads the time of r.
func (l *layout) time(c *clock, r *record) (us int64, ok bool) {
	v := r.get(slotTime)
	switch l.stamp {
	case stampISO:
		return c.iso(v)
	case stampEpoch:
		us, p := timeline.Micros(v, l.unit[slotTime])
		return us, p == timeline.ParsedOK
	case stampPattern:
		return c.strftime(l.date, v)
	}
	return c.common(v)
}

// matches reports whether line is of the layout and its time and status can be
// read.
func (l *layout) matches(line []byte) bool {
	var r record
	if !l.match(line, &r) {
		return false
	}
	if v := r.get(slotStatus); v != nil {
		if _, ok := status(v); !ok {
			return false
		}
	}
	if v := r.get(slotTotal); v != nil && v[0]-'0' > 9 && v[0] != '+' && v[0] != '-' {
		return false
	}
	if r.set.has(slotTime) {
		if _, ok := l.time(&clock{}, &r); !ok {
			return false
		}
	}
	return true
}
