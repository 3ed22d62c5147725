package parquet

import (
	"math"
	"time"

	"ttdiag/ingest/timeline"
)

// numberColumn is a column that fills a numeric one. A batch of it is read into
// values of the unit that a row keeps, and what became of each.
type numberColumn struct {
	at     int // in the batch
	col    *Column
	column timeline.Column
	unit   timeline.Unit
	zone   *time.Location
	again  bool // another spelling of the column before it

	values  []int64
	states  []state // nil where all are ok
	scratch timeline.Row
	text    []byte
}

// state is what became of a value.
type state uint8

const (
	stateAbsent state = iota
	stateOK
	stateRange
	stateBad
)

// set sets the column of a row.
func (c *numberColumn) set(row *timeline.Row, i int) {
	if c.states == nil && !c.again {
		row.SetNum(c.column, c.values[i])
		return
	}
	s := stateOK
	if c.states != nil {
		s = c.states[i]
	}
	if s == stateAbsent || c.again && (row.Has(c.column) || row.Refused(c.column)) {
		return
	}
	switch s {
	case stateOK:
		row.SetNum(c.column, c.values[i])
	case stateRange:
		row.Refuse(c.column, timeline.OutOfRange)
	case stateBad:
		row.Refuse(c.column, timeline.BadValue)
	}
}

// read reads a vector.
func (c *numberColumn) read(v *Vector) {
	n := v.Len()
	c.values = resize(c.values, n)
	kind := c.column.Info().Kind
	switch {
	case v.kind == Ints && c.plainInts(kind):
		c.scaled(v)
	case v.kind == Floats && kind != timeline.KindFlag && kind != timeline.KindTimestamp:
		c.floats(v)
	default:
		c.parsed(v)
	}
}

// plainInts reports whether the numbers of the vector are of the column's kind,
// but for a factor.
func (c *numberColumn) plainInts(kind timeline.Kind) bool {
	moment := c.col.Logical == LogicalTimestamp || c.col.Logical == LogicalDate
	switch kind {
	case timeline.KindTimestamp:
		return moment && (c.col.UTC || c.zone == nil || c.zone == time.UTC)
	case timeline.KindFlag:
		return c.col.Physical == Boolean
	}
	return c.col.Physical != Boolean && (c.col.Logical == LogicalNone || c.col.Logical == LogicalInteger)
}

// scaled multiplies whole numbers. Most need not be looked at one by one.
func (c *numberColumn) scaled(v *Vector) {
	c.mark(v)
	num, den := c.factor()
	switch {
	case num == 1 && den == 1:
		copy(c.values, v.Ints)
		return
	case num == 1:
		for i, x := range v.Ints {
			c.values[i] = int64(math.Round(float64(x) / float64(den)))
		}
		return
	}
	limit := math.MaxInt64 / num
	for i, x := range v.Ints {
		if x > limit || x < -limit {
			c.refuse(v, i, stateRange)
			continue
		}
		c.values[i] = x * num
	}
}

// floats multiplies and rounds, half away from zero.
func (c *numberColumn) floats(v *Vector) {
	c.mark(v)
	num, den := c.factor()
	factor, exact := float64(num), float64(1<<53)
	for i, x := range v.Floats {
		y := x * factor
		if den != 1 {
			y = x / float64(den)
		}
		if !(y < exact && y > -exact) { // NaN too
			if y < math.MaxInt64 && y > -math.MaxInt64 {
				c.values[i] = int64(y)
				continue
			}
			c.refuse(v, i, stateRange)
			continue
		}
		c.values[i] = round(y)
	}
}

// round rounds half away from zero; |y| is below 2^53.
func round(y float64) int64 {
	if y < 0 {
		return -int64(0.5 - y)
	}
	return int64(y + 0.5)
}

// factor returns what turns a number of the file into one of a row.
func (c *numberColumn) factor() (num, den int64) {
	switch c.column.Info().Kind {
	case timeline.KindLength, timeline.KindReceipt, timeline.KindUpstreamStart:
		if c.unit < timeline.Microsecond {
			return 1, int64(timeline.Microsecond / c.unit)
		}
		return int64(c.unit / timeline.Microsecond), 1
	case timeline.KindRate, timeline.KindFraction:
		return 1e6, 1
	}
	return 1, 1
}

// mark sets the states to what is present.
func (c *numberColumn) mark(v *Vector) {
	if v.Valid == nil {
		c.states = nil
		return
	}
	c.allocate(v.Len())
	for i, ok := range v.Valid {
		c.states[i] = stateAbsent
		if ok {
			c.states[i] = stateOK
		}
	}
}

func (c *numberColumn) allocate(n int) {
	if cap(c.states) < n {
		c.states = make([]state, n)
	}
	c.states = c.states[:n]
}

// refuse gives a present value another state.
func (c *numberColumn) refuse(v *Vector, i int, s state) {
	if c.states == nil {
		c.allocate(v.Len())
		fill(c.states, stateOK)
	}
	if c.states[i] != stateAbsent {
		c.states[i] = s
	}
	c.values[i] = 0
}

// parsed reads cells as the text that JSON would have for them.
func (c *numberColumn) parsed(v *Vector) {
	c.allocate(v.Len())
	for i := range c.states {
		c.values[i], c.states[i] = c.parse(v, i)
	}
}

func (c *numberColumn) parse(v *Vector, i int) (int64, state) {
	if !v.Present(i) {
		return 0, stateAbsent
	}
	if timed := c.col.Logical == LogicalTimestamp || c.col.Logical == LogicalDate; timed != (c.column == timeline.ColTimestamp) && (timed || v.kind != Bytes && c.col.Logical == LogicalTime) {
		return 0, stateBad
	}
	c.text = appendCell(c.text[:0], c.col, v, i)
	if len(c.text) == 0 {
		return 0, stateAbsent
	}
	text := c.text
	if c.column.Info().Kind == timeline.KindFlag && v.kind == Floats && len(text) > 2 && string(text[1:]) == ".0" {
		text = text[:1]
	}
	c.scratch.Reset()
	c.scratch.Parse(c.column, text, c.unit, c.zone)
	if n, ok := c.scratch.Num(c.column); ok {
		return n, stateOK
	}
	if c.scratch.Notes.Cleaned[timeline.OutOfRange].Has(c.column) {
		return 0, stateRange
	}
	return 0, stateBad
}
