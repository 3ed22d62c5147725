package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ttdiag/diagnose/report"
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// rulesCmd prints the rule table.
type rulesCmd struct {
	Show rulesShowCmd `cmd:"" default:"1" help:"The walk, the table of missing marks, the thresholds in force."`
	SQL  rulesSQLCmd  `cmd:"" name:"sql" help:"The same as one SQL statement."`
}

type rulesShowCmd struct{}

// ruleDoc is one step of the walk in output.
type ruleDoc struct {
	Number    string      `json:"number"`
	Stage     string      `json:"stage"`
	Class     string      `json:"class"`
	Metric    string      `json:"metric"`
	Relation  string      `json:"relation"`
	Threshold string      `json:"threshold"`
	Value     json.Number `json:"value"`
	Unit      string      `json:"unit"`
	Condition string      `json:"condition"`
	LookAt    []string    `json:"look_at"`
}

// intervalDoc is one row of the table of missing marks in output.
type intervalDoc struct {
	Name      string   `json:"name"`
	Metric    string   `json:"metric"`
	Limits    []string `json:"limits"`
	PerToken  bool     `json:"and_output_tokens_at_generation_tps"`
	Between   []string `json:"between"`
	WouldNeed []string `json:"would_need"`
	Condition string   `json:"condition"`
}

// thresholdDoc is one threshold in force in output.
type thresholdDoc struct {
	Key   string      `json:"key"`
	Value json.Number `json:"value"`
	Unit  string      `json:"unit"`
	From  string      `json:"from"`
	Doc   string      `json:"doc"`
}

// rulesDoc is all of it.
type rulesDoc struct {
	Schema     string         `json:"schema"`
	Walk       []ruleDoc      `json:"walk"`
	Intervals  []intervalDoc  `json:"intervals"`
	Terms      []termDoc      `json:"terms"`
	Thresholds []thresholdDoc `json:"thresholds"`
	Overrides  []overrideDoc  `json:"overrides"`
}

type termDoc struct {
	Name      string `json:"name"`
	Doc       string `json:"doc"`
	Condition string `json:"condition"`
}

type overrideDoc struct {
	Model      string         `json:"model,omitempty"`
	Workload   string         `json:"workload,omitempty"`
	Thresholds []thresholdDoc `json:"thresholds"`
}

// Run executes the command.
func (rulesShowCmd) Run(s std, g *globals) error {
	conf, err := loadConfig(s, g)
	if err != nil {
		return err
	}
	d := describeRules(conf.thresholds)
	switch k := g.kind(s); k {
	case asJSON, asJSONL:
		if k == asJSONL {
			return writeDocs(s, k, []rulesDoc{d})
		}
		return writeDoc(s, d)
	case asCSV:
		return usageError(errors.New("rules has no csv; take table, json, jsonl or markdown"))
	}
	return writeRules(s, g, &d)
}

func describeRules(t rules.Thresholds) rulesDoc {
	d := rulesDoc{Schema: "ttdiag.rules/1", Overrides: []overrideDoc{}}
	inForce := t.InForce()
	for _, one := range inForce.Rules {
		d.Thresholds = append(d.Thresholds, describeThreshold(one))
	}
	for _, o := range inForce.Overrides {
		one := overrideDoc{Model: o.Model, Workload: o.Workload}
		for _, set := range o.Rules {
			one.Thresholds = append(one.Thresholds, describeThreshold(set))
		}
		d.Overrides = append(d.Overrides, one)
	}
	table := rules.TheTable()
	for _, l := range table.RuleLines() {
		d.Walk = append(d.Walk, ruleDoc{
			l.Number, l.Stage.String(), l.Class.String(), l.Metric, l.Relation, l.Threshold.Key(),
			json.Number(rules.FormatValue(t.Base[l.Threshold], l.Threshold.Unit())), unitName(l.Threshold.Unit()), l.Condition, l.LookAt,
		})
	}
	for _, l := range table.IntervalLines() {
		var limits []string
		for _, p := range l.Limits {
			limits = append(limits, p.Key())
		}
		d.Intervals = append(d.Intervals, intervalDoc{l.Name, l.Metric, limits, l.PerToken, l.Between, l.WouldNeed, l.Condition})
	}
	for _, l := range table.TermLines() {
		d.Terms = append(d.Terms, termDoc{l.Name, l.Doc, l.Condition})
	}
	return d
}

func describeThreshold(t rules.Threshold) thresholdDoc {
	d := thresholdDoc{Key: "rule." + t.Key, Value: json.Number(rules.FormatValue(t.Value, t.Unit)), Unit: unitName(t.Unit), From: t.From}
	if p, ok := rules.ParamKeyed(t.Key); ok {
		d.Doc = p.Doc()
	}
	return d
}

func unitName(u rules.Unit) string {
	switch u {
	case rules.Milliseconds:
		return "ms"
	case rules.TokensPerSecond:
		return "tokens/s"
	}
	return "tokens"
}

func writeRules(s std, g *globals, d *rulesDoc) error {
	style, markdown := g.style(s), g.kind(s) == asMarkdown
	var walk, limits [][]string
	for _, r := range d.Walk {
		walk = append(walk, []string{r.Number, r.Class, r.Metric, r.Relation + " " + r.Value.String() + " " + r.Unit})
	}
	for _, t := range d.Thresholds {
		limits = append(limits, []string{t.Key, t.Value.String(), t.Unit, t.From})
	}
	var b strings.Builder
	first, err := report.Listing([]report.Column{report.Left("#"), report.Left("class"), report.Left("metric"), report.Left("slow when")}, walk, style, markdown)
	if err != nil {
		return err
	}
	b.WriteString("The walk, in order; the first slow step is the class.\n\n" + first)
	second, err := report.Listing([]report.Column{report.Left("threshold"), report.Right("value"), report.Left("unit"), report.Left("from")}, limits, style, markdown)
	if err != nil {
		return err
	}
	b.WriteString("\nThresholds in force.\n\n" + second)
	for _, o := range d.Overrides {
		b.WriteString("\n" + report.Fold(o.sentence(), style))
	}
	b.WriteString("\nWhere marks are missing, a wait is undetermined beyond the sum of its limits.\n")
	for _, v := range d.Intervals {
		b.WriteString("\n" + report.Fold(v.sentence(), style))
	}
	b.WriteString("\nThe whole conditions: ttdiag rules --output json. As SQL: ttdiag rules sql.\n")
	return writeOut(s, b.String(), nil)
}

func (o *overrideDoc) sentence() string {
	var parts []string
	for _, t := range o.Thresholds {
		parts = append(parts, t.Key+"="+t.Value.String())
	}
	return fmt.Sprintf("model %s, workload %s: %s", orAny(o.Model), orAny(o.Workload), list(parts))
}

func orAny(s string) string {
	if s == "" {
		return "any"
	}
	return printable(s)
}

func (v *intervalDoc) sentence() string {
	limit := strings.Join(v.Limits, " + ")
	if v.PerToken {
		limit += " + output_tokens at rule.generation_tps"
	}
	return fmt.Sprintf("%s: %s > %s: between %s; would need %s", v.Name, v.Metric, limit, list(v.Between), list(v.WouldNeed))
}

// rulesSQLCmd prints the table as SQL.
type rulesSQLCmd struct {
	Dialect string   `default:"duckdb" placeholder:"NAME" help:"duckdb, postgres, clickhouse or sqlite."`
	Table   string   `default:"logs" placeholder:"NAME" help:"Table or table function to read, pasted as it stands."`
	Columns []string `placeholder:"COL" help:"Columns that the table has. Default: all; DuckDB finds out itself."`
}

// Run executes the command.
func (c *rulesSQLCmd) Run(s std, g *globals) error {
	conf, err := loadConfig(s, g)
	if err != nil {
		return err
	}
	have := timeline.Mask(0)
	for _, name := range c.Columns {
		col, ok := timeline.ColumnNamed(name)
		if !ok {
			return usageError(fmt.Errorf("--columns: no column %s", printable(name)))
		}
		have = have.With(col)
	}
	if len(c.Columns) == 0 {
		have = ^timeline.Mask(0) >> (64 - timeline.NumColumns)
	}
	text, err := rules.SQL(c.Dialect, c.Table, have, conf.thresholds)
	if err != nil {
		return usageError(err)
	}
	return writeOut(s, strings.TrimRight(text, "\n")+"\n", nil)
}
