package main

import (
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/term"
)

// std is everything that a command may touch of the world around it.
type std struct {
	in        io.Reader
	out       io.Writer
	err       io.Writer
	env       func(string) (string, bool)
	environ   func() []string // all of it, as NAME=VALUE
	now       func() time.Time
	inIsPipe  bool // standard input is not a terminal
	outIsTerm bool
	errIsTerm bool
	width     int   // columns of the terminal
	errWidth  int   // likewise of standard error's; 0 where it is not known
	memory    int64 // bytes of the machine; 0 where it is not known
}

func systemStd() std {
	s := std{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.LookupEnv, environ: os.Environ, now: time.Now,
		inIsPipe:  stdinHasData(),
		outIsTerm: term.IsTerminal(int(os.Stdout.Fd())),
		errIsTerm: term.IsTerminal(int(os.Stderr.Fd())),
		width:     80,
		memory:    machineMemory(),
	}
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 {
		s.width = w
	}
	if w, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil {
		s.errWidth = w
	}
	if v, ok := os.LookupEnv("COLUMNS"); ok && !s.outIsTerm {
		if w, err := strconv.Atoi(v); err == nil && w >= 40 {
			s.width = w
		}
	}
	return s
}

// stdinHasData reports whether standard input is a pipe or a file: the device
// that a service gets in its place holds nothing.
func stdinHasData() bool {
	info, err := os.Stdin.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// colour reports whether colour may be used on standard output.
func (s std) colour(noColor bool) bool {
	if noColor || !s.outIsTerm {
		return false
	}
	if v, ok := s.env("NO_COLOR"); ok && v != "" {
		return false
	}
	name, _ := s.env("TERM")
	return name != "dumb"
}
