package parquet

// Text is a list of byte strings in one piece of memory.
type Text struct {
	ends []uint32
	data []byte
	room int // bytes that may still be added
}

// Len is the number of strings.
func (t *Text) Len() int { return len(t.ends) }

// At returns string i as a part of the list's memory.
func (t *Text) At(i int) []byte {
	var start uint32
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.data[start:t.ends[i]:t.ends[i]]
}

func (t *Text) reset(room int) {
	t.ends, t.data, t.room = t.ends[:0], t.data[:0], room
}

// add appends a string; it fails if the list would become too large.
func (t *Text) add(s []byte) error {
	if t.room -= len(s); t.room < 0 {
		return errText
	}
	t.data = append(t.data, s...)
	t.ends = append(t.ends, uint32(len(t.data)))
	return nil
}

var errText = overLimit("more than %d bytes of text in one batch; ask for fewer rows", maxText)
