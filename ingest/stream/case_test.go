package stream

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ttdiag/ingest/timeline"
)

// testCase is a recorded body and what must come of it. A .want file has one
// line per frame (number, classes) and lines that begin with a word:
//
//	marks t3=1 t4=2 t5=- t6=8    the frames that set the marks
//	tokens input=1 cached=- …    counts at the end
//	end dialect ending finish    how it ended
//	flags truncated …            what else is known at the end
//	options think_tags …         options of the reader
type testCase struct {
	name   string
	data   []byte
	events []string
	lines  map[string]string
}

func loadCases(t testing.TB) []testCase {
	t.Helper()
	wants, err := filepath.Glob("testdata/cases/*.want")
	if err != nil || len(wants) < 10 {
		t.Fatalf("no cases: %v", err)
	}
	var cases []testCase
	for _, path := range wants {
		cases = append(cases, loadCase(t, path))
	}
	return cases
}

func loadCase(t testing.TB, path string) testCase {
	t.Helper()
	base := strings.TrimSuffix(path, ".want")
	c := testCase{name: filepath.Base(base), lines: map[string]string{}}
	found, _ := filepath.Glob(base + ".[sj]*")
	if len(found) != 1 {
		t.Fatalf("%s: %d data files", path, len(found))
	}
	var err error
	if c.data, err = os.ReadFile(found[0]); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(string(want)), "\n") {
		key, rest, _ := strings.Cut(line, " ")
		if key[0] >= '0' && key[0] <= '9' {
			c.events = append(c.events, line)
		} else {
			c.lines[key] = rest
		}
	}
	return c
}

func (c *testCase) options() Options {
	return Options{
		ThinkTags:  strings.Contains(c.lines["options"], "think_tags"),
		Transcript: strings.Contains(c.lines["options"], "transcript"),
	}
}

// read feeds the body in pieces of n bytes, each a microsecond after the last.
func (c *testCase) read(n int) ([]Event, Result) {
	opts := c.options()
	var events []Event
	opts.OnEvent = func(e Event) { events = append(events, e) }
	s := New(opts)
	for i := 0; i < len(c.data); i += n {
		s.Chunk(at(int64(i/n)+1), c.data[i:min(i+n, len(c.data))])
	}
	return events, s.End()
}

func at(us int64) Moment { return timeline.At[timeline.Receipt](us) }

func list(events []Event) []string {
	var lines []string
	for _, e := range events {
		lines = append(lines, fmt.Sprint(e.Number, " ", strings.Join(e.Classes.Names(), " ")))
	}
	return lines
}

func marksOf(events []Event, r Result) string {
	frames := [4]string{"-", "-", "-", "-"}
	for _, e := range events {
		for i := range frames {
			if e.Sets>>i&1 != 0 {
				frames[i] = fmt.Sprint(e.Number)
			}
		}
	}
	if r.Whole {
		frames = [4]string{"-", "-", "-", frames[3]}
	}
	if r.startNumber != 0 {
		frames[1] = fmt.Sprint(r.startNumber)
	}
	if r.doneNumber != 0 {
		frames[3] = fmt.Sprint(r.doneNumber)
	}
	return fmt.Sprintf("t3=%s t4=%s t5=%s t6=%s", frames[0], frames[1], frames[2], frames[3])
}

func countText(c Count) string {
	if n, ok := c.Value(); ok {
		return fmt.Sprint(n)
	}
	return "-"
}

func tokensText(t Tokens) string {
	return fmt.Sprintf("input=%s cached=%s output=%s reasoning=%s",
		countText(t.Input), countText(t.Cached), countText(t.Output), countText(t.Reasoning))
}

func endText(r Result) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Dialect, r.Ending, r.Finish))
}

func flagsText(r Result) string {
	var flags []string
	add := func(on bool, name string) {
		if on {
			flags = append(flags, name)
		}
	}
	add(r.Empty, "empty")
	add(r.Truncated, "truncated")
	add(r.Unterminated, "unterminated")
	add(r.Replayed, "replayed")
	add(r.Whole, "whole")
	add(r.ActionStart, "action_start")
	add(r.Anomalies > 0, fmt.Sprintf("anomalies=%d", r.Anomalies))
	add(r.Malformed > 0, fmt.Sprintf("malformed=%d", r.Malformed))
	for _, u := range r.Unknown {
		flags = append(flags, fmt.Sprintf("unknown:%s=%d", u.Type, u.Count))
	}
	for _, c := range r.Choices {
		flags = append(flags, fmt.Sprintf("choice:%d", c.Index))
	}
	if r.Failure != "" {
		flags = append(flags, "failure:"+r.Failure)
	}
	return strings.Join(flags, " ")
}

func TestCases(t *testing.T) {
	for _, c := range loadCases(t) {
		t.Run(c.name, func(t *testing.T) {
			events, r := c.read(1)
			if got := list(events); !slices.Equal(got, c.events) {
				t.Errorf("events:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.events, "\n"))
			}
			got := map[string]string{
				"marks": marksOf(events, r), "tokens": tokensText(r.Tokens), "end": endText(r), "flags": flagsText(r),
			}
			for key, text := range got {
				if want, ok := c.lines[key]; ok && text != want {
					t.Errorf("%s %s, want %s", key, text, want)
				}
			}
			for _, key := range []string{"marks", "tokens"} {
				if _, ok := c.lines[key]; !ok {
					t.Errorf("the case says nothing of %s; got %s", key, got[key])
				}
			}
		})
	}
}

// TestCutAnywhere cuts every case at every byte: the classes stay, and every
// event has the time of the chunk that holds its end.
func TestCutAnywhere(t *testing.T) {
	for _, c := range loadCases(t) {
		t.Run(c.name, func(t *testing.T) {
			ends, want := c.read(1)
			want.Replayed = false // also told by speed, which the cut changes
			for k := 1; k < len(c.data); k++ {
				opts := c.options()
				var events []Event
				opts.OnEvent = func(e Event) { events = append(events, e) }
				s := New(opts)
				s.Chunk(at(1), c.data[:k])
				s.Chunk(at(2), c.data[k:])
				r := s.End()
				r.Replayed = false
				if flagsText(r) != flagsText(want) || tokensText(r.Tokens) != tokensText(want.Tokens) || len(events) != len(ends) {
					t.Fatalf("cut at %d: %d events, %s", k, len(events), flagsText(r))
				}
				for i, e := range events {
					checkCut(t, k, e, ends[i])
				}
			}
		})
	}
}

func checkCut(t *testing.T, k int, got, end Event) {
	t.Helper()
	last, _ := end.At.Micros() // 1 is the first byte
	want := int64(1)
	if last > int64(k) {
		want = 2
	}
	us, _ := got.At.Micros()
	if us != want || got.Classes != end.Classes || got.Type != end.Type || got.Bytes != end.Bytes ||
		got.Sets != end.Sets || got.Dialect != end.Dialect {
		t.Fatalf("cut at %d: event %d is %v, want chunk %d of %v", k, got.Number, got, want, end)
	}
}
