package ingest

import (
	"bytes"

	"ttdiag/ingest/source"
)

// liner gives the lines of chunks to a parser.
type liner struct {
	parser source.LineParser
	out    *source.Out
	most   int   // bytes of the longest line, with its carriage return
	line   int64 // physical lines before the one at hand
}

// take parses the lines of a chunk. cut says why the input ends with it, if it
// should not.
func (l *liner) take(c chunk, cut source.Reason) {
	if c.tooLong {
		l.line++
		l.tooLong(c.at, cut)
		return
	}
	l.lines(c.data, c.at, cut)
}

// lines parses the lines of data, which stands at offset at. cut says why the
// input ends here, if it should not.
func (l *liner) lines(data []byte, at int64, cut source.Reason) {
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		next := end + 1
		if end < 0 {
			end, next = len(data), len(data)
		}
		line, torn := bytes.TrimSuffix(data[:end], []byte{'\r'}), source.OK
		if next == end {
			torn = cut
		}
		l.line++
		switch {
		case end > l.most:
			l.tooLong(at, torn)
		case torn != source.OK:
			l.torn(line, at, torn)
		default:
			l.one(line, source.Position{Line: l.line, Byte: at})
		}
		if torn != source.OK {
			return
		}
		data, at = data[next:], at+int64(next)
	}
	if cut != source.OK {
		l.cutOff(source.Position{Line: l.line + 1, Byte: at}, cut)
	}
}

func (l *liner) one(line []byte, pos source.Position) {
	l.out.At(pos)
	if isBlank(line) {
		l.out.Blank()
		return
	}
	r := l.parser.Parse(line, l.out)
	if r.Reason != source.OK && bytes.IndexByte(line, 0) >= 0 {
		l.holes(line, pos)
		return
	}
	l.out.Line()
	l.out.Reject(r)
}

// holes parses what stands between runs of NUL, which a crash leaves in a file.
// Each run counts as a line.
func (l *liner) holes(line []byte, pos source.Position) {
	for len(line) > 0 {
		end := bytes.IndexByte(line, 0)
		if end < 0 {
			end = len(line)
		}
		if end > 0 && !isBlank(line[:end]) {
			l.out.At(pos)
			l.out.Line()
			l.out.Reject(l.parser.Parse(line[:end], l.out))
		}
		line, pos.Byte = line[end:], pos.Byte+int64(end)
		rest := bytes.TrimLeft(line, "\x00")
		if hole := len(line) - len(rest); hole > 0 {
			l.out.At(pos)
			l.out.Line()
			l.out.Reject(source.Reject(source.BinaryData, 0))
			pos.Byte += int64(hole)
		}
		line = rest
	}
}

// torn parses a line that the end of the input may have cut off.
func (l *liner) torn(line []byte, at int64, cut source.Reason) {
	pos := source.Position{Line: l.line, Byte: at}
	l.out.At(pos)
	l.out.Line()
	if r := l.parser.Parse(line, l.out); r.Reason != source.OK {
		l.out.Reject(source.Reject(cut, len(line)))
		return
	}
	pos.Byte += int64(len(line))
	l.cutOff(pos, cut)
}

// cutOff counts the cut itself as a line that is rejected.
func (l *liner) cutOff(pos source.Position, cut source.Reason) {
	l.out.At(pos)
	l.out.Line()
	l.out.Reject(source.Reject(cut, 0))
}

// tooLong rejects the line at hand, which stands at offset at. cut says why the
// input ends with it, if it should not.
func (l *liner) tooLong(at int64, cut source.Reason) {
	l.out.At(source.Position{Line: l.line, Byte: at})
	l.out.Line()
	if cut == source.OK {
		cut = source.TooLong
	}
	l.out.Reject(source.Reject(cut, 0))
}
