package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ttdiag/diagnose"
	"ttdiag/diagnose/report"
	"ttdiag/ingest"
	"ttdiag/ingest/timeline"
)

// compareCmd compares two sides.
type compareCmd struct {
	A []string `placeholder:"FILE" help:"Inputs of side A. Repeatable."`
	B []string `placeholder:"FILE" help:"Inputs of side B. Repeatable."`
	inputFlags
	filterFlags
	By        string   `placeholder:"COL" help:"Compare two values of this column in one log."`
	Values    []string `placeholder:"A,B" help:"The two values. Default: the two that most requests have."`
	Match     []string `placeholder:"COL" help:"Compare within equal values of these columns, and tell change at fixed mix from change of mix."`
	Accept    []string `placeholder:"CONDITION" help:"Conditions that may differ. Streaming, vantage and first_token_basis never may."`
	MinEffect string   `default:"10%" placeholder:"PERCENT" help:"The least change worth telling."`
}

// Help says what is compared.
func (compareCmd) Help() string {
	return `Name two sides with --a and --b, or one log and the column whose values are compared with --by.

The controlled conditions come first. Where one that matters differs, the sides are not comparable, and nothing is ranked.`
}

// Run executes the command.
func (c *compareCmd) Run(ctx context.Context, s std, g *globals) error {
	conf, err := loadConfig(s, g)
	if err != nil {
		return err
	}
	c.configured = conf.maps
	opt, err := c.options(s)
	if err != nil {
		return err
	}
	loc, err := zone(c.Tz)
	if err != nil {
		return err
	}
	p := &comparing{cmd: c, s: s, g: g, engine: diagnose.New(conf.thresholds), options: opt}
	tally, err := p.collect(ctx)
	if err != nil {
		return err
	}
	result, err := tally.Compare()
	if errors.Is(err, diagnose.ErrSides) {
		return fmt.Errorf("%s: %w", printable(emptySide(result)), err)
	}
	if err != nil {
		return err
	}
	result.Thresholds = conf.thresholds.InForce()
	return writeComparison(s, g, result, loc)
}

func emptySide(c *diagnose.Comparison) string {
	if c.A.N == 0 {
		return c.A.Name
	}
	return c.B.Name
}

// options checks the flags.
func (c *compareCmd) options(s std) (diagnose.CompareOptions, error) {
	opt := diagnose.CompareOptions{Warmup: c.Warmup, Accept: c.Accept}
	var err error
	if opt.Filter, err = c.filterFlags.parse(s, c.Tz); err != nil {
		return opt, err
	}
	if opt.MinEffect, err = parsePercent(c.MinEffect); err != nil {
		return opt, usageError(fmt.Errorf("--min-effect: %w", err))
	}
	for _, name := range c.Accept {
		if !slices.Contains(diagnose.Conditions(), name) {
			return opt, usageError(fmt.Errorf("--accept: no condition %s; there are %s", printable(name), list(diagnose.Conditions())))
		}
	}
	if opt.Match, _, err = (&groupFlags{By: c.Match}).parse(); err != nil {
		return opt, usageError(fmt.Errorf("--match: no column to match by: %s", printable(strings.Join(c.Match, ","))))
	}
	files := len(c.A) > 0 && len(c.B) > 0 && len(c.Files) == 0
	switch {
	case c.By != "" && len(c.A)+len(c.B) > 0:
		return opt, usageError(errors.New("--by compares values in one log: name it without --a and --b"))
	case c.By == "" && !files:
		return opt, usageError(errors.New("name two sides: --a FILE --b FILE, or FILE --by COL"))
	case c.By == "":
		return opt, nil
	case len(c.Values) != 0 && len(c.Values) != 2 || len(c.Values) == 2 && c.Values[0] == c.Values[1]:
		return opt, usageError(errors.New("--values: want two values"))
	}
	by, _, err := (&groupFlags{By: []string{c.By}}).parse()
	if err != nil {
		return opt, err
	}
	opt.By = &by[0]
	return opt, nil
}

var errPercent = errors.New("not a percentage such as 10%")

// parsePercent reads a percentage above 0, or a fraction without the sign.
func parsePercent(text string) (float64, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v <= 10) {
		return 0, errPercent
	}
	return v, nil
}

// comparing is one comparison.
type comparing struct {
	cmd     *compareCmd
	s       std
	g       *globals
	engine  *diagnose.Engine
	options diagnose.CompareOptions
}

// collect reads both sides.
func (p *comparing) collect(ctx context.Context) (*diagnose.CompareTally, error) {
	c := p.cmd
	if c.By == "" {
		free := p.tallies(strings.Join(c.A, ", "), strings.Join(c.B, ", "))
		if err := p.read(ctx, c.A, free, (*diagnose.CompareTally).AddA); err != nil {
			return nil, err
		}
		if err := p.read(ctx, c.B, free, (*diagnose.CompareTally).AddB); err != nil {
			return nil, err
		}
		return merged(free), nil
	}
	if len(c.Values) == 0 {
		var err error
		if c.Values, err = p.largest(ctx); err != nil {
			return nil, err
		}
	}
	free := p.tallies(c.Values[0], c.Values[1])
	if err := p.read(ctx, c.Files, free, (*diagnose.CompareTally).AddBy); err != nil {
		return nil, err
	}
	return merged(free), nil
}

// tallies makes one tally for each worker.
func (p *comparing) tallies(a, b string) chan *diagnose.CompareTally {
	n := p.cmd.Jobs
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	free := make(chan *diagnose.CompareTally, n)
	for range n {
		free <- diagnose.NewCompareTally(a, b, p.options)
	}
	return free
}

func merged(free chan *diagnose.CompareTally) *diagnose.CompareTally {
	whole := <-free
	for range cap(free) - 1 {
		whole.Merge(<-free)
	}
	return whole
}

func (p *comparing) open(files []string) (*reading, error) {
	flags := p.cmd.inputFlags
	flags.Files = files
	return openInputs(p.s, p.g, &flags, true)
}

func (p *comparing) read(ctx context.Context, files []string, free chan *diagnose.CompareTally, add func(*diagnose.CompareTally, *diagnose.Verdicts)) error {
	r, err := p.open(files)
	if err != nil {
		return err
	}
	work := func(b *timeline.Batch) (struct{}, error) {
		t := <-free
		add(t, p.engine.Classify(b))
		free <- t
		return struct{}{}, nil
	}
	if err := read(ctx, r, work, func(ingest.Result[struct{}]) error { return nil }); err != nil {
		return err
	}
	return r.finish()
}

// largest finds the two values that most requests have, in a pass of its own.
func (p *comparing) largest(ctx context.Context) ([]string, error) {
	if len(p.cmd.Files) == 0 || slices.Contains(p.cmd.Files, "-") {
		return nil, usageError(errors.New("--values is needed with standard input, which can be read only once"))
	}
	r, err := p.open(p.cmd.Files)
	if err != nil {
		return nil, err
	}
	r.g = &globals{Quiet: true} // the pass that compares says it all
	r.rejects = nil
	values := diagnose.NewValueTally(*p.options.By, p.options.Filter)
	var mu sync.Mutex
	count := func(b *timeline.Batch) (struct{}, error) {
		v := p.engine.Classify(b)
		mu.Lock()
		defer mu.Unlock()
		values.Add(v)
		return struct{}{}, nil
	}
	if err := read(ctx, r, count, func(ingest.Result[struct{}]) error { return nil }); err != nil {
		return nil, err
	}
	a, b, err := values.Largest()
	if err != nil {
		return nil, fmt.Errorf("--by %s: %w", p.options.By, err)
	}
	return []string{a, b}, nil
}

func writeComparison(s std, g *globals, c *diagnose.Comparison, loc *time.Location) error {
	switch g.kind(s) {
	case asJSON, asJSONL:
		return writeOut(s, string(report.AppendComparison(nil, c))+"\n", nil)
	case asCSV:
		text, err := report.ComparisonCSV(c)
		return writeOut(s, text, err)
	case asMarkdown:
		text, err := report.ComparisonMarkdown(c, loc)
		return writeOut(s, text, err)
	}
	text, err := report.ComparisonText(c, g.style(s), loc)
	return writeOut(s, text, err)
}
