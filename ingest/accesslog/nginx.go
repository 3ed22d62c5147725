package accesslog

import (
	"bytes"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// finishNginx sets what nginx writes once per attempt. The last element is the
// attempt that answered; its own start is t1, connect included.
func finishNginx(f *filler, row *timeline.Row) timeline.Mask {
	r := &f.record
	if v := r.get(slotHeaders); v != nil {
		if last := list(v).last(); !absentText(last) {
			us, p := number(last, f.layout.unit[slotHeaders])
			setParsed(row, timeline.ColUpstreamHeaders, us, p)
		}
	}
	if v := r.get(slotCacheStatus); v != nil && (string(v) == "HIT" || string(v) == "STALE") {
		row.Notes.Add(timeline.CacheHit)
	}
	f.nginxUpstream(row)
	if r.set.has(slotRequestType) {
		return finishAPISIX(f, row)
	}
	return 0
}

func (f *filler) nginxUpstream(row *timeline.Row) {
	r := &f.record
	if addresses := r.get(slotUpstreamAddr); addresses != nil {
		if last := list(addresses).last(); isAddress(last) {
			row.SetText(timeline.ColChannel, last)
			if !f.seen.has(slotRequestType) { // ai-proxy-multi logs its last attempt only
				row.SetNum(timeline.ColAttempt, list(addresses).len())
			}
		}
		return
	}
	// Without the addresses an instant answer may be "no live upstreams".
	if v := r.get(slotUpstreamCode); v != nil && !f.seen.has(slotUpstreamAddr) && string(r.get(slotUpstreamTime)) != "0.000" {
		row.SetNum(timeline.ColAttempt, list(v).len())
	}
}

// isAddress tells an address with a port, or a socket, from the name of an
// upstream, which nginx writes where it had no live server.
func isAddress(v []byte) bool {
	if bytes.HasPrefix(v, []byte("unix:")) {
		return true
	}
	colon := bytes.LastIndexByte(v, ':')
	if colon < 1 || colon == len(v)-1 {
		return false
	}
	for _, c := range v[colon+1:] {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}

// nginxKeyed reads the combined format with name=value pairs after it, in any
// order, quoted or not.
type nginxKeyed struct {
	filler *filler
}

func keyedLayout() *layout {
	l := &layout{pivot: -1, end: true}
	l.unit[slotTotal], l.unit[slotHeaders] = timeline.Second, timeline.Second
	l.wanted = 1<<slotTotal | 1<<slotHeaders
	return l
}

func newNginxKeyed(l *layout, opt source.Options) *nginxKeyed {
	f := newFiller(l, opt, nil)
	f.finish = finishNginx
	return &nginxKeyed{filler: f}
}

// Parse reads one line.
func (p *nginxKeyed) Parse(line []byte, out *source.Out) source.Rejection {
	f := p.filler
	f.record.set = 0
	f.seen = 0
	rest, ok := combinedHead(line, &f.record)
	if !ok {
		return source.Reject(source.NotThisFormat, 0)
	}
	f.pairs(rest)
	return f.add(out)
}

const nginxMore = `log_format ttdiag '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "-" "-" ` +
	`rid=$request_id rt=$request_time uct="$upstream_connect_time" uht="$upstream_header_time" urt="$upstream_response_time" ` +
	`ua="$upstream_addr" us="$upstream_status"';`

var nginxColumns = []source.Capability{
	{Column: timeline.ColUpstreamHeaders, Quality: source.Exact, Field: "$upstream_header_time", Unit: "s",
		Origin: "upstream_start, connect included, of the last attempt", Point: "upstream response headers"},
	{Column: timeline.ColTotalHandler, Quality: source.Exact, Field: "$request_time", Unit: "s",
		Origin: "receipt", Point: "log written, after the last byte to the client"},
	{Column: timeline.ColTimestamp, Quality: source.Exact, Field: "$time_local", Point: "end"},
	{Column: timeline.ColRequestID, Quality: source.Exact, Field: "$request_id"},
	{Column: timeline.ColStatus, Quality: source.Exact, Field: "$status"},
	{Column: timeline.ColChannel, Quality: source.Sometimes, Field: "$upstream_addr"},
	{Column: timeline.ColAttempt, Quality: source.Sometimes, Field: "$upstream_addr"},
}

func nginxText() *source.Format {
	l := keyedLayout()
	return &source.Format{
		Name: "nginx_text", Family: "nginx", Title: "nginx access log: combined with rt=, uht=, urt=, ua=, us= after it",
		Vantage: "gateway", Columns: source.Fixed(nginxColumns), FirstToken: "nginx has none: headers are the last mark before the end",
		More:   "an nginx log_format with all timings: " + nginxMore,
		Detect: func(w *source.Window) source.Confidence { return shareOf(w, isKeyed) },
		Lines:  func(opt source.Options) source.LineParser { return newNginxKeyed(l, opt) },
	}
}

func isKeyed(line []byte) bool {
	var f filler
	rest, ok := combinedHead(line, &f.record)
	if !ok {
		return false
	}
	f.pairs(rest)
	return f.seen&(1<<slotTotal|1<<slotHeaders|1<<slotUpstreamTime) != 0
}

// shareOf turns the share of lines that fit into a confidence. Logs hold lines
// of other kinds, so half is enough for certainty.
func shareOf(w *source.Window, fits func([]byte) bool) source.Confidence {
	switch share := w.Share(fits); {
	case share >= 0.5:
		return source.Certain
	case share >= 0.1:
		return source.Likely
	case share > 0:
		return source.Maybe
	}
	return source.No
}
