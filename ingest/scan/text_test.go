package scan

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// plainString is String, one byte at a time.
func plainString(b []byte, i int) (end int, escaped bool, f Fault) {
	for i++; ; {
		if i >= len(b) {
			return len(b), escaped, Truncated
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, escaped, OK
		case c == '\\':
			escaped = true
			if i, f = escape(b, i); f != OK {
				return i, escaped, f
			}
		case c < 0x20:
			return i, escaped, Syntax
		default:
			r, size := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && size == 1 {
				if !utf8.FullRune(b[i:]) {
					return i, escaped, Truncated
				}
				return i, escaped, UTF8
			}
			i += size
		}
	}
}

// TestStringBytewise compares the reader of words with the one of bytes.
func TestStringBytewise(t *testing.T) {
	pieces := []string{"a", "]", " ", "!", "#", "quick", "brown fox jumps over", strings.Repeat("long ", 40), `\n`, `\"`, `\\`, `\/`,
		`\u00e9`, "é", "\u07ff", "据", "据说那只", "\u0800", "\ud7ff", "\ue000", "😀", "\x7f"}
	broken := []string{`"`, `\x`, `\u12g4`, "\x1f", "\x00", "\xff", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe6\x8d", "\xc3", `\`}
	r := rand.New(rand.NewPCG(3, 4))
	faults := map[Fault]int{}
	for range 100_000 {
		var b strings.Builder
		b.WriteByte('"')
		for range r.IntN(20) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		if r.IntN(3) == 0 {
			b.WriteString(broken[r.IntN(len(broken))])
		}
		b.WriteString(strings.Repeat("z", r.IntN(9)))
		b.WriteString(`"`)
		b.WriteString(strings.Repeat(",", r.IntN(9)))
		doc := []byte(b.String())
		doc = doc[:len(doc)-r.IntN(min(4, len(doc)))]
		end, escaped, f := String(doc, 0)
		wantEnd, wantEscaped, want := plainString(doc, 0)
		if end != wantEnd || escaped != wantEscaped || f != want {
			t.Fatalf("%q: %d, %v, %d; want %d, %v, %d", doc, end, escaped, f, wantEnd, wantEscaped, want)
		}
		faults[f]++
	}
	for _, f := range []Fault{OK, Syntax, Truncated, UTF8} {
		if faults[f] < 500 {
			t.Errorf("fault %d came %d times only", f, faults[f])
		}
	}
}
