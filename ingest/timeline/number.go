package timeline

import "math"

// Unit is the unit that a source writes a duration in.
type Unit int64

// The units, as nanoseconds.
const (
	Nanosecond  Unit = 1
	Microsecond Unit = 1e3
	Millisecond Unit = 1e6
	Second      Unit = 1e9
	Minute      Unit = 60e9
	Hour        Unit = 3600e9
)

// Parsed says what became of a literal.
type Parsed uint8

// What may become of a literal.
const (
	ParsedOK    Parsed = iota
	ParsedRange        // a number, but not one that a column can hold: NaN, infinite, too large
	ParsedBad          // not a number
)

// ParseScaled reads a decimal literal (sign, digits, fraction, exponent; also
// NaN and Infinity in the spellings of Go, Python and JavaScript) and returns
// it times num/den, rounded to the nearest whole number, half away from zero.
// It is exact for literals of up to 18 significant digits.
func ParseScaled(lit []byte, num, den int64) (int64, Parsed) {
	d, p := parseDecimal(lit)
	if p != ParsedOK {
		return 0, p
	}
	if num <= 0 || den <= 0 { // no unit: nothing to read the number in
		return 0, ParsedBad
	}
	return d.scale(num, den)
}

// decimal is mant × 10^exp; digits beyond the nineteenth are cut off.
type decimal struct {
	neg  bool
	mant uint64
	exp  int
}

const maxMant = (math.MaxUint64 - 9) / 10

func parseDecimal(lit []byte) (decimal, Parsed) {
	var d decimal
	i := 0
	if i < len(lit) && (lit[i] == '-' || lit[i] == '+') {
		d.neg = lit[i] == '-'
		i++
	}
	start, digits := i, 0
	for ; i < len(lit) && lit[i]-'0' < 10; i++ {
		d.push(lit[i], &digits, false)
	}
	if i < len(lit) && lit[i] == '.' {
		for i++; i < len(lit) && lit[i]-'0' < 10; i++ {
			d.push(lit[i], &digits, true)
		}
	}
	if digits == 0 {
		return d, wordParsed(lit[start:])
	}
	if i < len(lit) && (lit[i] == 'e' || lit[i] == 'E') {
		exp, ok := parseExponent(lit[i+1:])
		if !ok {
			return d, ParsedBad
		}
		d.exp += exp
		i = len(lit)
	}
	if i != len(lit) {
		return d, ParsedBad
	}
	return d, ParsedOK
}

func (d *decimal) push(c byte, digits *int, fraction bool) {
	*digits++
	if d.mant > maxMant {
		if !fraction {
			d.exp++
		}
		return
	}
	d.mant = d.mant*10 + uint64(c-'0')
	if fraction {
		d.exp--
	}
}

func parseExponent(lit []byte) (int, bool) {
	neg := false
	if len(lit) > 0 && (lit[0] == '-' || lit[0] == '+') {
		neg = lit[0] == '-'
		lit = lit[1:]
	}
	if len(lit) == 0 {
		return 0, false
	}
	exp := 0
	for _, c := range lit {
		if c-'0' > 9 {
			return 0, false
		}
		exp = min(exp*10+int(c-'0'), 100_000)
	}
	if neg {
		exp = -exp
	}
	return exp, true
}

// wordParsed tells the spellings of NaN and Infinity from other text.
func wordParsed(lit []byte) Parsed {
	switch string(lit) {
	case "NaN", "nan", "NAN", "Inf", "inf", "Infinity", "infinity", "INF":
		return ParsedRange
	}
	return ParsedBad
}

func (d decimal) scale(num, den int64) (int64, Parsed) {
	mant, exp := d.mant, d.exp
	if mant == 0 {
		return 0, ParsedOK
	}
	// Fold trailing zeros of the literal and powers of ten of num and den into exp.
	for exp < 0 && mant%10 == 0 {
		mant, exp = mant/10, exp+1
	}
	for num%10 == 0 {
		num, exp = num/10, exp+1
	}
	for den%10 == 0 {
		den, exp = den/10, exp-1
	}
	v, ok := mulPow(mant, uint64(num), exp)
	if !ok {
		return 0, ParsedRange
	}
	v, ok = divPow(v, uint64(den), exp)
	if !ok || v > math.MaxInt64 {
		return 0, ParsedRange
	}
	if d.neg {
		return -int64(v), ParsedOK
	}
	return int64(v), ParsedOK
}

func mulPow(mant, num uint64, exp int) (uint64, bool) {
	if num != 0 && mant > math.MaxUint64/num {
		return 0, false
	}
	mant *= num
	for ; exp > 0; exp-- {
		if mant > math.MaxUint64/10 {
			return 0, false
		}
		mant *= 10
	}
	return mant, true
}

// divPow divides by den × 10^-exp (for exp below 0), rounding half up once: the
// digits cut off before the last one cannot change which way a half goes.
func divPow(v, den uint64, exp int) (uint64, bool) {
	for ; exp < -1 && v != 0; exp++ {
		v /= 10
	}
	if v == 0 {
		return 0, true
	}
	if exp == -1 {
		if den > math.MaxUint64/10 {
			return 0, false
		}
		den *= 10
	}
	if den == 1 {
		return v, true
	}
	q, r := v/den, v%den
	if r >= den-r {
		q++
	}
	return q, true
}

// Micros reads a literal of the given unit as whole microseconds.
func Micros(lit []byte, unit Unit) (int64, Parsed) {
	return ParseScaled(lit, int64(unit), 1000)
}
