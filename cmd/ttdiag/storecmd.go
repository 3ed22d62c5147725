package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ttdiag/diagnose/report"
	"ttdiag/ingest/store"
)

// storeCmd shows and trims the store.
type storeCmd struct {
	List  storeListCmd  `cmd:"" help:"List the runs, oldest first."`
	Prune storePruneCmd `cmd:"" help:"Remove runs by age and size."`
	Clear storeClearCmd `cmd:"" help:"Remove every run."`
	Path  storePathCmd  `cmd:"" help:"Print the directory of the store."`

	RunStore string `name:"store" placeholder:"DIR" help:"Store directory."`
}

type storeListCmd struct{}

// storedRun is one run in output.
type storedRun struct {
	Schema  string   `json:"schema"`
	Name    string   `json:"name"`
	Created string   `json:"created"`
	Records int64    `json:"records"`
	Bytes   int64    `json:"bytes"`
	From    string   `json:"from,omitempty"`
	To      string   `json:"to,omitempty"`
	Inputs  []string `json:"inputs"`
}

// Run executes the command.
func (storeListCmd) Run(s std, g *globals, c *storeCmd) error {
	runs, err := c.runs(s)
	if err != nil {
		return err
	}
	switch g.kind(s) {
	case asTable, asMarkdown:
		return listRuns(s, g, runs)
	case asCSV:
		return usageError(errors.New("store list has no csv; take table, json, jsonl or markdown"))
	}
	return writeRuns(s, g.kind(s), runs)
}

// runs lists the runs; a store that does not exist has none.
func (c *storeCmd) runs(s std) ([]store.Info, error) {
	dir, err := storeDir(s, c.RunStore)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if !storeExists(dir) {
		return nil, nil
	}
	st, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	runs, damaged, err := st.Runs()
	for _, name := range damaged {
		fmt.Fprintf(s.err, "ttdiag: store: run %s is damaged and passed over\n", printable(name))
	}
	return runs, err
}

func listRuns(s std, g *globals, runs []store.Info) error {
	var rows [][]string
	for _, r := range runs {
		rows = append(rows, []string{
			r.Name, r.Created.Format(time.DateTime), report.Count(r.Rows), report.Size(r.Bytes), list(r.Inputs),
		})
	}
	cols := []report.Column{
		report.Left("run"), report.Left("created (UTC)"), report.Right("records"), report.Right("size"), report.Left("inputs"),
	}
	text, err := report.Listing(cols, rows, g.style(s), g.kind(s) == asMarkdown)
	return writeOut(s, text, err)
}

func writeRuns(s std, k kind, runs []store.Info) error {
	out := []storedRun{}
	for _, r := range runs {
		one := storedRun{
			Schema: "ttdiag.store/1", Name: r.Name, Created: r.Created.Format(time.RFC3339Nano),
			Records: r.Rows, Bytes: r.Bytes, Inputs: r.Inputs,
		}
		if r.From != 0 || r.To != 0 {
			one.From = time.UnixMicro(r.From).UTC().Format(time.RFC3339Nano)
			one.To = time.UnixMicro(r.To).UTC().Format(time.RFC3339Nano)
		}
		out = append(out, one)
	}
	if k == asJSON {
		text, err := json.Marshal(out)
		return writeOut(s, string(text)+"\n", err)
	}
	var lines []byte
	for _, one := range out {
		text, err := json.Marshal(one)
		if err != nil {
			return err
		}
		lines = append(append(lines, text...), '\n')
	}
	return writeOut(s, string(lines), nil)
}

type storePruneCmd struct {
	Age  string `placeholder:"AGE" help:"Remove runs older than this, such as 7d; none is no limit. Default: as configured, 30d."`
	Size string `placeholder:"SIZE" help:"Remove the oldest beyond this size. Default: as configured, 2GiB."`
}

// Run executes the command.
func (p *storePruneCmd) Run(s std, g *globals, c *storeCmd) error {
	conf, err := loadConfig(s, g)
	if err != nil {
		return err
	}
	for key, text := range map[string]string{"store.age": p.Age, "store.size": p.Size} {
		if text == "" {
			continue
		}
		if err := conf.set(key, text); err != nil {
			return usageError(err)
		}
	}
	st, err := openStore(s, c.RunStore)
	if err != nil {
		return err
	}
	removed, err := st.Prune(s.now(), conf.limits)
	for _, r := range removed {
		fmt.Fprintf(s.err, "ttdiag: store: removed run %s (%d records)\n", r.Name, r.Rows)
	}
	return err
}

type storeClearCmd struct{}

// Run executes the command.
func (storeClearCmd) Run(s std, c *storeCmd) error {
	st, err := openStore(s, c.RunStore)
	if err != nil {
		return err
	}
	n, err := st.Clear()
	fmt.Fprintf(s.err, "ttdiag: store: removed %d runs\n", n)
	return err
}

type storePathCmd struct{}

// Run executes the command.
func (storePathCmd) Run(s std, c *storeCmd) error {
	dir, err := storeDir(s, c.RunStore)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return writeOut(s, dir+"\n", nil)
}
