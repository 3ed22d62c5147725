package delimited

import (
	"slices"
	"strings"

	"ttdiag/ingest/document"
	"ttdiag/ingest/timeline"
)

// header is what the names of the first row mean.
type header struct {
	wanted   []bool              // by cell: whether it is read
	spelling []timeline.Spelling // by cell, for those that are wanted
	order    []int               // wanted cells, the best spelling of a column first
	twice    []timeline.Column   // columns whose name stands more than once: not read
	timed    bool                // one of them is a timing
	told     []int               // cells of what ttdiag knew of a record it converted
}

// timing are the columns of which a header must name one.
const timing = timeline.Mask(1<<(timeline.ColTotalHandler+1)-1) | 1<<timeline.ColVisibleOutputTPS

// spellings returns the names that are known.
func spellings() map[string]timeline.Spelling {
	known := map[string]timeline.Spelling{}
	for _, s := range timeline.Spellings() {
		known[s.Name] = s
	}
	return known
}

func readHeader(names []string, known map[string]timeline.Spelling) header {
	h := header{wanted: make([]bool, len(names)), spelling: make([]timeline.Spelling, len(names))}
	seen := map[string]int{}
	for i, name := range names {
		s, ok := known[strings.TrimSpace(name)]
		if !ok {
			continue
		}
		if first, again := seen[s.Name]; again {
			h.wanted[first] = false
			if !slices.Contains(h.twice, s.Column) {
				h.twice = append(h.twice, s.Column)
			}
			continue
		}
		seen[s.Name] = i
		h.wanted[i], h.spelling[i] = true, s
	}
	for i, wanted := range h.wanted {
		if wanted {
			h.order = append(h.order, i)
			h.timed = h.timed || timing.Has(h.spelling[i].Column)
		}
	}
	h.readTold(names)
	slices.SortStableFunc(h.order, func(a, b int) int { return h.spelling[a].Rank - h.spelling[b].Rank })
	return h
}

// readTold finds the columns of a converted file, where all of them are there: one
// of them alone may mean anything.
func (h *header) readTold(names []string) {
	for c := range timeline.Provenance.All {
		i := slices.Index(names, c.String())
		if i < 0 {
			h.told = nil
			return
		}
		h.told = append(h.told, i)
		h.spelling[i].Column = c
	}
	for _, i := range h.told {
		h.wanted[i] = true
	}
}

// absent are the cells that say that there is no value: nothing, and what
// databases write for it.
func absent(cell []byte) bool {
	switch string(cell) {
	case "", "NULL", "null", `\N`:
		return true
	}
	return false
}

// fill sets the columns of row from cells.
func (h *header) fill(row *timeline.Row, cells []document.Value, p *parse) {
	for _, i := range h.order {
		s := &h.spelling[i]
		switch v := &cells[i]; {
		case v.Long:
			row.Refuse(s.Column, timeline.TooLong)
		case !absent(v.Text) && !row.Has(s.Column):
			row.Parse(s.Column, v.Text, s.Unit, p.zone)
		}
	}
	for _, i := range h.told {
		p.told.Take(row, h.spelling[i].Column, cells[i].Text)
	}
}
