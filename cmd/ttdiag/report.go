package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ttdiag/diagnose"
	"ttdiag/diagnose/report"
)

// reportCmd writes the summary as one HTML page.
type reportCmd struct {
	inputFlags
	filterFlags
	groupFlags
	methodFlags
	To string `name:"to" short:"o" required:"" placeholder:"FILE" help:"The page to write."`
}

// Run executes the command.
func (c *reportCmd) Run(ctx context.Context, s std, g *globals) error {
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
	r, err := openInputs(s, g, &c.inputFlags, true)
	if err != nil {
		return err
	}
	a := &analysis{reading: r, engine: diagnose.New(conf.thresholds), options: opt}
	counted, err := a.count(ctx)
	if err != nil {
		return err
	}
	sum := counted.summary()
	sum.Inputs = a.accounts()
	if sum.Totals.Records > 0 {
		text, err := report.SummaryHTML(sum, s.now(), loc)
		if err != nil {
			return err
		}
		if err := writeFile(c.To, []byte(text)); err != nil {
			return err
		}
		r.remark("wrote %s", printable(c.To))
	}
	return r.finish()
}

var errIsDirectory = errors.New("is a directory")

// writeFile writes a product beside its name and renames it into place, so that
// no half of it is ever seen.
func writeFile(name string, data []byte) error {
	return withFile(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// withFile is writeFile for products that are written piece by piece. A link stays
// and what it leads to is replaced; a device or a pipe is written to.
func withFile(name string, write func(io.Writer) error) error {
	info, err := os.Stat(name)
	switch {
	case err != nil: // there is none yet
	case info.IsDir():
		return fmt.Errorf("write %s: %w", printable(name), errIsDirectory)
	case !info.Mode().IsRegular():
		return withDevice(name, write)
	}
	place := name
	if target, err := filepath.EvalSymlinks(name); err == nil {
		place = target
	}
	f, err := os.CreateTemp(filepath.Dir(place), ".ttdiag-*")
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	defer os.Remove(f.Name()) // of a renamed file there is nothing left
	if err := write(f); err != nil {
		f.Close()
		return fmt.Errorf("write %s: %w", printable(name), err)
	}
	if err := f.Chmod(0o644); err != nil {
		f.Close()
		return fmt.Errorf("write %s: %w", printable(name), err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write %s: %w", printable(name), err)
	}
	if err := os.Rename(f.Name(), place); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// withDevice writes to what is no file: to be replaced by one would be the end of it.
func withDevice(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	err = write(struct{ io.Writer }{f}) // which cannot seek
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", printable(name), err)
	}
	return nil
}
