package parquet

import (
	"context"
	"errors"
)

// columnReader reads one column chunk, a batch at a time. Its memory is used
// again for the next row group.
type columnReader struct {
	file  *File
	col   *Column
	codec int32
	pages []page
	next  int // index of the page after the open one
	dict  dictionary

	// The open page.
	left     int // levels not yet read
	def, rep hybrid
	coded    bool
	codes    hybrid
	values   []byte // not yet given to a decoder
	encoding int8
	decoder  decoder

	// Levels read ahead of a nested column, see nested.
	defs, reps []uint8
	ahead      int // how many of them are used up

	stored   []byte // the page as in the file
	unpacked []byte // decompressed
	body     []byte // one of the two
	levels   []uint8
	valid    []bool
	scratch  Text
}

// open checks a chunk's footer entry and page headers and goes to its start.
func (c *columnReader) open(ch *chunk, rows int64) error {
	c.next, c.left, c.dict.loaded, c.decoder = 0, 0, false, nil
	c.defs, c.reps, c.ahead = c.defs[:0], c.reps[:0], 0
	c.codec, c.pages = ch.codec, c.pages[:0]
	if rows == 0 {
		return nil // some writers leave the places of empty chunks at 0
	}
	if err := c.checkChunk(ch, rows); err != nil {
		return err
	}
	c.dict.id++
	var err error
	c.pages, err = c.file.walkPages(c.col, ch, rows, c.pages)
	return err
}

func (c *columnReader) checkChunk(ch *chunk, rows int64) error {
	end := c.file.end
	switch {
	case ch.problem != nil:
		return ch.problem
	case c.col.Problem != nil:
		return c.col.Problem
	case ch.physical != c.col.Physical:
		return damaged("the column is %s here and %s in the schema", ch.physical, c.col.Physical)
	case ch.values < rows || c.col.maxRep == 0 && ch.values != rows:
		return damaged("%d values for %d rows", ch.values, rows)
	case ch.stored < 0 || ch.start < 4 || ch.start > end || ch.stored > end-ch.start:
		return damaged("the column's bytes lie outside the file")
	}
	return codecProblem(ch.codec)
}

// memory is what the largest page and the dictionary take.
func (c *columnReader) memory() (bytes int64) {
	var dict, data int64
	for i := range c.pages {
		size := int64(c.pages[i].stored) + int64(c.pages[i].uncompressed)
		if c.pages[i].kind == pageDictionary {
			dict = 2 * size
		} else {
			data = max(data, size)
		}
	}
	return dict + data
}

// pageError adds which page it was.
func (c *columnReader) pageError(err error) error {
	var placed *Error
	if err == nil || c.next == 0 || errors.As(err, &placed) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Error{Page: pageName(&c.pages[c.next-1], c.next-1), Err: err}
}

// openPage goes to the next page that has levels, loading the dictionary on
// the way. walkPages made sure that there is one whenever flat asks.
func (c *columnReader) openPage(ctx context.Context, z *decompressor) error {
	for c.left == 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.next == len(c.pages) {
			return damaged("the pages hold fewer rows than the footer says")
		}
		p := &c.pages[c.next]
		c.next++
		var err error
		switch {
		case p.kind == pageDictionary:
			err = c.openDictionary(p, z)
		case p.values > 0:
			err = c.openData(p, z)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// load reads a page and decompresses what follows its first raw bytes.
func (c *columnReader) load(p *page, raw int, z *decompressor) (err error) {
	if c.stored, err = p.body(c.file.r, c.stored); err != nil {
		return err
	}
	want := int(p.uncompressed) - raw
	packed := c.stored[raw:]
	if c.codec == codecNone || p.plainBody {
		if len(packed) != want {
			return damaged("page of %d bytes declares %d", len(packed), want)
		}
		c.body = packed
		return nil
	}
	c.unpacked = resize(c.unpacked, want)
	c.body = c.unpacked
	if want == 0 { // nothing, whatever the codec makes of nothing
		return nil
	}
	return z.decode(c.codec, c.body, packed)
}

func (c *columnReader) openDictionary(p *page, z *decompressor) error {
	if err := c.load(p, 0, z); err != nil {
		return err
	}
	return c.dict.load(c.col, int(p.values), p.encoding, c.body)
}

func (c *columnReader) openData(p *page, z *decompressor) (err error) {
	c.decoder, c.encoding, c.coded = nil, p.encoding, p.dictionaryCoded()
	if p.kind == pageDataV2 {
		levels := int(p.repBytes + p.defBytes)
		if err := c.load(p, levels, z); err != nil {
			return err
		}
		c.values = c.body
		c.rep = bareLevels(c.stored[:p.repBytes], c.col.maxRep)
		c.def = bareLevels(c.stored[p.repBytes:levels], c.col.maxDef)
	} else {
		if err := c.load(p, 0, z); err != nil {
			return err
		}
		c.values = c.body
		if c.col.maxRep > 0 {
			if c.rep, c.values, err = levelReader(c.values, c.col.maxRep, int(p.values), p.repEncoding); err != nil {
				return err
			}
		}
		if c.col.maxDef > 0 {
			if c.def, c.values, err = levelReader(c.values, c.col.maxDef, int(p.values), p.defEncoding); err != nil {
				return err
			}
		}
	}
	c.left = int(p.values)
	if c.coded {
		return c.openCodes()
	}
	return nil
}

// openCodes reads the width of the dictionary indexes. An empty body is fine
// as long as no value is asked for.
func (c *columnReader) openCodes() error {
	if !c.dict.loaded {
		return damaged("dictionary indexes without a dictionary")
	}
	c.codes = hybrid{}
	if len(c.values) > 0 {
		c.codes.width = int(c.values[0])
		c.codes.data = c.values[1:]
	}
	if c.codes.width > 32 {
		return damaged("dictionary indexes of %d bits", c.codes.width)
	}
	return nil
}

// fill adds n slots to v, of which those that are valid (nil: all) take the
// page's next values.
func (c *columnReader) fill(v *Vector, n int, valid []bool) error {
	values := n
	if valid != nil {
		values = 0
		for _, ok := range valid {
			if ok {
				values++
			}
		}
	}
	if values == n {
		valid = nil
	}
	from := v.slots
	v.addSlots(n, valid)
	if !c.coded && c.decoder == nil && values > 0 {
		var err error
		if c.decoder, err = newDecoder(c.col, c.encoding, c.values); err != nil {
			return err
		}
	}
	var bad []int
	var err error
	switch c.col.Kind {
	case Ints:
		v.Ints = extend(v.Ints, n)
		bad, err = c.ints(v.Ints[from : from+values])
		spread(v.Ints[from:], values, valid)
	case Floats:
		v.Floats = extend(v.Floats, n)
		err = c.floats(v.Floats[from : from+values])
		spread(v.Floats[from:], values, valid)
	default:
		err = c.text(v, n, values, valid)
	}
	if len(bad) > 0 {
		v.drop(from, bad)
	}
	return err
}

func (c *columnReader) ints(dst []int64) (bad []int, err error) {
	switch {
	case len(dst) == 0:
		return nil, nil
	case c.coded:
		return gather(&c.dict, &c.codes, c.dict.ints, dst)
	case c.col.fromBytes():
		c.scratch.reset(maxText)
		if err := c.decoder.text(&c.scratch, len(dst)); err != nil {
			return nil, err
		}
		return c.col.intsFromBytes(&c.scratch, dst), nil
	}
	if err := c.decoder.ints(dst); err != nil {
		return nil, err
	}
	return c.col.convertInts(dst), nil
}

func (c *columnReader) floats(dst []float64) error {
	switch {
	case len(dst) == 0:
		return nil
	case c.coded:
		_, err := gather(&c.dict, &c.codes, c.dict.floats, dst)
		return err
	case c.col.fromBytes():
		c.scratch.reset(maxText)
		if err := c.decoder.text(&c.scratch, len(dst)); err != nil {
			return err
		}
		for i := range dst {
			dst[i] = half(c.scratch.At(i))
		}
		return nil
	}
	return c.decoder.floats(dst)
}

// text adds n slots of strings: codes as long as the whole batch is coded with
// the same dictionary, else bytes.
func (c *columnReader) text(v *Vector, n, values int, valid []bool) error {
	from := v.slots - n
	if c.coded && (from == 0 || v.Dict != nil) {
		v.Codes = extend(v.Codes, n)
		v.Dict, v.DictID = &c.dict.text, c.dict.id
		largest, err := readHybrid(&c.codes, v.Codes[from:from+values])
		if err == nil && values > 0 && int64(largest) >= int64(c.dict.n) {
			return errCode
		}
		spread(v.Codes[from:], values, valid)
		return err
	}
	if v.Dict != nil {
		if err := v.unshare(); err != nil {
			return err
		}
	}
	if err := c.strings(&v.strings, values); err != nil {
		return err
	}
	var before uint32
	if from > 0 {
		before = v.strings.ends[from-1]
	}
	v.strings.ends = extend(v.strings.ends, n-values)
	spreadEnds(v.strings.ends[from:], before, values, valid)
	return nil
}

// strings adds the page's next n values to t.
func (c *columnReader) strings(t *Text, n int) error {
	if !c.coded && n > 0 {
		return c.decoder.text(t, n)
	}
	var piece [256]uint32
	for n > 0 {
		codes := piece[:min(n, len(piece))]
		largest, err := readHybrid(&c.codes, codes)
		if err != nil {
			return err
		}
		if int64(largest) >= int64(c.dict.n) {
			return errCode
		}
		for _, code := range codes {
			if err := t.add(c.dict.text.At(int(code))); err != nil {
				return err
			}
		}
		n -= len(codes)
	}
	return nil
}
