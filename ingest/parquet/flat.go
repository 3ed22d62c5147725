package parquet

import "context"

// textPerBatch is how much text of one flat column a batch should hold.
const textPerBatch = 16 << 20

// flat adds rows rows of a column without lists to v.
func (c *columnReader) flat(ctx context.Context, v *Vector, rows int, z *decompressor) error {
	for rows > 0 {
		if err := c.openPage(ctx, z); err != nil {
			return err
		}
		n := min(rows, c.left)
		valid, err := c.validity(n)
		if err != nil {
			return err
		}
		if err := c.fill(v, n, valid); err != nil {
			return err
		}
		c.left -= n
		rows -= n
	}
	return nil
}

// validity reads n definition levels: nil if all values are present.
func (c *columnReader) validity(n int) ([]bool, error) {
	top := uint8(c.col.maxDef)
	if top == 0 {
		return nil, nil
	}
	if all, err := c.def.repeats(n, uint32(top)); all || err != nil {
		return nil, err
	}
	c.levels = resize(c.levels, n)
	largest, err := readHybrid(&c.def, c.levels)
	if err != nil {
		return nil, err
	}
	if largest > top {
		return nil, errLevel
	}
	c.valid = resize(c.valid, n)
	for i, level := range c.levels {
		c.valid[i] = level == top
	}
	return c.valid, nil
}

var errLevel = damaged("a level beyond the schema's")

// rowsAtOnce says how many of the next rows a batch should take from a column:
// at most want, fewer if their text would be long or would change between
// dictionary codes and plain strings.
func (c *columnReader) rowsAtOnce(want int, ch *chunk, rows int64) int {
	if c.col.maxRep > 0 {
		slots, size := ch.values/max(rows, 1), c.uncompressed()/max(rows, 1)
		return max(1, min(want, maxSlots/16/int(max(slots, 1)), textPerBatch/int(max(size, 1))))
	}
	if c.col.Kind != Bytes {
		return want
	}
	room, n := int64(textPerBatch), 0
	coded := c.coded
	if c.left > 0 {
		if n = c.left; !coded {
			n, room = portion(n, &c.pages[c.next-1], room)
		}
	}
	for i := c.next; i < len(c.pages) && n < want && room > 0; i++ {
		p := &c.pages[i]
		if p.kind == pageDictionary || p.values == 0 {
			continue
		}
		if n > 0 && p.dictionaryCoded() != coded {
			break
		}
		coded = p.dictionaryCoded()
		part := int(p.values)
		if !coded {
			part, room = portion(part, p, room)
		}
		n += part
	}
	return max(1, min(n, want))
}

// portion says how many of n values of a page fit the room, and what is left
// of it; 0 if not all fit.
func portion(n int, p *page, room int64) (int, int64) {
	size := int64(p.uncompressed) * int64(n) / int64(p.values)
	if size <= room {
		return n, room - size
	}
	return int(int64(n) * room / size), 0
}

// uncompressed is the declared size of all pages.
func (c *columnReader) uncompressed() (n int64) {
	for i := range c.pages {
		n += int64(c.pages[i].uncompressed)
	}
	return n
}
