package stream

// silence measures the time without progress: from the first event on, between
// events that carry payload. Time in which the server runs a tool is neither
// silence nor generation. Empty deltas and heartbeats do not end a silence.
type silence struct {
	since     int64 // last progress; untimed before the first event
	longest   int64
	from      int64 // start of the longest
	stall     int64 // longest that starts after the first effective response
	tools     int64 // time in which a tool ran after the first visible text
	server    bool  // the block at hand calls a tool of the server
	running   bool  // a tool of the server runs
	runsSince int64
	afterText bool // the longest starts after the first visible text
	arrivals  int  // distinct times of progress, at most 2
}

// begin starts the measure at the first event.
func (q *silence) begin(m *marks) {
	if q.since == untimed && m.has(markEvent) {
		q.since = m.at[markEvent]
	}
}

// event takes one event at time now.
func (q *silence) event(now int64, set ClassSet, tool activity, m *marks) {
	if now == untimed || q.since == untimed {
		return
	}
	switch {
	case tool == toolEnds && q.running:
		q.running = false
		q.endTool(now, m)
	case tool == toolEnds: // a tool whose start was not told
		q.runsSince = q.since
		q.endTool(now, m)
	case tool == toolRuns && !q.running:
		q.end(now, m)
		q.running, q.runsSince = true, now
	case set.any(progress):
		if q.arrivals < 2 && (q.arrivals == 0 || now != q.since) {
			q.arrivals++
		}
		q.end(now, m)
	}
}

// end closes the silence at hand.
func (q *silence) end(now int64, m *marks) {
	length := now - q.since
	if q.running {
		length = 0
	}
	if length > q.longest {
		q.longest, q.from = length, q.since
		q.afterText = m.has(markText) && q.since >= m.at[markText]
	}
	if m.has(markResponse) && q.since >= m.at[markResponse] {
		q.stall = max(q.stall, length)
	}
	q.since = max(q.since, now)
}

func (q *silence) endTool(now int64, m *marks) {
	if m.has(markText) {
		q.tools += max(0, now-max(q.runsSince, m.at[markText]))
	}
	q.since = max(q.since, now)
}
