package wrap

import (
	"bytes"
)

// piece is what one line holds of an inner line.
type piece struct {
	text   []byte
	more   bool   // the inner line goes on in a later line
	source []byte // whose line it is, where lines of several come in turn
}

// takeCRI reads "time stream P|F[:tags] text", as containerd and CRI-O write it.
func takeCRI(line []byte) (p piece, ok bool) {
	n := rfc3339(line)
	if n == 0 || n >= len(line) || line[n] != ' ' {
		return p, false
	}
	rest := line[n+1:]
	if !bytes.HasPrefix(rest, []byte("stdout ")) && !bytes.HasPrefix(rest, []byte("stderr ")) {
		return p, false
	}
	p.source, rest = rest[:6], rest[7:]
	tag, text, _ := bytes.Cut(rest, []byte{' '})
	tag, _, _ = bytes.Cut(tag, []byte{':'})
	if len(tag) != 1 || tag[0] != 'P' && tag[0] != 'F' {
		return p, false
	}
	p.text, p.more = text, tag[0] == 'P'
	return p, true
}

// takeKubectl reads "[pod/name/container] text".
func takeKubectl(line []byte) (p piece, ok bool) {
	if !bytes.HasPrefix(line, []byte("[pod/")) {
		return p, false
	}
	shut := bytes.IndexByte(line[:min(len(line), 512)], ']')
	if shut < 0 {
		return p, false
	}
	p.text = line[shut+1:]
	if len(p.text) > 0 && p.text[0] == ' ' {
		p.text = p.text[1:]
	}
	return p, true
}

// takeCompose reads "name  | text".
func takeCompose(line []byte) (p piece, ok bool) {
	n := 0
	for n < len(line) && n < 128 && (isWord(line[n]) || line[n] == '-' || line[n] == '.') {
		n++
	}
	name := n
	for n < len(line) && line[n] == ' ' {
		n++
	}
	if name == 0 || n == name || n >= len(line) || line[n] != '|' {
		return p, false
	}
	p.text = line[n+1:]
	if len(p.text) > 0 && p.text[0] == ' ' {
		p.text = p.text[1:]
	}
	return p, true
}

func isWord(c byte) bool { return c == '_' || c-'0' < 10 || c|0x20 >= 'a' && c|0x20 <= 'z' }

// takeTimestamp reads "time text".
func takeTimestamp(line []byte) (p piece, ok bool) {
	n := rfc3339(line)
	if n == 0 || n >= len(line) || line[n] != ' ' {
		return p, false
	}
	p.text = line[n+1:]
	return p, true
}

// takeTail reads "time stream text" of aws logs tail, whose time has six digits
// and an offset.
func takeTail(line []byte) (p piece, ok bool) {
	const size = len("2026-08-21T03:15:33.000000+00:00")
	if rfc3339(line) != size || line[19] != '.' || line[26] != '+' {
		return p, false
	}
	stream, text, ok := bytes.Cut(line[min(size+1, len(line)):], []byte{' '})
	if !ok || line[size] != ' ' || len(stream) == 0 || bytes.IndexByte(stream, '/') < 0 {
		return p, false
	}
	p.text = text
	return p, true
}

// takeLokiText reads "time {name="value", …} text".
func takeLokiText(line []byte) (p piece, ok bool) {
	n := rfc3339(line)
	if n == 0 || !bytes.HasPrefix(line[n:], []byte(" {")) {
		return p, false
	}
	rest := line[n+2:]
	for {
		rest = bytes.TrimLeft(rest, ", ")
		if len(rest) > 0 && rest[0] == '}' {
			break
		}
		k := 0
		for k < len(rest) && isWord(rest[k]) {
			k++
		}
		if k == 0 || !bytes.HasPrefix(rest[k:], []byte(`="`)) {
			return p, false
		}
		quote := closing(rest[k+2:])
		if quote < 0 {
			return p, false
		}
		rest = rest[k+2+quote+1:]
	}
	p.text = bytes.TrimLeft(rest[1:], " ")
	return p, true
}

// closing returns the offset of the first quote in b that is not escaped.
func closing(b []byte) int {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// takeSyslog reads a line of RFC 3164 or 5424, with or without its priority and
// a count of its bytes before it, as rsyslog and journalctl write it.
func takeSyslog(line []byte) (p piece, ok bool) {
	line = withoutCount(line)
	rest, priority := withoutPriority(line)
	if priority && bytes.HasPrefix(rest, []byte("1 ")) {
		return takeRFC5424(rest[2:])
	}
	n := bsdTime(rest)
	if n == 0 {
		n = rfc3339(rest)
	}
	if n == 0 || n >= len(rest) || rest[n] != ' ' {
		return p, false
	}
	rest = rest[n+1:]
	// "host tag[pid]: text", and from a local socket "tag[pid]: text".
	for words := 0; words < 2; words++ {
		word, after, found := bytes.Cut(rest, []byte{' '})
		if !found && !bytes.HasSuffix(word, []byte{':'}) {
			return p, false
		}
		if isTag(word) {
			p.text = after
			return p, true
		}
		if !isHost(word) {
			return p, false
		}
		rest = after
	}
	return p, false
}

// withoutCount takes the count of octet-counted framing (RFC 6587) off.
func withoutCount(line []byte) []byte {
	n := 0
	for n < len(line) && n < 8 && line[n]-'0' < 10 {
		n++
	}
	if n > 0 && bytes.HasPrefix(line[n:], []byte(" <")) {
		return line[n+1:]
	}
	return line
}

func withoutPriority(line []byte) (rest []byte, ok bool) {
	if len(line) < 3 || line[0] != '<' {
		return line, false
	}
	n := 1
	for n < len(line) && n < 4 && line[n]-'0' < 10 {
		n++
	}
	if n == 1 || n >= len(line) || line[n] != '>' {
		return line, false
	}
	return line[n+1:], true
}

// takeRFC5424 reads what stands after the version: time, host, application,
// process, message id, structured data, text.
func takeRFC5424(rest []byte) (p piece, ok bool) {
	for range 5 {
		if _, rest, ok = bytes.Cut(rest, []byte{' '}); !ok {
			return p, false
		}
	}
	if len(rest) > 0 && rest[0] == '-' {
		rest = rest[1:]
	} else {
		for len(rest) > 0 && rest[0] == '[' {
			n := structured(rest)
			if n == 0 {
				return p, false
			}
			rest = rest[n:]
		}
	}
	if len(rest) == 0 {
		return p, true
	}
	if rest[0] != ' ' {
		return p, false
	}
	p.text = bytes.TrimPrefix(rest[1:], []byte("\xef\xbb\xbf"))
	return p, true
}

// structured returns the length of the element "[id name="value"]" at the start
// of b, or 0.
func structured(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '"':
			n := closing(b[i+1:])
			if n < 0 {
				return 0
			}
			i += n + 1
		case ']':
			return i + 1
		}
	}
	return 0
}

// bsdTime returns the length of "Aug 21 03:19:08" at the start of b, or 0.
func bsdTime(b []byte) int {
	const size = len("Aug 21 03:19:08")
	if len(b) < size || b[3] != ' ' || b[6] != ' ' || b[9] != ':' || b[12] != ':' {
		return 0
	}
	if !bytes.Contains([]byte("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"), b[:3]) {
		return 0
	}
	for _, i := range []int{5, 7, 8, 10, 11, 13, 14} {
		if b[i]-'0' > 9 {
			return 0
		}
	}
	if b[4] != ' ' && b[4]-'0' > 9 {
		return 0
	}
	return size
}

// isTag reports whether w is "name:", "name[1]:".
func isTag(w []byte) bool {
	w, ok := bytes.CutSuffix(w, []byte{':'})
	if !ok {
		return false
	}
	if open := bytes.IndexByte(w, '['); open > 0 && w[len(w)-1] == ']' {
		w = w[:open]
	}
	for _, c := range w {
		if !isWord(c) && c != '-' && c != '.' && c != '/' && c != '@' && c != '(' && c != ')' {
			return false
		}
	}
	return len(w) > 0
}

func isHost(w []byte) bool {
	for _, c := range w {
		if !isWord(c) && c != '-' && c != '.' && c != ':' {
			return false
		}
	}
	return len(w) > 0
}

// rfc3339 returns the length of a date and time with a T and, as all wrappers
// write it, a zone at the start of b, or 0. The zone may be missing only where
// the fraction is too.
func rfc3339(b []byte) int {
	const size = len("2026-08-21T03:15:33")
	if len(b) < size || b[4] != '-' || b[7] != '-' || b[10] != 'T' || b[13] != ':' || b[16] != ':' {
		return 0
	}
	for _, i := range []int{0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18} {
		if b[i]-'0' > 9 {
			return 0
		}
	}
	i := size
	if i < len(b) && (b[i] == '.' || b[i] == ',') {
		for i++; i < len(b) && b[i]-'0' < 10; i++ {
		}
	}
	switch {
	case i < len(b) && b[i] == 'Z':
		return i + 1
	case i+5 < len(b) && (b[i] == '+' || b[i] == '-'):
		i += 3
		if b[i] == ':' {
			i++
		}
		return min(i+2, len(b))
	case i == size:
		return i
	}
	return 0
}
