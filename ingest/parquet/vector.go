package parquet

// Vector is one column of a [Batch]. It and everything it hands out is valid
// until the next call of the reader that made it.
//
// A flat column has one slot per row. A column inside lists has one slot per
// list element; Offsets says which slots belong to which row. A null list and
// an empty list have no slot.
type Vector struct {
	// Ints holds the slots of a column of kind Ints: numbers, booleans as 0
	// and 1, times in microseconds, decimals unscaled. Under an absent slot
	// lies 0, which means nothing.
	Ints []int64
	// Floats holds the slots of a column of kind Floats. NaN is a value.
	Floats []float64
	// Valid says which slots are present; nil if all are.
	Valid []bool
	// Codes and Dict are set for a column of kind Bytes that the file stores
	// with a dictionary: slot i, if present, is Dict.At(Codes[i]).
	Codes []uint32
	Dict  *Text
	// DictID stays the same, for the same column of the same reader, as long
	// as the dictionary does.
	DictID int64
	// Offsets has one entry per list around the values, outermost first:
	// element i of the level above (a row, for the first) has the elements
	// Offsets[d][i] to Offsets[d][i+1] of level d; the last level's are slots.
	Offsets [][]int32
	// ListValid says for the same elements whether the list is there: an
	// absent list and an empty one both have no elements.
	ListValid [][]bool
	// OutOfRange counts values that microseconds or 64 bits cannot hold; they
	// are absent.
	OutOfRange int

	kind     Kind
	slots    int
	strings  Text
	validity []bool // memory for Valid
}

// Len is the number of slots.
func (v *Vector) Len() int { return v.slots }

// Present reports whether slot i has a value.
func (v *Vector) Present(i int) bool { return v.Valid == nil || v.Valid[i] }

// Bytes returns slot i of a column of kind Bytes, nil if it is absent.
func (v *Vector) Bytes(i int) []byte {
	switch {
	case !v.Present(i):
		return nil
	case v.Dict != nil:
		return v.Dict.At(int(v.Codes[i]))
	}
	return v.strings.At(i)
}

// Row returns the slots of one row, lo to hi-1, through all lists.
func (v *Vector) Row(row int) (lo, hi int) {
	lo, hi = row, row+1
	for _, offsets := range v.Offsets {
		lo, hi = int(offsets[lo]), int(offsets[hi])
	}
	return lo, hi
}

// Batch is some rows of a row group, all columns equally long.
type Batch struct {
	Rows    int
	Columns []Vector // as asked for in File.NewReader
}

// reset empties the vector and keeps its memory. room is how many bytes of text
// it may take.
func (v *Vector) reset(col *Column, room int) {
	v.kind, v.slots, v.OutOfRange = col.Kind, 0, 0
	v.Ints, v.Floats, v.Codes = v.Ints[:0], v.Floats[:0], v.Codes[:0]
	v.Valid, v.Dict, v.DictID = nil, nil, 0
	v.strings.reset(room)
	if len(v.Offsets) != col.maxRep {
		v.Offsets, v.ListValid = make([][]int32, col.maxRep), make([][]bool, col.maxRep)
	}
	for d := range v.Offsets {
		v.Offsets[d], v.ListValid[d] = v.Offsets[d][:0], v.ListValid[d][:0]
	}
}

// extend returns s with n more elements of undefined content.
func extend[T any](s []T, n int) []T {
	if need := len(s) + n; need > cap(s) {
		grown := make([]T, need, max(need, cap(s)+cap(s)/2))
		copy(grown, s)
		return grown
	}
	return s[:len(s)+n]
}

// spread moves the values at the front of s to the valid slots, from the end
// on, and clears the others.
func spread[T any](s []T, values int, valid []bool) {
	var zero T
	for i := len(s) - 1; i >= values; i-- {
		if valid[i] {
			values--
			s[i] = s[values]
		} else {
			s[i] = zero
		}
	}
}

// spreadEnds does the same for the ends of strings: an absent one is empty.
// before is the end of the string in front.
func spreadEnds(ends []uint32, before uint32, values int, valid []bool) {
	for i := len(ends) - 1; i >= values; i-- {
		end := before
		if values > 0 {
			end = ends[values-1]
		}
		ends[i] = end
		if valid[i] {
			values--
		}
	}
}

// addSlots counts n more slots and takes note which are present; valid is nil
// if all are.
func (v *Vector) addSlots(n int, valid []bool) {
	if valid == nil && v.Valid == nil {
		v.slots += n
		return
	}
	if v.Valid == nil { // the first absent slot
		v.Valid = extend(v.validity[:0], v.slots)
		fill(v.Valid, true)
	}
	v.Valid = extend(v.Valid, n)
	if valid == nil {
		fill(v.Valid[v.slots:], true)
	} else {
		copy(v.Valid[v.slots:], valid)
	}
	v.validity = v.Valid
	v.slots += n
}

func fill[T any](s []T, x T) {
	for i := range s {
		s[i] = x
	}
}

// drop makes slots absent: those of the present values whose indexes among
// all values since slot from are listed, ascending.
func (v *Vector) drop(from int, values []int) {
	if v.Valid == nil {
		v.Valid = extend(v.validity[:0], v.slots)
		fill(v.Valid, true)
		v.validity = v.Valid
	}
	v.OutOfRange += len(values)
	n := 0
	for i := from; i < v.slots && len(values) > 0; i++ {
		if !v.Valid[i] {
			continue
		}
		if n == values[0] {
			v.Valid[i] = false
			values = values[1:]
			if v.kind == Ints {
				v.Ints[i] = 0
			}
		}
		n++
	}
}

// unshare replaces dictionary codes by strings, for a batch in which the file
// changes from one to the other.
func (v *Vector) unshare() error {
	dict := v.Dict
	v.Dict, v.DictID = nil, 0
	for i, code := range v.Codes {
		var s []byte
		if v.Present(i) {
			s = dict.At(int(code))
		}
		if err := v.strings.add(s); err != nil {
			return err
		}
	}
	v.Codes = v.Codes[:0]
	return nil
}

// IntVector returns a flat vector that a reader of another format made. It keeps
// the slices, of which valid may be nil.
func IntVector(values []int64, valid []bool) Vector {
	return Vector{Ints: values, Valid: valid, kind: Ints, slots: len(values)}
}

// FloatVector is IntVector for floats.
func FloatVector(values []float64, valid []bool) Vector {
	return Vector{Floats: values, Valid: valid, kind: Floats, slots: len(values)}
}

// TextVector is IntVector for texts, which it copies.
func TextVector(values [][]byte, valid []bool) Vector {
	v := Vector{Valid: valid, kind: Bytes, slots: len(values)}
	for _, text := range values {
		v.strings.data = append(v.strings.data, text...)
		v.strings.ends = append(v.strings.ends, uint32(len(v.strings.data)))
	}
	return v
}
