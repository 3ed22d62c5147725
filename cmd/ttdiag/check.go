package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/goccy/go-yaml"

	"ttdiag/diagnose"
	"ttdiag/diagnose/report"
)

// checkCmd tests requirements.
type checkCmd struct {
	inputFlags
	filterFlags
	groupFlags
	methodFlags
	Require      []string `placeholder:"REQUIREMENT" sep:"none" help:"A requirement, such as 'first_text_delta_ms p95 < 3s'. Repeatable."`
	Requirements string   `placeholder:"FILE" help:"Requirements, one a line, or as a YAML list."`
	OnInterval   string   `enum:"value,upper" default:"value" help:"What must hold a requirement: the value, or with upper the unfavourable end of its interval too."`
	Report       string   `enum:",junit,github" default:"" placeholder:"FORM" help:"junit for JUnit XML, github for annotations, instead of --output."`
}

// Help says what requirements look like and what the exit status means.
func (checkCmd) Help() string {
	return `Requirements are one of

  METRIC p95|max|min OP VALUE    first_text_delta_ms p95 < 3s
  share WHAT OP PERCENT          share upstream_headers_slow < 1%
  count [WHAT] OP NUMBER         count > 1000

OP is <, <=, > or >=. WHAT is a class, slow, failed or outcome=NAME. Of a speed the slow end is low: visible_output_tps p5 > 15.

The exit status is 0 if all hold, 3 if one failed, else 4 if there is too little data to say.`
}

// Run executes the command.
func (c *checkCmd) Run(ctx context.Context, s std, g *globals) error {
	conf, err := loadConfig(s, g)
	if err != nil {
		return err
	}
	c.configured = conf.maps
	list, err := c.list()
	if err != nil {
		return usageError(err)
	}
	opt, err := tallyOptions(s, &c.inputFlags, &c.filterFlags, &c.groupFlags, &c.methodFlags)
	if err != nil {
		return err
	}
	r, err := openInputs(s, g, &c.inputFlags, true)
	if err != nil {
		return err
	}
	a := &analysis{reading: r, engine: diagnose.New(conf.thresholds), options: opt}
	counted, err := a.count(ctx)
	if err != nil {
		return err
	}
	result := counted.tally.Check(list, c.OnInterval == "upper")
	if err := c.write(s, g, result); err != nil {
		return err
	}
	finished := r.finish()
	switch verdict := result.Verdict(); {
	case verdict == diagnose.Fail:
		return &statusError{code: exitRequirement}
	case finished != nil:
		return finished
	case verdict == diagnose.TooLittle:
		return &statusError{code: exitTooLittle}
	}
	return nil
}

// list reads the requirements of the flags and of the file.
func (c *checkCmd) list() ([]diagnose.Requirement, error) {
	var out []diagnose.Requirement
	for _, text := range c.Require {
		r, err := diagnose.ParseRequirement(text)
		if err != nil {
			return nil, fmt.Errorf("--require '%s': %w", printable(text), err)
		}
		out = append(out, r)
	}
	if c.Requirements != "" {
		data, err := os.ReadFile(c.Requirements)
		if err != nil {
			return nil, fmt.Errorf("--requirements: %w", err)
		}
		more, err := parseRequirements(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", printable(c.Requirements), err)
		}
		out = append(out, more...)
	}
	if len(out) == 0 {
		return nil, errors.New("name a requirement with --require, or a file of them with --requirements")
	}
	return out, nil
}

var errRequirementList = errors.New("want one requirement a line, or a YAML list of them, which may stand under the key requirements")

// parseRequirements reads lines, with # before remarks, or YAML.
func parseRequirements(data []byte) ([]diagnose.Requirement, error) {
	texts, isList, err := yamlList(data)
	if err != nil {
		return nil, err
	}
	if !isList {
		texts = strings.Split(string(data), "\n")
	}
	var out []diagnose.Requirement
	for i, text := range texts {
		if !isList {
			text, _, _ = strings.Cut(text, "#")
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		r, err := diagnose.ParseRequirement(text)
		if err != nil {
			where := "line"
			if isList {
				where = "item"
			}
			return nil, fmt.Errorf("%s %d: %w", where, i+1, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// yamlList returns the texts of a YAML list, and false where the data does not
// begin as one.
func yamlList(data []byte) ([]string, bool, error) {
	for line := range strings.SplitSeq(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line == "---" {
			continue
		}
		if !strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, "requirements:") {
			return nil, false, nil
		}
		break
	}
	var list []string
	if yaml.Unmarshal(data, &list) == nil {
		return list, true, nil
	}
	var under struct {
		Requirements []string `yaml:"requirements"`
	}
	if yaml.Unmarshal(data, &under) != nil {
		return nil, false, errRequirementList
	}
	return under.Requirements, true, nil
}

func (c *checkCmd) write(s std, g *globals, result *diagnose.Check) error {
	switch c.Report {
	case "junit":
		text, err := report.CheckJUnit(result)
		return writeOut(s, text, err)
	case "github":
		return writeOut(s, report.CheckGitHub(result), nil)
	}
	switch g.kind(s) {
	case asJSON:
		return writeOut(s, string(report.AppendCheck(nil, result))+"\n", nil)
	case asJSONL:
		var text []byte
		for i := range result.Results {
			text = append(report.AppendChecked(text, &result.Results[i]), '\n')
		}
		return writeOut(s, string(text), nil)
	case asCSV:
		text, err := report.CheckCSV(result)
		return writeOut(s, text, err)
	case asMarkdown:
		text, err := report.CheckMarkdown(result)
		return writeOut(s, text, err)
	}
	text, err := report.CheckText(result, g.style(s))
	return writeOut(s, text, err)
}
