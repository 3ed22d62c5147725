package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"ttdiag/ingest"
	"ttdiag/ingest/export"
	"ttdiag/ingest/timeline"
)

// convertCmd writes the metadata columns of its inputs as one file.
type convertCmd struct {
	inputFlags
	Out string `name:"out" short:"o" required:"" placeholder:"FILE" help:"The file to write; - is standard output."`
	To  string `name:"to" enum:",parquet,arrow,jsonl,csv" default:"" help:"parquet, arrow, jsonl or csv; told by the suffix of FILE, jsonl for standard output."`
}

// Help says what is in the file.
func (convertCmd) Help() string {
	return `Writes timing and metadata columns, and nothing else of the inputs, under their documented names.

Read again, the file gives the same records. The columns format, approx, recordable and notes say what was known
of a record beside its values; source_file, source_line and source_byte say where it stood.`
}

var errNoRecord = errors.New("no record")

// Run executes the command.
func (c *convertCmd) Run(ctx context.Context, s std, g *globals) error {
	kind, err := c.kind(s)
	if err != nil {
		return usageError(err)
	}
	conf, err := loadConfig(s, g)
	if err != nil {
		return err
	}
	c.configured = conf.maps
	r, err := openInputs(s, g, &c.inputFlags, false)
	if err != nil {
		return err
	}
	if err := c.spare(r); err != nil {
		return err
	}
	write := func(w io.Writer) error { return convert(ctx, r, kind, w) }
	if c.Out == "-" {
		err = write(struct{ io.Writer }{s.out}) // which cannot seek
	} else {
		err = withFile(c.Out, write)
	}
	if err != nil && !errors.Is(err, errNoRecord) {
		return err
	}
	if err == nil && c.Out != "-" {
		r.remark("wrote %s", printable(c.Out))
	}
	return r.finish()
}

// kind returns the kind of file that is asked for.
func (c *convertCmd) kind(s std) (export.Kind, error) {
	switch {
	case c.To != "":
		kind := export.Kind(c.To)
		if c.Out == "-" && s.outIsTerm && !kind.Text() {
			return "", fmt.Errorf("convert: %s is not for a terminal", kind)
		}
		return kind, nil
	case c.Out == "-":
		return export.JSONL, nil
	}
	kind, err := export.KindOf(c.Out)
	if err != nil {
		return "", fmt.Errorf("convert -o %s: %w: name it with --to", printable(c.Out), err)
	}
	return kind, nil
}

var errOverwrites = errors.New("is an input: it would lose what is not metadata")

// spare refuses to write over an input.
func (c *convertCmd) spare(r *reading) error {
	out, err := os.Stat(c.Out)
	if err != nil || c.Out == "-" {
		return nil
	}
	for _, in := range r.source.Inputs {
		if info, err := os.Stat(in.Name); err == nil && in.Name != "-" && os.SameFile(info, out) {
			return usageError(fmt.Errorf("convert -o %s: %w", printable(c.Out), errOverwrites))
		}
	}
	return nil
}

// prepared is a batch and what the writer made of it ahead.
type prepared struct {
	batch *timeline.Batch
	text  *[]byte
}

// convert writes all records of r, in their order.
func convert(ctx context.Context, r *reading, kind export.Kind, w io.Writer) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	to := io.Writer(buffered)
	if _, ok := w.(io.WriteSeeker); ok && kind == export.Arrow {
		to = w // it seeks
	}
	out, err := export.NewWriter(kind, to, program())
	if err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	records := 0
	var memory texts
	work := func(b *timeline.Batch) (prepared, error) {
		text := memory.take()
		*text = out.Prepare(*text, b)
		return prepared{b, text}, nil
	}
	take := func(res ingest.Result[prepared]) error {
		records += res.Value.batch.Len()
		if err := out.Write(res.Value.batch, *res.Value.text); err != nil {
			return fmt.Errorf("write output: %w", err)
		}
		memory.give(res.Value.text)
		res.Release()
		return nil
	}
	if err := read(ctx, r, work, take); err != nil {
		return err
	}
	if records == 0 {
		return errNoRecord
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}
