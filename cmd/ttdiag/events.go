package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ttdiag/diagnose"
	"ttdiag/diagnose/report"
	"ttdiag/ingest"
	"ttdiag/ingest/stream"
)

// eventsCmd lists the classified events of one recorded stream.
type eventsCmd struct {
	File       string `arg:"" help:"A recording, or - for standard input."`
	RequestID  string `arg:"" optional:"" name:"request-id" help:"Identifier of the request, or #3 for the third. Not needed where there is one."`
	Format     string `placeholder:"NAME" help:"Format of the recording. Default: detected."`
	ThinkTags  bool   `help:"Take <think> inside visible text for reasoning."`
	Transcript bool   `help:"Count the transcript of spoken output as visible text."`
}

// eventDoc is one event in output. Sizes and classes only: there is no text.
type eventDoc struct {
	Schema  string   `json:"schema"`
	Number  int      `json:"event"`
	AtMs    *ms      `json:"t_ms,omitempty"`
	GapMs   *ms      `json:"gap_ms,omitempty"`
	Dialect string   `json:"dialect"`
	Type    string   `json:"type,omitempty"`
	Classes []string `json:"classes"`
	Bytes   int64    `json:"bytes"`
	Tokens  *tokens  `json:"tokens,omitempty"`
	Sets    []string `json:"sets"`
}

// tokens are the counts that an event says, absent ones left out.
type tokens struct {
	Input     *int64 `json:"input_tokens,omitempty"`
	Cached    *int64 `json:"cached_input_tokens,omitempty"`
	Output    *int64 `json:"output_tokens,omitempty"`
	Reasoning *int64 `json:"reasoning_tokens,omitempty"`
}

// ms are microseconds that print as milliseconds.
type ms int64

// MarshalJSON implements json.Marshaler.
func (m ms) MarshalJSON() ([]byte, error) { return diagnose.AppendScaled(nil, int64(m), 1000), nil }

// Run executes the command.
func (c *eventsCmd) Run(ctx context.Context, s std, g *globals) error {
	found, err := c.list(ctx, s)
	if err != nil {
		return err
	}
	docs := []eventDoc{}
	for i := range found.Events {
		docs = append(docs, describeEvent(&found.Events[i]))
	}
	switch k := g.kind(s); k {
	case asJSON, asJSONL:
		return writeDocs(s, k, docs)
	case asCSV:
		return usageError(errors.New("events has no csv; take table, json, jsonl or markdown"))
	}
	return writeEvents(s, g, docs)
}

func (c *eventsCmd) list(ctx context.Context, s std) (*stream.EventList, error) {
	in := &inputFlags{Files: []string{c.File}, Format: c.Format, ThinkTags: c.ThinkTags, Transcript: c.Transcript}
	req, err := in.request(s, in.Files, memoryPlan{})
	if err != nil {
		return nil, err
	}
	r, format, err := ingest.Single(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", printable(c.File), err)
	}
	defer r.Close()
	found, err := stream.Events(ctx, format.Name, r, c.RequestID, req.Options)
	if errors.Is(err, stream.ErrNotAStream) {
		return nil, fmt.Errorf("%s: %w: it is %s", printable(c.File), err, format.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", printable(c.File), err)
	}
	return found, nil
}

func describeEvent(e *stream.Event) eventDoc {
	d := eventDoc{
		Schema: "ttdiag.event/1", Number: e.Number, Dialect: e.Dialect.String(), Type: e.Type,
		Classes: e.Classes.Names(), Bytes: e.Bytes, Sets: append([]string{}, e.Sets.Names()...),
	}
	if us, ok := e.At.Micros(); ok {
		d.AtMs = (*ms)(&us)
	}
	if us, ok := e.Gap.Micros(); ok {
		d.GapMs = (*ms)(&us)
	}
	t := tokens{said(e.Tokens.Input), said(e.Tokens.Cached), said(e.Tokens.Output), said(e.Tokens.Reasoning)}
	if t != (tokens{}) {
		d.Tokens = &t
	}
	return d
}

func said(c stream.Count) *int64 {
	if n, ok := c.Value(); ok {
		return &n
	}
	return nil
}

func writeEvents(s std, g *globals, docs []eventDoc) error {
	var rows [][]string
	for _, d := range docs {
		rows = append(rows, []string{
			fmt.Sprint(d.Number), millis(d.AtMs), millis(d.GapMs), d.Type, strings.Join(d.Classes, " "),
			report.Count(d.Bytes), d.Tokens.text(), strings.Join(d.Sets, " "),
		})
	}
	cols := []report.Column{
		report.Right("#"), report.Right("t (ms)"), report.Right("gap (ms)"), report.Left("type"), report.Left("class"),
		report.Right("bytes"), report.Left("tokens"), report.Left("sets"),
	}
	text, err := report.Listing(cols, rows, g.style(s), g.kind(s) == asMarkdown)
	if err == nil && len(docs) > 0 {
		text = "dialect " + docs[len(docs)-1].Dialect + "\n\n" + text
	}
	return writeOut(s, text, err)
}

func millis(m *ms) string {
	if m == nil {
		return "–"
	}
	return string(diagnose.AppendScaled(nil, int64(*m), 1000))
}

func (t *tokens) text() string {
	if t == nil {
		return ""
	}
	var parts []string
	for _, p := range []struct {
		name string
		n    *int64
	}{{"in", t.Input}, {"cached", t.Cached}, {"out", t.Output}, {"reasoning", t.Reasoning}} {
		if p.n != nil {
			parts = append(parts, fmt.Sprintf("%s %d", p.name, *p.n))
		}
	}
	return strings.Join(parts, ", ")
}
