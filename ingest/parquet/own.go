package parquet

import (
	"cmp"
	"slices"
	"strings"

	"ttdiag/ingest/timeline"
)

// timing are the columns of which a record must have one.
const timing = timeline.Mask(1<<(timeline.ColTotalHandler+1)-1) | 1<<timeline.ColVisibleOutputTPS |
	1<<timeline.ColLongestGap | 1<<timeline.ColLongestGapAt

// binding is a column of the file that fills a column of a record.
type binding struct {
	index  int // in File.Columns
	column timeline.Column
	unit   timeline.Unit
	rank   int // of the spelling; the lowest that has a value counts
}

// own binds ttdiag's own columns.
func (t *table) own() (*Binding, error) {
	list := t.bindings()
	var has timeline.Mask
	for _, b := range list {
		has = has.With(b.column)
	}
	const request = timeline.Mask(1<<timeline.ColRequestID | 1<<timeline.ColOutcome)
	if has&timing == 0 && has&request != request {
		return nil, missing("a record names a time", timingNames())
	}
	columns := make([]int, len(list))
	for i, b := range list {
		columns[i] = b.index
	}
	return &Binding{Format: t.format, Columns: columns, NewRows: func() Rows {
		return newRowFiller(t.columns, list, t.opt)
	}}, nil
}

// nestedRank puts a column inside of a group behind the same column beside it.
const nestedRank = 1000

// bindings returns the flat columns whose names are known, better spellings of
// the same column first.
func (t *table) bindings() []binding {
	known := map[string]timeline.Spelling{}
	for _, s := range timeline.Spellings() {
		known[s.Name] = s
	}
	var list []binding
	for i := range t.columns {
		col := &t.columns[i]
		if col.Lists > 0 {
			continue
		}
		name, nested := ownName(col)
		s, ok := known[name]
		if !ok || nested && s.Column.Info().Group > timeline.GroupTokens && s.Column != timeline.ColVisibleOutputTPS {
			continue
		}
		if nested {
			s.Rank += nestedRank
		}
		list = append(list, binding{i, s.Column, s.Unit, s.Rank})
	}
	list = append(list, t.provenance()...)
	slices.SortStableFunc(list, func(a, b binding) int {
		return cmp.Or(cmp.Compare(a.column, b.column), cmp.Compare(a.rank, b.rank))
	})
	return list
}

// ownName returns the name of a column at the top or in one of the groups that
// ttdiag's own outputs have, stored as a group or as a dot in the name.
func ownName(c *Column) (name string, nested bool) {
	name = c.Name()
	for _, group := range []string{"timings.", "tokens."} {
		if inside, ok := strings.CutPrefix(name, group); ok {
			return inside, true
		}
	}
	return name, false
}

// provenance binds the columns that say what ttdiag knows of a record, where all
// of them are there: a file that ttdiag wrote.
func (t *table) provenance() []binding {
	var list []binding
	for c := range timeline.Provenance.All {
		i, ok := t.lookup(c.String())
		if !ok || t.columns[i].Kind != Bytes || t.columns[i].Lists > 0 {
			return nil
		}
		list = append(list, binding{index: i, column: c})
	}
	return list
}

func timingNames() []string {
	var names []string
	for c := range timing.All {
		names = append(names, c.String())
	}
	return names
}
