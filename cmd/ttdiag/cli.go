package main

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// cli is the whole command line.
type cli struct {
	Analyze    analyzeCmd    `cmd:"" help:"Classify every request in logs and report where time went."`
	Explain    explainCmd    `cmd:"" help:"Explain one request: its timeline, its walk, its peers."`
	Compare    compareCmd    `cmd:"" help:"Compare two logs, or two parts of one, under controlled conditions."`
	Check      checkCmd      `cmd:"" help:"Test requirements, for CI."`
	Report     reportCmd     `cmd:"" help:"Write one self-contained HTML page."`
	Convert    convertCmd    `cmd:"" help:"Write the metadata columns as Parquet, Arrow IPC, JSONL or CSV."`
	Rules      rulesCmd      `cmd:"" help:"Print the rule table with the thresholds in force, or as SQL."`
	Define     defineCmd     `cmd:"" help:"Define a metric or a class, and say what other tools call it."`
	Events     eventsCmd     `cmd:"" help:"List the classified events of a recorded stream."`
	Formats    formatsCmd    `cmd:"" help:"Say what each input format can and cannot tell."`
	Schema     schemaCmd     `cmd:"" help:"Print the JSON Schema of an output."`
	Completion completionCmd `cmd:"" help:"Print a completion script."`
	Store      storeCmd      `cmd:"" help:"List, prune, clear or locate the store."`

	globals
}

// globals are the flags of every command.
type globals struct {
	Config  string           `placeholder:"FILE" help:"Configuration file; default ttdiag.yaml here, else in the user's configuration directory."`
	Set     []string         `placeholder:"KEY=VALUE" sep:"none" help:"Set one configuration key, such as rule.headers_ms=1500."`
	Output  string           `placeholder:"FORMAT" enum:",table,json,jsonl,csv,markdown" default:"" help:"table, json, jsonl, csv or markdown; table on a terminal, else jsonl."`
	Quiet   bool             `help:"No progress and no remarks on standard error."`
	NoColor bool             `help:"No colour."`
	ASCII   bool             `name:"ascii" help:"Only ASCII in tables and waterfalls."`
	Version kong.VersionFlag `help:"Print the version."`
}

// grammar returns what kong has to know to parse args, and what it needs beside
// it. To build the model of all commands takes longer than many a command, so
// where the first argument is one, the model has no other.
func (c *cli) grammar(args []string) (any, []kong.Option) {
	if len(args) == 0 || args[0] == "completion" { // which prints all
		return c, nil
	}
	all := reflect.ValueOf(c).Elem()
	for i := range all.NumField() {
		field := all.Type().Field(i)
		if name := strings.ToLower(field.Name); name == args[0] && !field.Anonymous {
			return &c.globals, []kong.Option{kong.DynamicCommand(name, field.Tag.Get("help"), "",
				all.Field(i).Addr().Interface(), string(field.Tag))}
		}
	}
	return c, nil
}

// parser returns the parser of a grammar; exit is called where the arguments
// ask for help or the version. A mistake in the command structs makes it panic.
func (c *cli) parser(ctx context.Context, s std, exit func(int), grammar any, more []kong.Option) *kong.Kong {
	return kong.Must(grammar, append(more, kong.Name("ttdiag"),
		kong.Description("Tells where streaming AI requests waited, from recorded logs. It never opens a network connection."),
		kong.Writers(s.out, s.err), kong.Exit(exit),
		kong.Vars{"version": program()},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 80}),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(s), kong.Bind(&c.globals))...)
}

// run executes one command line and returns its exit status.
func run(ctx context.Context, args []string, s std) int {
	var c cli
	exited := false
	grammar, more := c.grammar(args)
	parser := c.parser(ctx, s, func(int) { exited = true }, grammar, more)
	kctx, err := parser.Parse(args)
	if exited { // --help and --version
		return exitOK
	}
	if err != nil {
		fmt.Fprintf(s.err, "ttdiag: %v\nRun \"ttdiag --help\" for usage.\n", err)
		return exitUsage
	}
	if c.ASCII && c.kind(s) == asTable {
		s.out = asciiWriter{s.out}
		kctx.Bind(s)
	}
	kctx.Bind(parser.Model)
	err = kctx.Run()
	code, show := exitStatus(ctx, err)
	if show {
		fmt.Fprintf(s.err, "ttdiag: %v\n", err)
	}
	return code
}
