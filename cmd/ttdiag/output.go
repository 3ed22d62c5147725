package main

import (
	"bufio"
	"fmt"
	"io"
	"sync"

	"ttdiag/diagnose/report"
)

// kind is the form of an output.
type kind string

// The forms.
const (
	asTable    kind = "table"
	asJSON     kind = "json"
	asJSONL    kind = "jsonl"
	asCSV      kind = "csv"
	asMarkdown kind = "markdown"
)

// kind returns the chosen form, by default a table on a terminal and JSON lines
// elsewhere.
func (g *globals) kind(s std) kind {
	switch {
	case g.Output != "":
		return kind(g.Output)
	case s.outIsTerm:
		return asTable
	}
	return asJSONL
}

func (g *globals) style(s std) report.Style {
	return report.Style{Width: s.width, ASCII: g.ASCII, Colour: s.colour(g.NoColor)}
}

// writeOut writes a whole output at once, so that half of one is never taken for
// the whole.
func writeOut(s std, text string, err error) error {
	if err != nil {
		return err
	}
	if _, err := io.WriteString(s.out, text); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// texts lends memory for text, again and again: text that grows in new memory is
// mostly the touching of it.
type texts struct{ pool sync.Pool }

// take returns an empty text.
func (t *texts) take() *[]byte {
	text, _ := t.pool.Get().(*[]byte)
	if text == nil {
		return new([]byte)
	}
	*text = (*text)[:0]
	return text
}

// give takes a text back.
func (t *texts) give(text *[]byte) { t.pool.Put(text) }

// buffered returns a writer to standard output for many small writes.
func buffered(s std) *bufio.Writer { return bufio.NewWriterSize(s.out, 1<<16) }
