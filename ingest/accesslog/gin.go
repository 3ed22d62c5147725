package accesslog

import (
	"bytes"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// ginLine is a line of gin's logger, taken apart.
type ginLine struct {
	date     []byte
	id       []byte // nil where the line has none
	code     int64
	duration int64 // microseconds
}

// parseGin reads "[GIN] date | [tag |] [id |] status | latency | client | …".
// Colours are taken off; whatever stands after the latency is passed over.
func parseGin(line []byte) (g ginLine, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("[GIN] "))
	if !ok {
		return g, false
	}
	var before [3][]byte
	for n := 0; n < len(before); n++ {
		field, after, found := bytes.Cut(rest, []byte{'|'})
		if !found {
			return g, false
		}
		field, rest = trimColour(field), after
		if code, isCode := status(field); n > 0 && isCode && len(field) == 3 {
			g.code = code
			break
		}
		before[n] = field
		if n == len(before)-1 {
			// date, tag, id: the status must be next.
			field, after, _ = bytes.Cut(rest, []byte{'|'})
			rest = after
			if g.code, ok = status(trimColour(field)); !ok {
				return g, false
			}
		}
	}
	g.date, g.id = before[0], before[1]
	if before[2] != nil {
		g.id = before[2]
	}
	latency, _, found := bytes.Cut(rest, []byte{'|'})
	g.duration, ok = goDuration(trimColour(latency))
	return g, found && ok
}

// trimColour takes blanks and the terminal's colour codes off the ends of b.
func trimColour(b []byte) []byte {
	b = bytes.TrimSpace(b)
	for bytes.HasPrefix(b, []byte("\x1b[")) {
		m := bytes.IndexByte(b, 'm')
		if m < 0 {
			break
		}
		b = bytes.TrimSpace(b[m+1:])
	}
	if escape := bytes.Index(b, []byte("\x1b[")); escape >= 0 {
		b = bytes.TrimSpace(b[:escape])
	}
	return b
}

// dated takes the date that Go's log package puts before a line off it.
func dated(line []byte) []byte {
	if len(line) > 20 && line[4] == '/' && line[7] == '/' && line[10] == ' ' && line[13] == ':' && line[16] == ':' && line[19] == ' ' {
		return line[20:]
	}
	return line
}

// ginLines reads lines that hold all that a gateway says of a request: gin's
// own, and those that CLIProxyAPI and gpt-load print in its place.
type ginLines struct {
	clock clock
	take  func(line []byte) (ginRequest, bool)
}

// ginRequest is a request as such a line tells it.
type ginRequest struct {
	ginLine
	attempt int64
}

// Parse reads one line.
func (p *ginLines) Parse(line []byte, out *source.Out) source.Rejection {
	g, ok := p.take(line)
	if !ok {
		return source.Reject(source.NotARequest, 0)
	}
	row := out.Row()
	us, ok := p.clock.slashed(g.date)
	if !ok {
		us, ok = p.clock.iso(g.date)
	}
	if ok {
		row.SetNum(timeline.ColTimestamp, us)
		row.TimestampIsEnd = true
	}
	row.SetNum(timeline.ColTotalHandler, g.duration)
	if g.code != 0 {
		row.SetNum(timeline.ColStatus, g.code)
	}
	row.SetText(timeline.ColRequestID, identifier(g.id))
	if g.attempt > 0 {
		row.SetNum(timeline.ColAttempt, g.attempt)
	}
	out.Add()
	return source.Rejection{}
}

// takeGin reads gin's own line without a request id.
func takeGin(line []byte) (ginRequest, bool) {
	g, ok := parseGin(dated(line))
	return ginRequest{ginLine: g}, ok && g.id == nil
}

// takeCLIProxy reads "[date] [id] [level] [file:line] status | latency | …" and
// the older "[date] [level] | id | status | latency | …".
func takeCLIProxy(line []byte) (g ginRequest, ok bool) {
	date, rest, ok := bracketed(line)
	if !ok || len(date) != 19 || date[4] != '-' {
		return g, false
	}
	g.date = date
	for {
		var part []byte
		if part, rest, ok = bracketed(rest); !ok {
			break
		}
		if len(part) == 8 && isHex(part) {
			g.id = part
		}
	}
	fields := bytes.SplitN(bytes.TrimPrefix(bytes.TrimSpace(rest), []byte("| ")), []byte{'|'}, 4)
	if len(fields) == 4 && len(bytes.TrimSpace(fields[0])) == 8 {
		if id := bytes.TrimSpace(fields[0]); isHex(id) {
			g.id = id
		}
		fields = fields[1:]
	}
	if len(fields) < 3 {
		return g, false
	}
	if code := bytes.TrimSpace(fields[0]); len(code) == 3 {
		if g.code, ok = status(code); ok {
			g.duration, ok = goDuration(bytes.TrimSpace(fields[1]))
			return g, ok
		}
	}
	return g, false
}

// bracketed takes "[…]" and the blank after it off the front of b.
func bracketed(b []byte) (inside, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '[' {
		return nil, b, false
	}
	shut := bytes.IndexByte(b, ']')
	if shut < 0 {
		return nil, b, false
	}
	return bytes.TrimSpace(b[1:shut]), bytes.TrimLeft(b[shut+1:], " "), true
}

func isHex(v []byte) bool {
	for _, c := range v {
		if c-'0' > 9 && c-'a' > 5 {
			return false
		}
	}
	return true
}

// takeGPTLoad reads a logrus line whose message is "METHOD path - status -
// latency", with the key and the number of retries after it. The path and the
// key are passed over.
func takeGPTLoad(line []byte) (g ginRequest, ok bool) {
	if rest, found := bytes.CutPrefix(line, []byte(`time="`)); found {
		if quote := bytes.IndexByte(rest, '"'); quote > 0 {
			g.date = rest[:quote]
		}
		_, message, found := bytes.Cut(rest, []byte(` msg="`))
		if !found {
			return g, false
		}
		line = message
	} else if open := bytes.IndexByte(line[:min(len(line), 16)], '['); open >= 0 {
		if g.date, line, ok = bracketed(line[open:]); !ok {
			return g, false
		}
	}
	method, rest, _ := bytes.Cut(line, []byte{' '})
	if len(method) < 3 || len(method) > 7 || bytes.ToUpper(method)[0] != method[0] || len(rest) == 0 || rest[0] != '/' {
		return g, false
	}
	_, rest, ok = bytes.Cut(rest, []byte(" - "))
	code, rest, ok2 := bytes.Cut(rest, []byte(" - "))
	if !ok || !ok2 || len(code) != 3 {
		return g, false
	}
	if g.code, ok = status(code); !ok {
		return g, false
	}
	end := bytes.IndexAny(rest, ` "`)
	if end < 0 {
		end = len(rest)
	}
	if g.duration, ok = goDuration(rest[:end]); !ok {
		return g, false
	}
	if at := bytes.LastIndex(rest, []byte(" - Retry[")); at >= 0 {
		digits, _, _ := bytes.Cut(rest[at+9:], []byte{']'})
		if n, p := number(digits, 0); p == timeline.ParsedOK {
			g.attempt = n + 1
		}
	}
	return g, true
}

var ginColumns = []source.Capability{
	{Column: timeline.ColTotalHandler, Quality: source.Exact, Field: "latency", Unit: "Go duration", Origin: "receipt, at the gin logger",
		Point: "the handler returned"},
	{Column: timeline.ColTimestamp, Quality: source.Exact, Field: "the time of the line", Point: "end, in a zone that the log does not name"},
	{Column: timeline.ColStatus, Quality: source.Exact, Field: "status"},
}

func ginTexts() []*source.Format {
	id := source.Capability{Column: timeline.ColRequestID, Quality: source.Sometimes, Field: "request id"}
	attempt := source.Capability{Column: timeline.ColAttempt, Quality: source.Sometimes, Field: "Retry[n]"}
	list := []struct {
		name, family, title string
		take                func([]byte) (ginRequest, bool)
		more                string
		extra               []source.Capability
	}{
		{"gin", "sub2api", "gin access lines: sub2api of 2025-12 and other gateways in Go", takeGin,
			"newer sub2api logs JSON with a request id, and its usage rows hold the first token", nil},
		{"cliproxyapi_text", "Relays", "CLIProxyAPI log lines", takeCLIProxy,
			"the usage queue holds the first token and the model", []source.Capability{id}},
		{"gpt_load_text", "Relays", "gpt-load log lines", takeGPTLoad,
			"the request_logs table holds model and key group", []source.Capability{attempt}},
	}
	var all []*source.Format
	for _, g := range list {
		all = append(all, &source.Format{
			Name: g.name, Family: g.family, Title: g.title, Vantage: "gateway",
			Columns:    source.Fixed(append(append([]source.Capability(nil), ginColumns...), g.extra...)),
			FirstToken: "none: the line has the whole time only",
			More:       g.more,
			Detect: func(w *source.Window) source.Confidence {
				return shareOf(w, func(line []byte) bool { _, ok := g.take(line); return ok })
			},
			Lines: func(opt source.Options) source.LineParser {
				return &ginLines{clock: clock{zone: opt.Zone}, take: g.take}
			},
		})
	}
	return all
}
