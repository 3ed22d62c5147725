package timeline

import (
	"slices"
	"testing"
)

// Both marks of a pair that stands out of order are dropped, and again where that
// makes neighbours of others: what is left is in order.
func TestCleanOrder(t *testing.T) {
	marks := []Column{ColFirstSSEEvent, ColFirstResponse, ColFirstTextDelta, ColUpstreamDone, ColTotalHandler}
	const none = -1
	for _, c := range []struct{ in, want []int64 }{ // ms
		{[]int64{10, 20, 30, 40, 50}, []int64{10, 20, 30, 40, 50}},
		{[]int64{10, 10, 10, 10, 10}, []int64{10, 10, 10, 10, 10}},
		{[]int64{11, 10, 30, 40, 50}, []int64{11, 10, 30, 40, 50}}, // within the tolerance
		{[]int64{30, 25, 26, none, 40}, []int64{none, none, 26, none, 40}},
		{[]int64{10, 20, 15, 12, 50}, []int64{10, none, none, none, 50}},
		{[]int64{100, none, none, 50, none}, []int64{none, none, none, none, none}},
		{[]int64{1234, 1234, 1000, none, 1000}, []int64{none, none, none, none, none}}, // the first was before the last
		{[]int64{10, 90, 80, 70, 60}, []int64{10, none, none, none, none}},
		{[]int64{50, 90, 80, 40, 60}, []int64{50, none, none, none, 60}},
		{[]int64{70, 90, 80, 40, 60}, []int64{none, none, none, none, none}},
	} {
		var r Row
		for i, v := range c.in {
			if v != none {
				r.SetNum(marks[i], v*1000)
			}
		}
		recorded := r.set
		for range 2 { // cleaning what is clean changes nothing
			r.clean()
			got := make([]int64, len(marks))
			for i, m := range marks {
				got[i] = none
				if v, ok := r.Num(m); ok {
					got[i] = v / 1000
				}
				if gone := recorded.Has(m) && got[i] == none; gone != r.Notes.Cleaned[OrderViolation].Has(m) {
					t.Errorf("%v: %s is gone: %v, and noted otherwise", c.in, m, gone)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v became %v, want %v", c.in, got, c.want)
			}
		}
	}
}
