package source

import "testing"

func TestOutline(t *testing.T) {
	cases := []struct {
		name, head, path string
		kind             byte
	}{
		{"document", `{"a": {"b": [{"c": 1}]}}`, "a.b.[].c", '0'},
		{"cut off", `{"a": {"b": [{"c": 1}, {"d": "xy`, "a.b.[].c", '0'},
		{"cut off inside a string", `{"a": {"b": [{"c": 1}, {"d": "xy`, "a.b.[].d", '"'},
		{"bare infinity", `{"rate": Infinity, "x": [NaN], "y": 1}`, "y", '0'},
		{"top-level array", `[ {"t": null}, {"t": true} ]`, "[].t", 't'},
		{"values", "{\"a\":1}\n{\"b\":2}\n", "b", '0'},
		{"byte order mark", "\xEF\xBB\xBF{\"a\":1}", "a", '0'},
		{"late elements are not noted", `{"a":[1,2,3,4,5,6,7,8,{"z":1}],"b":1}`, "a.[].z", 0},
		{"behind a long array", `{"a":[1,2,3,4,5,6,7,8,{"z":1}],"b":1}`, "b", '0'},
		{"empty", "", "a", 0},
		{"text", "a,b\n1,2\n", "a", 0},
		{"escaped quote in a key", `{"a\"b":1,"c":2}`, "c", '0'},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := &Window{Head: []byte(c.head)}
			if got := w.Outline().Kind(c.path); got != c.kind {
				t.Errorf("Kind(%q) = %q, want %q", c.path, got, c.kind)
			}
		})
	}
}

func FuzzOutline(f *testing.F) {
	for _, s := range []string{`{"a":[{"b":NaN}]}`, `[[[[`, `{"":{"":`, `[,,,]`, `{"a" 1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		w, again := &Window{Head: b}, &Window{Head: b}
		if (w.Outline() == nil) != (again.Outline() == nil) {
			t.Fatal("two answers")
		}
	})
}
