package main

import (
	"context"
	"errors"
	"io"
	"syscall"
)

// The exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1   // it could not be done
	exitUsage       = 2   // wrong usage or configuration; nothing was read or written
	exitRequirement = 3   // check: a requirement failed
	exitTooLittle   = 4   // check: too little data to say
	exitInterrupted = 130 // SIGINT
)

// statusError is an error with an exit status of its own. A nil err prints
// nothing: the output has said it already.
type statusError struct {
	code int
	err  error
}

func (e *statusError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *statusError) Unwrap() error { return e.err }

// usageError marks err as wrong usage or configuration.
func usageError(err error) error {
	if err == nil {
		return nil
	}
	return &statusError{code: exitUsage, err: err}
}

// exitStatus returns the exit status for err, and whether err is to be printed.
func exitStatus(ctx context.Context, err error) (code int, show bool) {
	var status *statusError
	switch {
	case err == nil:
		return exitOK, false
	case closedPipe(err):
		return exitOK, false // the reader has what it wanted
	case errors.As(err, &status):
		return status.code, status.err != nil
	case ctx.Err() != nil:
		return exitInterrupted, false
	}
	return exitFailed, true
}

func closedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
