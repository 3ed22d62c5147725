package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ttdiag/diagnose/report"
	"ttdiag/ingest"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// formatsCmd says what each input format can tell.
type formatsCmd struct {
	Name string `arg:"" optional:"" help:"One format, column by column; or a family, such as nginx."`
}

// formatDoc is one format in output.
type formatDoc struct {
	Schema     string      `json:"schema"`
	Name       string      `json:"name"`
	Family     string      `json:"family"`
	Title      string      `json:"title"`
	Vantage    string      `json:"vantage,omitempty"`
	Columns    []columnDoc `json:"columns"`
	Never      []string    `json:"never"`
	FirstToken string      `json:"first_token,omitempty"`
	More       string      `json:"more,omitempty"`
}

// columnDoc is one column of a format in output.
type columnDoc struct {
	Column  string `json:"column"`
	Quality string `json:"quality"`
	Field   string `json:"field,omitempty"`
	Unit    string `json:"unit,omitempty"`
	Origin  string `json:"origin,omitempty"`
	Point   string `json:"point,omitempty"`
	Bias    string `json:"bias,omitempty"`
}

// Run executes the command.
func (c *formatsCmd) Run(s std, g *globals) error {
	docs := formatsNamed(c.Name)
	if len(docs) == 0 {
		return usageError(fmt.Errorf("no format %s; ttdiag formats lists them", printable(c.Name)))
	}
	switch k := g.kind(s); k {
	case asJSON, asJSONL:
		return writeDocs(s, k, docs)
	case asCSV:
		return usageError(errors.New("formats has no csv; take table, json, jsonl or markdown"))
	default:
		if c.Name != "" && len(docs) == 1 {
			return writeFormat(s, g, &docs[0])
		}
		return writeFormats(s, g, docs)
	}
}

// formatsNamed returns the format of that name, else those of the family that
// it names, else those whose names begin with it; without a name, all.
func formatsNamed(name string) []formatDoc {
	for _, named := range []func(f *source.Format) bool{
		func(f *source.Format) bool { return name == "" || f.Name == name },
		func(f *source.Format) bool { return strings.EqualFold(f.Family, name) },
		func(f *source.Format) bool {
			rest, ok := strings.CutPrefix(f.Name, strings.ToLower(name))
			return ok && strings.IndexAny(rest, "_-") == 0
		},
	} {
		var docs []formatDoc
		for _, f := range ingest.Formats() {
			if named(f) {
				docs = append(docs, describe(f))
			}
		}
		if len(docs) > 0 {
			return docs
		}
	}
	return nil
}

func describe(f *source.Format) formatDoc {
	d := formatDoc{
		Schema: "ttdiag.format/1", Name: f.Name, Family: f.Family, Title: f.Title, Vantage: f.Vantage,
		FirstToken: f.FirstToken, More: f.More, Columns: []columnDoc{}, Never: []string{},
	}
	known := timeline.Mask(0)
	for _, c := range f.Capabilities() {
		known = known.With(c.Column)
		d.Columns = append(d.Columns, columnDoc{
			Column: c.Column.String(), Quality: qualityWord(c.Quality), Field: c.Field, Unit: c.Unit,
			Origin: c.Origin, Point: c.Point, Bias: c.Bias,
		})
	}
	for c := range timeline.Column(timeline.NumColumns) {
		if g := c.Info().Group; !known.Has(c) && g == timeline.GroupTimings {
			d.Never = append(d.Never, c.String())
		}
	}
	return d
}

func qualityWord(q source.Quality) string {
	switch q {
	case source.Exact:
		return "exact"
	case source.Approx:
		return "approximate"
	}
	return "sometimes"
}

// writeDocs writes one JSON array, or one document a line.
func writeDocs[T any](s std, k kind, docs []T) error {
	if k == asJSON {
		text, err := json.MarshalIndent(docs, "", " ")
		return writeOut(s, string(text)+"\n", err)
	}
	var lines strings.Builder
	for _, d := range docs {
		text, err := json.Marshal(d)
		if err != nil {
			return fmt.Errorf("encode: %w", err)
		}
		lines.Write(append(text, '\n'))
	}
	return writeOut(s, lines.String(), nil)
}

func writeFormats(s std, g *globals, docs []formatDoc) error {
	var rows [][]string
	for _, d := range docs {
		rows = append(rows, []string{d.Name, d.marks(), d.Title})
	}
	cols := []report.Column{report.Left("format"), report.Left("marks"), report.Left("what it is")}
	text, err := report.Listing(cols, rows, g.style(s), g.kind(s) == asMarkdown)
	if err != nil {
		return err
	}
	text += "\n" + report.Fold("marks: t2 headers, t3 first event, t4 first response, t5 first text, t6 done, t7 total; "+
		"~ is approximate.\nttdiag formats NAME shows one, column by column.", g.style(s))
	return writeOut(s, text, nil)
}

// marks names the marks that the format has, in a few characters.
func (d *formatDoc) marks() string {
	names := map[string]string{
		"upstream_headers_ms": "t2", "first_sse_event_ms": "t3", "first_response_ms": "t4",
		"first_text_delta_ms": "t5", "upstream_done_ms": "t6", "total_handler_ms": "t7",
	}
	var out []string
	exact := map[string]bool{}
	for _, c := range d.Columns {
		exact[c.Column] = exact[c.Column] || c.Quality != "approximate"
	}
	for _, c := range d.Columns {
		mark := names[c.Column]
		if mark != "" && !exact[c.Column] {
			mark = "~" + mark
		}
		if mark != "" && !slices.Contains(out, mark) {
			out = append(out, mark)
		}
	}
	return strings.Join(out, " ")
}

func writeFormat(s std, g *globals, d *formatDoc) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", d.Name, d.Title)
	if d.Vantage != "" {
		fmt.Fprintf(&b, "clock of the %s\n", d.Vantage)
	}
	var rows [][]string
	for _, c := range d.Columns {
		rows = append(rows, []string{c.Column, c.Quality, c.Field, c.Unit})
	}
	cols := []report.Column{report.Left("column"), report.Left("quality"), report.Left("field"), report.Left("unit")}
	text, err := report.Listing(cols, rows, g.style(s), g.kind(s) == asMarkdown)
	if err != nil {
		return err
	}
	b.WriteString("\n" + text)
	for _, c := range d.Columns {
		if c.Bias != "" || c.Origin != "" || c.Point != "" {
			b.WriteString("\n" + report.Fold(c.sentence(), g.style(s)))
		}
	}
	if len(d.Never) > 0 {
		b.WriteString("\n" + report.Fold("Never: "+list(d.Never)+".", g.style(s)))
	}
	if d.FirstToken != "" {
		b.WriteString("\n" + report.Fold("Its first token: "+d.FirstToken, g.style(s)))
	}
	if d.More != "" {
		b.WriteString("\nTo record more:\n" + report.Fold("  "+d.More, g.style(s))) // not folded: it is copied
	}
	return writeOut(s, b.String(), nil)
}

// sentence says what the source really measures.
func (c *columnDoc) sentence() string {
	var parts []string
	if c.Origin != "" {
		parts = append(parts, "counts from "+c.Origin)
	}
	if c.Point != "" {
		parts = append(parts, "marks "+c.Point)
	}
	if c.Bias != "" {
		parts = append(parts, c.Bias)
	}
	return c.Column + ": " + strings.Join(parts, "; ")
}

// writeDoc writes one JSON document.
func writeDoc[T any](s std, d T) error {
	text, err := json.MarshalIndent(d, "", " ")
	return writeOut(s, string(text)+"\n", err)
}
