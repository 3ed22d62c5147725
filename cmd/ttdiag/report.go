package main

import (
	"context"
	"errors"
	"fmt"
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
	return withFile(name, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// withFile is writeFile for products that are written piece by piece.
func withFile(name string, write func(*os.File) error) error {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("write %s: %w", printable(name), errIsDirectory)
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".ttdiag-*")
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
	if err := os.Rename(f.Name(), name); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}
