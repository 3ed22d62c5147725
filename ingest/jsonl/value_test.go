package jsonl

import (
	"math/rand/v2"
	"testing"
)

// TestDecimal compares the reader of eight digits at once with the one of one
// digit at a time.
func TestDecimal(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	const digits, others = "0123456789", ".,}e- \x00\xff/:"
	read := 0
	for range 200_000 {
		b := make([]byte, 1+r.IntN(30))
		for i := range b {
			b[i] = digits[r.IntN(len(digits))]
			if r.IntN(5) == 0 {
				b[i] = others[r.IntN(3+r.IntN(len(others)-3))]
			}
		}
		i := r.IntN(len(b))
		mant, frac, end := decimal(b, i)
		wantMant, wantFrac, wantEnd := slowDecimal(b, i)
		if mant != wantMant || frac != wantFrac || end != wantEnd {
			t.Fatalf("%q at %d: %d, %d, %d; want %d, %d, %d", b, i, mant, frac, end, wantMant, wantFrac, wantEnd)
		}
		if end > 0 {
			read++
		}
	}
	if read < 10_000 {
		t.Errorf("only %d numbers among them", read)
	}
}
