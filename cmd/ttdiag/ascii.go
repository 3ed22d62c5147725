package main

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// asciiWriter writes text in ASCII only, for --ascii: signs have a spelling, and
// what else stands in a label becomes an escape. Each write is of whole
// characters.
type asciiWriter struct{ to io.Writer }

// signs are those of ttdiag's own texts; one character for one where a table
// counts them.
var signs = strings.NewReplacer("…", "~", "–", "-", "−", "-", "≥ ", ">=", "≤ ", "<=", "≥", ">=", "≤", "<=",
	"÷", "/", "×", "x", "µ", "u", "·", ".", "█", "#", "→", "->")

// Write implements io.Writer.
func (w asciiWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, asciiText(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func asciiText(text string) string {
	text = signs.Replace(text)
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			b.WriteByte(text[i])
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		quoted := strconv.QuoteToASCII(text[i : i+size])
		b.WriteString(quoted[1 : len(quoted)-1])
		i += size
	}
	return b.String()
}
