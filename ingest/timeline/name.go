package timeline

import (
	"slices"
	"strings"
	"sync"
)

// Spelling is one way in which a record may name a column.
type Spelling struct {
	Name   string
	Column Column
	Unit   Unit // of durations; 0 for every other kind and for timestamps of unknown unit
	Rank   int  // 0 is the column's own name; a lower rank wins where a record has several
}

// Spellings returns every name under which ttdiag's own formats (JSONL, CSV,
// Parquet, Arrow) accept a column: the name itself, durations with another unit
// suffix (total_handler_s, _us, _ns), ts and time for the timestamp, and all of
// them in camel case. Names are unique.
func Spellings() []Spelling { return slices.Clone(spellings()) }

var spellings = sync.OnceValue(allSpellings)

func allSpellings() []Spelling {
	var all []Spelling
	seen := map[string]bool{}
	add := func(s Spelling) {
		for _, name := range []string{s.Name, camel(s.Name)} {
			if !seen[name] {
				seen[name] = true
				s.Name = name
				all = append(all, s)
				s.Rank++
			}
		}
	}
	for c := range Column(NumColumns) {
		f := c.Info()
		switch {
		case f.Group == GroupInternal && c != ColVisibleOutputTPS:
			continue
		case c.IsDuration():
			addDurations(add, c)
		case c == ColTimestamp:
			addTimestamps(add)
		default:
			add(Spelling{Name: f.Name, Column: c})
		}
	}
	return all
}

var unitSuffixes = []struct {
	suffix string
	unit   Unit
}{
	{"_ms", Millisecond},
	{"_s", Second}, {"_sec", Second}, {"_secs", Second}, {"_seconds", Second},
	{"_us", Microsecond}, {"_micros", Microsecond}, {"_microseconds", Microsecond},
	{"_ns", Nanosecond}, {"_nanos", Nanosecond}, {"_nanoseconds", Nanosecond},
	{"_millis", Millisecond}, {"_milliseconds", Millisecond},
}

func addDurations(add func(Spelling), c Column) {
	base := strings.TrimSuffix(c.String(), "_ms")
	for i, u := range unitSuffixes {
		add(Spelling{Name: base + u.suffix, Column: c, Unit: u.unit, Rank: 2 * i})
	}
}

func addTimestamps(add func(Spelling)) {
	rank := 0
	for _, base := range []string{"timestamp", "ts", "time"} {
		add(Spelling{Name: base, Column: ColTimestamp, Rank: rank})
		rank += 2
		for _, u := range unitSuffixes {
			add(Spelling{Name: base + u.suffix, Column: ColTimestamp, Unit: u.unit, Rank: rank})
			rank += 2
		}
	}
	add(Spelling{Name: "@timestamp", Column: ColTimestamp, Rank: rank})
}

// camel turns total_handler_ms into totalHandlerMs.
func camel(name string) string {
	var b strings.Builder
	upper := false
	for i := range len(name) {
		c := name[i]
		switch {
		case c == '_':
			upper = true
		case upper && 'a' <= c && c <= 'z':
			b.WriteByte(c - 'a' + 'A')
			upper = false
		default:
			b.WriteByte(c)
			upper = false
		}
	}
	return b.String()
}
