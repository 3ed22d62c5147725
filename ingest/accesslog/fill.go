package accesslog

import (
	"bytes"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// filler turns the record of a line into a row. It is the part that nginx,
// Envoy, Apache and HAProxy share; what only one of them has stands in its own
// file. A filler is used by one goroutine.
type filler struct {
	layout  *layout
	clock   clock
	approx  approximations
	record  record
	scratch []byte                                     // a text of the row, put together
	finish  func(*filler, *timeline.Row) timeline.Mask // sets more columns, returns the approximate ones
	items   []timeline.Approx
	seen    slots         // the slots that this line's layout logs
	marks   timeline.Mask // recordable in this line; finish may narrow it
}

func newFiller(l *layout, opt source.Options, items []timeline.Approx) *filler {
	return &filler{
		layout: l, clock: clock{zone: opt.Zone}, items: items, seen: l.wanted,
		approx: newApproximations(opt, l.wanted.marks()),
	}
}

// Parse reads a line of the layout.
func (f *filler) Parse(line []byte, out *source.Out) source.Rejection {
	if !f.layout.match(line, &f.record) {
		return source.Reject(source.NotThisFormat, 0)
	}
	return f.add(out)
}

// add turns the record into a row.
func (f *filler) add(out *source.Out) source.Rejection {
	row := out.Row()
	if why := f.fill(row); why.Reason != source.OK {
		return why
	}
	out.Add()
	return source.Rejection{}
}

func (f *filler) fill(row *timeline.Row) source.Rejection {
	r := &f.record
	if v := r.get(slotStatus); v != nil {
		code, ok := status(v)
		if !ok {
			return source.Rejection{Reason: source.NotThisFormat, Field: "status"}
		}
		if code != 0 {
			row.SetNum(timeline.ColStatus, code)
		}
	}
	if r.set.has(slotTime) {
		us, ok := f.layout.time(&f.clock, r)
		if !ok {
			return source.Rejection{Reason: source.NotThisFormat, Field: "timestamp"}
		}
		row.SetNum(timeline.ColTimestamp, us)
		row.TimestampIsEnd = f.layout.end
	}
	f.texts(row)
	f.counts(row)
	for _, t := range exactTimes {
		f.duration(row, t.from, t.to)
	}
	f.marks = f.seen.marks()
	var approx timeline.Mask
	if f.finish != nil {
		approx = f.finish(f, row)
	}
	if row.Present()&timings == 0 && f.marks == 0 {
		return source.Reject(source.NotARecord, 0)
	}
	f.approx.settle(row, f.items, approx, f.marks)
	return source.Rejection{}
}

// timings are the columns one of which a record must be able to have.
const timings = timeline.Mask(1<<(timeline.ColTotalHandler+1) - 1)

// exactTimes are the slots that are a column as they stand.
var exactTimes = []struct {
	from slot
	to   timeline.Column
}{
	{slotStart, timeline.ColUpstreamStart},
	{slotDone, timeline.ColUpstreamDone},
	{slotTotal, timeline.ColTotalHandler},
}

// duration sets c from slot k.
func (f *filler) duration(row *timeline.Row, k slot, c timeline.Column) bool {
	v := f.record.get(k)
	if v == nil {
		return false
	}
	us, p := number(v, f.layout.unit[k])
	return setParsed(row, c, us, p)
}

// setParsed sets c to what a literal was read as, or refuses it.
func setParsed(row *timeline.Row, c timeline.Column, v int64, p timeline.Parsed) bool {
	switch p {
	case timeline.ParsedOK:
		row.SetNum(c, v)
		return true
	case timeline.ParsedRange:
		row.Refuse(c, timeline.OutOfRange)
	default:
		row.Refuse(c, timeline.BadValue)
	}
	return false
}

// plainTexts are the slots that are a text column as they stand.
var plainTexts = []struct {
	from slot
	to   timeline.Column
}{
	{slotChannel, timeline.ColChannel}, {slotGroup, timeline.ColGroup},
	{slotServedModel, timeline.ColModel}, {slotModel, timeline.ColModel}, {slotProvider, timeline.ColProvider},
}

func (f *filler) texts(row *timeline.Row) {
	if id := f.record.get(slotRequestID); id != nil {
		row.SetText(timeline.ColRequestID, identifier(id))
	}
	if f.record.set&(1<<slotChannel|1<<slotGroup|1<<slotModel|1<<slotServedModel|1<<slotProvider) == 0 {
		return
	}
	for _, t := range plainTexts {
		row.SetText(t.to, f.record.get(t.from))
	}
}

// identifier returns a request id that can be one: text without blanks and
// control characters. Gateways take it from a header that clients write.
func identifier(v []byte) []byte {
	for _, c := range v {
		if c <= ' ' || c == 0x7f {
			return nil
		}
	}
	return v
}

// counted are the slots that are counts as they stand.
var counted = []struct {
	from slot
	to   timeline.Column
}{
	{slotInputTokens, timeline.ColInputTokens}, {slotCachedTokens, timeline.ColCachedInputTokens},
	{slotOutputTokens, timeline.ColOutputTokens}, {slotReasoningTokens, timeline.ColReasoningTokens},
}

func (f *filler) counts(row *timeline.Row) {
	r := &f.record
	if v := r.get(slotAttempt); v != nil {
		if n, p := number(v, 0); p != timeline.ParsedOK || n != 0 { // 0: never tried
			setParsed(row, timeline.ColAttempt, n, p)
		}
	}
	if v := r.get(slotRetries); v != nil {
		n, p := number(bytes.TrimPrefix(v, []byte("+")), 0)
		setParsed(row, timeline.ColAttempt, n+1, p)
	}
	if r.set&(1<<slotInputTokens|1<<slotCachedTokens|1<<slotOutputTokens|1<<slotReasoningTokens) == 0 {
		return
	}
	for _, t := range counted {
		if v := r.get(t.from); v != nil {
			n, p := number(v, 0)
			setParsed(row, t.to, n, p)
		}
	}
}
