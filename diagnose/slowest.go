package diagnose

import (
	"cmp"
	"slices"
	"strings"

	"ttdiag/ingest/timeline"
)

// slowest keeps the requests with the longest end_to_end_ms.
type slowest struct {
	limit int
	kept  []SlowRequest // longest first
}

func (s *slowest) add(m *measured, rows timeline.Bitmap) {
	col := m.column("end_to_end_ms")
	if col.Values == nil || s.limit <= 0 {
		return
	}
	for i := range both(col.Valid, rows).All {
		if len(s.kept) == s.limit && col.Values[i] < s.kept[s.limit-1].EndToEnd {
			continue
		}
		s.take(m.slowRequest(i, col.Values[i]))
	}
}

func (v *Verdicts) slowRequest(i int, us int64) SlowRequest {
	d := v.Diagnosis(i)
	return SlowRequest{
		RequestID: d.RequestID, Attempt: d.Attempt, EndToEnd: us, LowerBound: v.Outcome[i].Failed(),
		Class: d.Class, Excess: d.LargestExcess, Model: d.Model,
		Channel: v.Batch.Text(timeline.ColChannel, i), Source: d.Source,
	}
}

func (s *slowest) take(r SlowRequest) {
	at, _ := slices.BinarySearchFunc(s.kept, r, SlowRequest.compare)
	s.kept = slices.Insert(s.kept, at, r)
	if len(s.kept) > s.limit {
		s.kept = s.kept[:s.limit]
	}
}

func (r SlowRequest) compare(o SlowRequest) int {
	return cmp.Or(cmp.Compare(o.EndToEnd, r.EndToEnd), strings.Compare(r.RequestID, o.RequestID),
		cmp.Compare(r.Attempt, o.Attempt), r.Source.compare(o.Source))
}

func (s *slowest) merge(o *slowest) {
	for _, r := range o.kept {
		s.take(r)
	}
}

func (s *slowest) list() []SlowRequest { return s.kept }
