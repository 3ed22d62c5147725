package stream

// key reads the start of a member, and with luck its whole name. Members that no
// path names are passed over on the spot, as long as each lies whole in b
// without blanks between its parts, which is how machines write.
func (x *scanner) key(b []byte, i int) int {
	if c := b[i]; c != '"' {
		switch {
		case c == '}' && x.state == atMember:
			x.close(c)
		case !space(c):
			x.state = broken
		}
		return i + 1
	}
	x.begun()
	if x.depth == 1 {
		x.facts.signs |= signMembers
	}
	parent := x.stack[x.depth-1]
	for {
		j := quoteAt(b, i+1)
		if j+2 >= len(b) || b[j] != '"' || b[j+1] != ':' {
			x.n, x.long, x.esc, x.state = 0, false, escape{}, inKey
			return i + 1
		}
		x.val = parent.child(b[i+1 : j])
		if x.val == nil {
			if end := plainValue(b, j+2); end+1 < len(b) && b[end] == ',' {
				x.state = atKey
				if i = end + 1; b[i] == '"' {
					continue
				}
				return i
			}
		}
		x.state = atValue
		return j + 2
	}
}

func (x *scanner) colon(b []byte, i int) int {
	switch c := b[i]; {
	case c == ':':
		x.state = atValue
	case !space(c):
		x.state = broken
	}
	return i + 1
}
