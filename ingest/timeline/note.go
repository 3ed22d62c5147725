package timeline

import "strings"

// Cleaning is a reason for which a recorded value became absent, or is doubted.
// Cleanings are counted per column.
type Cleaning uint8

// The cleanings. All but TPSMismatch leave the value absent.
const (
	OutOfRange     Cleaning = iota // negative, NaN, infinite, above 7 days, or no such status
	ZeroMark                       // 0 written for "did not happen"
	OrderViolation                 // out of order with its neighbour
	BadValue                       // not a value of the column's kind
	TooLong                        // text longer than MaxText
	TPSMismatch                    // recorded and derivable speed more than 2x apart; kept
	NumCleanings   = int(TPSMismatch) + 1
)

var cleaningNames = [NumCleanings]string{
	"out_of_range", "zero_mark", "order_violation", "bad_value", "too_long", "tps_mismatch",
}

// String returns the name of the note.
func (c Cleaning) String() string { return cleaningNames[c] }

// Note is a doubt that a reader of the source raises about a whole record.
type Note uint8

// The notes of readers. The engine adds notes of its own.
const (
	ActionStartBasis   Note = iota // first_response is the start of an action without arguments
	ReplayedStream                 // the events were replayed, their times are of the replay
	EmptyStream                    // the stream held no event
	MidStreamStall                 // a long silence inside the stream
	BufferedStream                 // first event to end fell together
	TruncatedStream                // the stream ends inside an event
	Refusal                        // the content is a refusal
	ContentFilter                  // a content filter stopped the response
	ToolReportedCode               // the error code is the tool's own, not HTTP
	EstimatedTokens                // token counts are of a client's tokenizer
	CacheHit                       // answered from a cache
	MergedSpans                    // several spans or lines became this record
	NonReasoningOutput             // first_text_delta may be a tool call
	SawUnknownEvents               // the stream held event types that are not known
	BoundedTotal                   // the total is known to a whole unit only
	RetriesInside                  // the times contain earlier attempts
	UnterminatedEvent              // the last event lacks its blank line
	ArrivalOnly                    // the source holds arrivals and tokens, no latency
	UntoldReasoning                // output_tokens hold reasoning that is not told apart: no speed of the text
	NumNotes           = int(UntoldReasoning) + 1
)

var noteNames = [NumNotes]string{
	"t4_basis_action_start", "replayed", "empty_stream", "mid_stream_stall", "buffered_stream", "truncated",
	"refusal", "content_filter", "tool_reported_status", "estimated_tokens", "cache_hit", "merged",
	"non_reasoning_output", "unknown_events", "bounded_total", "retries_inside", "unterminated_event",
	"arrival_only", "reasoning_inside_output",
}

// String returns the name of the note.
func (n Note) String() string { return noteNames[n] }

// Notes is the set of doubts about one row.
type Notes struct {
	Set     uint64 // bit n is Note n
	Cleaned [NumCleanings]Mask
}

// Add adds n.
func (s *Notes) Add(n Note) { s.Set |= 1 << n }

// Empty reports whether there is no doubt.
func (s *Notes) Empty() bool {
	any := Mask(s.Set)
	for _, m := range s.Cleaned {
		any |= m
	}
	return any == 0
}

// Text returns the value of the column notes: "name" or "name:column" items,
// cleanings first, ;-separated.
func (s *Notes) Text() string {
	var items []string
	for i, m := range s.Cleaned {
		for c := range m.All {
			items = append(items, Cleaning(i).String()+":"+c.String())
		}
	}
	for n := range NumNotes {
		if s.Set>>n&1 != 0 {
			items = append(items, Note(n).String())
		}
	}
	return strings.Join(items, ";")
}

// ParseNotes is the inverse of Text. Unknown items are ignored.
func ParseNotes(text string) Notes {
	var s Notes
	for item := range strings.SplitSeq(text, ";") {
		name, column, cleaned := strings.Cut(item, ":")
		if cleaned {
			s.addCleaned(name, column)
			continue
		}
		for n, known := range noteNames {
			if known == name {
				s.Set |= 1 << n
			}
		}
	}
	return s
}

func (s *Notes) addCleaned(name, column string) {
	c, ok := ColumnNamed(column)
	if !ok {
		return
	}
	for i, known := range cleaningNames {
		if known == name {
			s.Cleaned[i] = s.Cleaned[i].With(c)
		}
	}
}
