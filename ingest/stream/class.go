package stream

import "math/bits"

// Class says what one event proves about the response.
type Class uint8

// The classes, in the order in which an event lists them.
const (
	Heartbeat    Class = iota // keeps the connection alive, proves nothing
	Metadata                  // envelope, role, signature, finish: no payload
	ActionStart               // a tool is named, its arguments have not begun
	Media                     // image, audio or file payload
	Reasoning                 // reasoning payload, opaque blocks included
	Action                    // arguments of a tool, code to execute
	VisibleText               // text the reader sees
	Transcript                // text of spoken output
	Refusal                   // text of a refusal
	Citation                  // a source or annotation
	Usage                     // final token counts
	RunningUsage              // token counts so far; the last ones win
	Failure                   // an error inside the stream
	Done                      // the terminal event
	ImplicitDone              // the provider's last event, where none is terminal
	NumClasses   = int(ImplicitDone) + 1
)

var classNames = [NumClasses]string{
	"heartbeat", "metadata", "metadata:action_start", "metadata:media", "reasoning", "action", "visible_text",
	"visible_text:transcript", "refusal", "citation", "usage", "usage:running", "error", "done", "done:implicit",
}

// String returns the name of the class.
func (c Class) String() string { return classNames[c] }

// ClassSet is the set of the classes of one event. The empty set is a frame
// that dispatches nothing, such as a lone retry field.
type ClassSet uint16

const (
	// effective classes satisfy t4 when their payload is not empty.
	effective = 1<<Reasoning | 1<<Action | 1<<VisibleText | 1<<Transcript | 1<<Refusal
	// progress classes end a silence.
	progress = effective | 1<<ActionStart | 1<<Media
	// silent classes never satisfy t3.
	silent = 1<<Heartbeat | 1<<Done | 1<<ImplicitDone
	// payload classes make the class metadata redundant.
	payload = progress | silent | 1<<Citation | 1<<Failure
)

// SetOf returns the set of the given classes.
func SetOf(classes ...Class) ClassSet {
	var s ClassSet
	for _, c := range classes {
		s |= 1 << c
	}
	return s
}

// Has reports whether c is in s.
func (s ClassSet) Has(c Class) bool { return s>>c&1 != 0 }

func (s ClassSet) any(of ClassSet) bool { return s&of != 0 }

// All yields the classes of s in order.
func (s ClassSet) All(yield func(Class) bool) {
	for ; s != 0; s &= s - 1 {
		if !yield(Class(bits.TrailingZeros16(uint16(s)))) {
			return
		}
	}
}

// Names returns the names of the classes in order, "none" for the empty set.
func (s ClassSet) Names() []string {
	if s == 0 {
		return []string{"none"}
	}
	var names []string
	for c := range s.All {
		names = append(names, c.String())
	}
	return names
}
