package parquet

import "context"

// levelsAhead is how many levels of a nested column are decoded at a time.
const levelsAhead = 1024

// nested adds rows rows of a column inside lists to v. Where a row ends is
// known only from the next row's first level, so levels are read ahead.
func (c *columnReader) nested(ctx context.Context, v *Vector, rows int, z *decompressor) error {
	for rows >= 0 {
		if c.ahead == len(c.defs) {
			if c.left == 0 && c.atEnd() {
				break
			}
			if err := c.readAhead(ctx, z); err != nil {
				return err
			}
		}
		taken, begun, err := c.assemble(v, rows)
		if err != nil {
			return err
		}
		rows -= begun
		if taken == 0 {
			rows = -1 // the next row begins here
		}
	}
	if rows > 0 {
		return damaged("the pages hold fewer rows than the footer says")
	}
	for d := range v.Offsets {
		v.Offsets[d] = append(v.Offsets[d], int32(v.elements(d+1)))
	}
	return nil
}

// atEnd reports whether no page with levels follows.
func (c *columnReader) atEnd() bool {
	for _, p := range c.pages[c.next:] {
		if p.kind != pageDictionary && p.values > 0 {
			return false
		}
	}
	return true
}

// finished reports whether every level of the chunk has been used.
func (c *columnReader) finished() bool {
	return c.left == 0 && c.ahead == len(c.defs) && c.atEnd()
}

// readAhead decodes the next levels of the open page, or of the next one.
func (c *columnReader) readAhead(ctx context.Context, z *decompressor) error {
	if err := c.openPage(ctx, z); err != nil {
		return err
	}
	n := min(c.left, levelsAhead)
	c.defs, c.reps, c.ahead = resize(c.defs, n), resize(c.reps, n), 0
	c.left -= n
	fill(c.defs, 0)
	largest, err := readHybrid(&c.rep, c.reps)
	if err != nil {
		return err
	}
	if int(largest) > c.col.maxRep {
		return errLevel
	}
	if c.col.maxDef == 0 {
		return nil
	}
	largest, err = readHybrid(&c.def, c.defs)
	if err == nil && int(largest) > c.col.maxDef {
		err = errLevel
	}
	return err
}

// assemble uses levels read ahead until they end or one more row than rows
// would begin. It returns how many it used and how many rows began.
func (c *columnReader) assemble(v *Vector, rows int) (taken, begun int, err error) {
	c.valid = c.valid[:0]
	from := v.slots
	i := c.ahead
	for ; i < len(c.defs); i++ {
		rep, def := int(c.reps[i]), int(c.defs[i])
		if rep == 0 {
			if begun == rows {
				break
			}
			begun++
		}
		slot, err := c.element(v, rep, def)
		if err != nil {
			return 0, 0, err
		}
		if slot {
			c.valid = append(c.valid, def == c.col.maxDef)
			v.slots++ // counted for elements; given back below
		}
	}
	v.slots = from
	if from+len(c.valid) > maxSlots {
		return 0, 0, overLimit("more than %d list elements in one batch; ask for fewer rows", maxSlots)
	}
	taken, c.ahead = i-c.ahead, i
	return taken, begun, c.fill(v, len(c.valid), c.valid)
}

// element places one pair of levels into the offsets: it continues the list of
// depth rep and begins lists of every depth below. It reports whether there is
// a slot, which is not so if a list on the way is null or empty.
func (c *columnReader) element(v *Vector, rep, def int) (slot bool, err error) {
	if rep > 0 {
		list := v.Offsets[rep-1]
		if len(list) == 0 || int(list[len(list)-1]) == v.elements(rep) || def < c.col.listDef[rep-1] {
			return false, damaged("levels that continue a list where there is none")
		}
	}
	for d := rep; d < c.col.maxRep; d++ {
		v.Offsets[d] = append(v.Offsets[d], int32(v.elements(d+1)))
		v.ListValid[d] = append(v.ListValid[d], def >= c.col.listDef[d]-1)
		if def < c.col.listDef[d] {
			return false, nil
		}
	}
	return true, nil
}

// elements counts the elements so far of the lists of one depth, from 1.
func (v *Vector) elements(depth int) int {
	if depth == len(v.Offsets) {
		return v.slots
	}
	return len(v.Offsets[depth])
}
