package report

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ttdiag/diagnose"
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// absent is how tables show what is not there.
const absent = "–"

// names returns the names of columns, never nil.
func names(m timeline.Mask) []string {
	out := []string{}
	for c := range m.All {
		out = append(out, c.String())
	}
	return out
}

// plainText returns text for a terminal or a page of at most width characters
// (0 is any): what is not printable becomes a visible escape, the rest is cut
// with an ellipsis.
func plainText(s string, width int) string {
	if isASCII(s) && (width == 0 || len(s) <= width) {
		return s
	}
	var b strings.Builder
	n := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		piece := s[i : i+size]
		if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) {
			quoted := strconv.QuoteToASCII(piece)
			piece = quoted[1 : len(quoted)-1]
		}
		if n += utf8.RuneCountInString(piece); width > 0 && n > width {
			return cut(b.String(), width)
		}
		b.WriteString(piece)
		i += size
	}
	return b.String()
}

// isASCII reports whether s is printable ASCII.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// cut shortens s to width characters, the last of which is an ellipsis.
func cut(s string, width int) string {
	runes := []rune(s)
	if len(runes) >= width {
		runes = runes[:max(width-1, 0)]
	}
	return string(runes) + "…"
}

// quantity returns a number with its unit for people: 240 ms, 6.1 s, 2m05s,
// 9.8 tok/s.
func quantity(v int64, unit rules.Unit) string {
	switch unit {
	case rules.Milliseconds:
		return duration(v)
	case rules.TokensPerSecond:
		return rate(v)
	case rules.Tokens:
		return grouped(v) + " tokens"
	}
	return string(diagnose.AppendScaled(nil, v, unit.Scale()))
}

func duration(us int64) string {
	switch {
	case us < 0:
		return "-" + duration(-us)
	case us < 10_000:
		return string(diagnose.AppendScaled(nil, (us+5)/10*10, 1000)) + " ms"
	case us < 1_000_000:
		return strconv.FormatInt((us+500)/1000, 10) + " ms"
	case us < 100_000_000:
		return strconv.FormatFloat(float64(us)/1e6, 'f', 2, 64) + " s"
	}
	s := (us + 500_000) / 1_000_000
	if s < 3600 {
		return strconv.FormatInt(s/60, 10) + "m" + two(s%60) + "s"
	}
	return strconv.FormatInt(s/3600, 10) + "h" + two(s/60%60) + "m"
}

func two(v int64) string {
	if v < 10 {
		return "0" + strconv.FormatInt(v, 10)
	}
	return strconv.FormatInt(v, 10)
}

func rate(v int64) string {
	f := float64(v) / 1e6
	if f < 100 {
		return strconv.FormatFloat(f, 'f', 1, 64) + " tok/s"
	}
	return strconv.FormatFloat(f, 'f', 0, 64) + " tok/s"
}

// many returns a count with its noun, which takes an s unless there is one.
func many(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}

// grouped returns a count with separators: 1,234,567.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	var parts []string
	for len(text) > 3 {
		parts = append([]string{text[len(text)-3:]}, parts...)
		text = text[:len(text)-3]
	}
	return sign + strings.Join(append([]string{text}, parts...), ",")
}

// percent returns a share for people. A share that is not 0 never shows as 0.
func percent(count, n int64) string {
	switch {
	case n == 0:
		return absent
	case count > 0 && count*1000 < n:
		return "<0.1 %"
	}
	return strconv.FormatFloat(100*float64(count)/float64(n), 'f', 1, 64) + " %"
}

// bytesText returns a size for people.
func bytesText(n int64) string {
	const unit = 1000
	if n < unit {
		return strconv.FormatInt(n, 10) + " B"
	}
	size, k := float64(n)/unit, 0
	for ; size >= unit && k < 4; k++ {
		size /= unit
	}
	return strconv.FormatFloat(size, 'f', 1, 64) + " " + []string{"kB", "MB", "GB", "TB", "PB"}[k]
}
