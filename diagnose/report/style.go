package report

import "strings"

// Style is how text is laid out.
type Style struct {
	Width  int  // columns of the terminal; 0 is 80
	ASCII  bool // only ASCII, for lines and bars
	Colour bool
}

func (s Style) width() int {
	if s.Width <= 0 {
		return 80
	}
	return s.Width
}

// bold and dim colour text where colour is on.
func (s Style) bold(text string) string { return s.wrap("\x1b[1m", text) }
func (s Style) dim(text string) string  { return s.wrap("\x1b[2m", text) }
func (s Style) red(text string) string  { return s.wrap("\x1b[31m", text) }

func (s Style) wrap(code, text string) string {
	if !s.Colour {
		return text
	}
	return code + text + "\x1b[0m"
}

func (s Style) absent() string {
	if s.ASCII {
		return "-"
	}
	return absent
}

func (s Style) atLeast() string {
	if s.ASCII {
		return ">="
	}
	return "≥ "
}

// span returns lo–hi, with the unit once where both have the same.
func (s Style) span(lo, hi string) string {
	dash := "–"
	if s.ASCII {
		dash = "-"
	}
	number, unit, _ := strings.Cut(lo, " ")
	if _, other, _ := strings.Cut(hi, " "); other == unit {
		lo = number
	}
	return lo + dash + hi
}

func (s Style) atMost() string {
	if s.ASCII {
		return "<="
	}
	return "≤ "
}

// fold breaks text at blanks into lines of at most width characters.
func fold(text string, width int) []string {
	var lines []string
	line, n := "", 0
	for _, word := range splitWords(text) {
		w := len([]rune(word))
		if n > 0 && n+1+w > width {
			lines = append(lines, line)
			line, n = "", 0
		}
		if n > 0 {
			line += " "
			n++
		}
		line += word
		n += w
	}
	if n > 0 {
		lines = append(lines, line)
	}
	return lines
}

// Fold breaks each line of text at blanks to the style's width. Lines that begin
// with a blank stay as they are: they are code.
func Fold(text string, style Style) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, " ") {
			b.WriteString(line + "\n")
			continue
		}
		for _, part := range fold(plainText(line, 0), style.width()) {
			b.WriteString(part + "\n")
		}
	}
	return b.String()
}
