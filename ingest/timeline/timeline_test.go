package timeline

import (
	"reflect"
	"testing"
)

func TestParseScaled(t *testing.T) {
	cases := []struct {
		lit      string
		num, den int64
		want     int64
		parsed   Parsed
	}{
		{"0", 1, 1, 0, ParsedOK},
		{"6350", 1000, 1, 6350000, ParsedOK},
		{"0.0005", 1000, 1, 1, ParsedOK},
		{"0.00049999999999999999999999", 1000, 1, 0, ParsedOK},
		{"1.5e3", 1000, 1, 1500000, ParsedOK},
		{"-2.5", 1, 1, -3, ParsedOK},
		{"1e400", 1, 1, 0, ParsedRange},
		{"1e-400", 1, 1, 0, ParsedOK},
		{"NaN", 1, 1, 0, ParsedRange},
		{"-Infinity", 1, 1, 0, ParsedRange},
		{"", 1, 1, 0, ParsedBad},
		{"1.2.3", 1, 1, 0, ParsedBad},
		{"12ms", 1, 1, 0, ParsedBad},
		{"1e", 1, 1, 0, ParsedBad},
		{"1785304801.664008267", 1e6, 1, 1785304801664008, ParsedOK},
		{"1785304801664008267", 1, 1000, 1785304801664008, ParsedOK},
		{"99999999999999999999999999", 1, 1, 0, ParsedRange},
	}
	for _, c := range cases {
		got, p := ParseScaled([]byte(c.lit), c.num, c.den)
		if got != c.want || p != c.parsed {
			t.Errorf("ParseScaled(%q, %d, %d) = %d, %d; want %d, %d", c.lit, c.num, c.den, got, p, c.want, c.parsed)
		}
	}
}

func TestParseTimestamp(t *testing.T) {
	cases := []struct {
		text string
		want int64
		ok   bool
	}{
		{"1970-01-01T00:00:00Z", 0, true},
		{"2026-08-21T03:15:33Z", 1787282133000000, true},
		{"2026-08-21 03:15:33.5123", 1787282133512300, true},
		{"2026-08-21T05:15:33.512345678+02:00", 1787282133512345, true},
		{"2026-02-29T00:00:00Z", 0, false},
		{"2026-08-21T03:15:33.Z", 0, false},
		{"2026-08-21", 0, false},
		{"0001-01-01T00:00:00Z", -62135596800000000, true},
	}
	for _, c := range cases {
		got, ok := ParseTimestamp([]byte(c.text), nil)
		if got != c.want || ok != c.ok {
			t.Errorf("ParseTimestamp(%q) = %d, %v; want %d, %v", c.text, got, ok, c.want, c.ok)
		}
	}
}

func TestBatchSurvivesArrow(t *testing.T) {
	b := NewBuilder()
	label := NewLabel(Approx{Column: "total_handler_ms", Origin: "o", Point: "p", Bias: "low", PlusMinusMs: 1000})
	var r Row
	for i := range 100 {
		r.Reset()
		if i%3 != 0 {
			r.SetNum(ColTotalHandler, int64(i)*1000)
			r.SetText(ColModel, []byte("m"))
			r.Label = label
		}
		if i%7 == 0 {
			r.SetNum(ColFirstTextDelta, 0)
		}
		r.SetText(ColRequestID, []byte{byte('a' + i%26)})
		r.SetText(ColChannel, []byte("http://u:p@host/v1?key=secret"))
		b.Append(&r)
	}
	batch := b.Flush()
	if got := batch.Text(ColChannel, 0); got != "http://host/v1" {
		t.Errorf("channel kept as %q", got)
	}
	if got := batch.Cleaned(ZeroMark, ColFirstTextDelta); got != 15 {
		t.Errorf("zero marks counted %d, want 15", got)
	}
	rec := batch.Record()
	back, err := FromRecord(rec.NewSlice(3, 97))
	if err != nil {
		t.Fatal(err)
	}
	var want, got Row
	for i := range back.Len() {
		batch.Row(i+3, &want)
		back.Row(i, &got)
		if want.set != got.set || want.Notes != got.Notes || !reflect.DeepEqual(want.Label, got.Label) {
			t.Fatalf("row %d differs", i)
		}
		for c := range want.set.All {
			a, _ := want.Num2(c)
			b, _ := got.Num2(c)
			if a != b || string(want.Text2(c)) != string(got.Text2(c)) {
				t.Fatalf("row %d column %s differs", i, c)
			}
		}
	}
}

func (r *Row) Num2(c Column) (int64, bool) {
	if c.IsText() {
		return 0, false
	}
	return r.Num(c)
}

func (r *Row) Text2(c Column) []byte {
	if !c.IsText() {
		return nil
	}
	return r.Text(c)
}
