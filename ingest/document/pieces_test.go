package document

import (
	"strings"
	"testing"
	"testing/iotest"
)

func TestPieces(t *testing.T) {
	cases := []struct{ name, doc, want string }{
		{"plain", `"abc"`, "abc"},
		{"empty", `""`, ""},
		{"escapes", `"a\nb\"\\c\u00e9\ud83d\ude00"`, "a\nb\"\\c\u00e9\U0001F600"},
		{"longer than the buffer", `"` + strings.Repeat("x\\t", bufferSize) + `"`, strings.Repeat("x\t", bufferSize)},
		{"cut off", `"abc`, "!"},
		{"no string", `5`, "!"},
		{"bad escape", `"\q"`, "!"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := NewReader(iotest.HalfReader(strings.NewReader(c.doc)))
			var got strings.Builder
			err := r.Pieces(func(p []byte) { got.Write(p) })
			if (err != nil) != (c.want == "!") {
				t.Fatalf("error %v", err)
			}
			if err == nil && got.String() != c.want {
				t.Errorf("%d bytes, want %d", got.Len(), len(c.want))
			}
		})
	}
}
