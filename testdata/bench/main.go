// Command bench runs ttdiag and DuckDB in turn on the same work and compares
// what they say and what it costs them. It is a module of its own, so that the
// product never depends on DuckDB.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "duckdb" {
		exit(child(os.Args[2:]))
		return
	}
	var b bench
	flag.IntVar(&b.pairs, "pairs", 5, "counted runs of each side")
	flag.IntVar(&b.lean, "lean", 1_000_000, "records of the lean log")
	flag.IntVar(&b.fat, "fat", 60_000, "records of the fat log")
	flag.IntVar(&b.explain, "explain", 0, "runs of a million records in the store that explain looks into, such as 10")
	flag.StringVar(&b.cases, "cases", "start,lean,fat,store,jobs,packed", "cases to run")
	flag.StringVar(&b.ttdiag, "ttdiag", "", "the binary; default: built from this repository")
	flag.StringVar(&b.dir, "dir", "", "directory for the logs; default: one that is removed at the end")
	flag.Parse()
	exit(b.run())
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// child is the process that runs DuckDB: its statement comes in a file, so that
// it is measured like any other program.
func child(args []string) error {
	if len(args) == 3 && args[0] == "point" {
		return pointQuery(args[1], args[2], runtime.NumCPU())
	}
	if len(args) != 1 {
		return errors.New("usage: duckdb FILE")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	return duckDB(string(text), runtime.NumCPU())
}

type bench struct {
	pairs, lean, fat, explain int
	cases, ttdiag, dir        string
	self                      string
	env                       []string
}

func (b *bench) run() error {
	var err error
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.dir == "" {
		if b.dir, err = os.MkdirTemp("", "ttdiag-bench-"); err != nil {
			return err
		}
		defer os.RemoveAll(b.dir)
	}
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return err
	}
	if b.ttdiag == "" {
		b.ttdiag = filepath.Join(b.dir, "ttdiag")
		if err := build(b.ttdiag); err != nil {
			return err
		}
	}
	b.env = []string{"TTDIAG_STORE=" + filepath.Join(b.dir, "store"), "XDG_CONFIG_HOME=" + filepath.Join(b.dir, "config")}
	for _, name := range strings.Split(b.cases, ",") {
		one, ok := map[string]func() error{
			"start": b.start, "lean": b.leanCase, "fat": b.fatCase, "store": b.storeCase, "jobs": b.jobsCase, "packed": b.packedCase,
		}[name]
		if !ok {
			return fmt.Errorf("no case %s", name)
		}
		if err := one(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if b.explain > 0 {
		return b.explainCase()
	}
	return nil
}

// build builds the product, two folders above this module.
func build(to string) error {
	const root = "../.."
	if _, err := os.Stat(filepath.Join(root, "cmd", "ttdiag")); err != nil {
		return fmt.Errorf("run it in testdata/bench, or name the binary with -ttdiag: %w", err)
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", to, "./cmd/ttdiag")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as the README says
	return cmd.Run()
}

// log returns a log, made if it is not there.
func (b *bench) log(name string, n int, fat bool) (string, error) {
	path := filepath.Join(b.dir, fmt.Sprintf("%s-%d.jsonl", name, n))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	_, err := writeLog(path, n, 1, fat)
	return path, err
}

// analyze runs ttdiag and, where into is not nil, keeps its answer.
func (b *bench) analyze(into *answer, args ...string) func() (cost, error) {
	return func() (cost, error) {
		all := append([]string{b.ttdiag, "analyze", "--quiet", "--summary", "--output", "json"}, args...)
		c, out, err := measure(b.env, all...)
		if err == nil && into != nil {
			*into, err = answerOf(out)
		}
		return c, err
	}
}

// duck runs DuckDB on a SELECT that adds the column class to a log.
func (b *bench) duck(into *answer, classified string) func() (cost, error) {
	return func() (cost, error) {
		file := filepath.Join(b.dir, "statement.sql")
		if err := os.WriteFile(file, []byte(classified), 0o600); err != nil {
			return cost{}, err
		}
		c, out, err := measure(nil, b.self, "duckdb", file)
		if err == nil {
			err = json.Unmarshal(out, into)
		}
		return c, err
	}
}

// ruleSQL returns the rule table as ttdiag prints it for DuckDB.
func (b *bench) ruleSQL(log string) (string, error) {
	_, out, err := measure(b.env, b.ttdiag, "rules", "sql", "--dialect", "duckdb", "--table", table(log))
	return string(out), err
}
