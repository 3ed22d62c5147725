package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"ttdiag/ingest/source"
)

// readers returns readers of text that must all behave alike: in memory, by the
// block, and byte by byte.
func readers(text string) []*Reader {
	inMemory := &Reader{}
	inMemory.Reset([]byte(text))
	return []*Reader{inMemory, NewReader(strings.NewReader(text)), NewReader(iotest.OneByteReader(strings.NewReader(text)))}
}

func reasonOf(err error) source.Reason {
	var damage *Error
	if errors.As(err, &damage) {
		return damage.Reason
	}
	return source.OK
}

func TestSkip(t *testing.T) {
	deep := strings.Repeat("[", 600)
	cases := []struct {
		name, text string
		why        source.Reason
		rest       string
	}{
		{"number", "12 x", source.OK, " x"},
		{"exponent", "-1.5e+10,", source.OK, ","},
		{"words", "true]", source.OK, "]"},
		{"not a number", "NaN,", source.OK, ","},
		{"infinity", "-Infinity}", source.OK, "}"},
		{"string", `"a\"b\\" 1`, source.OK, " 1"},
		{"escaped unicode", `"é😀"1`, source.OK, "1"},
		{"nested", `{"a":[{"b":"]}"}],"c":{}} [`, source.OK, " ["},
		{"long string", `"` + strings.Repeat("x", 200_000) + `"1`, source.OK, "1"},
		{"many escapes", `"` + strings.Repeat(`\n`, 100_000) + `"1`, source.OK, "1"},
		{"escape at a block's end", `"` + strings.Repeat("x", bufferSize-3) + `\"y"1`, source.OK, "1"},
		{"empty", "", source.TruncatedJSON, ""},
		{"blank", " \n", source.TruncatedJSON, ""},
		{"cut string", `"abc`, source.TruncatedJSON, ""},
		{"cut escape", `"abc\`, source.TruncatedJSON, ""},
		{"cut object", `{"a":1`, source.TruncatedJSON, ""},
		{"cut word", "tru", source.TruncatedJSON, ""},
		{"wrong bracket", "[}", source.InvalidJSON, "}"},
		{"line end in a string", "\"ab\ncd\"", source.InvalidJSON, "\ncd\""},
		{"word", "hello,", source.InvalidJSON, ","},
		{"comma", ",", source.InvalidJSON, ","},
		{"plus", "+1,", source.InvalidJSON, ","},
		{"too deep", deep, source.TooDeep, strings.Repeat("[", 600-maxDepth)},
	}
	for _, c := range cases {
		for i, r := range readers(c.text) {
			err := r.Skip()
			if got := reasonOf(err); got != c.why {
				t.Errorf("%s, reader %d: %v, want %q", c.name, i, err, c.why)
			}
			if rest := string(r.rest()); rest != c.rest {
				t.Errorf("%s, reader %d: %d bytes left, want %d", c.name, i, len(rest), len(c.rest))
			}
		}
	}
}

// rest returns everything that is not read yet.
func (r *Reader) rest() []byte {
	var all []byte
	for r.more() {
		all = append(all, r.buf[r.pos:r.end]...)
		r.pos = r.end
	}
	return all
}

func TestScalar(t *testing.T) {
	cases := []struct {
		text string
		kind Kind
		want string
		long bool
	}{
		{`"plain"`, String, "plain", false},
		{`"a\"\\\/\b\f\n\r\t"`, String, "a\"\\/\b\f\n\r\t", false},
		{`"é 😀"`, String, "é 😀", false},
		{`"\ud83d"`, String, "\uFFFD", false},
		{`"\ud83d\n"`, String, "\uFFFD\n", false},
		{`""`, String, "", false},
		{`"` + strings.Repeat("x", MaxText+1) + `"`, String, "", true},
		{"1.25e3", Number, "1.25e3", false},
		{"NaN", Number, "NaN", false},
		{"null", Null, "null", false},
		{"false", Bool, "false", false},
		{`{"a":1}`, Object, "", false},
	}
	for _, c := range cases {
		for i, r := range readers(c.text) {
			v, err := r.Scalar()
			if err != nil || v.Kind != c.kind || string(v.Text) != c.want || v.Long != c.long {
				t.Errorf("%.20s, reader %d: %c %.20q %v %v", c.text, i, v.Kind, v.Text, v.Long, err)
			}
		}
	}
}

func TestRaw(t *testing.T) {
	const text = `{"a" : [1, NaN, "x\"\u0001"], "b":{}}`
	for i, r := range readers(text) {
		v, err := r.Raw()
		if want := `{"a":[1,NaN,"x\"\u0001"],"b":{}}`; err != nil || string(v.Text) != want {
			t.Errorf("reader %d: %s %v", i, v.Text, err)
		}
	}
	var r Reader
	r.Reset([]byte("[" + strings.Repeat("1,", MaxText) + "1]"))
	if v, err := r.Raw(); err != nil || v.Text != nil || v.Kind != Array {
		t.Errorf("a long array has %d bytes, %v", len(v.Text), err)
	}
}

func TestExtract(t *testing.T) {
	paths := NewPaths("a/b", "list/[]/x", `doc/"/m/n doc/m/n`, "old new", "both both/code")
	cases := []struct {
		name, text string
		want       string
	}{
		{"nested", `{"z":{"b":9},"a":{"b":1,"c":[2]}}`, "1,,,,"},
		{"elements", `{"list":[{"x":1},{"y":2},3,{"x":4}]}`, ",4!,,,"},
		{"document in a string", `{"doc":"{\"q\":\"\\\"}\",\"m\":{\"n\":\"v\"}} trailing"}`, ",,v,,"},
		{"broken document in a string", `{"doc":"{\"m\":{\"n\":1, oops","a":{"b":2}}`, "2,,1,,"},
		{"text that is no document", `{"doc":"hello \u00e9","a":{"b":2}}`, "2,,,,"},
		{"document beside a string", `{"doc":{"m":{"n":5}}}`, ",,5,,"},
		{"preferred spelling", `{"new":2,"old":1}`, ",,,1,"},
		{"other spelling", `{"new":2}`, ",,,2,"},
		{"null of the preferred", `{"old":null,"new":2}`, ",,,2,"},
		{"twice the same", `{"old":1,"old":1}`, ",,,1,"},
		{"twice", `{"old":1,"old":2}`, ",,,2!,"},
		{"value or object", `{"both":7}`, ",,,,7"},
		{"object or value", `{"both":{"code":8}}`, ",,,,8"},
		{"wrong kinds", `{"a":[1],"list":{"x":1},"doc":3}`, ",,,,"},
	}
	for _, c := range cases {
		for i, r := range readers(c.text) {
			cells := NewCells(paths)
			if err := r.Extract(paths, cells); err != nil {
				t.Errorf("%s, reader %d: %v", c.name, i, err)
			}
			var got []string
			for _, v := range cells.Values {
				s := string(v.Text)
				if v.Twice {
					s += "!"
				}
				got = append(got, s)
			}
			if s := strings.Join(got, ","); s != c.want {
				t.Errorf("%s, reader %d: %s, want %s", c.name, i, s, c.want)
			}
			if rest := bytes.TrimSpace(r.rest()); len(rest) > 0 {
				t.Errorf("%s, reader %d: left %q", c.name, i, rest)
			}
		}
	}
}

// A document in a string is read to its end even where its own damage, or a long
// text inside, comes first.
func TestEmbeddedLong(t *testing.T) {
	paths := NewPaths(`args/"/body/model`, "next")
	inner := `{\"messages\":\"` + strings.Repeat(`x\\\"y\\n`, 50_000) + `\",\"body\":{\"model\":\"m\"}}`
	for i, r := range readers(`{"args":"` + inner + `","next":1}`) {
		cells := NewCells(paths)
		if err := r.Extract(paths, cells); err != nil {
			t.Fatalf("reader %d: %v", i, err)
		}
		if string(cells.Values[0].Text) != "m" || string(cells.Values[1].Text) != "1" {
			t.Errorf("reader %d: %q %q", i, cells.Values[0].Text, cells.Values[1].Text)
		}
	}
}

// An error of the source is no damage of the document.
func TestReadError(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, text := range []string{"", `{`, `{"a":`, `{"a":"x`, `{"a":1`, `[1,`, `{"a":"x\`, `{"a":tr`} {
		r := NewReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)))
		_, err := r.Next()
		if err == nil {
			err = r.Extract(NewPaths("a/b", "c"), NewCells(NewPaths("", "")))
		}
		if !errors.Is(err, broken) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestRows(t *testing.T) {
	text := "\xEF\xBB\xBFa,\"b \"\"q\"\"\",c\r\n1,\"x,\r\n\"\"y\"\"\",3\r\n\r\n\n,,\n" + strings.Repeat("z", 100_000) + ",2,3\nlast,5,6"
	for _, src := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
		rows := NewRows(src, ',')
		header, err := rows.Header()
		if err != nil || fmt.Sprintf("%q", header) != `["a" "b \"q\"" "c"]` {
			t.Fatalf("%q %v", header, err)
		}
		var got []string
		cells := make([]Value, 3)
		for {
			n, err := rows.Read([]bool{true, true, false}, cells)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%d:%s|%s", n, cells[0].Text, cells[1].Text))
		}
		want := []string{"3:1|x,\r\n\"y\"", "0:|", "0:|", "3:|", "3:|2", "3:last|5"}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	rows := NewRows(strings.NewReader("a\n\"open"), ',')
	_, _ = rows.Header()
	if _, err := rows.Read([]bool{true}, make([]Value, 1)); reasonOf(err) != source.TruncatedInput {
		t.Errorf("an open quote: %v", err)
	}
}

func FuzzReader(f *testing.F) {
	for _, s := range []string{`{"a":{"b":1},"list":[{"x":"y"}]}`, `{"doc":"{\"m\":{\"n\":1}}"}`, "[NaN,1e5]", `{"a":"😀"`, "{}\n{}", "\"\\"} {
		f.Add([]byte(s))
	}
	paths := NewPaths("a/b", "list/[]/x", `doc/"/m/n`, "raw")
	f.Fuzz(func(t *testing.T, b []byte) {
		var got [3]string
		for i, r := range readers(string(b)) {
			cells := NewCells(paths, 3)
			err := r.Extract(paths, cells)
			for _, v := range cells.Values {
				got[i] += fmt.Sprintf("%c%q ", v.Kind, v.Text)
			}
			got[i] += fmt.Sprint(err)
		}
		if got[0] != got[1] || got[1] != got[2] {
			t.Fatalf("%q", got)
		}
	})
}

func FuzzRows(f *testing.F) {
	f.Add([]byte("a,b\n1,\"2\"\n"))
	f.Add([]byte("a\r\n\"x\"\"\"y\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var got [2]string
		for i, src := range []io.Reader{bytes.NewReader(b), iotest.OneByteReader(bytes.NewReader(b))} {
			rows := NewRows(src, ',')
			header, err := rows.Header()
			got[i] = fmt.Sprintf("%q %v", header, err)
			cells := make([]Value, 2)
			for err == nil {
				var n int
				n, err = rows.Read([]bool{true, true}, cells)
				got[i] += fmt.Sprintf("\n%d %q %q %v", n, cells[0].Text, cells[1].Text, err)
			}
		}
		if got[0] != got[1] {
			t.Fatalf("%q\n%q", got[0], got[1])
		}
	})
}
