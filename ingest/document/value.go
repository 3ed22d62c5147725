package document

import (
	"bytes"

	"ttdiag/ingest/timeline"
)

// Kind is the kind of a JSON value.
type Kind byte

// The kinds. The zero Kind is that of a value that is not there.
const (
	Absent Kind = 0
	Null   Kind = 'n'
	Bool   Kind = 't'
	Number Kind = '0'
	String Kind = '"'
	Object Kind = '{'
	Array  Kind = '['
	// Time is a value that a typed source (Parquet) holds as a time: Text is the
	// number of microseconds since the epoch.
	Time Kind = '@'
)

// Value is one value: the text of a string, the literal of a number or a word,
// or, where a caller asked for it, the JSON of an object or an array. The zero
// Value is absent.
type Value struct {
	Kind Kind
	Text []byte
	// Twice says that the key stood more than once in its object, with
	// different values.
	Twice bool
	// Long says that a string was longer than MaxText: Text is empty.
	Long bool
}

// Has reports whether there is a value: not absent, not null, not empty text.
func (v Value) Has() bool {
	switch v.Kind {
	case Absent, Null:
		return false
	case String, Number:
		return len(v.Text) > 0 || v.Long
	}
	return true
}

// Label returns the text of a string or a number, nil for anything else.
func (v Value) Label() []byte {
	if v.Kind != String && v.Kind != Number {
		return nil
	}
	return v.Text
}

// Int returns a whole number, which may stand in a string or have a fraction
// of zero.
func (v Value) Int() (int64, bool) {
	if v.Kind != Number && v.Kind != String || len(v.Text) == 0 {
		return 0, false
	}
	n, p := timeline.ParseScaled(v.Text, 1, 1)
	return n, p == timeline.ParsedOK
}

// True reports whether the value is true; False whether it is false. Neither
// holds for anything that is no truth value.
func (v Value) True() bool { return v.is("true") }

// False is the counterpart of True.
func (v Value) False() bool { return v.is("false") }

func (v Value) is(word string) bool {
	return (v.Kind == Bool || v.Kind == String) && bytes.EqualFold(v.Text, []byte(word))
}

// Micros returns a duration in the given unit as microseconds.
func (v Value) Micros(unit timeline.Unit) (int64, bool) {
	if v.Kind != Number && v.Kind != String || len(v.Text) == 0 {
		return 0, false
	}
	us, p := timeline.Micros(v.Text, unit)
	return us, p == timeline.ParsedOK
}

// When returns a point in time as microseconds since the epoch: a date, in UTC
// where it names no zone, or a number in the given unit; unit 0 tells it by
// magnitude.
func (v Value) When(unit timeline.Unit) (int64, bool) {
	switch v.Kind {
	case Time:
		us, p := timeline.ParseScaled(v.Text, 1, 1)
		return us, p == timeline.ParsedOK
	case String:
		if us, ok := timeline.ParseTimestamp(v.Text, nil); ok {
			return us, true
		}
		fallthrough
	case Number:
		if len(v.Text) == 0 {
			return 0, false
		}
		us, p := timeline.ParseEpoch(v.Text)
		if unit != 0 {
			us, p = timeline.Micros(v.Text, unit)
		}
		return us, p == timeline.ParsedOK
	}
	return 0, false
}

// Scalar reads a value. Strings longer than MaxText have no text; objects and
// arrays are skipped. The text is valid until Free.
func (r *Reader) Scalar() (Value, error) {
	kind, err := r.Next()
	if err != nil {
		return Value{}, r.cut()
	}
	switch kind {
	case Object, Array:
		return Value{Kind: kind}, r.Skip()
	case String:
		start := len(r.arena)
		text, fits, err := r.readString(r.arena, MaxText)
		r.arena = text
		if !fits {
			r.arena = r.arena[:start]
		}
		return Value{Kind: String, Text: r.arena[start:len(r.arena):len(r.arena)], Long: !fits}, err
	}
	start := len(r.arena)
	r.arena, err = r.literal(r.arena)
	return Value{Kind: kind, Text: r.arena[start:len(r.arena):len(r.arena)]}, err
}

// Raw reads a value like Scalar, but keeps the JSON of objects and arrays of up
// to MaxText bytes.
func (r *Reader) Raw() (Value, error) {
	kind, err := r.Next()
	if err != nil {
		return Value{}, r.cut()
	}
	if kind != Object && kind != Array {
		return r.Scalar()
	}
	c := &capture{r: r, start: len(r.arena)}
	if err := c.value(); err != nil {
		return Value{}, err
	}
	if len(r.arena)-c.start > MaxText {
		r.arena = r.arena[:c.start]
		return Value{Kind: kind}, nil
	}
	return Value{Kind: kind, Text: r.arena[c.start:len(r.arena):len(r.arena)]}, nil
}

// capture copies a value into the arena.
type capture struct {
	r     *Reader
	start int
}

func (c *capture) put(b ...byte) {
	if len(c.r.arena)-c.start <= MaxText {
		c.r.arena = append(c.r.arena, b...)
	}
}

func (c *capture) value() error {
	kind, err := c.r.Next()
	if err != nil {
		return c.r.cut()
	}
	switch kind {
	case Object:
		c.put('{')
		first := true
		err := c.r.Object(func(key []byte) error {
			c.comma(&first)
			c.quoted(key)
			c.put(':')
			return c.value()
		})
		c.put('}')
		return err
	case Array:
		c.put('[')
		first := true
		err := c.r.Array(func(int) error {
			c.comma(&first)
			return c.value()
		})
		c.put(']')
		return err
	case String:
		return c.string()
	}
	lit, err := c.r.literal(nil)
	c.put(lit...)
	return err
}

func (c *capture) comma(first *bool) {
	if !*first {
		c.put(',')
	}
	*first = false
}

func (c *capture) string() error {
	text, fits, err := c.r.readString(nil, MaxText)
	if err != nil {
		return err
	}
	if !fits {
		text = nil
	}
	c.quoted(text)
	return nil
}

func (c *capture) quoted(text []byte) {
	c.put('"')
	for _, b := range text {
		switch {
		case b == '"' || b == '\\':
			c.put('\\', b)
		case b < 0x20:
			const hex = "0123456789abcdef"
			c.put('\\', 'u', '0', '0', hex[b>>4], hex[b&15])
		default:
			c.put(b)
		}
	}
	c.put('"')
}
