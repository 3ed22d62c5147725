package document

import (
	"context"
	"errors"
	"io"

	"ttdiag/ingest/source"
)

// Entries counts the entries of one input: each is begun once and then added or
// rejected, so that entries = records + rejected + joined holds whatever the
// input is.
type Entries struct {
	R   *Reader
	Out *source.Out
	// List says that the values are lists of objects, or objects: after damage
	// inside one the next is found by its line.
	List bool
	ctx  context.Context
	n    int64
	at   int64 // offset of the current entry
	open bool
}

// NewEntries returns the entries of src. Adding stops when ctx ends.
func NewEntries(ctx context.Context, src io.Reader, out *source.Out) *Entries {
	return &Entries{R: NewReader(stopped{src, ctx}), Out: out, ctx: ctx}
}

// stopped is a reader that ends with its context, even inside a single value.
type stopped struct {
	io.Reader
	ctx context.Context
}

// Read implements io.Reader.
func (s stopped) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Reader.Read(p)
}

// Begin starts an entry at the next value of R and lets go of the values of the
// one before. Its error ends reading.
func (e *Entries) Begin() error {
	e.R.Free()
	e.R.space()
	return e.BeginAt(e.R.Offset())
}

// BeginAt starts an entry at the given offset.
func (e *Entries) BeginAt(offset int64) error {
	e.n++
	e.at, e.open = offset, true
	e.Out.At(e.Position())
	e.Out.Line()
	if err := e.Out.Err(); err != nil {
		return err
	}
	if e.n%256 == 0 {
		return e.ctx.Err()
	}
	return nil
}

// Position returns the position of the current entry.
func (e *Entries) Position() source.Position { return source.Position{Line: e.n, Byte: e.at} }

// Add adds the row of the current entry.
func (e *Entries) Add() {
	e.open = false
	e.Out.Add()
}

// Reject rejects the current entry.
func (e *Entries) Reject(why source.Reason) {
	e.open = false
	e.Out.Reject(source.Reject(why, 0))
}

// Hold ends the current entry without a record: the caller adds or rejects it
// later, at its position.
func (e *Entries) Hold() { e.open = false }

// Run reads the values of R one after another with value, which begins the
// entries that it finds. A value that is damaged is rejected, once, and reading
// goes on with the next line that starts with a brace.
func (e *Entries) Run(value func(Kind) error) error {
	torn := false
	for {
		if torn {
			e.R.stray()
		}
		kind, err := e.R.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = value(kind)
		}
		var damage *Error
		if !errors.As(err, &damage) {
			if err != nil {
				return err
			}
			continue
		}
		e.damaged(damage)
		torn = true
		if !e.R.SkipLine(e.List) {
			return e.readError()
		}
	}
}

func (e *Entries) damaged(damage *Error) {
	if !e.open {
		e.n++
		e.at = damage.Offset
		e.Out.At(e.Position())
		e.Out.Line()
	}
	e.open = false
	e.Out.Reject(damage.Rejection(e.at))
}

func (e *Entries) readError() error {
	if e.R.err == io.EOF {
		return nil
	}
	return e.R.err
}

// Each reads objects: top-level ones, or the elements of top-level arrays. one
// reads the value at R and adds or rejects it. Anything else than an object is
// rejected.
func (e *Entries) Each(one func() error) error {
	element := func() error {
		if err := e.Begin(); err != nil {
			return err
		}
		if kind, err := e.R.Next(); err != nil || kind != Object {
			if err := e.R.Skip(); err != nil {
				return err
			}
			e.Reject(source.NotAnObject)
			return nil
		}
		return one()
	}
	e.List = true
	return e.Run(func(kind Kind) error {
		if kind == Array {
			return e.R.Array(func(int) error { return element() })
		}
		return element()
	})
}
