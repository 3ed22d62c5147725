package accesslog

import (
	"bytes"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// traefikLines reads Traefik's common log format: combined, then the number of
// the request, the router, the URL of the server and the duration.
type traefikLines struct{ filler *filler }

// Parse reads one line.
func (p traefikLines) Parse(line []byte, out *source.Out) source.Rejection {
	if !traefikRecord(line, &p.filler.record) {
		return source.Reject(source.NotThisFormat, 0)
	}
	return p.filler.add(out)
}

// traefikRecord takes a line apart, the end of it from the end: a client writes
// the referrer and the agent before it.
func traefikRecord(line []byte, r *record) bool {
	r.set = 0
	rest, ok := combinedHead(line, r)
	rest = bytes.TrimRight(rest, " \r\t")
	if !ok || !bytes.HasSuffix(rest, []byte("ms")) {
		return false
	}
	rest = rest[:len(rest)-2]
	blank := bytes.LastIndexByte(rest, ' ')
	if blank < 0 {
		return false
	}
	r.put(slotTotal, rest[blank+1:])
	rest, server, ok := lastQuoted(rest[:blank])
	if !ok {
		return false
	}
	rest, router, ok := lastQuoted(rest)
	if !ok {
		return false
	}
	blank = bytes.LastIndexByte(rest, ' ')
	if _, _, _, digits := shortDecimal(rest[blank+1:]); !digits && !absentText(rest[blank+1:]) {
		return false
	}
	r.put(slotGroup, router)
	r.put(slotChannel, hostOf(server))
	return true
}

// lastQuoted takes a quoted value off the end of b, and the blank before it.
func lastQuoted(b []byte) (rest, value []byte, ok bool) {
	if len(b) < 3 || b[len(b)-1] != '"' {
		return nil, nil, false
	}
	open := bytes.LastIndexByte(b[:len(b)-1], '"')
	if open < 1 || b[open-1] != ' ' {
		return nil, nil, false
	}
	return b[:open-1], b[open+1 : len(b)-1], true
}

// hostOf returns the host and port of a URL, or v where it is none.
func hostOf(v []byte) []byte {
	if at := bytes.Index(v, []byte("://")); at >= 0 {
		v = v[at+3:]
		if end := bytes.IndexAny(v, "/?#"); end >= 0 {
			v = v[:end]
		}
		if user := bytes.LastIndexByte(v, '@'); user >= 0 {
			v = v[user+1:]
		}
	}
	return v
}

func traefikText() *source.Format {
	l := &layout{pivot: -1, wanted: 1 << slotTotal}
	l.unit[slotTotal] = timeline.Millisecond
	return &source.Format{
		Name: "traefik_clf", Family: "Traefik", Title: "Traefik access log in the common format", Vantage: "gateway",
		Columns: source.Fixed([]source.Capability{
			{Column: timeline.ColTotalHandler, Quality: source.Exact, Field: "Duration", Unit: "ms", Origin: "receipt", Point: "last byte to the client"},
			{Column: timeline.ColTimestamp, Quality: source.Exact, Field: "StartUTC", Point: "start"},
			{Column: timeline.ColStatus, Quality: source.Exact, Field: "DownstreamStatus"},
			{Column: timeline.ColGroup, Quality: source.Sometimes, Field: "RouterName"},
			{Column: timeline.ColChannel, Quality: source.Sometimes, Field: "ServiceURL"},
		}),
		FirstToken: "Traefik has none, and never logs upstream headers",
		More:       "accessLog.format=json gives nanoseconds and the number of retries; no setting of Traefik records the upstream headers",
		Detect: func(w *source.Window) source.Confidence {
			return shareOf(w, func(line []byte) bool { return traefikRecord(line, &record{}) })
		},
		Lines: func(opt source.Options) source.LineParser { return traefikLines{newFiller(l, opt, nil)} },
	}
}
