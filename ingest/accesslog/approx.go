package accesslog

import (
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// approximations puts labels on the approximate columns of rows, or takes the
// columns away where only exact ones are wanted. It is used by one goroutine.
type approximations struct {
	exact      bool
	recordable timeline.Mask
	made       []madeLabel
	narrowed   []narrowedMask
}

type madeLabel struct {
	items []timeline.Approx
	mask  timeline.Mask
	label *timeline.Label
}

type narrowedMask struct {
	mask timeline.Mask
	text []byte
}

func newApproximations(opt source.Options, recordable timeline.Mask) approximations {
	return approximations{exact: opt.Exact, recordable: recordable}
}

// settle labels those columns of row that items name and that are set in
// approx. recordable is what this line records when it happens; under Exact a
// column that was taken away proves nothing, and leaves it.
func (a *approximations) settle(row *timeline.Row, items []timeline.Approx, approx, recordable timeline.Mask) {
	if approx != 0 {
		if a.exact {
			row.Drop(approx)
			recordable &^= approx
		} else {
			row.Label = a.label(items, approx)
		}
	}
	if recordable != a.recordable {
		row.SetText(timeline.ColRecordable, a.text(recordable))
	}
}

func (a *approximations) label(items []timeline.Approx, mask timeline.Mask) *timeline.Label {
	for i := range a.made {
		if m := &a.made[i]; m.mask == mask && &m.items[0] == &items[0] {
			return m.label
		}
	}
	var kept []timeline.Approx
	for _, item := range items {
		if c, ok := timeline.ColumnNamed(item.Column); ok && mask.Has(c) {
			kept = append(kept, item)
		}
	}
	l := timeline.NewLabel(kept...)
	a.made = append(a.made, madeLabel{items, mask, l})
	return l
}

// allMarks is how a row says that every mark is recordable.
const allMarks = "upstream_headers_ms,first_sse_event_ms,first_response_ms,first_text_delta_ms,upstream_done_ms,total_handler_ms"

func (a *approximations) text(mask timeline.Mask) []byte {
	for i := range a.narrowed {
		if a.narrowed[i].mask == mask {
			return a.narrowed[i].text
		}
	}
	text := timeline.Recordable(mask)
	if text == "" {
		text = allMarks
	}
	a.narrowed = append(a.narrowed, narrowedMask{mask, []byte(text)})
	return a.narrowed[len(a.narrowed)-1].text
}
