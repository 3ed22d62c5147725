package diagnose

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// Filter chooses rows. The zero value keeps all.
type Filter struct {
	Since, Until int64 // µs since the epoch, Until excluded; 0 is no limit
	Where        []Condition
	Classes      []rules.Class
}

// Condition is one --where: a column against a glob or a number.
type Condition struct {
	column timeline.Column
	op     byte   // '=', '!', '<', '>'
	glob   string // of text, and of a number where it is not "": status=5*
	number int64
}

// ErrCondition says that a condition is not COL=GLOB, COL!=GLOB, COL<NUMBER or
// COL>NUMBER.
var ErrCondition = errors.New("want COL=GLOB, COL!=GLOB, COL<NUMBER or COL>NUMBER")

// ParseCondition reads one --where. Numbers are in the unit of the column's
// name.
func ParseCondition(text string) (Condition, error) {
	at := strings.IndexAny(text, "=!<>")
	if at <= 0 {
		return Condition{}, ErrCondition
	}
	c := Condition{op: text[at]}
	value := text[at+1:]
	if c.op == '!' {
		if !strings.HasPrefix(value, "=") {
			return Condition{}, ErrCondition
		}
		value = value[1:]
	}
	column, ok := timeline.ColumnNamed(text[:at])
	if !ok {
		return Condition{}, errors.New("no such column")
	}
	c.column = column
	if column.IsText() {
		return c.withGlob(value)
	}
	return c.withNumber(value)
}

func (c Condition) withGlob(glob string) (Condition, error) {
	if c.op == '<' || c.op == '>' {
		return c, fmt.Errorf("column %s is text: %w", c.column, ErrCondition)
	}
	return c.withGlobOfText(glob)
}

func (c Condition) withGlobOfText(glob string) (Condition, error) {
	if _, err := path.Match(glob, ""); err != nil {
		return c, fmt.Errorf("column %s: bad glob", c.column)
	}
	c.glob = glob
	return c, nil
}

func (c Condition) withNumber(text string) (Condition, error) {
	unit := timeline.Unit(0)
	if c.column.IsDuration() {
		unit = timeline.Millisecond
	}
	var row timeline.Row
	row.Parse(c.column, []byte(text), unit, nil)
	v, ok := row.Num(c.column)
	if !ok && (c.op == '=' || c.op == '!') && strings.ContainsAny(text, "*?[") {
		return c.withGlobOfText(text)
	}
	if !ok {
		return c, fmt.Errorf("column %s: not a number", c.column)
	}
	c.number = v
	return c, nil
}

// Keep returns the rows that pass the filter. A comparison with an absent value
// is not true, so such rows pass only !=.
func (f *Filter) Keep(v *Verdicts) timeline.Bitmap {
	n := v.Batch.Len()
	keep := timeline.NewBitmap(n)
	tests := make([]func(i int) bool, len(f.Where))
	for k, c := range f.Where {
		tests[k] = c.test(v)
	}
	for i := range n {
		if f.inTime(v, i) && f.inClass(v, i) && !slices.ContainsFunc(tests, func(t func(int) bool) bool { return !t(i) }) {
			keep.Set(i)
		}
	}
	return keep
}

// test returns the condition for rows of v. Each text of a column is matched
// once.
func (c Condition) test(v *Verdicts) func(i int) bool {
	if !c.column.IsText() || c.column == timeline.ColOutcome || c.column == timeline.ColRequestID {
		return func(i int) bool { return c.holds(v, i) }
	}
	col := v.Batch.Texts(c.column)
	holds := make([]bool, len(col.Values))
	for code, text := range col.Values {
		holds[code] = c.matches(text)
	}
	return func(i int) bool {
		if !col.Valid.Has(i) {
			return c.op == '!'
		}
		return holds[col.Codes[i]]
	}
}

// All reports whether the filter keeps every row.
func (f *Filter) All() bool {
	return f.Since == 0 && f.Until == 0 && len(f.Where) == 0 && len(f.Classes) == 0
}

func (f *Filter) inTime(v *Verdicts, i int) bool {
	if f.Since == 0 && f.Until == 0 {
		return true
	}
	at, ok := v.Batch.Num(timeline.ColTimestamp, i)
	return ok && (f.Since == 0 || at >= f.Since) && (f.Until == 0 || at < f.Until)
}

func (f *Filter) inClass(v *Verdicts, i int) bool {
	return len(f.Classes) == 0 || slices.Contains(f.Classes, v.Class[i])
}

func (c Condition) holds(v *Verdicts, i int) bool {
	if c.column == timeline.ColOutcome {
		return c.matches(v.Outcome[i].String())
	}
	if c.column.IsText() {
		if !v.Batch.Has(c.column, i) {
			return c.op == '!'
		}
		return c.matches(v.Batch.Text(c.column, i))
	}
	got, ok := v.Batch.Num(c.column, i)
	if c.glob != "" {
		if !ok {
			return c.op == '!'
		}
		return c.matches(string(appendNumber(nil, v.Batch, c.column, i)))
	}
	switch c.op {
	case '<':
		return ok && got < c.number
	case '>':
		return ok && got > c.number
	case '=':
		return ok && got == c.number
	}
	return !ok || got != c.number
}

// matches compares with the glob, in which * also spans slashes.
func (c Condition) matches(text string) bool {
	return Glob(c.glob, text) == (c.op == '=')
}

// Glob reports whether text matches a pattern of path.Match whose * and ? match
// slashes too.
func Glob(pattern, text string) bool {
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(text, "/", "\x00"))
	return err == nil && ok
}
