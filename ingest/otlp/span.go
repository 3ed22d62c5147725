package otlp

import (
	"bytes"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// role is what a span is of a call.
type role uint8

const (
	other  role = iota // no call of a model: agents, chains, tools, plain HTTP
	call               // the client's call
	server             // the same call, seen by a server
)

// span is what is kept of a span of a call.
type span struct {
	at      source.Position
	key     uint64 // of trace and span
	parent  uint64 // 0 is none
	role    role
	engine  bool  // a server that runs the model
	merged  bool  // other spans of the call were merged into this one
	joined  bool  // merged into another span
	start   int64 // ns
	end     int64 // ns, 0 is none
	state   int64 // of the status: 1 is OK, 2 an error
	id      string
	name    string
	texts   [numAttributes]string
	numbers [numAttributes]number
	chunks  int64  // events
	first   int64  // ns, of the first event that counts; 0 is none
	class   string // of an exception
	from    *resource
}

// number is a number as the source has it.
type number struct {
	micro int64 // in millionths
	ok    bool
}

func (n number) whole() (int64, bool) { return n.micro / 1e6, n.ok && n.micro%1e6 == 0 }

// resource is what is kept of a resource; spans share it.
type resource struct{ region string }

const (
	spTrace = iota
	spSpan
	spParent
	spName
	spKind
	spStart
	spEnd
	spState
	spAttribute
	spEvent
)

var spanPaths = document.NewPaths([]string{
	spTrace:     "traceId trace_id",
	spSpan:      "spanId span_id",
	spParent:    "parentSpanId parent_span_id",
	spName:      "name",
	spKind:      "kind",
	spStart:     "startTimeUnixNano start_time_unix_nano",
	spEnd:       "endTimeUnixNano end_time_unix_nano",
	spState:     "status/code",
	spAttribute: "attributes/[]",
	spEvent:     "events/[]",
}...)

const (
	evName = iota
	evTime
	evAttribute
)

var eventPaths = document.NewPaths([]string{
	evName: "name", evTime: "timeUnixNano time_unix_nano", evAttribute: "attributes/[]",
}...)

// spanReader reads one span after another.
type spanReader struct {
	span  span
	cells *document.Cells
	event *document.Cells
	ranks [numAttributes]int
	pair  pairs
}

func newSpanReader() *spanReader {
	return &spanReader{cells: document.NewCells(spanPaths), event: document.NewCells(eventPaths)}
}

// read reads a span into s.span.
func (s *spanReader) read(r *document.Reader) error {
	s.span, s.ranks = span{}, [numAttributes]int{}
	s.cells.Clear()
	if err := r.Extract(spanPaths, s); err != nil {
		return err
	}
	v := s.cells.Values
	s.span.start = nanos(v[spStart])
	s.span.end = nanos(v[spEnd])
	s.span.id = string(v[spSpan].Label())
	s.span.name = string(v[spName].Label()[:min(len(v[spName].Label()), 64)])
	s.span.state = stateOf(v[spState])
	s.span.role = s.roleOf(v[spKind])
	return nil
}

// Value implements document.Sink.
func (s *spanReader) Value(at document.Place, r *document.Reader) error {
	switch at.Slot {
	case spAttribute:
		ok, err := s.pair.read(r, s.wants)
		if ok {
			s.put(s.pair.key, s.pair.value)
		}
		return err
	case spEvent:
		return s.readEvent(r)
	}
	return s.cells.Value(at, r)
}

func (s *spanReader) wants(key []byte) bool {
	_, ok := names()[string(key)]
	return ok
}

func (s *spanReader) put(key []byte, v document.Value) {
	p := names()[string(key)]
	if s.ranks[p.attribute] != 0 && s.ranks[p.attribute] <= p.rank+1 {
		return
	}
	s.ranks[p.attribute] = p.rank + 1
	s.span.texts[p.attribute] = string(v.Text[:min(len(v.Text), timeline.MaxText+1)])
	n, parsed := timeline.ParseScaled(v.Text, 1e6, 1)
	s.span.numbers[p.attribute] = number{n, parsed == timeline.ParsedOK}
}

// eventSink reads an event: its name, its time, and the type of an exception.
type eventSink struct{ *spanReader }

func (s *spanReader) readEvent(r *document.Reader) error {
	s.event.Clear()
	if err := r.Extract(eventPaths, eventSink{s}); err != nil {
		return err
	}
	at := nanos(s.event.Values[evTime])
	switch string(s.event.Values[evName].Text) {
	case "gen_ai.content.completion.chunk", "llm.content.completion.chunk":
		s.span.chunks++
	case "First Token Stream Event":
	default:
		return nil
	}
	if at > 0 && (s.span.first == 0 || at < s.span.first) {
		s.span.first = at
	}
	return nil
}

// Value implements document.Sink.
func (e eventSink) Value(at document.Place, r *document.Reader) error {
	if at.Slot != evAttribute {
		return e.event.Value(at, r)
	}
	ok, err := e.pair.read(r, func(key []byte) bool { return string(key) == "exception.type" })
	if ok && len(e.pair.value.Text) <= timeline.MaxText {
		e.span.class = string(e.pair.value.Label())
	}
	return err
}

// nanos reads a 64-bit number, which may stand in a string; 0 is none.
func nanos(v document.Value) int64 {
	n, _ := v.Int()
	return max(n, 0)
}

// stateOf reads a status code, which may be a number or a name.
func stateOf(v document.Value) int64 {
	switch string(v.Text) {
	case "1", "STATUS_CODE_OK", "OK":
		return 1
	case "2", "STATUS_CODE_ERROR", "ERROR":
		return 2
	}
	return 0
}

// roleOf tells what the span is of a call. Spans of agents, chains and tools
// repeat what the calls inside them record.
func (s *spanReader) roleOf(kind document.Value) role {
	sp := &s.span
	if sp.numbers[atServerTotal].ok || sp.numbers[atServerFirst].ok || sp.numbers[atServerQueue].ok {
		sp.engine = true
		return server
	}
	if !s.isCall() {
		return other
	}
	if k := string(kind.Text); k == "2" || k == "SPAN_KIND_SERVER" || k == "SERVER" {
		return server
	}
	return call
}

func (s *spanReader) isCall() bool {
	t := &s.span.texts
	switch {
	case t[atKind] != "":
		return t[atKind] == "LLM"
	case t[atNode] != "":
		return false
	}
	if name := firstOf(t[atSDK], s.span.name); len(name) > 3 && name[:3] == "ai." {
		return bytes.Contains([]byte(name), []byte(".doStream")) || bytes.Contains([]byte(name), []byte(".doGenerate"))
	}
	switch t[atOperation] {
	case "chat", "text_completion", "generate_content", "completion", "completions", "generate", "responses":
		return true
	case "":
	default:
		return false // embeddings, agents, tools, workflows
	}
	switch t[atRequestType] {
	case "chat", "completion":
		return true
	case "":
	default:
		return false
	}
	return firstOf(t[atModel], t[atAsked]) != "" && (s.span.numbers[atOutput].ok || t[atProvider] != "")
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
