package scan

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSkip(t *testing.T) {
	tests := []struct {
		name  string
		in    string
		end   int
		fault Fault
	}{
		{"object", `{"a":[1,2,{"b":null}],"c":"x"} `, 30, OK},
		{"empty object", `{}`, 2, OK},
		{"empty array with blanks", ` [ ] `, 4, OK},
		{"number", `-12.5e+3,`, 8, OK},
		{"leading zero", `01`, 1, OK},
		{"lone minus", `-`, 1, Truncated},
		{"minus and letter", `-x`, 1, Syntax},
		{"no digit after dot", `1.x`, 2, Syntax},
		{"cut after exponent", `1e`, 2, Truncated},
		{"cut word", `tru`, 3, Truncated},
		{"wrong word", `trux`, 3, Syntax},
		{"NaN", `NaN`, 0, Syntax},
		{"unquoted dash", `-, 0.812`, 1, Syntax},
		{"trailing comma in array", `[1,]`, 3, Syntax},
		{"trailing comma in object", `{"a":1,}`, 7, Syntax},
		{"no colon", `{"a" 1}`, 5, Syntax},
		{"key is a number", `{1:1}`, 1, Syntax},
		{"wrong bracket", `[1}`, 2, Syntax},
		{"cut object", `{"a":1`, 6, Truncated},
		{"cut in string", `"ab`, 3, Truncated},
		{"cut in escape", `"ab\`, 4, Truncated},
		{"cut in unicode escape", `"\u00`, 5, Truncated},
		{"bad escape", `"ab\x"`, 3, Syntax},
		{"bad hex", `"\u00g0"`, 5, Syntax},
		{"control character", "\"a\nb\"", 2, Syntax},
		{"NUL", "\"a\x00b\"", 2, Syntax},
		{"DEL is allowed", "\"a\x7fb\"", 5, OK},
		{"invalid UTF-8", "\"abcdefgh\xff\"", 9, UTF8},
		{"overlong UTF-8", "\"\xc0\xaf\"", 1, UTF8},
		{"surrogate in UTF-8", "\"\xed\xa0\x80\"", 1, UTF8},
		{"cut inside a character", "\"\xe6\x97", 1, Truncated},
		{"character beyond the BMP", "\"\U0001F600\"", 6, OK},
		{"empty", ``, 0, Truncated},
		{"deepest", strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), 2 * MaxDepth, OK},
		{"too deep", strings.Repeat("[", MaxDepth+1), MaxDepth, Deep},
	}
	for _, tt := range tests {
		if end, f := Skip([]byte(tt.in), 0); end != tt.end || f != tt.fault {
			t.Errorf("%s: Skip = %d, %v, want %d, %v", tt.name, end, f, tt.end, tt.fault)
		}
	}
}

func TestUnescape(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{`plain`, "plain"},
		{`\"\\\/\b\f\n\r\t`, "\"\\/\b\f\n\r\t"},
		{`\u00e9\u4e2d`, "é中"},
		{`\ud83d\ude00!`, "😀!"},
		{`\ud83d!`, "\uFFFD!"},
		{`\ud83d\u0041`, "\uFFFDA"},
		{`\ude00`, "\uFFFD"},
	} {
		if got := string(Unescape(nil, []byte(tt.raw))); got != tt.want {
			t.Errorf("Unescape(%s) = %q, want %q", tt.raw, got, tt.want)
		}
	}
}

func TestExtract(t *testing.T) {
	tests := []struct {
		name string
		doc  string
		path string
		want string // kind and text
	}{
		{"top", `{"a":1}`, ".a", "0 1"},
		{"without the dot", `{"a":1}`, "a", "0 1"},
		{"nested", `{"x":0,"a":{"z":[],"b":{"c":"v"}}}`, ".a.b.c", `" v`},
		{"key with dots", `{"gen_ai.model":"m"}`, `."gen_ai.model"`, `" m`},
		{"escaped key", `{"\u0061":true}`, ".a", "t true"},
		{"escaped text", `{"a":"x\ny"}`, ".a", "\" x\ny"},
		{"null", `{"a":null}`, ".a", "n null"},
		{"missing", `{"b":1}`, ".a", "\x00 "},
		{"index", `{"a":[{"b":1},{"b":2},{"b":3}]}`, ".a[1].b", "0 2"},
		{"last", `{"a":[{"b":1},{"b":2},{"c":3}]}`, ".a[-1].b", "\x00 "},
		{"last of all", `{"a":["x","y"]}`, ".a[-1]", `" y`},
		{"first that has it", `{"a":[{"c":1},{"b":2},{"b":3}]}`, ".a[].b", "0 2"},
		{"index beyond", `{"a":[1]}`, ".a[4]", "\x00 "},
		{"container", `{"a":[1, 2]}`, ".a", "[ [1, 2]"},
		{"document in a string", `{"other":"{\"frt\":1212}"}`, ".other.frt", "0 1212"},
		{"document in a string in a string", `{"a":"{\"b\":\"{\\\"c\\\":7}\"}"}`, ".a.b.c", "0 7"},
		{"array in a string", `{"a":" [{\"b\":\"x\"}]"}`, ".a[0].b", `" x`},
		{"broken document in a string", `{"a":"{\"b\":1"}`, ".a.b", "\x00 "},
		{"duplicate in a document in a string", `{"a":"{\"b\":1,\"b\":2}"}`, ".a.b", "\x00 "},
		{"no document in the string", `{"a":"-"}`, ".a.b", "\x00 "},
		{"scalar on the way", `{"a":5}`, ".a.b", "\x00 "},
		{"array on the way", `{"a":[{"b":1}]}`, ".a.b", "\x00 "},
		{"duplicate key nobody wants", `{"z":1,"z":2,"a":3}`, ".a", "0 3"},
		{"blanks everywhere", " { \"b\" : [ ] , \"a\" : 1 } \r\n", ".a", "0 1"},
	}
	for _, tt := range tests {
		p, err := Compile(".unrelated.path", tt.path)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		x := p.NewExtractor()
		for range 2 { // an extractor has no memory
			if off, f := x.Scan([]byte(tt.doc)); f != OK {
				t.Fatalf("%s: fault %v at %d", tt.name, f, off)
			}
			v := x.Get(1)
			if got := string(rune(v.Kind)) + " " + string(x.Plain(v)); got != tt.want {
				t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
			}
		}
	}
}

func TestScanFaults(t *testing.T) {
	p, err := Compile(".a", ".b.c")
	if err != nil {
		t.Fatal(err)
	}
	x := p.NewExtractor()
	for _, tt := range []struct {
		name, doc string
		off       int
		fault     Fault
		field     string
	}{
		{"blank", "  ", 2, Truncated, ""},
		{"no object", `[1]`, 0, NotObject, ""},
		{"broken and no object", `x`, 0, Syntax, ""},
		{"two objects", `{"a":1}{"a":2}`, 7, Syntax, ""},
		{"wanted key twice", `{"a":1,"x":2,"a":1}`, 13, Duplicate, "a"},
		{"wanted key twice, once escaped", `{"a":1,"\u0061":1}`, 7, Duplicate, "a"},
		{"wanted key twice below", `{"b":{"c":1,"c":1}}`, 12, Duplicate, "b.c"},
		{"way to a wanted key twice", `{"b":{"c":1},"b":{}}`, 13, Duplicate, "b"},
		{"fault after a value", `{"a":1,"x":-}`, 12, Syntax, ""},
		{"cut", `{"a":1,"x":"`, 12, Truncated, ""},
	} {
		off, f := x.Scan([]byte(tt.doc))
		if off != tt.off || f != tt.fault || x.Get(0).Kind != Absent {
			t.Errorf("%s: %v at %d (value kept: %v), want %v at %d", tt.name, f, off, x.Get(0).Kind != Absent, tt.fault, tt.off)
		}
		if f == Duplicate && x.DuplicateField() != tt.field {
			t.Errorf("%s: field %q, want %q", tt.name, x.DuplicateField(), tt.field)
		}
	}
}

func TestBadPaths(t *testing.T) {
	for _, path := range []string{"", ".", "..a", ".a..b", ".a.", ".a[", ".a[x]", ".a[-2]", `."a`, strings.Repeat(".a", MaxSegments+1)} {
		if _, err := Compile(path); err == nil {
			t.Errorf("Compile(%q) took it", path)
		}
	}
}

func TestCount(t *testing.T) {
	for lit, want := range map[string]int{`[]`: 0, `[ ]`: 0, `[1]`: 1, `[1, [2,3], "a,b"]`: 3, `{}`: 0, `{"a":1,"b":[1,2]}`: 2, `"x"`: 0, `1`: 0} {
		if got := Count([]byte(lit)); got != want {
			t.Errorf("Count(%s) = %d, want %d", lit, got, want)
		}
	}
}

// FuzzSkip holds Skip against the standard library, which is laxer only about
// UTF-8 and depth.
func FuzzSkip(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e-3,true,null,"x\u00e9"]}`, `[[[[]]]]`, `"\ud800"`, "\"\xff\"", `-0`, `{"a":1,}`, "[1,\x00]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		end, fault := Skip(b, 0)
		if end < 0 || end > len(b) {
			t.Fatalf("end %d of %d", end, len(b))
		}
		whole := fault == OK && Space(b, end) == len(b)
		if fault == UTF8 || fault == Deep {
			return
		}
		if valid := json.Valid(b); valid != whole {
			t.Fatalf("Skip says %v at %d, the standard library %v", fault, end, valid)
		}
		if whole {
			Count(b[Space(b, 0):end])
		}
	})
}

func FuzzExtract(f *testing.F) {
	f.Add([]byte(`{"a":{"b":1},"c":"{\"d\":[1,{\"e\":2}]}"}`))
	f.Add([]byte(`{"a":"[{\"b\":1}]","c":[1,2,3]}`))
	p, err := Compile(".a.b", ".a[].b", ".c.d[-1].e", ".c", ".a", ".c[1]")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x, y := p.NewExtractor(), p.NewExtractor()
		y.Scan([]byte(`{"a":{"b":9},"c":[7,8]}`))
		off, fault := x.Scan(b)
		off2, fault2 := y.Scan(b)
		if off != off2 || fault != fault2 {
			t.Fatalf("not the same answer twice: %d %v, %d %v", off, fault, off2, fault2)
		}
		for i := range p.Len() {
			if a, b := x.Get(i), y.Get(i); a.Kind != b.Kind || string(x.Plain(a)) != string(y.Plain(b)) {
				t.Fatalf("value %d differs", i)
			}
		}
	})
}

func BenchmarkScan(b *testing.B) {
	prompt := strings.Repeat("tell me more about the weather, ", 60)
	doc := []byte(`{"id":"x","timestamp":"2026-08-21T03:15:27Z","messages":[{"role":"user","content":"` + prompt + `"}],"usage":{"prompt_tokens":512,"details":{"cached":1}},"duration":6421,"status":200}`)
	p, err := Compile(".timestamp", ".usage.prompt_tokens", ".duration", ".status", ".id")
	if err != nil {
		b.Fatal(err)
	}
	x := p.NewExtractor()
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if _, f := x.Scan(doc); f != OK {
			b.Fatal(f)
		}
	}
}
