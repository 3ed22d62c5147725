package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// process starts ttdiag as a process of its own, with a pipe for its input.
func process(t *testing.T, store string, args ...string) (*exec.Cmd, io.WriteCloser, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command("ttdiag", args...)
	cmd.Env = append(os.Environ(), "TTDIAG_STORE="+store, "XDG_CONFIG_HOME="+store)
	cmd.Dir = t.TempDir()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, in, &out
}

// analyzed runs analyze on a log of n records to its end.
func analyzed(t *testing.T, store string, n int) {
	t.Helper()
	cmd, in, _ := process(t, store, "analyze", "--quiet", "-")
	if _, err := in.Write(manyRecords(n)); err != nil {
		t.Error(err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// stored returns what store list prints, and fails where the store does not
// open.
func stored(t *testing.T, store string) string {
	t.Helper()
	cmd, in, out := process(t, store, "store", "list")
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// cutOff starts a run, feeds it far more than it holds back, ends it by a signal
// while it still waits for input, and returns its exit status.
func cutOff(t *testing.T, store string, end os.Signal, args ...string) int {
	t.Helper()
	cmd, in, _ := process(t, store, args...)
	if _, err := in.Write(manyRecords(200_000)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(end); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	in.Close()
	if err == nil {
		t.Fatal("the run went on to its end")
	}
	return cmd.ProcessState.ExitCode()
}

func TestKilledRunLeavesTheStoreAsItWas(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	analyzed(t, store, 3)
	before := stored(t, store)
	cutOff(t, store, os.Kill, "analyze", "--quiet", "-")
	if after := stored(t, store); after != before || strings.Count(after, "\n") != 1 {
		t.Errorf("the store lists\n%safter a kill, and before\n%s", after, before)
	}
	analyzed(t, store, 2)
	if after := stored(t, store); !strings.HasPrefix(after, before) || strings.Count(after, "\n") != 2 {
		t.Errorf("after another run the store lists\n%s", after)
	}
}

func TestInterruptedRunLeavesNothing(t *testing.T) {
	for _, command := range []string{"analyze", "report", "convert"} {
		t.Run(command, func(t *testing.T) {
			store, product := filepath.Join(t.TempDir(), "store"), t.TempDir()
			args := []string{command, "--quiet", "-"}
			if command != "analyze" {
				args = append(args, "-o", filepath.Join(product, "out.csv"))
			}
			if status := cutOff(t, store, syscall.SIGINT, args...); status != exitInterrupted {
				t.Errorf("exit status %d, want %d", status, exitInterrupted)
			}
			if list := stored(t, store); list != "" {
				t.Errorf("the store lists\n%s", list)
			}
			left, err := os.ReadDir(product)
			if err != nil || len(left) != 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func TestRunsAtOnceBothAppear(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	var wait sync.WaitGroup
	for n := 1; n <= 2; n++ {
		wait.Go(func() { analyzed(t, store, n) })
	}
	wait.Wait()
	list := stored(t, store)
	for n := 1; n <= 2; n++ {
		if !strings.Contains(list, fmt.Sprintf(`"records":%d,`, n)) {
			t.Errorf("no run of %d records in\n%s", n, list)
		}
	}
}

// A log with every kind of damage keeps each good record once, and counts the
// rest.
func TestBigDamage(t *testing.T) {
	good := func(i int) string { return fmt.Sprintf(`{"request_id":"g-%d","total_handler_ms":%d}`, i, i) }
	var b strings.Builder
	b.WriteString("\xef\xbb\xbf" + good(1) + "\r\n")
	b.WriteString("a banner line\n")
	b.WriteString(good(2) + "\r\n")
	b.WriteString(strings.Repeat("\x00", 70_000) + "\n")
	b.WriteString("{\"prompt\":\"\xff\xfe\n")
	b.WriteString(`[{"total_handler_ms":1}` + "\n")
	b.WriteString(`{"total_handler_ms":3,"request_id":"g-3","prompt":"` + strings.Repeat("long ", 6<<20) + "\"}\n")
	b.WriteString(strings.Repeat("[", 20_000) + "\n")
	b.WriteString(`{"total_handler_ms":NaN}` + "\n")
	b.WriteString(`{"request_id":"torn","total_hand` + "\n\n")
	b.WriteString(good(4))
	sh := newShell(t)
	out := sh.run(b.String(), "analyze", "-", "--no-store")
	for i := 1; i <= 4; i++ {
		if n := strings.Count(out, fmt.Sprintf(`"request_id":"g-%d"`, i)); n != 1 {
			t.Errorf("record %d comes %d times", i, n)
		}
	}
	if n := strings.Count(out, "\n"); n != 4 {
		t.Errorf("%d records, want 4", n)
	}
	sum := sh.run(b.String(), "analyze", "-", "--no-store", "--summary")
	if want := `"lines":12,"records":4,"rejected":7,"blank":1,`; !strings.Contains(sum, want) {
		t.Errorf("the account is %.300s, want %s", sum, want)
	}
}
