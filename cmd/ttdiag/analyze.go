package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ttdiag/diagnose"
	"ttdiag/diagnose/report"
	"ttdiag/diagnose/stats"
	"ttdiag/ingest"
	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// analyzeCmd classifies every request of its inputs.
type analyzeCmd struct {
	inputFlags
	filterFlags
	groupFlags
	methodFlags
	Summary bool `help:"The aggregate in any output; it is the default of table, json and markdown."`
	Why     bool `help:"Say what sets the slow requests of each class apart; implies --summary."`
}

// Help says what the outputs are.
func (analyzeCmd) Help() string {
	return `Reads the inputs, classifies every request, keeps the metadata in the store, and reports.

table, markdown and json hold the aggregate; jsonl and csv one line per attempt, unless --summary.`
}

// Run executes the command.
func (c *analyzeCmd) Run(ctx context.Context, s std, g *globals) error {
	conf, err := loadConfig(s, g)
	if err != nil {
		return err
	}
	c.configured = conf.maps
	opt, err := tallyOptions(s, &c.inputFlags, &c.filterFlags, &c.groupFlags, &c.methodFlags)
	if err != nil {
		return err
	}
	loc, err := zone(c.Tz)
	if err != nil {
		return err
	}
	r, err := openInputs(s, g, &c.inputFlags, c.NoStore && !c.perAttempt(s, g))
	if err != nil {
		return err
	}
	keep, err := beginKeeping(r, conf.limits)
	if err != nil {
		return err
	}
	defer keep.abort()
	a := &analysis{reading: r, engine: diagnose.New(conf.thresholds), options: opt, keep: keep, why: c.Why}
	if c.perAttempt(s, g) {
		err = a.perAttempt(ctx, g.kind(s))
	} else {
		err = a.aggregate(ctx, g.kind(s), loc)
	}
	if err != nil {
		return err
	}
	if err := keep.commit(r); err != nil {
		return err
	}
	return r.finish()
}

// perAttempt reports whether the output has one line per attempt.
func (c *analyzeCmd) perAttempt(s std, g *globals) bool {
	k := g.kind(s)
	return !c.Summary && !c.Why && (k == asJSONL || k == asCSV)
}

// tallyOptions turns the flags of a command that counts into options.
func tallyOptions(s std, in *inputFlags, filter *filterFlags, group *groupFlags, method *methodFlags) (diagnose.TallyOptions, error) {
	opt := diagnose.TallyOptions{Top: group.Top, Warmup: in.Warmup}
	if method.PercentileMethod == stats.Linear.String() {
		opt.Method = stats.Linear
	}
	var err error
	if opt.By, opt.Every, err = group.parse(); err != nil {
		return opt, err
	}
	opt.Filter, err = filter.parse(s, in.Tz)
	return opt, err
}

// parse turns the flags into columns and a width of time.
func (f *groupFlags) parse() (by []timeline.Column, every time.Duration, err error) {
	for _, name := range f.By {
		col, ok := timeline.ColumnNamed(name)
		if !ok || col == timeline.ColRequestID || col.Info().Group == timeline.GroupInternal && col != timeline.ColFormat && col != timeline.ColSourceFile {
			return nil, 0, usageError(fmt.Errorf("--by: no column %s to split by", printable(name)))
		}
		by = append(by, col)
	}
	if f.Every != "" {
		every, err = parseAge(f.Every)
		if err != nil || every <= 0 {
			return nil, 0, usageError(fmt.Errorf("--every: %w", errAge))
		}
	}
	return by, every, nil
}

// parse turns the flags into a filter.
func (f *filterFlags) parse(s std, tz string) (diagnose.Filter, error) {
	var out diagnose.Filter
	loc, err := zone(tz)
	if err != nil {
		return out, err
	}
	if out.Since, err = parseMoment(f.Since, s.now(), loc); err != nil {
		return out, usageError(fmt.Errorf("--since: %w", err))
	}
	if out.Until, err = parseMoment(f.Until, s.now(), loc); err != nil {
		return out, usageError(fmt.Errorf("--until: %w", err))
	}
	for _, text := range f.Where {
		c, err := diagnose.ParseCondition(text)
		if err != nil {
			return out, usageError(fmt.Errorf("--where %s: %w", printable(text), err))
		}
		out.Where = append(out.Where, c)
	}
	for _, name := range f.Class {
		class, ok := rules.ClassNamed(name)
		if !ok {
			return out, usageError(fmt.Errorf("--class: no class %s; see ttdiag rules", printable(name)))
		}
		out.Classes = append(out.Classes, class)
	}
	return out, nil
}

// analysis is one run of analyze.
type analysis struct {
	*reading
	engine  *diagnose.Engine
	options diagnose.TallyOptions
	keep    *keeping
	why     bool
}

func (a *analysis) jobs() int { return a.plan.jobs }

// aggregate counts on every worker and reports once.
func (a *analysis) aggregate(ctx context.Context, k kind, loc *time.Location) error {
	counted, err := a.count(ctx)
	if err != nil {
		return err
	}
	sum := counted.summary()
	sum.Inputs = a.accounts()
	if sum.Other > 0 {
		a.remark("%d records are in no group of their own: there are more groups than fit; see --max-memory", sum.Other)
	}
	if sum.Totals.Records == 0 {
		return nil // finish says why
	}
	return writeSummary(a.s, a.g, k, sum, loc)
}

// count tallies all batches. Which worker counts what changes nothing.
func (a *analysis) count(ctx context.Context) (*counting, error) {
	free := make(chan *counting, a.jobs())
	opt := a.options
	opt.Jobs, opt.MaxMemory = a.jobs(), a.plan.ceiling
	first := diagnose.NewTally(a.engine, opt)
	free <- a.newCounting(first)
	for range a.jobs() - 1 {
		free <- a.newCounting(first.Sibling())
	}
	work := func(b *timeline.Batch) (struct{}, error) {
		v := a.engine.Classify(b)
		t := <-free
		t.add(v)
		free <- t
		return struct{}{}, nil
	}
	take := func(res ingest.Result[struct{}]) error {
		err := a.keep.append(res.Batch)
		res.Release() // the store has copied or written it
		return err
	}
	if err := read(ctx, a.reading, work, take); err != nil {
		return nil, err
	}
	a.keep.seal()
	whole := <-free
	for range a.jobs() - 1 {
		whole.merge(<-free)
	}
	return whole, nil
}

// counting is what one worker counts.
type counting struct {
	tally *diagnose.Tally
	why   *diagnose.WhyTally // nil unless asked for
}

func (a *analysis) newCounting(t *diagnose.Tally) *counting {
	c := &counting{tally: t}
	if a.why {
		c.why = diagnose.NewWhyTally(diagnose.WhyOptions{Filter: a.options.Filter, Warmup: a.options.Warmup})
	}
	return c
}

func (c *counting) add(v *diagnose.Verdicts) {
	c.tally.Add(v)
	if c.why != nil {
		c.why.Add(v)
	}
}

func (c *counting) merge(o *counting) {
	c.tally.Merge(o.tally)
	if c.why != nil {
		c.why.Merge(o.why)
	}
}

func (c *counting) summary() *diagnose.Summary {
	sum := c.tally.Summary()
	if c.why != nil {
		sum.Why = c.why.Why()
	}
	return sum
}

func writeSummary(s std, g *globals, k kind, sum *diagnose.Summary, loc *time.Location) error {
	switch k {
	case asJSON, asJSONL:
		return writeOut(s, string(report.AppendSummary(nil, sum))+"\n", nil)
	case asCSV:
		text, err := report.SummaryCSV(sum)
		return writeOut(s, text, err)
	case asMarkdown:
		text, err := report.SummaryMarkdown(sum, loc)
		return writeOut(s, text, err)
	}
	text, err := report.SummaryText(sum, g.style(s), loc)
	return writeOut(s, text, err)
}

// perAttempt writes one line per attempt, in input order.
func (a *analysis) perAttempt(ctx context.Context, k kind) error {
	out := buffered(a.s)
	var memory texts
	lines := newOrdered(a.jobs(), func(text *[]byte) error {
		if _, err := out.Write(*text); err != nil {
			return fmt.Errorf("write output: %w", err)
		}
		memory.give(text)
		return nil
	})
	header, encode := encoderOf(k)
	if header != "" {
		if _, err := out.WriteString(header); err != nil {
			return fmt.Errorf("write output: %w", err)
		}
	}
	work := func(b *timeline.Batch) (*diagnose.Verdicts, error) { return a.engine.Classify(b), nil }
	take := func(res ingest.Result[*diagnose.Verdicts]) error {
		if err := a.keep.append(res.Batch); err != nil {
			return err
		}
		v := res.Value
		v.Batch = res.Batch
		return lines.add(func() *[]byte {
			defer res.Release()
			text := memory.take()
			*text = a.encode(*text, v, encode)
			return text
		})
	}
	err := read(ctx, a.reading, work, take)
	if closed := lines.close(); err == nil || errors.Is(closed, err) {
		err = closed
	}
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// encode appends the lines of a batch to text.
func (a *analysis) encode(text []byte, v *diagnose.Verdicts, encode func([]byte, *diagnose.Diagnosis) []byte) []byte {
	var d diagnose.Diagnosis
	for i := range a.options.Filter.Keep(v).All {
		v.Fill(i, &d)
		text = encode(text, &d)
	}
	v.Release()
	return text
}

// encoderOf returns what stands before the first line, and what appends a line.
func encoderOf(k kind) (header string, encode func([]byte, *diagnose.Diagnosis) []byte) {
	if k == asCSV {
		columns := report.NewCSV()
		return columns.Header(), columns.Append
	}
	return "", func(to []byte, d *diagnose.Diagnosis) []byte {
		return append(report.AppendDiagnosis(to, d), '\n')
	}
}

// list joins names for a message.
func list(names []string) string { return strings.Join(names, ", ") }
