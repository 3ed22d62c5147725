package timeline

import (
	"fmt"
	"strings"
	"testing"
)

func TestDict(t *testing.T) {
	d := dict{}
	want := map[string]int32{}
	add := func(text string) {
		code, ok := want[text]
		if !ok {
			code = int32(len(want))
			want[text] = code
		}
		if got := d.code([]byte(text)); got != code {
			t.Fatalf("%q has code %d; want %d", text, got, code)
		}
	}
	for range 3 {
		for i := range 300 {
			for _, pad := range []int{0, 1, 4, 8, 20, 300} {
				add(strings.Repeat("a", pad) + fmt.Sprint(i))
				add(fmt.Sprint(i) + strings.Repeat("a", pad))
				add(strings.Repeat("a", pad) + fmt.Sprint(i) + strings.Repeat("a", pad))
			}
			add(strings.Repeat("\x00", i))
		}
	}
	texts := d.texts()
	for text, code := range want {
		if texts[code] != text {
			t.Fatalf("code %d is %q; want %q", code, texts[code], text)
		}
	}
	d.clear()
	if code := d.code([]byte("b")); code != 0 {
		t.Errorf("the first code after clear is %d", code)
	}
}

// TestTranspose compares with one bit at a time.
func TestTranspose(t *testing.T) {
	var a, b [64]uint64
	for i := range a {
		a[i] = uint64(i+1) * 0x9E3779B97F4A7C15
	}
	b = a
	transpose(&b)
	for r := range 64 {
		for c := range 64 {
			if a[r]>>c&1 != b[c]>>r&1 {
				t.Fatalf("bit %d of row %d", c, r)
			}
		}
	}
}
