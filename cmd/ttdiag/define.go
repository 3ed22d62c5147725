package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ttdiag/diagnose/report"
	"ttdiag/ingest"
	"ttdiag/ingest/source"
	"ttdiag/rules"
)

// defineCmd defines metrics, classes and columns.
type defineCmd struct {
	Name string `arg:"" optional:"" help:"A metric, class, column, outcome, note or threshold; or a word of another tool, such as ttft or itl."`
}

// definitionDoc is one definition in output.
type definitionDoc struct {
	Schema    string    `json:"schema"`
	Name      string    `json:"name"`
	Kind      string    `json:"kind"`
	Unit      string    `json:"unit,omitempty"`
	Means     string    `json:"means"`
	Formula   string    `json:"formula,omitempty"`
	Absent    string    `json:"absent_when,omitempty"`
	Elsewhere []string  `json:"elsewhere,omitempty"`
	LookAt    []string  `json:"look_at,omitempty"`
	Tools     []toolDoc `json:"tools,omitempty"`
}

// toolDoc is what one tool calls it.
type toolDoc struct {
	Tool    string `json:"tool"`
	Version string `json:"version,omitempty"`
	Field   string `json:"field"`
	Unit    string `json:"unit,omitempty"`
	Means   string `json:"means"`
}

// Run executes the command.
func (c *defineCmd) Run(s std, g *globals) error {
	docs := definitions(c.Name)
	if len(docs) == 0 {
		return usageError(fmt.Errorf("nothing is called %s; ttdiag define lists all names", printable(c.Name)))
	}
	switch k := g.kind(s); k {
	case asJSON, asJSONL:
		return writeDocs(s, k, docs)
	case asCSV:
		return usageError(errors.New("define has no csv; take table, json, jsonl or markdown"))
	}
	if c.Name == "" {
		return listDefinitions(s, g, docs)
	}
	var b strings.Builder
	for i := range docs {
		b.WriteString(docs[i].text(g.style(s)))
	}
	return writeOut(s, b.String(), nil)
}

// definitions returns what is known of a name, or everything for "".
func definitions(name string) []definitionDoc {
	found := rules.Definitions()
	if name != "" {
		found = rules.Define(name)
	}
	var docs []definitionDoc
	for _, d := range found {
		docs = append(docs, definitionDoc{
			Schema: "ttdiag.definition/1", Name: d.Name, Kind: d.Kind, Unit: d.Unit, Means: d.Means, Formula: d.Formula,
			Absent: d.Absent, Elsewhere: d.Elsewhere, LookAt: d.LookAt, Tools: toolsOf(d.Name),
		})
	}
	if name == "" {
		return docs
	}
	return append(docs, fieldsNamed(name)...)
}

func toolsOf(column string) []toolDoc {
	var out []toolDoc
	for _, t := range ingest.Terms() {
		if t.Column == column {
			out = append(out, tool(t))
		}
	}
	return out
}

func tool(t source.Term) toolDoc {
	return toolDoc{Tool: t.Tool, Version: t.Version, Field: t.Field, Unit: t.Unit, Means: t.Means}
}

// fieldsNamed returns what tools mean by a field of that name, or by one that
// holds it: ttft means something else in each.
func fieldsNamed(name string) []definitionDoc {
	d := definitionDoc{Schema: "ttdiag.definition/1", Name: name, Kind: "field", Means: "What tools mean by a field of this name differs; see each."}
	words := append(abbreviated(name), strings.ToLower(name))
	for _, t := range ingest.Terms() {
		field := strings.ToLower(t.Field)
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(field, w) }) {
			d.Tools = append(d.Tools, tool(t))
		}
	}
	if d.Tools == nil {
		return nil
	}
	return []definitionDoc{d}
}

// abbreviated returns what an abbreviation stands for in names of fields.
func abbreviated(name string) []string {
	switch strings.ToLower(name) {
	case "ttft":
		return []string{"time_to_first", "first_token", "firsttoken", "tofirst", "first token"}
	case "ttfb":
		return []string{"first_byte", "firstbyte"}
	case "itl", "tbt":
		return []string{"inter_token", "intertoken"}
	case "tpot":
		return []string{"time_per_output_token", "time_per_token"}
	}
	return nil
}

func listDefinitions(s std, g *globals, docs []definitionDoc) error {
	var rows [][]string
	for _, d := range docs {
		rows = append(rows, []string{d.Name, d.Kind, d.Unit})
	}
	text, err := report.Listing([]report.Column{report.Left("name"), report.Left("kind"), report.Left("unit")},
		rows, g.style(s), g.kind(s) == asMarkdown)
	return writeOut(s, text, err)
}

func (d *definitionDoc) text(style report.Style) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s%s)\n", d.Name, d.Kind, prefixed(", ", d.Unit))
	b.WriteString(report.Fold(d.Means, style))
	b.WriteString(report.Fold(prefixed("Formula: ", d.Formula), style))
	b.WriteString(report.Fold(prefixed("Absent when ", d.Absent), style))
	if len(d.LookAt) > 0 {
		b.WriteString(report.Fold("Look at "+list(d.LookAt)+".", style))
	}
	for _, text := range d.Elsewhere {
		b.WriteString(report.Fold("Elsewhere: "+text, style))
	}
	for _, t := range d.Tools {
		b.WriteString(report.Fold(fmt.Sprintf("%s%s, %s%s: %s", t.Tool, prefixed(" ", t.Version), t.Field, prefixed(" in ", t.Unit), t.Means), style))
	}
	return b.String() + "\n"
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}
