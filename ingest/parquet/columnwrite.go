package parquet

import (
	"encoding/binary"
	"math"
)

const (
	// pageBytes is about the size of a page before it is compressed: what a
	// reader decompresses at once. A longer cell makes a longer page.
	pageBytes = 1 << 20
	// pageRows bounds pages of absent values, which take no room.
	pageRows = 1 << 20
)

// columnBuffer holds the cells of one column in the row group being filled.
type columnBuffer struct {
	typ    WriteType
	levels []uint8    // one for each row, 1 is present; absent ones at the end may be missing
	values int        // present ones
	plain  []byte     // PLAIN numbers, or a byte for each WriteBool
	text   textBuffer // of WriteText
}

func (c *columnBuffer) reset() {
	c.levels, c.plain, c.values = c.levels[:0], c.plain[:0], 0
	if c.typ == WriteText {
		c.text.reset()
	}
}

// present makes the cell of a row present; the caller adds its value.
func (c *columnBuffer) present(row int) {
	c.pad(row)
	c.levels = append(c.levels, 1)
	c.values++
}

// pad makes the cells absent that are missing before a row.
func (c *columnBuffer) pad(row int) {
	c.levels = append(c.levels, make([]uint8, row-len(c.levels))...)
}

func (c *columnBuffer) addInt(v int64) {
	c.plain = binary.LittleEndian.AppendUint64(c.plain, uint64(v))
}

func (c *columnBuffer) addFloat(v float64) { c.addInt(int64(math.Float64bits(v))) }

func (c *columnBuffer) addBool(v bool) {
	if v {
		c.plain = append(c.plain, 1)
		return
	}
	c.plain = append(c.plain, 0)
}

// finish makes the buffer hold a number of rows, no more and no less.
func (c *columnBuffer) finish(rows int) {
	if len(c.levels) > rows {
		c.levels = c.levels[:rows]
		c.values--
		switch c.typ {
		case WriteText:
			c.text.drop()
		case WriteBool:
			c.plain = c.plain[:c.values]
		default:
			c.plain = c.plain[:8*c.values]
		}
	}
	c.pad(rows)
	c.text.finish()
}

// coded reports whether the chunk has a dictionary.
func (c *columnBuffer) coded() bool { return c.text.coded && c.values > 0 }

// bits is the size of a value in a page, or the least one.
func (c *columnBuffer) bits() int {
	switch {
	case c.coded():
		return c.text.width()
	case c.typ == WriteBool:
		return 1
	case c.typ == WriteText:
		return 32
	}
	return 64
}

// place is a place in a chunk, before a row.
type place struct{ row, value, at int } // at counts the bytes of text before

// pageEnd returns the end of the page that begins at from.
func (c *columnBuffer) pageEnd(from place) place {
	rows := min(len(c.levels)-from.row, pageRows, pageBytes*8/c.bits())
	if c.typ == WriteText && !c.coded() {
		return c.textEnd(from, rows)
	}
	to := place{row: from.row + rows}
	if rows == len(c.levels) {
		to.value = c.values
		return to
	}
	to.value = from.value
	for _, level := range c.levels[from.row:to.row] {
		to.value += int(level)
	}
	return to
}

// textEnd adds rows, at least one and at most so many, while their text fits.
func (c *columnBuffer) textEnd(from place, rows int) place {
	to := from
	for range rows {
		size := 0
		if c.levels[to.row] == 1 {
			_, size = textAt(c.text.plain[to.at:])
		}
		if to.at+size > from.at+pageBytes && to.row > from.row {
			break
		}
		to.row++
		to.value += int(c.levels[to.row-1])
		to.at += size
	}
	return to
}

// appendPage appends the body of the page between two places: levels with
// their length, then values.
func (c *columnBuffer) appendPage(b []byte, from, to place) []byte {
	start := len(b) + 4
	b = appendHybrid(append(b, 0, 0, 0, 0), c.levels[from.row:to.row], 1)
	binary.LittleEndian.PutUint32(b[start-4:], uint32(len(b)-start))
	switch {
	case c.coded():
		b = append(b, byte(c.text.width()))
		return appendHybrid(b, c.text.codes[from.value:to.value], c.text.width())
	case c.typ == WriteText:
		return append(b, c.text.plain[from.at:to.at]...)
	case c.typ == WriteBool:
		return appendBits(b, c.plain[from.value:to.value], 1)
	}
	return append(b, c.plain[8*from.value:8*to.value]...)
}
