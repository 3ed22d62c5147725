package stream

import (
	"context"
	"io"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// The slots of a record of AIPerf's profile_export_raw.jsonl.
const (
	apID = iota
	apStart
	apAck
	apEnd
	apPhase
	apCancelled
	apPerfStart
	apModel
	apMaxTokens
	apStatus
	apErrorCode
	apErrorType
	apResponses
)

var aiperfPaths = document.NewPaths([]string{
	apID:        "metadata/x_request_id",
	apStart:     "metadata/request_start_ns",
	apAck:       "metadata/request_ack_ns",
	apEnd:       "metadata/request_end_ns",
	apPhase:     "metadata/benchmark_phase metadata/credit_phase",
	apCancelled: "metadata/was_cancelled",
	apPerfStart: "start_perf_ns",
	apModel:     "payload/model",
	apMaxTokens: "payload/max_completion_tokens payload/max_tokens",
	apStatus:    "status",
	apErrorCode: "error/code",
	apErrorType: "error/type",
	apResponses: "responses",
}...)

// readAIPerf reads one request per line: metadata, and every message of the
// response with the time of its network chunk on a monotonic clock.
func readAIPerf(ctx context.Context, src io.Reader, opt source.Options, out *source.Out, t *tap) error {
	r := newReader(ctx, src, opt, out, t)
	cells := document.NewCells(aiperfPaths)
	return r.e.Each(func() error {
		cells.Clear()
		var l *late
		walk := map[int]func() error{apResponses: func() error {
			l = r.late(cells.Values[apID].Label())
			return r.array(func(int) error { return r.response(l) })
		}}
		if err := r.e.R.Extract(aiperfPaths, &sink{cells, walk}); err != nil {
			return err
		}
		v := cells.Values
		switch {
		case l == nil:
			r.e.Reject(source.NotARequest)
		case !r.keep && string(v[apPhase].Text) == "warmup":
			r.e.Reject(source.Excluded)
		default:
			fillAIPerf(out.Row(), l, v)
			r.e.Add()
		}
		return nil
	})
}

// response reads one message: its packets are the fields of an SSE frame. A
// response that is no stream has its text instead.
func (r *reader) response(l *late) error {
	first := len(l.raw)
	clock := int64(untimed)
	s := l.stream
	err := r.object(func(key []byte) error {
		switch string(key) {
		case "perf_ns":
			v, err := r.e.R.Scalar()
			if ns, ok := nanos(v, timeline.Nanosecond); ok {
				clock = ns
			}
			return err
		case "packets":
			err := r.array(func(int) error { return r.packet(s) })
			s.dispatch()
			return err
		case "text":
			if r.text() {
				return r.body(s)
			}
		}
		return r.e.R.Skip()
	})
	l.stamp(first, clock)
	l.clock = clock
	return err
}

// packet reads one field of a frame.
func (r *reader) packet(s *Stream) error {
	var name string
	var early document.Value // a value that stands before its name
	return r.then(func() error {
		return r.object(func(key []byte) error {
			switch {
			case string(key) == "name":
				v, err := r.e.R.Scalar()
				name = string(v.Text)
				return err
			case string(key) != "value" || !r.text():
				return r.e.R.Skip()
			case name == "":
				var err error
				early, err = r.e.R.Scalar()
				return err
			}
			s.beginField(name)
			return r.e.R.Pieces(func(b []byte) { s.field(name, b) })
		})
	}, func() {
		if early.Has() {
			s.beginField(name)
			s.field(name, early.Text)
		}
	})
}

// then runs do, and after it next if it did not fail.
func (r *reader) then(do func() error, next func()) error {
	err := do()
	if err == nil {
		next()
	}
	return err
}

// beginField begins a field of a frame that a tool had taken apart.
func (s *Stream) beginField(name string) {
	p := s.opened()
	switch name {
	case "data":
		s.startData(p)
	case "event":
		p.nName, p.long, p.other = 0, false, true
	case "comment":
		p.comment = true
	default:
		p.other = true
	}
}

// field takes a piece of the field's value.
func (s *Stream) field(name string, b []byte) {
	switch p := s.opened(); name {
	case "data":
		p.data(b)
	case "event":
		n := copy(p.name[p.nName:], b)
		p.nName += n
		p.long = p.long || n < len(b)
	}
}

func fillAIPerf(row *timeline.Row, l *late, v []document.Value) {
	perf, known := nanos(v[apPerfStart], timeline.Nanosecond)
	result := l.end(func(_ *Event, raw int64) Moment { return between(perf, raw, known && raw != untimed) })
	status, _ := v[apStatus].Int()
	start, ok := nanos(v[apStart], timeline.Nanosecond)
	ack, hasAck := nanos(v[apAck], timeline.Nanosecond)
	end, hasEnd := nanos(v[apEnd], timeline.Nanosecond)
	result.Fill(row, status)
	setStart(row)
	setHeaders(row, between(start, ack, ok && hasAck))
	if hasEnd && end != start { // equal: the tool's way to say that it does not know
		timeline.SetMark(row, timeline.UpstreamDone, between(start, end, ok))
	}
	setRecordable(row, bodyMarks.With(timeline.ColUpstreamHeaders), &result)
	setTimestamp(row, start, ok)
	row.SetText(timeline.ColRequestID, v[apID].Label())
	row.SetText(timeline.ColModel, v[apModel].Label())
	setCount(row, timeline.ColMaxOutputTokens, v[apMaxTokens])
	if string(v[apPhase].Text) == "warmup" {
		row.SetFlag(timeline.ColWarmup, true)
	}
	fillAIPerfError(row, v, status)
}

// fillAIPerfError: codes 499 and 502 are the tool's own, for a cancellation and
// for an error inside a stream.
func fillAIPerfError(row *timeline.Row, v []document.Value, status int64) {
	code, ok := v[apErrorCode].Int()
	if code == 499 || v[apCancelled].True() {
		setLabel(row, timeline.ColOutcome, "client_cancelled")
	} else if status < 400 && (ok || v[apErrorType].Has()) {
		if outcome, told := outcomeOfStatus(code); told && !row.Has(timeline.ColErrorClass) {
			setLabel(row, timeline.ColOutcome, outcome)
		}
	}
	if ok && code != status {
		row.Notes.Add(timeline.ToolReportedCode)
	}
}
