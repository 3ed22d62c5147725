package accesslog

import "bytes"

// combinedHead takes the head that the common and combined formats share off a
// line: client, user, [time], "request", status, size. The client, the user and
// the request are passed over.
func combinedHead(line []byte, r *record) (rest []byte, ok bool) {
	open := bytes.Index(line, []byte(" ["))
	if open < 0 {
		return nil, false
	}
	shut := bytes.Index(line[open:], []byte(`] "`))
	if shut < 20 || shut > 32 {
		return nil, false
	}
	date := line[open+2 : open+shut]
	line = line[open+shut+3:]
	if date[2] != '/' || date[6] != '/' {
		return nil, false
	}
	quote := closingQuote(line)
	if quote < 0 || len(line) < quote+6 || line[quote+1] != ' ' {
		return nil, false
	}
	line = line[quote+2:]
	blank := bytes.IndexByte(line, ' ')
	if blank < 0 {
		return nil, false
	}
	code := line[:blank]
	line = line[blank+1:]
	size := 0
	for size < len(line) && (line[size]-'0' < 10 || line[size] == '-') {
		size++
	}
	if size == 0 || size < len(line) && line[size] != ' ' {
		return nil, false
	}
	r.put(slotTime, date)
	r.put(slotStatus, code)
	return line[size:], true
}

// closingQuote returns the offset of the first quote in b that is not escaped,
// or -1.
func closingQuote(b []byte) int {
	for from := 0; ; from++ {
		n := bytes.IndexByte(b[from:], '"')
		if n < 0 {
			return -1
		}
		from += n
		slashes := 0
		for from-slashes > 0 && b[from-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return from
		}
	}
}

// pairs reads the pairs of rest; quoted and bare values between them are passed
// over.
func (f *filler) pairs(rest []byte) {
	for len(rest) > 0 {
		switch rest[0] {
		case ' ', '\r', '\t':
			rest = rest[1:]
			continue
		case '"':
			quote := closingQuote(rest[1:])
			if quote < 0 {
				return
			}
			rest = rest[quote+2:]
			continue
		}
		n := 0
		for n < len(rest) && rest[n] != '=' && rest[n] != ' ' && rest[n] != '"' {
			n++
		}
		if n == len(rest) || rest[n] != '=' {
			rest = rest[n:]
			if n == 0 {
				return
			}
			continue
		}
		key := rest[:n]
		var value []byte
		value, rest = pairValue(rest[n+1:])
		if k := nginxKey(key); k != slotSkip {
			f.seen |= 1 << k
			f.record.put(k, value)
		}
	}
}

// pairValue takes a value, quoted or not, off the front of b. A bare list goes
// on after its commas and colons.
func pairValue(b []byte) (value, rest []byte) {
	if len(b) > 0 && b[0] == '"' {
		quote := closingQuote(b[1:])
		if quote < 0 {
			return nil, nil
		}
		return b[1 : quote+1], b[quote+2:]
	}
	for i, c := range b {
		if c == ' ' && !inList(b, i) || c == '\r' {
			return b[:i], b[i:]
		}
	}
	return b, nil
}

// nginxKey returns the slot of a pair's name. The short ones are those of the
// log formats that nginx's own documentation and its monitoring guides show.
func nginxKey(key []byte) slot {
	switch string(key) {
	case "rt", "request_time", "req_time":
		return slotTotal
	case "uht", "upstream_header_time":
		return slotHeaders
	case "urt", "ut", "upstream_response_time":
		return slotUpstreamTime
	case "uct", "upstream_connect_time":
		return slotConnectTime
	case "ua", "upstream_addr":
		return slotUpstreamAddr
	case "us", "upstream_status":
		return slotUpstreamCode
	case "rid", "request_id", "req_id", "reqid":
		return slotRequestID
	case "cs", "upstream_cache_status":
		return slotCacheStatus
	}
	return slotSkip
}
