package diagnose

import (
	"slices"
	"testing"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

func TestFilter(t *testing.T) {
	e := New(rules.Defaults())
	v := e.Classify(batchOf(
		map[timeline.Column]any{timeline.ColRequestID: "a-1", timeline.ColChannel: "ch/1", timeline.ColStatus: 200, timeline.ColTimestamp: 5_000_000, timeline.ColTotalHandler: 1_500_000, timeline.ColStream: 1},
		map[timeline.Column]any{timeline.ColRequestID: "a-2", timeline.ColChannel: "other", timeline.ColStatus: 504, timeline.ColTimestamp: 9_000_000, timeline.ColTotalHandler: 60_000_000, timeline.ColStream: 1},
		map[timeline.Column]any{timeline.ColRequestID: "b-3", timeline.ColStream: 0},
	))
	cases := []struct {
		where []string
		since int64
		until int64
		class []rules.Class
		want  []int
	}{
		{want: []int{0, 1, 2}},
		{where: []string{"channel=ch*"}, want: []int{0}},
		{where: []string{"channel!=ch*"}, want: []int{1, 2}},
		{where: []string{"request_id=a-*"}, want: []int{0, 1}},
		{where: []string{"outcome=timeout"}, want: []int{1}},
		{where: []string{"outcome!=timeout"}, want: []int{0, 2}},
		{where: []string{"status=504"}, want: []int{1}},
		{where: []string{"status=5*"}, want: []int{1}},
		{where: []string{"status!=5*"}, want: []int{0, 2}},
		{where: []string{"status!=504"}, want: []int{0, 2}},
		{where: []string{"total_handler_ms>1500"}, want: []int{1}},
		{where: []string{"total_handler_ms<60000"}, want: []int{0}},
		{where: []string{"total_handler_ms=1500"}, want: []int{0}},
		{where: []string{"stream=false"}, want: []int{2}},
		{where: []string{"stream=true", "channel=other"}, want: []int{1}},
		{since: 5_000_000, until: 9_000_000, want: []int{0}},
		{since: 9_000_000, want: []int{1}},
		{class: []rules.Class{rules.UpstreamHeadersSlow}, want: []int{1}},
	}
	for _, tt := range cases {
		f := Filter{Since: tt.since, Until: tt.until, Classes: tt.class}
		for _, text := range tt.where {
			c, err := ParseCondition(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			f.Where = append(f.Where, c)
		}
		if got := slices.Collect(f.Keep(v).All); !slices.Equal(got, tt.want) {
			t.Errorf("%v since %d until %d class %v keeps %v, want %v", tt.where, tt.since, tt.until, tt.class, got, tt.want)
		}
	}
	for _, text := range []string{"", "channel", "=x", "channel<x", "prompt=x", "channel=[", "status=many", "status>5*", "channel!x"} {
		if _, err := ParseCondition(text); err == nil {
			t.Errorf("%q is taken for a condition", text)
		}
	}
}

func FuzzParseCondition(f *testing.F) {
	for _, text := range []string{"channel=ch*", "status>499", "stream!=true", "total_handler_ms<1e3", "model=[a-"} {
		f.Add(text)
	}
	v := New(rules.Defaults()).Classify(batchOf(map[timeline.Column]any{timeline.ColChannel: "c", timeline.ColStatus: 200}))
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCondition(text)
		again, err2 := ParseCondition(text)
		if c != again || (err == nil) != (err2 == nil) {
			t.Errorf("%q is read in two ways", text)
		}
		if err == nil {
			filter := Filter{Where: []Condition{c}}
			filter.Keep(v)
		}
	})
}
