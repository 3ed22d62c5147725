package accesslog

import (
	"bytes"
	"math"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// joiner reads the text logs of New API and One API, where a request is told by
// several lines with its id: gin's line, the line of the bill, and lines about
// channels that failed. Requests are added in the order of their first line.
// Memory is bounded: a request that stays open for horizon lines is taken as
// complete.
type joiner struct {
	clock  clock
	approx approximations
	lines  int64
	open   map[string]*joined
	queue  []*joined // in order of first lines; those before head are gone
	head   int
}

const (
	// horizon is how many lines a stream may last from its first line on.
	horizon = 1 << 16
	// billDelay is how many lines after gin's the bill may come: it is written
	// beside the handler.
	billDelay = 1 << 10
)

// joined is a request on its way.
type joined struct {
	id       string
	pos      source.Position
	line     int64 // number of its first line
	done     int64 // number of gin's line, 0 before
	closed   bool  // its id was used again
	counted  bool  // a line of it stands for the record
	hasTotal bool
	billed   bool

	end     int64 // microseconds since the epoch, 0 is none
	total   int64
	code    int64
	channel string
	model   string
	group   string
	stream  int8 // -1 no, 1 yes, 0 unknown
	input   int64
	output  int64
	cached  int64
	attempt int64
	first   int64 // microseconds, 0 is none
	spent   int64 // microseconds of the bill, -1 is none
	spentBy int8  // 1: whole seconds, 2: milliseconds of the last attempt
	retried bool
}

func newJoiner(opt source.Options) *joiner {
	return &joiner{
		clock:  clock{zone: opt.Zone},
		approx: newApproximations(opt, timeline.MaskOf(timeline.ColTotalHandler)),
		open:   map[string]*joined{},
	}
}

// Parse reads one line.
func (j *joiner) Parse(line []byte, out *source.Out) source.Rejection {
	j.lines++
	why := j.line(bytes.TrimRight(line, " \r\t"), out)
	j.drain(out, false)
	return why
}

// Close adds the requests that are still open.
func (j *joiner) Close(out *source.Out) { j.drain(out, true) }

func (j *joiner) line(line []byte, out *source.Out) source.Rejection {
	if g, ok := parseGin(line); ok {
		return j.gin(g, out)
	}
	date, id, message, ok := leveled(line)
	if !ok {
		return source.Reject(source.NotARequest, 0)
	}
	if params, ok := bytes.CutPrefix(message, []byte("record consume log: ")); ok {
		return j.consumed(date, id, params, out)
	}
	if row, ok := bytes.CutPrefix(message, []byte("record log: &{")); ok {
		e := j.bill(date, id, out)
		e.spell(row)
		return j.count(e)
	}
	if chain, ok := bytes.CutPrefix(message, []byte("重试：")); ok {
		e := j.request(id, out)
		e.attempt = max(e.attempt, int64(bytes.Count(chain, []byte("->")))+1)
		e.retried = true
		return source.Reject(source.Joined, 0)
	}
	if bytes.HasPrefix(message, []byte("channel error (")) {
		j.request(id, out).retried = true
		return source.Reject(source.Joined, 0)
	}
	return source.Reject(source.NotARequest, 0)
}

// leveled takes "[LEVEL] date | id | message" apart.
func leveled(line []byte) (date, id, message []byte, ok bool) {
	level, rest, ok := bracketed(line)
	if !ok || len(level) > 5 {
		return nil, nil, nil, false
	}
	date, rest, ok = bytes.Cut(rest, []byte(" | "))
	id, message, ok2 := bytes.Cut(rest, []byte(" | "))
	if !ok || !ok2 || len(id) == 0 || len(id) > timeline.MaxText || identifier(id) == nil {
		return nil, nil, nil, false
	}
	return date, id, message, true
}

// request returns the open request of that id, opening it where there is none.
func (j *joiner) request(id []byte, out *source.Out) *joined {
	if e, ok := j.open[string(id)]; ok {
		return e
	}
	e := &joined{id: string(id), pos: out.Pos(), line: j.lines, input: -1, output: -1, cached: -1, spent: -1}
	j.open[e.id] = e
	j.queue = append(j.queue, e)
	return e
}

// count says what the line is: the one that stands for the record, or one more.
func (j *joiner) count(e *joined) source.Rejection {
	if e.counted {
		return source.Reject(source.Joined, 0)
	}
	e.counted = true
	return source.Rejection{}
}

// reopened returns the request of that id, a new one where the old one has what
// is to come already.
func (j *joiner) reopened(id []byte, has func(*joined) bool, out *source.Out) *joined {
	e := j.request(id, out)
	if has(e) {
		e.closed = true
		delete(j.open, e.id)
		e = j.request(id, out)
	}
	return e
}

func (j *joiner) gin(g ginLine, out *source.Out) source.Rejection {
	if g.id == nil || len(g.id) > timeline.MaxText || identifier(g.id) == nil {
		return source.Reject(source.NotARequest, 0)
	}
	e := j.reopened(g.id, func(e *joined) bool { return e.hasTotal }, out)
	e.hasTotal, e.total, e.code, e.done = true, g.duration, g.code, j.lines
	if us, ok := j.clock.slashed(g.date); ok && (e.end == 0 || e.spentBy != 2) {
		e.end = us
	}
	return j.count(e)
}

// bill returns the request to which a bill belongs.
func (j *joiner) bill(date, id []byte, out *source.Out) *joined {
	e := j.reopened(id, func(e *joined) bool { return e.billed }, out)
	e.billed = true
	if us, ok := j.clock.slashed(date); ok && e.end == 0 {
		e.end = us
	}
	return e
}

func (j *joiner) consumed(date, id, params []byte, out *source.Out) source.Rejection {
	_, rest, ok := bytes.Cut(params, []byte(", "))
	if !ok {
		return source.Reject(source.TornLine, 0)
	}
	object, isJSON := bytes.CutPrefix(rest, []byte("params="))
	if isJSON && !members(object, func(_, _ []byte) {}) {
		return source.Reject(source.InvalidJSON, 0)
	}
	e := j.bill(date, id, out)
	if isJSON {
		members(object, e.param)
	} else {
		e.older(rest)
	}
	return j.count(e)
}

// param reads a member of the JSON of a consume line.
func (e *joined) param(key, value []byte) {
	v := plainValue(value)
	switch string(key) {
	case "channel_id":
		e.channel = label(v)
	case "model_name":
		e.model = label(v)
	case "group":
		e.group = label(v)
	case "prompt_tokens":
		e.input = counter(v)
	case "completion_tokens":
		e.output = counter(v)
	case "use_time_seconds":
		if n := counter(v); n >= 0 && n <= timeline.MaxMicros/1e6 {
			e.spent, e.spentBy = n*1e6, 1
		}
	case "is_stream":
		e.setStream(v)
	case "other":
		members(value, e.other)
	}
}

func (e *joined) other(key, value []byte) {
	switch string(key) {
	case "cache_tokens":
		e.cached = counter(plainValue(value))
	case "frt":
		// -1000 is how New API writes that no event came.
		if us, p := timeline.Micros(plainValue(value), timeline.Millisecond); p == timeline.ParsedOK && us > 0 {
			e.first = us
		}
	case "admin_info":
		members(value, func(key, value []byte) {
			if string(key) == "use_channel" {
				e.attempt = max(e.attempt, elements(value))
			}
		})
	}
}

// older reads the consume line of 2025: name=value with commas. The name of the
// token and what follows it are a user's and are not looked at.
func (e *joined) older(b []byte) {
	if token := bytes.Index(b, []byte(", tokenName=")); token >= 0 {
		b = b[:token]
	}
	for part := range bytes.SplitSeq(b, []byte(", ")) {
		key, v, _ := bytes.Cut(part, []byte{'='})
		switch string(key) {
		case "channelId":
			e.channel = label(v)
		case "modelName":
			e.model = label(v)
		case "promptTokens":
			e.input = counter(v)
		case "completionTokens":
			e.output = counter(v)
		}
	}
}

// spell reads the row of One API as Go's %+v prints it: names and values
// without quotes. It is taken apart from the end, because a user's names stand
// before what is wanted.
func (e *joined) spell(b []byte) {
	take := func(name string) []byte {
		at := bytes.LastIndex(b, []byte(" "+name+":"))
		if at < 0 {
			return nil
		}
		v := bytes.TrimRight(b[at+len(name)+2:], "} ")
		b = b[:at]
		return v
	}
	take("SystemPromptReset")
	e.setStream(take("IsStream"))
	if n := counter(take("ElapsedTime")); n > 0 && n <= timeline.MaxMicros/1000 { // 0: the column did not exist
		e.spent, e.spentBy = n*1000, 2
	}
	take("RequestId")
	e.channel = label(take("ChannelId"))
	e.output = counter(take("CompletionTokens"))
	e.input = counter(take("PromptTokens"))
	take("Quota")
	e.model = label(take("ModelName"))
	if at := bytes.Index(b, []byte("CreatedAt:")); at >= 0 {
		v, _, _ := bytes.Cut(b[at+len("CreatedAt:"):], []byte{' '})
		if us, p := timeline.ParseEpoch(v); p == timeline.ParsedOK && us > 0 {
			e.end = us
		}
	}
}

func (e *joined) setStream(v []byte) {
	switch string(v) {
	case "true":
		e.stream = 1
	case "false":
		e.stream = -1
	}
}

// label copies a short text out of a line.
func label(v []byte) string {
	if len(v) > timeline.MaxText {
		return ""
	}
	return string(v)
}

// counter reads a count, -1 where there is none.
func counter(v []byte) int64 {
	if n, p := number(v, 0); p == timeline.ParsedOK && n >= 0 && n < math.MaxInt64/2 {
		return n
	}
	return -1
}

// drain adds the requests at the head of the queue that are complete; all of
// them at the end.
func (j *joiner) drain(out *source.Out, all bool) {
	for ; j.head < len(j.queue); j.head++ {
		e := j.queue[j.head]
		age := j.lines - e.line
		ready := all || e.closed || age > horizon || e.hasTotal && (e.billed || j.lines-e.done > billDelay)
		if !ready {
			break
		}
		j.queue[j.head] = nil
		if j.open[e.id] == e {
			delete(j.open, e.id)
		}
		if e.counted {
			j.add(e, out)
		}
	}
	if j.head > 1024 && j.head*2 > len(j.queue) {
		j.queue = append(j.queue[:0], j.queue[j.head:]...)
		j.head = 0
	}
}

var (
	newAPIOrigin = "end of channel selection: after authentication and reading of the body"
	newAPIItems  = []timeline.Approx{
		{Column: "first_sse_event_ms", Origin: newAPIOrigin, Point: "first data line of the upstream that is not [DONE]", Bias: "low against t0"},
		{Column: "total_handler_ms", Origin: newAPIOrigin, Point: "bill written", Bias: "whole seconds, and low against t0", PlusMinusMs: 1000},
	}
	newAPIRetried = []timeline.Approx{
		{Column: "first_sse_event_ms", Origin: newAPIOrigin, Point: newAPIItems[0].Point, Bias: "failed attempts are in it; low against t0"},
		newAPIItems[1],
	}
	oneAPIItems = []timeline.Approx{
		{Column: "total_handler_ms", Origin: "start of the last attempt: after authentication and channel selection", Point: "bill written",
			Bias: "low against t0, and of the last attempt only"},
	}
)

func (j *joiner) add(e *joined, out *source.Out) {
	here := out.Pos()
	out.At(e.pos)
	defer out.At(here)
	row := out.Row()
	row.SetText(timeline.ColRequestID, []byte(e.id))
	if e.end != 0 {
		row.SetNum(timeline.ColTimestamp, e.end)
		row.TimestampIsEnd = true
	}
	if e.code != 0 {
		row.SetNum(timeline.ColStatus, e.code)
	}
	row.SetText(timeline.ColChannel, []byte(e.channel))
	row.SetText(timeline.ColModel, []byte(e.model))
	row.SetText(timeline.ColGroup, []byte(e.group))
	if e.stream != 0 {
		row.SetFlag(timeline.ColStream, e.stream > 0)
	}
	setKnown(row, timeline.ColInputTokens, e.input)
	setKnown(row, timeline.ColOutputTokens, e.output)
	setKnown(row, timeline.ColCachedInputTokens, e.cached)
	if e.attempt > 0 {
		row.SetNum(timeline.ColAttempt, e.attempt)
	}
	items, approx, marks := e.times(row)
	j.approx.settle(row, items, approx, marks)
	out.Add()
}

func setKnown(row *timeline.Row, c timeline.Column, n int64) {
	if n >= 0 {
		row.SetNum(c, n)
	}
}

// times sets the marks, and returns how they miss.
func (e *joined) times(row *timeline.Row) (items []timeline.Approx, approx, marks timeline.Mask) {
	items = newAPIItems
	if e.spentBy == 2 {
		items = oneAPIItems
	} else if e.attempt > 1 || e.retried {
		items = newAPIRetried
	}
	switch {
	case e.hasTotal:
		row.SetNum(timeline.ColTotalHandler, e.total)
		marks = marks.With(timeline.ColTotalHandler)
	case e.spent > 0: // 0 says only that it was less than a second
		row.SetNum(timeline.ColTotalHandler, e.spent)
		approx = approx.With(timeline.ColTotalHandler)
		marks = marks.With(timeline.ColTotalHandler)
		if e.spentBy == 1 {
			row.Notes.Add(timeline.BoundedTotal)
		}
	}
	if e.first > 0 && e.stream >= 0 {
		row.SetNum(timeline.ColFirstSSEEvent, e.first)
		approx = approx.With(timeline.ColFirstSSEEvent)
	}
	if e.spentBy == 1 && e.stream > 0 {
		marks = marks.With(timeline.ColFirstSSEEvent)
	}
	if e.attempt > 1 {
		row.Notes.Add(timeline.RetriesInside)
	}
	return items, approx, marks
}

func newAPITexts() []*source.Format {
	columns := []source.Capability{
		{Column: timeline.ColFirstSSEEvent, Quality: source.Sometimes, Field: "other.frt of the consume line", Unit: "ms",
			Origin: newAPIOrigin, Point: newAPIItems[0].Point, Bias: newAPIItems[0].Bias},
		{Column: timeline.ColTotalHandler, Quality: source.Exact, Field: "latency of the [GIN] line", Unit: "Go duration",
			Origin: "receipt, at the gin logger", Point: "the handler returned"},
		{Column: timeline.ColTimestamp, Quality: source.Exact, Field: "the time of the line", Point: "end, in a zone that the log does not name"},
		{Column: timeline.ColRequestID, Quality: source.Exact, Field: "the id between the bars"},
		{Column: timeline.ColStatus, Quality: source.Sometimes, Field: "status of the [GIN] line"},
		{Column: timeline.ColStream, Quality: source.Sometimes, Field: "is_stream"},
		{Column: timeline.ColAttempt, Quality: source.Sometimes, Field: "other.admin_info.use_channel"},
		{Column: timeline.ColModel, Quality: source.Sometimes, Field: "model_name"},
		{Column: timeline.ColGroup, Quality: source.Sometimes, Field: "group"},
		{Column: timeline.ColChannel, Quality: source.Sometimes, Field: "channel_id"},
		{Column: timeline.ColInputTokens, Quality: source.Sometimes, Field: "prompt_tokens"},
		{Column: timeline.ColCachedInputTokens, Quality: source.Sometimes, Field: "other.cache_tokens"},
		{Column: timeline.ColOutputTokens, Quality: source.Sometimes, Field: "completion_tokens"},
	}
	older := make([]source.Capability, 0, len(columns))
	for _, c := range columns {
		switch c.Column {
		case timeline.ColFirstSSEEvent, timeline.ColGroup, timeline.ColCachedInputTokens, timeline.ColAttempt:
			continue
		}
		older = append(older, c)
	}
	session := func(opt source.Options) source.SessionParser { return newJoiner(opt) }
	return []*source.Format{{
		Name: "new_api_text", Family: "New API and One API", Title: "New API log lines, joined on the request id", Vantage: "gateway", Columns: columns,
		FirstToken: "frt: the first data line of the upstream, of any content, counted from the end of channel selection",
		More:       "keep the log files beside the rows: only the [GIN] line has the whole time to better than a second",
		Detect:     func(w *source.Window) source.Confidence { return detectJoined(w, isNewAPI, isOneAPI) },
		Session:    session,
	}, {
		Name: "one_api_text", Family: "New API and One API", Title: "One API log lines, joined on the request id", Vantage: "gateway", Columns: older,
		FirstToken: "none: One API records no first token",
		More:       "nothing in One API records the upstream headers or a first event",
		Detect:     func(w *source.Window) source.Confidence { return detectJoined(w, isOneAPI, isNewAPI) },
		Session:    session,
	}}
}

// detectJoined is sure where lines that only one of the two gateways writes are
// there. The lines that both write are taken for the first of them, New API.
func detectJoined(w *source.Window, own, other func([]byte) bool) source.Confidence {
	c := shareOf(w, func(line []byte) bool {
		g, ok := parseGin(line)
		return ok && g.id != nil || isNewAPI(line) || isOneAPI(line)
	})
	switch mine, theirs := w.Share(own), w.Share(other); {
	case mine > theirs:
		return max(c, source.Likely)
	case mine < theirs:
		return source.No
	}
	return c
}

func isNewAPI(line []byte) bool {
	_, _, message, ok := leveled(line)
	return ok && (bytes.HasPrefix(message, []byte("record consume log: ")) || bytes.HasPrefix(message, []byte("channel error (")))
}

func isOneAPI(line []byte) bool {
	_, _, message, ok := leveled(line)
	return ok && bytes.HasPrefix(message, []byte("record log: &{"))
}
