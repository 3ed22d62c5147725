package rules

import (
	"testing"

	"ttdiag/ingest/timeline"
)

func TestEveryNoteIsDefined(t *testing.T) {
	var names []string
	for n := range Note(NumNotes) {
		names = append(names, n.String())
	}
	for n := range timeline.Note(timeline.NumNotes) {
		names = append(names, n.String())
	}
	for c := range timeline.Cleaning(timeline.NumCleanings) {
		names = append(names, c.String())
	}
	for _, name := range names {
		found := Define(name)
		if len(found) != 1 || found[0].Name != name || found[0].Kind != "note" || found[0].Means == "" {
			t.Errorf("%s: defined as %+v", name, found)
		}
	}
}
