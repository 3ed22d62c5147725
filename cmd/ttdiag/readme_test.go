package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// readmeFiles are the documents whose console blocks are run, from the folder
// of this package.
var readmeFiles = []string{"README.md", "CONTRIBUTING.md"}

// TestReadme runs every command of every console block, in order, and compares
// what it prints with what stands below it.
func TestReadme(t *testing.T) {
	skipProcesses(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range readmeFiles {
		t.Run(name, func(t *testing.T) { runDocument(t, root, name) })
	}
}

func runDocument(t *testing.T, root, name string) {
	before, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	room := newRoom(t, root)
	after := rewriteConsoles(string(before), func(command string) (string, bool) { return room.run(t, command) })
	if after == string(before) {
		return
	}
	if *update {
		if err := os.WriteFile(filepath.Join(root, name), []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s does not show what its commands print; go test ./cmd/ttdiag -run TestReadme -update rewrites it\n%s",
		name, firstDifference(string(before), after))
}

// newRoom makes a folder in which the commands of one document run: the
// repository's testdata lies in it, and a store of its own beside it.
func newRoom(t *testing.T, root string) *room {
	t.Helper()
	dir, store := t.TempDir(), t.TempDir()
	if err := os.Symlink(filepath.Join(root, "testdata"), filepath.Join(dir, "testdata")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for key, value := range map[string]string{
		"TTDIAG_STORE": filepath.Join(store, "store"), "XDG_CONFIG_HOME": store, "HOME": store,
		"NO_COLOR": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC", "COLUMNS": "80",
	} {
		t.Setenv(key, value)
	}
	return &room{}
}

type room struct{ status int }

// run executes one command as a person at a terminal does, and returns what it
// prints on standard output; false where a program that it needs is not here.
func (r *room) run(t *testing.T, command string) (string, bool) {
	t.Helper()
	if command == "echo $?" {
		return strings.TrimSpace(string(rune('0'+r.status%10))) + "\n", true
	}
	if words := strings.Fields(command); words[0] == "ttdiag" && !strings.ContainsAny(unquoted(command), "|<>;&$*`") {
		return r.inProcess(t, splitWords(command)[1:])
	}
	for _, program := range []string{"jq", "sqlite3", "duckdb"} {
		if _, err := exec.LookPath(program); err != nil && strings.Contains(command, "| "+program) {
			t.Logf("%s is not here: %s is not run", program, command)
			return "", false
		}
	}
	cmd := exec.Command("sh", "-c", command)
	out, err := cmd.Output()
	r.status = cmd.ProcessState.ExitCode()
	if err != nil && len(out) == 0 {
		t.Errorf("%s: %v", command, err)
	}
	return string(out), true
}

// inProcess runs ttdiag with a terminal for standard output.
func (r *room) inProcess(t *testing.T, args []string) (string, bool) {
	t.Helper()
	var out, messages bytes.Buffer
	s := std{
		in: strings.NewReader(""), out: &out, err: &messages, env: os.LookupEnv, now: time.Now,
		outIsTerm: true, width: 80,
	}
	r.status = run(context.Background(), args, s)
	if out.Len() == 0 && r.status != exitOK {
		return messages.String(), true
	}
	return out.String(), true
}

// unquoted returns a command line without what stands in single quotes.
func unquoted(line string) string {
	var out strings.Builder
	for i, part := range strings.Split(line, "'") {
		if i%2 == 0 {
			out.WriteString(part)
		}
	}
	return out.String()
}

// splitWords splits a command line at spaces outside of quotes.
func splitWords(line string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	begun := false
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, begun = c, true
		case quote == 0 && (c == ' ' || c == '\n'):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}

// rewriteConsoles returns text with the output below each command of a console
// block replaced by what run returns for it. A line "…" alone says that the rest
// is left out here.
func rewriteConsoles(text string, run func(command string) (string, bool)) string {
	var out strings.Builder
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); i++ {
		out.WriteString(lines[i])
		if lines[i] != "```console\n" {
			continue
		}
		for i++; i < len(lines) && lines[i] != "```\n"; {
			i = rewriteCommand(&out, lines, i, run)
		}
		if i < len(lines) {
			out.WriteString(lines[i])
		}
	}
	return out.String()
}

// rewriteCommand writes the command that begins at line i and its output, and
// returns the line after both.
func rewriteCommand(out *strings.Builder, lines []string, i int, run func(string) (string, bool)) int {
	command, shown := "", ""
	for first := true; first || strings.HasSuffix(command, "\\\n"); first = false {
		command = strings.TrimSuffix(command, "\\\n") + strings.TrimPrefix(lines[i], "$ ")
		out.WriteString(lines[i])
		i++
	}
	for i < len(lines) && lines[i] != "```\n" && !strings.HasPrefix(lines[i], "$ ") {
		shown += lines[i]
		i++
	}
	printed, ran := run(strings.TrimSpace(command))
	if !ran {
		printed = shown
	}
	out.WriteString(cutAs(shown, printed))
	return i
}

// cutAs leaves out of printed what shown leaves out: with a line "…", all after
// as many lines as stand before it.
func cutAs(shown, printed string) string {
	head, found := strings.CutSuffix(shown, "…\n")
	lines := strings.SplitAfter(printed, "\n")
	if n := strings.Count(head, "\n"); found && n < len(lines) {
		return strings.Join(lines[:n], "") + "…\n"
	}
	if printed != "" && !strings.HasSuffix(printed, "\n") {
		printed += "\n"
	}
	return printed
}

func firstDifference(before, after string) string {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return "line " + strings.Join([]string{a[i], b[min(i, len(b)-1)]}, "\nis now ")
		}
	}
	return "the end is missing"
}
