package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"ttdiag/diagnose"
	"ttdiag/ingest"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// errNothingRead says that some input held no record.
var errNothingRead = errors.New("nothing in the input was a record")

// reading is one pass over the inputs of a command, with what the flags say
// about rejected lines and progress.
type reading struct {
	s       std
	g       *globals
	flags   *inputFlags
	source  *ingest.Reading
	plan    memoryPlan
	rejects *rejectsFile
	damage  int // damaged parts of table files that were told
}

// openInputs finds the inputs. transient says that batches need not outlive the
// work on them.
func openInputs(s std, g *globals, f *inputFlags, transient bool) (*reading, error) {
	names := f.Files
	if len(names) == 0 {
		if !s.inIsPipe {
			return nil, usageError(errors.New("name a file, a directory, a glob, or - for standard input"))
		}
		names = []string{"-"}
	}
	plan, err := f.plan(s)
	if err != nil {
		return nil, err
	}
	req, err := f.request(s, names, plan)
	if err != nil {
		return nil, err
	}
	req.Transient = transient
	plan.apply(s)
	in, err := ingest.Open(req)
	if errors.Is(err, ingest.ErrFormat) {
		return nil, usageError(fmt.Errorf("--format: %w; see ttdiag formats", err))
	}
	if errors.Is(err, ingest.ErrLogFormat) {
		return nil, usageError(err)
	}
	if err != nil {
		return nil, err
	}
	r := &reading{s: s, g: g, flags: f, plan: plan, source: in}
	for _, name := range in.Repeated {
		r.remark("%s: named twice, read once", printable(name))
	}
	if f.Rejects != "" {
		if r.rejects, err = newRejectsFile(f.Rejects); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (f *inputFlags) request(s std, names []string, p memoryPlan) (ingest.Request, error) {
	opt, err := f.options()
	if err != nil {
		return ingest.Request{}, err
	}
	return ingest.Request{
		Names: names, Stdin: s.in, Format: f.Format, Options: opt,
		Jobs: p.jobs, Chunk: p.chunk, MaxLine: p.maxLine,
	}, nil
}

// remark writes one line to standard error.
func (r *reading) remark(format string, args ...any) {
	if !r.g.Quiet {
		fmt.Fprintf(r.s.err, "ttdiag: "+format+"\n", args...)
	}
}

// read runs work on every batch and take on every result, in input order.
func read[T any](ctx context.Context, r *reading, work func(*timeline.Batch) (T, error), take func(ingest.Result[T]) error) error {
	stop := r.showProgress()
	defer stop()
	for res, err := range ingest.Run(ctx, r.source, work) {
		if err != nil {
			return err
		}
		if err := r.reject(res.Input.Name, res.Rejected); err != nil {
			return err
		}
		if err := take(res); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// reject keeps positions and reasons, and stops on the first under --strict.
func (r *reading) reject(input string, list []source.Rejected) error {
	for _, one := range list {
		if r.rejects != nil {
			if err := r.rejects.add(input, one); err != nil {
				return err
			}
		}
		if r.flags.Strict {
			return &statusError{code: exitFailed, err: fmt.Errorf("%s: %s", place(input, one), one.Reason)}
		}
		if one.Reason == source.DamagedGroup && r.damage < maxDamage {
			r.damage++
			r.remark("%s: from row %d: %s: %s", printable(input), one.Line, one.Reason, printable(one.Field))
		}
	}
	return nil
}

// maxDamage is how many damaged parts of table files are told one by one; the
// rest are counted.
const maxDamage = 5

// place names a position as file:line, and the byte offset in it.
func place(input string, r source.Rejected) string {
	return fmt.Sprintf("%s:%d: byte %d", printable(input), r.Line, r.Byte+int64(r.Offset))
}

// finish accounts for the inputs on standard error, and returns errNothingRead
// where one of them held no record.
func (r *reading) finish() error {
	if r.rejects != nil {
		if err := r.rejects.close(); err != nil {
			return err
		}
	}
	var failed error
	for _, in := range r.source.Inputs {
		switch {
		case in.Err != nil:
			failed = fmt.Errorf("%s: %w", printable(in.Name), in.Err)
			r.remark("%v", failed)
		case in.Records == 0:
			failed = fmt.Errorf("%s: %w", printable(in.Name), errNothingRead)
			r.remark("%v: %s", failed, emptyWords(in))
		case in.Format != nil && in.Format.Recordable() == 0:
			r.remark("%s: no latency of requests in it: %s. %s", printable(in.Name), in.Format.Title, in.Format.More)
		case in.Rejected > 0:
			r.remark("%s: %d lines = %d records + %d rejected + %d blank%s",
				printable(in.Name), in.Lines, in.Records, in.Rejected, in.Blank, joinedWords(in))
		}
	}
	if failed != nil {
		if r.g.Quiet {
			return failed
		}
		return &statusError{code: exitFailed}
	}
	return nil
}

func joinedWords(in *ingest.Input) string {
	if in.Joined == 0 {
		return ""
	}
	return fmt.Sprintf(" + %d joined", in.Joined)
}

// emptyWords says what an input without a record did hold.
func emptyWords(in *ingest.Input) string {
	text := fmt.Sprintf("%d lines = %d rejected + %d blank%s", in.Lines, in.Rejected, in.Blank, joinedWords(in))
	if in.Format != nil {
		text = "read as " + in.Format.Name + "; " + text
	}
	if in.Found != "" {
		text += "; found " + in.Found
	}
	for _, reason := range sortedReasons(in) {
		text += fmt.Sprintf("; %d %s", in.Reasons[source.Reason(reason.Reason)], reason.Reason)
	}
	if in.Format != nil && in.Format.More != "" && in.Reasons[source.NotARecord] > 0 {
		text += "; " + in.Format.More
	}
	return text
}

// accounts returns the inputs for a summary.
func (r *reading) accounts() []diagnose.InputSummary {
	var out []diagnose.InputSummary
	for _, in := range r.source.Inputs {
		one := diagnose.InputSummary{
			Name: in.Name, Bytes: in.Bytes, Lines: in.Lines, Records: in.Records,
			Rejected: in.Rejected, Blank: in.Blank, Joined: in.Joined, Reasons: sortedReasons(in),
		}
		if in.Format != nil {
			one.Format = in.Format.Name
		}
		out = append(out, one)
	}
	// Sorted, so that the order of the command line changes no byte of the output.
	slices.SortStableFunc(out, func(a, b diagnose.InputSummary) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// rejectsFile holds positions and reasons as JSON lines, never text of the
// input.
type rejectsFile struct {
	file *os.File
	buf  *bufio.Writer
}

func newRejectsFile(name string) (*rejectsFile, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("rejects: %w", err)
	}
	return &rejectsFile{file: file, buf: bufio.NewWriter(file)}, nil
}

func (f *rejectsFile) add(input string, r source.Rejected) error {
	text, err := json.Marshal(struct {
		Schema string `json:"schema"`
		File   string `json:"file"`
		Line   int64  `json:"line"`
		Byte   int64  `json:"byte"`
		Reason string `json:"reason"`
		Field  string `json:"field,omitempty"`
	}{"ttdiag.reject/1", input, r.Line, r.Byte + int64(r.Offset), string(r.Reason), r.Field})
	if err != nil {
		return fmt.Errorf("rejects: %w", err)
	}
	if _, err := f.buf.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("rejects: %w", err)
	}
	return nil
}

func (f *rejectsFile) close() error {
	if err := f.buf.Flush(); err != nil {
		return fmt.Errorf("rejects: %w", err)
	}
	if err := f.file.Close(); err != nil {
		return fmt.Errorf("rejects: %w", err)
	}
	return nil
}
