package report

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"sync"

	"ttdiag/diagnose"
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// CSV appends diagnoses as comma-separated values. What is absent is empty. It
// is safe for concurrent use.
type CSV struct {
	names   []string
	columns map[string]int
	rows    sync.Pool // of *csvRow
}

// NewCSV returns the layout of diagnoses as comma-separated values.
func NewCSV() *CSV {
	c := &CSV{names: diagnosisColumns(), columns: map[string]int{}}
	for i, name := range c.names {
		c.columns[name] = i
	}
	return c
}

// Header returns the first line.
func (c *CSV) Header() string { return string(appendCSV(nil, c.names)) }

// appendCSV appends one line.
func appendCSV(to []byte, cells []string) []byte {
	var line bytes.Buffer
	w := csv.NewWriter(&line)
	_ = w.Write(cells) // a buffer takes everything
	w.Flush()
	return append(to, line.Bytes()...)
}

// diagnosisColumns returns the columns: the verdict, then what the record
// holds, then what follows from it.
func diagnosisColumns() []string {
	list := []string{
		"request_id", "attempt", "model", "outcome", "class", "stage", "also_slow", "between", "would_need",
		"metric", "value", "limit", "relation", "lower_bound", "notes",
	}
	for c := range timeline.Column(timeline.NumColumns) {
		switch name := c.String(); {
		case c.Info().Group == timeline.GroupInternal && c != timeline.ColVisibleOutputTPS:
		case name == "request_id" || name == "attempt" || name == "model" || name == "outcome":
		default:
			list = append(list, name)
		}
	}
	return append(list, "end_to_end_ms", "final_response_ms", "event_to_response_gap_ms", "response_to_text_gap_ms",
		"visible_generation_window_ms", "effective_output_tps", "inter_token_latency_ms", "relay_tail_ms", "local_ms",
		"source_file", "source_line", "source_byte")
}

// Append appends one diagnosis as a line.
func (c *CSV) Append(to []byte, d *diagnose.Diagnosis) []byte {
	r, _ := c.rows.Get().(*csvRow)
	if r == nil {
		r = &csvRow{columns: c.columns, cells: make([]span, len(c.names))}
	}
	defer c.rows.Put(r)
	r.text = r.text[:0]
	clear(r.cells)
	r.verdict(d)
	for _, list := range [][]diagnose.Value{d.Metadata, d.Timings, d.Tokens, d.Derived} {
		for _, v := range list {
			r.value(v)
		}
	}
	r.set("source_file", d.Source.File)
	if d.Source.Line > 0 {
		r.number("source_line", d.Source.Line, rules.Plain)
	}
	if d.Source.Byte >= 0 {
		r.number("source_byte", d.Source.Byte, rules.Plain)
	}
	return r.appendTo(to)
}

// csvRow is one line on its way.
type csvRow struct {
	columns map[string]int
	text    []byte // of all cells, in the order in which they were set
	cells   []span // by column
}

// span is a part of a text.
type span struct{ from, to int }

// appendTo appends the cells as a line.
func (c *csvRow) appendTo(to []byte) []byte {
	for i, s := range c.cells {
		if i > 0 {
			to = append(to, ',')
		}
		cell := c.text[s.from:s.to]
		if isBare(cell) {
			to = append(to, cell...)
			continue
		}
		to = appendCSV(to, []string{string(cell)})
		to = to[:len(to)-1] // its line end
	}
	return append(to, '\n')
}

// isBare reports whether a cell surely needs no quotes.
func isBare(cell []byte) bool {
	for i, b := range cell {
		switch {
		case b < ' ', b >= 0x7f, b == '"', b == ',', b == '\\', b == ' ' && i == 0:
			return false
		}
	}
	return true
}

func (c *csvRow) verdict(d *diagnose.Diagnosis) {
	c.set("request_id", d.RequestID)
	if d.Attempt > 0 {
		c.number("attempt", d.Attempt, rules.Plain)
	}
	c.set("model", d.Model)
	c.set("outcome", d.Outcome.String())
	c.set("class", d.Class.String())
	c.set("stage", d.Stage)
	c.set("also_slow", strings.Join(d.AlsoSlow, " "))
	c.set("between", strings.Join(d.Between, " "))
	c.set("would_need", strings.Join(d.WouldNeed, " "))
	c.set("notes", strings.Join(d.Notes, " "))
	if e := d.Evidence; e != nil {
		c.set("metric", e.Metric)
		c.number("value", e.Value, e.Unit)
		c.number("limit", e.Limit, e.Unit)
		c.set("relation", e.Relation)
		c.set("lower_bound", strconv.FormatBool(e.LowerBound))
	}
}

func (c *csvRow) value(v diagnose.Value) {
	if v.Unit == rules.Text {
		c.set(v.Name, v.Text)
		return
	}
	c.number(v.Name, v.Num, v.Unit)
}

func (c *csvRow) number(name string, v int64, unit rules.Unit) {
	i, ok := c.columns[name]
	if !ok {
		return
	}
	from := len(c.text)
	switch unit {
	case rules.Flag:
		c.text = strconv.AppendBool(c.text, v != 0)
	case rules.Timestamp:
		c.text = appendTime(c.text, v)
	default:
		c.text = diagnose.AppendScaled(c.text, v, unit.Scale())
	}
	c.cells[i] = span{from, len(c.text)}
}

// set puts text into a column. A cell that a spreadsheet would take for a
// formula gets an apostrophe; what is not printable is escaped.
func (c *csvRow) set(name, text string) {
	i, ok := c.columns[name]
	if !ok {
		return
	}
	from := len(c.text)
	text = plainText(text, 0)
	if text != "" && strings.ContainsRune("=+@", rune(text[0])) {
		c.text = append(c.text, '\'')
	}
	c.text = append(c.text, text...)
	c.cells[i] = span{from, len(c.text)}
}
