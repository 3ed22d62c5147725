package parquet

import "testing"

// TestCompactAgain reads what compactWriter writes.
func TestCompactAgain(t *testing.T) {
	var w compactWriter
	w.begin()
	w.int32(1, -7)
	w.structure(3)
	w.boolean(1, true)
	w.boolean(15, false)
	w.end()
	w.int64(4, 1<<62)
	w.list(5, tI32, 20)
	for i := range int32(20) {
		w.int32Element(i - 10)
	}
	w.text(6, "")
	w.bytes(7, []byte("bytes"))
	w.list(8, tBinary, 1)
	w.textElement("element")
	w.end()

	c := &compact{data: w.data}
	seen := 0
	for id, typ := range c.fields() {
		seen++
		ok := true
		switch id {
		case 1:
			ok = c.int32(typ) == -7
		case 3:
			for id, typ := range c.fields() {
				ok = ok && c.boolean(typ) == (id == 1)
			}
		case 4:
			ok = c.integer(typ) == 1<<62
		case 5:
			want := int64(-10)
			for et := range c.list(typ, nil) {
				ok = ok && c.integer(et) == want
				want++
			}
			ok = ok && want == 10
		case 6:
			ok = string(c.bytes(typ)) == ""
		case 7:
			ok = string(c.bytes(typ)) == "bytes"
		case 8:
			for et := range c.list(typ, nil) {
				ok = string(c.bytes(et)) == "element"
			}
		}
		if !ok {
			t.Errorf("field %d is another one", id)
		}
	}
	if c.err != nil || c.pos != len(w.data) || seen != 7 {
		t.Errorf("%d fields, %d of %d bytes, %v", seen, c.pos, len(w.data), c.err)
	}
}
