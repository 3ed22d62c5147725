package delimited

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"ttdiag/ingest/document"
	"ttdiag/ingest/mapping"
	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
)

// mapSeparators are tried in this order.
const mapSeparators = ",\t;|"

// Mapped returns the format of tables with a header whose columns a user maps: a
// path names a column by its name. It is found where one of them is.
func Mapped(list []source.Mapping) (*source.Format, error) {
	plan, err := mapping.MapPlan(list)
	if err != nil {
		return nil, err
	}
	f := *plan.Format()
	f.Lines = nil
	f.Detect = func(w *source.Window) source.Confidence {
		if _, names := mappedHeader(w.Head, plan.Paths()); names == nil {
			return source.No
		}
		return source.Likely
	}
	f.Document = func(ctx context.Context, r io.Reader, opt source.Options, out *source.Out) error {
		return readMapped(ctx, r, plan, opt, out)
	}
	return &f, nil
}

// mappedHeader returns the separator under which the first row of head names the
// most columns that are mapped, and that row; nil where it names none.
func mappedHeader(head []byte, paths []string) (separator byte, names []string) {
	if looksLikeJSON(head) {
		return 0, nil
	}
	most := 0
	for i := range len(mapSeparators) {
		row, err := document.NewRows(bytes.NewReader(head), mapSeparators[i]).Header()
		if err != nil {
			continue
		}
		found := 0
		for _, path := range paths {
			if cellOf(path, row) >= 0 {
				found++
			}
		}
		if found > most {
			most, separator, names = found, mapSeparators[i], row
		}
	}
	return separator, names
}

// cellOf returns the cell whose name a path is, -1 where there is none.
func cellOf(path string, names []string) int {
	path = strings.TrimPrefix(path, ".")
	for i, name := range names {
		if name = strings.TrimSpace(name); name != "" && (path == name || path == strconv.Quote(name)) {
			return i
		}
	}
	return -1
}

func readMapped(ctx context.Context, r io.Reader, plan *mapping.Plan, opt source.Options, out *source.Out) error {
	head := make([]byte, maxHeader)
	n, err := io.ReadFull(r, head)
	head = head[:n]
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	separator, _ := mappedHeader(head, plan.Paths())
	if separator == 0 {
		separator = mapSeparators[0]
	}
	rows := document.NewRows(io.MultiReader(bytes.NewReader(head), r), separator)
	names, err := rows.Header()
	if err != nil && err != io.EOF {
		return damaged(err, rows.Line(), 0, out)
	}
	m := newMappedRow(names, plan.Paths())
	filler := plan.NewFiller(opt)
	return eachRow(ctx, rows, m.wanted, m.cells, out, func() {
		why := filler.Fill(m, out.Row())
		if why.Reason == source.OK {
			out.Add()
		}
		out.Reject(why)
	})
}

// mappedRow is the values of the row at hand.
type mappedRow struct {
	wanted []bool
	cells  []document.Value
	at     []int // by path, -1 where no cell has its name
}

func newMappedRow(names, paths []string) *mappedRow {
	m := &mappedRow{wanted: make([]bool, len(names)), cells: make([]document.Value, len(names)), at: make([]int, len(paths))}
	for k, path := range paths {
		if m.at[k] = cellOf(path, names); m.at[k] >= 0 {
			m.wanted[m.at[k]] = true
		}
	}
	return m
}

// Get implements [mapping.Values].
func (m *mappedRow) Get(path int) scan.Value {
	if m.at[path] < 0 {
		return scan.Value{}
	}
	v := m.cells[m.at[path]]
	if v.Long || absent(v.Text) {
		return scan.Value{Kind: scan.Null}
	}
	return scan.Value{Kind: scan.Text, Raw: v.Text}
}

// Plain implements [mapping.Values].
func (m *mappedRow) Plain(v scan.Value) []byte { return v.Raw }

// maxSampled is how many rows are looked at for magnitudes.
const maxSampled = 200

// Sample returns a window in which the mapped cells of the rows in w stand as
// lines of JSON, as [mapping.CheckMagnitudes] looks at them.
func Sample(w *source.Window, list []source.Mapping) *source.Window {
	var paths []string
	for _, m := range list {
		paths = append(paths, m.Path)
	}
	sample := &source.Window{Name: w.Name}
	separator, names := mappedHeader(w.Head, paths)
	if names == nil {
		return sample
	}
	m := newMappedRow(names, paths)
	rows := document.NewRows(bytes.NewReader(w.Head), separator)
	for range maxSampled {
		if n, err := rows.Read(m.wanted, m.cells); err != nil || n != len(names) {
			continue
		}
		object := map[string]string{}
		for k := range paths {
			if i := m.at[k]; i >= 0 {
				object[strings.TrimSpace(names[i])] = string(m.cells[i].Text)
			}
		}
		if line, err := json.Marshal(object); err == nil {
			sample.Lines = append(sample.Lines, line)
		}
	}
	return sample
}
