package export

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ttdiag/ingest/timeline"
)

// Kind is a kind of file.
type Kind string

// The kinds.
const (
	Parquet Kind = "parquet"
	Arrow   Kind = "arrow"
	JSONL   Kind = "jsonl"
	CSV     Kind = "csv"
)

// ErrKind says that a name stands for no kind of file.
var ErrKind = errors.New("want parquet, arrow, jsonl or csv")

// KindOf returns the kind that the suffix of a file's name stands for.
func KindOf(name string) (Kind, error) {
	switch suffix := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), ".")); suffix {
	case "parquet", "pq":
		return Parquet, nil
	case "arrow", "feather", "ipc":
		return Arrow, nil
	case "jsonl", "ndjson", "json":
		return JSONL, nil
	case "csv":
		return CSV, nil
	}
	return "", fmt.Errorf("the suffix tells no kind: %w", ErrKind)
}

// Text reports whether files of the kind are text.
func (k Kind) Text() bool { return k == JSONL || k == CSV }

// Writer writes batches, in the order of Write, to one file.
type Writer interface {
	// Prepare does the part of the work that needs no order. It may be called
	// from several goroutines at once. What it returns is appended to the given
	// memory, if there is anything.
	Prepare(to []byte, b *timeline.Batch) []byte
	// Write adds a batch and what Prepare made of it.
	Write(b *timeline.Batch, prepared []byte) error
	// Close writes what is left. It does not close the file.
	Close() error
}

// NewWriter returns a writer of a kind of file. program names the program in
// files that say who wrote them.
func NewWriter(k Kind, w io.Writer, program string) (Writer, error) {
	switch k {
	case Parquet:
		return newParquetWriter(w, program)
	case Arrow:
		return arrowWriter{timeline.NewIPCWriter(w)}, nil
	case JSONL:
		return textWriter{w, appendJSON}, nil
	case CSV:
		header := appendHeader(nil)
		if _, err := w.Write(header); err != nil {
			return nil, err
		}
		return textWriter{w, appendCSV}, nil
	}
	return nil, ErrKind
}

// textWriter writes lines.
type textWriter struct {
	w      io.Writer
	append func([]byte, *timeline.Batch) []byte
}

func (t textWriter) Prepare(to []byte, b *timeline.Batch) []byte { return t.append(to, b) }

func (t textWriter) Write(_ *timeline.Batch, prepared []byte) error {
	_, err := t.w.Write(prepared)
	return err
}

func (t textWriter) Close() error { return nil }

// arrowWriter writes Arrow IPC.
type arrowWriter struct{ w *timeline.IPCWriter }

func (a arrowWriter) Prepare(to []byte, _ *timeline.Batch) []byte { return to }

func (a arrowWriter) Write(b *timeline.Batch, _ []byte) error { return a.w.Write(b) }

func (a arrowWriter) Close() error { return a.w.Close() }
