package main

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ttdiag": main})
}

// TestScript runs one script per promise. Each has its own store and no
// configuration but its own.
func TestScript(t *testing.T) {
	skipProcesses(t)
	logs, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("TTDIAG_STORE", env.WorkDir+"/store")
			env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/config")
			env.Setenv("REPO", logs+"/../..")
			env.Setenv("LC_ALL", "C.UTF-8")
			return nil
		},
		Cmds: scriptCommands,
	})
}

// status runs a command and compares its exit status: status 2 ttdiag nonsense.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [arg ...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(interface{ ExitCode() int }); ok {
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status is %d, want %d", got, want)
	}
}

// skipProcesses leaves out, under -short, tests that start ttdiag over and over:
// the race detector has nothing to find in many short processes that it does not
// find in one.
func skipProcesses(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts many processes")
	}
}
