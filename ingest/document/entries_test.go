package document

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// eachNumber reads objects with a key n, one record each.
func eachNumber(t *testing.T, ctx context.Context, src io.Reader) (source.Part, error) {
	t.Helper()
	out := source.NewOut(&source.Format{Name: "x"}, nil)
	e := NewEntries(ctx, src, out)
	paths := NewPaths("n")
	cells := NewCells(paths)
	err := e.Each(func() error {
		cells.Clear()
		if err := e.R.Extract(paths, cells); err != nil {
			return err
		}
		n, ok := cells.Values[0].Int()
		if !ok {
			e.Reject(source.NotARecord)
			return nil
		}
		out.Row().SetNum(timeline.ColInputTokens, n)
		e.Add()
		return nil
	})
	return out.Flush(), err
}

func TestEach(t *testing.T) {
	pretty := "[\n  {\n    \"n\": 1\n  },\n  {\n    \"n\": oops\n  },\n  {\n    \"n\": 3\n  },\n  {\n    \"n\": 4\n  }\n]\n"
	cases := []struct {
		name, text string
		want       []int64
		rejected   []source.Reason
	}{
		{"lines", "{\"n\":1}\n{\"n\":2}\n", []int64{1, 2}, nil},
		{"no line end, CRLF, blanks", "\r\n{\"n\":1}\r\n\r\n{\"n\":2}", []int64{1, 2}, nil},
		{"byte order mark", "\xEF\xBB\xBF{\"n\":1}", []int64{1}, nil},
		{"array", `[{"n":1}, {"n":2}]`, []int64{1, 2}, nil},
		{"one behind the other", `{"n":1}{"n":2} [{"n":3}]`, []int64{1, 2, 3}, nil},
		{"torn line", "{\"n\":1}\n{\"n\":2,\"x\":\"ab\n{\"n\":3}\n", []int64{1, 3}, []source.Reason{source.InvalidJSON}},
		{"cut off", "{\"n\":1}\n{\"n\":2", []int64{1}, []source.Reason{source.TruncatedJSON}},
		{"damaged element", pretty, []int64{1, 3, 4}, []source.Reason{source.InvalidJSON}},
		{"NUL hole", "{\"n\":1}\n\x00\x00\x00\n{\"n\":2}\n", []int64{1, 2}, []source.Reason{source.InvalidJSON}},
		{"other values", "{\"n\":1}\n7\n\"x\"\nnull\n{}\n", []int64{1}, []source.Reason{source.NotAnObject, source.NotAnObject, source.NotAnObject, source.NotARecord}},
		{"text", "hello\nworld\n", nil, []source.Reason{source.InvalidJSON}},
		{"empty", "", nil, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			part, err := eachNumber(t, context.Background(), strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if part.Batch.Len() != len(c.want) || len(part.Rejected) != len(c.rejected) ||
				part.Lines != int64(part.Batch.Len()+len(part.Rejected)) {
				t.Fatalf("%d records, rejected %v, %d entries", part.Batch.Len(), part.Rejected, part.Lines)
			}
			for i, want := range c.want {
				if n, _ := part.Batch.Num(timeline.ColInputTokens, i); n != want {
					t.Errorf("record %d is %d, want %d", i, n, want)
				}
			}
			for i, r := range part.Rejected {
				if r.Reason != c.rejected[i] {
					t.Errorf("rejected for %q, want %q", r.Reason, c.rejected[i])
				}
			}
		})
	}
}

// endless is a string that never ends.
type endless struct{ begun bool }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	if !e.begun {
		e.begun = true
		copy(p, `{"x":"`)
	}
	return len(p), nil
}

// Reading stops with its context, even inside one value.
func TestStop(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		_, err := eachNumber(t, ctx, &endless{})
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}
