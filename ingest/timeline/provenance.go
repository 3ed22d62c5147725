package timeline

import "slices"

// Provenance is the set of columns in which ttdiag tells what it knows of a record
// beside its values. Files that ttdiag converts have all of them.
const Provenance = Mask(1<<ColFormat | 1<<ColApprox | 1<<ColRecordable | 1<<ColNotes)

// Told reads those columns back. A log of another program may use the same names
// for other things: what is not exactly as ttdiag writes it counts as absent. It
// is not safe for concurrent use.
type Told struct {
	Exact  bool // approximate values become absent
	labels map[string]*Label
	notes  map[string]Notes
	marks  map[string][]byte
}

// What is remembered of texts, of which a file has few, is bounded.
const (
	maxTold     = 256
	maxToldText = 4096
)

// Take applies the text of a column of [Provenance] to a row whose other columns
// are set already. Text of c that is not ttdiag's changes nothing.
func (t *Told) Take(r *Row, c Column, text []byte) {
	if len(text) == 0 || len(text) > maxToldText {
		return
	}
	switch c {
	case ColFormat:
		if isFormatName(text) {
			r.SetText(c, text)
		}
	case ColApprox:
		if label := t.label(text); label != nil && t.Exact {
			r.Drop(label.mask)
		} else if label != nil {
			r.Label = label
		}
	case ColRecordable:
		r.SetText(c, remember(&t.marks, text, recordableOf))
	case ColNotes:
		told := remember(&t.notes, text, notesOf)
		r.Notes.Set |= told.Set
		for i, m := range told.Cleaned {
			r.Notes.Cleaned[i] |= m
		}
	}
}

func (t *Told) label(text []byte) *Label { return remember(&t.labels, text, labelOf) }

// remember returns what of makes of text, made once.
func remember[T any](known *map[string]T, text []byte, of func(string) T) T {
	if v, ok := (*known)[string(text)]; ok {
		return v
	}
	if *known == nil || len(*known) == maxTold {
		*known = map[string]T{}
	}
	v := of(string(text))
	(*known)[string(text)] = v
	return v
}

func labelOf(text string) *Label {
	l, ok := ParseLabel(text)
	if !ok || len(l.Items) == 0 {
		return nil
	}
	for _, a := range l.Items {
		if _, known := ColumnNamed(a.Column); !known {
			return nil
		}
	}
	return l
}

func recordableOf(text string) []byte {
	if Recordable(ParseRecordable(text)) != text {
		return nil
	}
	return []byte(text)
}

func notesOf(text string) Notes {
	if n := ParseNotes(text); n.Text() == text {
		return n
	}
	return Notes{}
}

// isFormatName reports whether text may be the name of a format.
func isFormatName(text []byte) bool {
	return len(text) <= 64 && !slices.ContainsFunc(text, func(c byte) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '-'
	})
}
