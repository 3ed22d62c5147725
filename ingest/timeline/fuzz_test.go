package timeline

import (
	"math"
	"math/big"
	"testing"
	"time"
)

// FuzzParseScaled checks numbers of up to 18 digits against exact arithmetic.
func FuzzParseScaled(f *testing.F) {
	for _, lit := range []string{"0", "-0", "1", "9200.5", "1e3", "1.5E-3", "+7", ".5", "5.", "NaN", "-Infinity", "1e400",
		"0.000499999", "0.0005", "123456789012345678", "99999999999999999999", "1e-400", "1..2", "12ms", "", "-", "1e", "0x10", "1_000"} {
		f.Add(lit)
	}
	f.Fuzz(func(t *testing.T, lit string) {
		got, p := ParseScaled([]byte(lit), 1e6, 1000)
		again, q := ParseScaled([]byte(lit), 1e6, 1000)
		if got != again || p != q {
			t.Fatal("two answers")
		}
		want, ok := exactly(lit)
		if !ok {
			return
		}
		switch {
		case !want.IsInt64() || want.Int64() == math.MinInt64:
			if p == ParsedOK && want.BitLen() > 64 {
				t.Fatalf("%q read as %d; it is %s", lit, got, want)
			}
		case p == ParsedOK && got != want.Int64():
			t.Fatalf("%q read as %d; it is %s", lit, got, want)
		case p == ParsedBad:
			t.Fatalf("%q is a number", lit)
		}
	})
}

// exactly returns a thousand times lit, rounded half away from zero, for plain
// literals of few digits.
func exactly(lit string) (*big.Int, bool) {
	digits := 0
	for i := range len(lit) {
		switch c := lit[i]; {
		case '0' <= c && c <= '9':
			digits++
		case c == '.', c == '-' && i == 0:
		default:
			return nil, false
		}
	}
	r, ok := new(big.Rat).SetString(lit)
	if !ok || digits > 18 {
		return nil, false
	}
	r.Mul(r, big.NewRat(1000, 1))
	half := big.NewRat(1, 2)
	if r.Sign() < 0 {
		half.Neg(half)
	}
	r.Add(r, half)
	return new(big.Int).Quo(r.Num(), r.Denom()), true
}

// FuzzParseTimestamp checks dates against package time.
func FuzzParseTimestamp(f *testing.F) {
	for _, text := range []string{"2026-08-21T03:15:33Z", "2026-08-21 03:15:33.5123", "2026-08-21T05:15:33,512345678+0200",
		"2026-02-29T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:60Z", "2026-08-21T03:15:33.Z", "2026-08-21T03:15:33 UTC",
		"1787282133", "2026-08-21", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := ParseTimestamp([]byte(text), nil)
		again, ok2 := ParseTimestamp([]byte(text), nil)
		if got != again || ok != ok2 {
			t.Fatal("two answers")
		}
		want, err := time.Parse(time.RFC3339Nano, text)
		twoDigits := len(text) >= 19 && text[13] == ':' && text[16] == ':' // package time takes one for an hour
		if err == nil && twoDigits && (!ok || got != want.UnixMicro()) {
			t.Fatalf("%q read as %d, %v; it is %d", text, got, ok, want.UnixMicro())
		}
	})
}

// FuzzSetDecimal checks the digits of a reader against the literal.
func FuzzSetDecimal(f *testing.F) {
	f.Add(uint64(9200), 3)
	f.Add(uint64(math.MaxUint64), 6)
	f.Add(uint64(5), -1)
	f.Fuzz(func(t *testing.T, mant uint64, exp int) {
		exp %= 30
		var r Row
		r.SetDecimal(ColInputTokens, mant, exp)
		got, ok := r.Num(ColInputTokens)
		v := new(big.Rat).SetInt(new(big.Int).SetUint64(mant))
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exp, -exp))), nil)
		if exp >= 0 {
			v.Mul(v, new(big.Rat).SetInt(ten))
		} else {
			v.Quo(v, new(big.Rat).SetInt(ten))
		}
		v.Add(v, big.NewRat(1, 2))
		want := new(big.Int).Quo(v.Num(), v.Denom())
		if ok != want.IsInt64() || ok && got != want.Int64() {
			t.Fatalf("%d × 10^%d is %s; got %d, %v", mant, exp, want, got, ok)
		}
	})
}
