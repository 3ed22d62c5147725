package accesslog

import (
	"bytes"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// haproxyDefault is what "option httplog" writes.
const haproxyDefault = `%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %hr %hs %{+Q}r`

var haproxyItems = []timeline.Approx{
	{Column: "upstream_headers_ms", Origin: "first attempt to connect", Point: "upstream response headers",
		Bias: "high: the failed attempts to connect are in it"},
	{Column: "inflight", Origin: "end of the session", Point: "sessions of the backend when this one ended, itself included",
		Bias: "of one backend, and of the end instead of t0"},
}

// haproxyEarly is haproxyItems where the log was written before the end.
var haproxyEarly = []timeline.Approx{haproxyItems[0],
	{Column: "inflight", Origin: "when the log was written", Point: haproxyItems[1].Point, Bias: haproxyItems[1].Bias}}

// finishHAProxy adds up HAProxy's consecutive timers, each -1 where its phase
// was not reached.
func finishHAProxy(f *filler, row *timeline.Row) (approx timeline.Mask) {
	r := &f.record
	f.items = haproxyItems
	if total := r.get(slotTotal); len(total) > 0 && total[0] == '+' {
		// option logasap: the session went on after the line was written.
		row.Drop(timeline.MaskOf(timeline.ColTotalHandler))
		f.marks = f.marks.Without(timeline.ColTotalHandler)
		f.items = haproxyEarly
	} else if string(total) == "-1" {
		row.Drop(timeline.MaskOf(timeline.ColTotalHandler))
	}
	f.haproxyServer(row)
	retries, ok := number(bytes.TrimPrefix(r.get(slotRetries), []byte("+")), 0)
	retried := ok != timeline.ParsedOK || retries != 0
	connect, connected := f.timer(slotConnect)
	if response, ok := f.timer(slotResponse); ok && connected {
		row.SetNum(timeline.ColUpstreamHeaders, connect+response)
		if retried {
			approx = approx.With(timeline.ColUpstreamHeaders)
		}
	}
	if read, ok := f.timer(slotHeaderRead); ok && connected && !retried {
		if queue, ok := f.timer(slotQueue); ok {
			row.SetNum(timeline.ColUpstreamStart, read+queue)
		}
	}
	if v := r.get(slotSessions); v != nil {
		// The session counts itself, so 0 is of one that had no backend.
		if n, p := number(v, 0); p == timeline.ParsedOK && n > 0 {
			row.SetNum(timeline.ColInflight, n)
			approx = approx.With(timeline.ColInflight)
		}
	}
	f.haproxyOutcome(row)
	return approx
}

// haproxyServer names the channel, and takes the attempt away where no server
// was chosen.
func (f *filler) haproxyServer(row *timeline.Row) {
	server := f.record.get(slotServer)
	if string(server) == "<NOSRV>" || string(server) == "<STATS>" {
		row.Drop(timeline.MaskOf(timeline.ColAttempt))
		// No upstream was asked, so that none was slow to answer.
		f.marks = f.marks.Without(timeline.ColUpstreamHeaders)
		return
	}
	backend := f.record.get(slotBackend)
	if server == nil || backend == nil {
		row.SetText(timeline.ColChannel, server)
		return
	}
	f.scratch = append(append(append(f.scratch[:0], backend...), '/'), server...)
	row.SetText(timeline.ColChannel, f.scratch)
}

// timer returns one of the consecutive timers in microseconds.
func (f *filler) timer(k slot) (us int64, ok bool) {
	v := f.record.get(k)
	if len(v) == 0 || v[0] == '-' {
		return 0, false
	}
	us, p := number(v, f.layout.unit[k])
	return us, p == timeline.ParsedOK
}

// haproxyOutcome reads the first two characters of the termination state: who
// ended the session, and in which phase.
func (f *filler) haproxyOutcome(row *timeline.Row) {
	state := f.record.get(slotTermination)
	if len(state) < 2 {
		return
	}
	data := state[1] == 'D' || state[1] == 'L'
	switch state[0] {
	case 'C':
		row.SetText(timeline.ColOutcome, outcomeCancelled)
	case 's':
		row.SetText(timeline.ColOutcome, outcomeTimeout)
	case 'c':
		if data {
			row.SetText(timeline.ColOutcome, f.brokenOff(row))
		}
	case 'S', 'K', 'D':
		if data || state[0] == 'S' {
			row.SetText(timeline.ColOutcome, f.brokenOff(row))
		}
	}
}

// haproxyLines reads lines of option httplog, with or without the head that
// syslog puts before them.
type haproxyLines struct{ *filler }

// Parse reads one line.
func (p haproxyLines) Parse(line []byte, out *source.Out) source.Rejection {
	if why := p.filler.Parse(line, out); why.Reason != source.NotThisFormat {
		return why
	}
	head := syslogHead(line)
	if head == 0 {
		return source.Reject(source.NotThisFormat, 0)
	}
	return p.filler.Parse(line[head:], out)
}

// syslogHead returns the length of a syslog head, or 0.
func syslogHead(line []byte) int {
	end := bytes.Index(line[:min(len(line), 256)], []byte("]: "))
	if end < 0 {
		return 0
	}
	return end + 3
}

func haproxyText() *source.Format {
	l := mustLayout(compileHAProxy(haproxyDefault))
	return &source.Format{
		Name: "haproxy_http", Family: "HAProxy", Title: "HAProxy log of option httplog", Vantage: "gateway",
		Columns: source.Fixed([]source.Capability{
			{Column: timeline.ColUpstreamStart, Quality: source.Exact, Field: "TR+Tw", Unit: "ms", Origin: "receipt", Point: "upstream start, where nothing was retried"},
			{Column: timeline.ColUpstreamHeaders, Quality: source.Exact, Field: "Tc+Tr", Unit: "ms",
				Origin: "upstream start; after retries the first attempt to connect, and then approximate", Point: "upstream response headers"},
			{Column: timeline.ColTotalHandler, Quality: source.Exact, Field: "Ta", Unit: "ms", Origin: "receipt", Point: "last byte of the response"},
			{Column: timeline.ColTimestamp, Quality: source.Exact, Field: "[%tr]", Point: "start, in a zone that the log does not name"},
			{Column: timeline.ColStatus, Quality: source.Exact, Field: "%ST"},
			{Column: timeline.ColChannel, Quality: source.Sometimes, Field: "%b/%s"},
			{Column: timeline.ColAttempt, Quality: source.Sometimes, Field: "%rc"},
			{Column: timeline.ColOutcome, Quality: source.Sometimes, Field: "%tsc"},
			{Column: timeline.ColInflight, Quality: source.Approx, Field: "%bc", Origin: haproxyItems[1].Origin,
				Point: haproxyItems[1].Point, Bias: haproxyItems[1].Bias},
		}),
		FirstToken: "HAProxy has none: Tr ends at the response headers",
		More:       `log-format with %ID after "unique-id-format %{+X}o\ %ci:%cp_%fi:%fp_%Ts_%rt:%pid" names the request; first events are never logged`,
		Detect: func(w *source.Window) source.Confidence {
			return shareOf(w, func(line []byte) bool { return l.matches(line) || l.matches(line[syslogHead(line):]) })
		},
		Lines: func(opt source.Options) source.LineParser {
			f := newFiller(l, opt, haproxyItems)
			f.finish = finishHAProxy
			return haproxyLines{f}
		},
	}
}
