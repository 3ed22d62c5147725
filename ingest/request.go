package ingest

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"

	"ttdiag/ingest/mapping"
	"ttdiag/ingest/source"
)

// Request says what to read and how. The zero value of everything but Names is
// a usable choice.
type Request struct {
	Names     []string         // files, directories, globs, or "-" for Stdin
	Stdin     io.Reader        // nil where there is none
	Format    string           // name of the format to read everything as; "" tells it by the content
	Options   source.Options   // for the formats
	Formats   []*source.Format // that are tried; nil is Formats()
	Jobs      int              // parsers at once; 0 is the number of processors
	Chunk     int              // bytes parsed at once; 0 is DefaultChunk
	MaxLine   int              // bytes; a longer line is rejected as too long; 0 is DefaultMaxLine
	Transient bool             // a batch is valid only while work runs on it; Result.Batch is nil

	mapped []*source.Format // of Formats, those to try where only mappings are given
}

const (
	// DefaultChunk is small enough for a processor's own cache, and large enough
	// for a batch of some thousand records.
	DefaultChunk = 1 << 20
	// DefaultMaxLine is the longest line that is read.
	DefaultMaxLine = 1 << 30
	minChunk       = 16
)

// ErrFormat says that no format has the requested name.
var ErrFormat = errors.New("no such format")

func (r *Request) complete() error {
	if r.Formats == nil {
		formats, mapped, err := formatsFor(r.Options)
		if err != nil {
			return err
		}
		r.Formats = formats
		switch {
		case r.Format == "":
			r.mapped = mapped
		case r.Format == mapping.MapFormatName && len(mapped) > 0:
			r.mapped = mapped[len(mapped)-1:] // tables with a header
		}
	}
	if r.Format == "" && len(r.Options.Map) > 0 {
		r.Format = mapping.MapFormatName
	}
	r.Options.Format = r.Format
	if r.Jobs <= 0 {
		r.Jobs = runtime.GOMAXPROCS(0)
	}
	if r.MaxLine <= 0 {
		r.MaxLine = DefaultMaxLine
	}
	if r.Chunk <= 0 {
		r.Chunk = DefaultChunk
	}
	r.Chunk = min(max(r.Chunk, minChunk), r.MaxLine)
	if r.Format != "" && formatNamed(r.Formats, r.Format) == nil {
		return fmt.Errorf("format %s: %w", r.Format, ErrFormat)
	}
	return nil
}

// Progress is how far the reading is. It may be asked from any goroutine.
type Progress struct {
	done  atomic.Int64
	total atomic.Int64
}

// Bytes returns how many bytes of the inputs, as they lie on disk, were read,
// and how many there are; total is 0 where that is unknown.
func (p *Progress) Bytes() (done, total int64) { return p.done.Load(), p.total.Load() }
