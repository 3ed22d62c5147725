package accesslog

import (
	"bytes"
	"slices"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// trailing reads the combined or common format with one whole number after it,
// as LogFormat writes %D, %{ms}T or %T there.
type trailing struct{ filler *filler }

// Parse reads one line.
func (p trailing) Parse(line []byte, out *source.Out) source.Rejection {
	if !trailingRecord(line, &p.filler.record) {
		return source.Reject(source.NotThisFormat, 0)
	}
	return p.filler.add(out)
}

func trailingRecord(line []byte, r *record) bool {
	r.set = 0
	rest, ok := combinedHead(line, r)
	if !ok {
		return false
	}
	rest = bytes.TrimRight(rest, " \r\t")
	blank := bytes.LastIndexByte(rest, ' ')
	number := rest[blank+1:]
	if blank < 0 || len(number) == 0 || len(number) > 12 {
		return false
	}
	for _, c := range number {
		if c-'0' > 9 {
			return false
		}
	}
	// Common has nothing between its size and the number, combined two quoted
	// values.
	if before := rest[:blank]; len(before) > 0 && before[len(before)-1] != '"' {
		return false
	}
	r.put(slotTotal, number)
	return true
}

// apacheUnits are the ways to write the duration, each a format of its own.
var apacheUnits = []struct {
	name, item, title string
	unit              timeline.Unit
	low, high         int64 // the median of answered POST requests lies between
}{
	// A model does not answer in 10 ms, and half the requests of a log do not
	// take 5 minutes. Between 30 000 and 300 000 a number could be either.
	{"apache_us", "%D", "Apache combined log with %D (µs) at the end", timeline.Microsecond, 300_000, 1 << 40},
	{"apache_ms", "%{ms}T", "Apache combined log with %{ms}T at the end", timeline.Millisecond, 100, 30_000},
}

func apacheTexts() []*source.Format {
	var all []*source.Format
	for _, u := range apacheUnits {
		l := &layout{pivot: -1, wanted: 1 << slotTotal}
		l.unit[slotTotal] = u.unit
		all = append(all, &source.Format{
			Name: u.name, Family: "Apache", Title: u.title, Vantage: "gateway",
			Columns: source.Fixed([]source.Capability{
				{Column: timeline.ColTotalHandler, Quality: source.Exact, Field: u.item, Origin: "receipt", Point: "log written"},
				{Column: timeline.ColTimestamp, Quality: source.Exact, Field: "%t", Point: "start"},
				{Column: timeline.ColStatus, Quality: source.Exact, Field: "%>s"},
			}),
			FirstToken: "Apache has none",
			More:       apacheMore,
			Detect: func(w *source.Window) source.Confidence {
				if m, ok := trailingMedian(w); !ok || m < u.low || m > u.high {
					return source.No
				}
				return shareOf(w, func(line []byte) bool { return trailingRecord(line, &record{}) })
			},
			Lines: func(opt source.Options) source.LineParser { return trailing{newFiller(l, opt, nil)} },
		})
	}
	return all
}

const apacheMore = `LogFormat "%h %l %u %t \"%r\" %>s %b \"-\" \"-\" %D" writes the whole time in µs; give the LogFormat ` +
	`with --log-format where the number could be ms as well`

// trailingMedian returns the median of the numbers at the ends of the lines of
// answered POST requests.
func trailingMedian(w *source.Window) (int64, bool) {
	var numbers []int64
	for _, line := range w.Lines {
		var r record
		if !trailingRecord(line, &r) || r.get(slotStatus) == nil || r.get(slotStatus)[0] != '2' || !bytes.Contains(line, []byte(`"POST `)) {
			continue
		}
		if n, p := number(r.get(slotTotal), 0); p == timeline.ParsedOK {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 {
		return 0, false
	}
	slices.Sort(numbers)
	return numbers[len(numbers)/2], true
}

// combined recognises common and combined logs, which hold no timing at all, to
// say what to add.
func combined() *source.Format {
	l := &layout{pivot: -1}
	return &source.Format{
		Name: "combined", Family: "Apache", Title: "common or combined access log without a timing column", Vantage: "gateway",
		FirstToken: "none: the format has no timing column",
		More: "nothing in this log is a timing column, or its unit is not certain: give its layout with --log-format, or log timings. nginx: " +
			nginxMore + " Apache: " + apacheMore,
		Detect: func(w *source.Window) source.Confidence {
			c := shareOf(w, func(line []byte) bool {
				_, ok := combinedHead(line, &record{})
				return ok
			})
			return min(c, source.Likely)
		},
		Lines: func(opt source.Options) source.LineParser { return untimed{newFiller(l, opt, nil)} },
	}
}

// untimed rejects every line: those of the format for want of a timing.
type untimed struct{ filler *filler }

// Parse reads one line.
func (p untimed) Parse(line []byte, _ *source.Out) source.Rejection {
	if _, ok := combinedHead(line, &p.filler.record); !ok {
		return source.Reject(source.NotThisFormat, 0)
	}
	return source.Rejection{Reason: source.NotARecord, Field: "total_handler_ms"}
}

// ingressFormat is the default log_format of ingress-nginx.
const ingressFormat = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" ` +
	`"$http_user_agent" $request_length $request_time [$proxy_upstream_name] [$proxy_alternative_upstream_name] $upstream_addr ` +
	`$upstream_response_length $upstream_response_time $upstream_status $req_id`

func ingressText() *source.Format {
	l := mustLayout(compileNginx(ingressFormat))
	columns := slices.DeleteFunc(slices.Clone(nginxColumns), func(c source.Capability) bool {
		return c.Column == timeline.ColUpstreamHeaders
	})
	return &source.Format{
		Name: "ingress_nginx", Family: "nginx", Title: "ingress-nginx access log in its default format", Vantage: "gateway",
		Columns:    source.Fixed(append(columns, source.Capability{Column: timeline.ColGroup, Quality: source.Sometimes, Field: "$proxy_upstream_name"})),
		FirstToken: "none: not even the upstream headers are in the default format",
		More:       `log-format-upstream in the ConfigMap: add uht="$upstream_header_time"`,
		Detect: func(w *source.Window) source.Confidence {
			return shareOf(w, l.matches)
		},
		Lines: func(opt source.Options) source.LineParser {
			f := newFiller(l, opt, nil)
			f.finish = finishNginx
			return f
		},
	}
}
