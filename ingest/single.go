package ingest

import (
	"context"
	"errors"
	"io"

	"ttdiag/ingest/source"
)

// ErrManyInputs says that one input was asked for and the names mean several.
var ErrManyInputs = errors.New("name one input")

// Single opens the only input of a request as a stream: decompressed and told,
// not parsed. The caller closes it. An input that no format fits is an error of
// type *Unrecognised.
func Single(ctx context.Context, req Request) (io.ReadCloser, *source.Format, error) {
	r, err := Open(req)
	if err != nil {
		return nil, nil, err
	}
	if len(r.Inputs) != 1 {
		return nil, nil, ErrManyInputs
	}
	f := &feed{ctx: ctx, req: &r.req, progress: &r.Progress}
	o, err := f.open(r.Inputs[0])
	if err != nil {
		return nil, nil, err
	}
	if o == nil {
		return nil, nil, r.Inputs[0].Err
	}
	return single{o.reader(), o}, o.format, nil
}

type single struct {
	io.Reader
	from *opened
}

// Close closes the file.
func (s single) Close() error {
	s.from.flow.close()
	return nil
}
