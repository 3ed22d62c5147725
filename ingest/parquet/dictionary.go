package parquet

// dictionary holds the values that the codes of a chunk's pages stand for,
// already converted.
type dictionary struct {
	loaded bool
	id     int64
	n      int
	ints   []int64
	floats []float64
	text   Text
	bad    []bool // entries that do not fit, nil if all do
}

// load reads the dictionary page's body, which holds n PLAIN values.
func (d *dictionary) load(col *Column, n int, encoding int8, body []byte) error {
	smallest := width(col.Physical, col.length)
	if smallest == 0 {
		smallest = 4 // the length of a string
	}
	switch {
	case d.loaded:
		return damaged("a second dictionary")
	case encoding != encPlain && encoding != encPlainDictionary:
		return unsupported("a dictionary in %s", encodingName(encoding))
	case col.Physical == Boolean:
		return unsupported("a dictionary for BOOLEAN")
	case n > len(body)/smallest:
		return errValues
	}
	d.loaded, d.n, d.bad = true, n, nil
	values := &plain{col.Physical, col.length, body}
	bad, err := d.decode(col, values)
	if len(bad) > 0 {
		d.bad = make([]bool, n)
		for _, i := range bad {
			d.bad[i] = true
		}
	}
	return err
}

func (d *dictionary) decode(col *Column, values *plain) (bad []int, err error) {
	d.text.reset(maxText)
	if col.Kind == Bytes || col.fromBytes() {
		if err := values.text(&d.text, d.n); err != nil {
			return nil, err
		}
	}
	switch {
	case col.Kind == Ints && col.fromBytes():
		d.ints = resize(d.ints, d.n)
		return col.intsFromBytes(&d.text, d.ints), nil
	case col.Kind == Ints:
		d.ints = resize(d.ints, d.n)
		err = values.ints(d.ints)
		return col.convertInts(d.ints), err
	case col.Kind == Floats && col.fromBytes():
		d.floats = resize(d.floats, d.n)
		for i := range d.floats {
			d.floats[i] = half(d.text.At(i))
		}
	case col.Kind == Floats:
		d.floats = resize(d.floats, d.n)
		err = values.floats(d.floats)
	}
	return nil, err
}

// gather reads len(dst) codes and looks them up. It returns the indexes in dst
// of the entries that do not fit.
func gather[T any](d *dictionary, codes *hybrid, table, dst []T) (bad []int, err error) {
	var piece [1024]uint32
	for at := 0; at < len(dst); {
		n := min(len(piece), len(dst)-at)
		largest, err := readHybrid(codes, piece[:n])
		if err != nil {
			return nil, err
		}
		if int64(largest) >= int64(d.n) {
			return nil, errCode
		}
		out := dst[at : at+n]
		for i := range out {
			out[i] = table[piece[i]]
		}
		if d.bad != nil {
			for i, code := range piece[:n] {
				if d.bad[code] {
					bad = append(bad, at+i)
				}
			}
		}
		at += n
	}
	return bad, nil
}

var errCode = damaged("a dictionary index out of range")
