package source

import "ttdiag/ingest/timeline"

// LineParser reads one line at a time.
type LineParser interface {
	// Parse reads one line, without its line end, and adds its records to out,
	// usually one: fill out.Row(), then out.Add(). It returns OK, or why the
	// line holds no record. It must not keep line, which is reused. A line that
	// is not blank counts as a record if Parse added one, and as rejected if
	// Parse returns a rejection.
	Parse(line []byte, out *Out) Rejection
}

// SessionParser reads the lines of one input in order.
type SessionParser interface {
	LineParser
	// Close adds what is still open when the input has ended.
	Close(out *Out)
}

// Reason says why a line or an entry is no record. Reasons are fixed texts and
// never hold input.
type Reason string

// The reasons.
const (
	OK               Reason = ""
	Joined           Reason = "joined" // not a rejection: the line belongs to a record of another line
	InvalidJSON      Reason = "invalid JSON"
	InvalidUTF8      Reason = "invalid UTF-8"
	TruncatedJSON    Reason = "truncated JSON"
	TooDeep          Reason = "nested too deep"
	TooLong          Reason = "line too long"
	DuplicateKey     Reason = "duplicate key"
	NotAnObject      Reason = "not a JSON object"
	NotARecord       Reason = "no timing column in it"
	NotARequest      Reason = "not a request"
	NotThisFormat    Reason = "not a line of this format"
	TornLine         Reason = "torn line"
	BinaryData       Reason = "binary data"
	BadEncoding      Reason = "bad encoding of a wrapped line"
	TruncatedInput   Reason = "input cut off here"
	DamagedInput     Reason = "damaged compressed data"
	DamagedGroup     Reason = "damaged row group"
	UnsupportedShape Reason = "shape not supported"
	Duplicate        Reason = "same record as another one"
	Excluded         Reason = "marked as warm-up"
	SummaryOnly      Reason = "a summary of a run, without its requests"
	NotFetched       Reason = "a Git LFS pointer: the file itself was never fetched"
	UnequalColumns   Reason = "columns of unequal length"
)

// Rejection is why, and where in the line. The zero value is acceptance.
type Rejection struct {
	Reason Reason
	Offset int    // bytes from the start of the line
	Field  string // name of a column or of a field of the format's table; never input text
}

// Reject returns a rejection at offset bytes into the line.
func Reject(why Reason, offset int) Rejection { return Rejection{Reason: why, Offset: offset} }

// Position is a place in an input.
type Position struct {
	Line int64 // 1 is the first; of a document, the number of the entry
	Byte int64 // offset of its first byte in the (decompressed) input
}

// Rejected is one rejection and its place.
type Rejected struct {
	Position
	Rejection
}

// Part is a batch on its way from a reader, with what was rejected beside it.
type Part struct {
	Batch    *timeline.Batch
	Lines    int64 // lines or entries read for this part
	Blank    int64 // of them blank
	Joined   int64 // of them part of a record of another line
	Rejected []Rejected
}

// Out takes the records of a parser. Package ingest makes it; it stamps each
// record with the position set by At, with the format and its vantage.
type Out struct {
	builder *timeline.Builder
	row     timeline.Row
	pos     Position
	spill   func() error
	err     error
	part    Part
}

// NewOut returns an Out for records of f. spill, if not nil, is called when the
// batch is full, or many rejections wait, and should take them with Flush;
// without it batches grow beyond [timeline.BatchRows].
func NewOut(f *Format, spill func() error) *Out {
	b := timeline.NewBuilder()
	b.SetDefault(timeline.ColFormat, []byte(f.Name))
	b.SetDefault(timeline.ColVantage, []byte(f.Vantage))
	b.SetDefault(timeline.ColRecordable, []byte(timeline.Recordable(f.Recordable())))
	return &Out{builder: b, spill: spill}
}

// At sets the position of the records and rejections to come.
func (o *Out) At(pos Position) { o.pos = pos }

// Pos returns the position set by At. A session that adds a record later than
// its first line keeps it, and sets it again.
func (o *Out) Pos() Position { return o.pos }

// Row returns the row to fill, empty. It is valid until Add.
func (o *Out) Row() *timeline.Row {
	o.row.Reset()
	return &o.row
}

// Add cleans and adds the row. Columns format, vantage and recordable are set
// where the row does not set them.
func (o *Out) Add() {
	r := &o.row
	r.SetNum(timeline.ColSourceLine, o.pos.Line)
	r.SetNum(timeline.ColSourceByte, o.pos.Byte)
	o.builder.Append(r)
	if o.spill != nil && o.builder.Full() && o.err == nil {
		o.err = o.spill()
	}
}

// Line counts a line or an entry of the input.
func (o *Out) Line() { o.part.Lines++ }

// Blank counts a blank line.
func (o *Out) Blank() {
	o.part.Lines++
	o.part.Blank++
}

// Reject counts a rejection at the current position; Joined is counted apart.
func (o *Out) Reject(r Rejection) {
	switch r.Reason {
	case OK:
	case Joined:
		o.part.Joined++
	default:
		o.part.Rejected = append(o.part.Rejected, Rejected{Position: o.pos, Rejection: r})
		if len(o.part.Rejected) >= maxRejected && o.spill != nil && o.err == nil {
			o.err = o.spill()
		}
	}
}

// maxRejected bounds the rejections that wait for Flush.
const maxRejected = 1 << 14

// Len returns the number of records that wait for Flush.
func (o *Out) Len() int { return o.builder.Len() }

// Err returns the first error of spill. A document reader stops on it.
func (o *Out) Err() error { return o.err }

// Flush returns what was collected and empties o.
func (o *Out) Flush() Part {
	part := o.part
	part.Batch = o.builder.Flush()
	o.part = Part{}
	return part
}

// Recycle gives the memory of a batch that Flush returned, and that nobody looks
// at any more, to the batches to come.
func (o *Out) Recycle(b *timeline.Batch) { o.builder.Recycle(b) }
