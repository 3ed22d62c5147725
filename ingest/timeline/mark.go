package timeline

import "strings"

// Mark is a column of moments that count from O. Rules are written over marks,
// so that a rule that mixes origins does not compile.
type Mark[O Origin] struct {
	_   [0]O
	col Column
}

// Column returns the column that holds the mark.
func (m Mark[O]) Column() Column { return m.col }

// Phase is a column of lengths inside [t0, t1], or beside the timeline.
type Phase struct{ col Column }

// Column returns the column that holds the phase.
func (p Phase) Column() Column { return p.col }

// The marks and the phases of the timeline.
var (
	Auth         = Phase{ColAuth}
	Distribution = Phase{ColDistribution}
	BodyRead     = Phase{ColBodyRead}

	Start           = Mark[Receipt]{col: ColUpstreamStart}         // t1
	UpstreamHeaders = Mark[UpstreamStart]{col: ColUpstreamHeaders} // t2
	FirstSSEEvent   = Mark[Receipt]{col: ColFirstSSEEvent}         // t3
	FirstResponse   = Mark[Receipt]{col: ColFirstResponse}         // t4
	FirstTextDelta  = Mark[Receipt]{col: ColFirstTextDelta}        // t5
	UpstreamDone    = Mark[Receipt]{col: ColUpstreamDone}          // t6
	TotalHandler    = Mark[Receipt]{col: ColTotalHandler}          // t7
)

// AllMarks is the set of the columns t2 to t7, which a source may or may not be
// able to record.
const AllMarks = Mask(1<<ColUpstreamHeaders | 1<<ColFirstSSEEvent | 1<<ColFirstResponse |
	1<<ColFirstTextDelta | 1<<ColUpstreamDone | 1<<ColTotalHandler)

// Recordable returns the text of the column recordable for a source that can
// record just the given marks: their names in schema order, comma-separated,
// "none" for the empty set and "" (absent) for all of them.
func Recordable(m Mask) string {
	m &= AllMarks
	switch m {
	case AllMarks:
		return ""
	case 0:
		return "none"
	}
	var names []string
	for c := range m.All {
		names = append(names, c.String())
	}
	return strings.Join(names, ",")
}

// ParseRecordable is the inverse of [Recordable]. Unknown names are ignored.
func ParseRecordable(s string) Mask {
	if s == "" {
		return AllMarks
	}
	var m Mask
	for name := range strings.SplitSeq(s, ",") {
		if c, ok := ColumnNamed(name); ok {
			m = m.With(c)
		}
	}
	return m & AllMarks
}
