package delimited

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// Formats returns CSV and TSV.
func Formats() []*source.Format {
	known := sync.OnceValue(spellings)
	return []*source.Format{
		format("csv", "ttdiag's own columns as CSV with a header", ",;|", known),
		format("tsv", "ttdiag's own columns as TSV with a header", "\t", known),
	}
}

func format(name, title, separators string, known func() map[string]timeline.Spelling) *source.Format {
	return &source.Format{
		Name: name, Family: "ttdiag", Title: title, Vantage: "gateway",
		Columns:    sync.OnceValue(capabilities),
		FirstToken: "nothing of that name: headers, first event, first response and first text are columns of their own",
		Detect: func(w *source.Window) source.Confidence {
			if looksLikeJSON(w.Head) {
				return source.No
			}
			_, h := separatorOf(w.Head, separators, known())
			if !h.timed || len(h.wanted) == 1 && separators == "\t" { // one column is CSV
				return source.No
			}
			return source.Certain
		},
		Document: func(ctx context.Context, r io.Reader, opt source.Options, out *source.Out) error {
			return read(ctx, r, &parse{separators: separators, known: known(), zone: opt.Zone, told: timeline.Told{Exact: opt.Exact}}, out)
		},
	}
}

// looksLikeJSON reports whether the first thing in head opens an object or array.
func looksLikeJSON(head []byte) bool {
	start := bytes.TrimLeft(head, " \t\r\n")
	return len(start) > 0 && (start[0] == '{' || start[0] == '[')
}

func capabilities() []source.Capability {
	var list []source.Capability
	for _, s := range timeline.Spellings() {
		if s.Rank != 0 {
			continue
		}
		c := source.Capability{Column: s.Column, Quality: source.Exact, Field: s.Name, Point: s.Column.Info().Doc}
		if s.Column.IsDuration() {
			c.Unit = "ms"
		}
		switch s.Column.Info().Kind {
		case timeline.KindReceipt:
			c.Origin = "receipt"
		case timeline.KindUpstreamStart:
			c.Origin = "upstream_start"
		}
		list = append(list, c)
	}
	return list
}

// separatorOf returns the separator under which the first row of head names the
// most columns that are known, and that header.
func separatorOf(head []byte, separators string, known map[string]timeline.Spelling) (byte, header) {
	best, bestHeader := separators[0], header{}
	for i := range len(separators) {
		names, err := document.NewRows(bytes.NewReader(head), separators[i]).Header()
		if err != nil && err != io.EOF {
			continue
		}
		if h := readHeader(names, known); len(h.order) > len(bestHeader.order) {
			best, bestHeader = separators[i], h
		}
	}
	return best, bestHeader
}

// parse is how one input is read.
type parse struct {
	separators string
	known      map[string]timeline.Spelling
	zone       *time.Location
	told       timeline.Told
}

// maxHeader is how much is looked at to find the separator.
const maxHeader = 64 << 10

func read(ctx context.Context, r io.Reader, p *parse, out *source.Out) error {
	head := make([]byte, maxHeader)
	n, err := io.ReadFull(r, head)
	head = head[:n]
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	separator, _ := separatorOf(head, p.separators, p.known)
	rows := document.NewRows(io.MultiReader(bytes.NewReader(head), r), separator)
	names, err := rows.Header()
	if err != nil && err != io.EOF {
		return damaged(err, rows.Line(), 0, out)
	}
	h := readHeader(names, p.known)
	for _, c := range h.twice {
		out.At(source.Position{Line: 1})
		out.Line()
		out.Reject(source.Rejection{Reason: source.DuplicateKey, Field: c.String()})
	}
	return each(ctx, rows, &h, p, out)
}

func each(ctx context.Context, rows *document.Rows, h *header, p *parse, out *source.Out) error {
	cells := make([]document.Value, len(h.wanted))
	return eachRow(ctx, rows, h.wanted, cells, out, func() {
		if !h.timed {
			out.Reject(source.Reject(source.NotARecord, 0))
			return
		}
		h.fill(out.Row(), cells, p)
		out.Add()
	})
}

// eachRow reads the rows behind the header. one adds or rejects a row whose cells
// were read.
func eachRow(ctx context.Context, rows *document.Rows, wanted []bool, cells []document.Value, out *source.Out, one func()) error {
	for out.Err() == nil && ctx.Err() == nil {
		pos := source.Position{Line: rows.Line(), Byte: rows.Offset()}
		n, err := rows.Read(wanted, cells)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return damaged(err, pos.Line, pos.Byte, out)
		}
		out.At(pos)
		if n == 0 {
			out.Blank()
			continue
		}
		out.Line()
		if n != len(wanted) {
			out.Reject(source.Reject(source.TornLine, 0))
			continue
		}
		one()
	}
	if out.Err() != nil {
		return out.Err()
	}
	return ctx.Err()
}

// damaged counts a row that cannot be told from the rest of the input, and
// returns any other error.
func damaged(err error, line, at int64, out *source.Out) error {
	var damage *document.Error
	if !errors.As(err, &damage) {
		return err
	}
	out.At(source.Position{Line: line, Byte: at})
	out.Line()
	out.Reject(damage.Rejection(at))
	return nil
}
