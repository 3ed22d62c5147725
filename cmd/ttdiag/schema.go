package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"ttdiag/diagnose/report"
)

// schemaCmd prints JSON Schemas.
type schemaCmd struct {
	Name string `arg:"" optional:"" help:"A document, such as diagnosis or ttdiag.diagnosis/1. Without one, all are listed."`
}

// Run executes the command.
func (c *schemaCmd) Run(s std, g *globals) error {
	if c.Name == "" {
		return listSchemas(s, g)
	}
	text, ok := report.Schema(c.Name)
	if !ok {
		return usageError(fmt.Errorf("no schema %s; there are %s", printable(c.Name), list(report.Schemas())))
	}
	return writeOut(s, text, nil)
}

// schemaDoc names one schema.
type schemaDoc struct {
	ID    string `json:"$id"`
	Title string `json:"title"`
}

func listSchemas(s std, g *globals) error {
	var docs []schemaDoc
	for _, name := range report.Schemas() {
		text, _ := report.Schema(name)
		var d schemaDoc
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			return fmt.Errorf("schema %s: %w", name, err)
		}
		docs = append(docs, d)
	}
	switch k := g.kind(s); k {
	case asJSON, asJSONL:
		return writeDocs(s, k, docs)
	case asCSV:
		return usageError(errors.New("schema has no csv; take table, json, jsonl or markdown"))
	}
	var rows [][]string
	for _, d := range docs {
		rows = append(rows, []string{d.ID, d.Title})
	}
	text, err := report.Listing([]report.Column{report.Left("schema"), report.Left("of what")}, rows, g.style(s), g.kind(s) == asMarkdown)
	return writeOut(s, text, err)
}
