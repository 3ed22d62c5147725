package diagnose

import (
	"strconv"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// derivedNames are the metrics of the key "derived", in its order. Those of
// basis also say what they rest on.
var derivedNames = []string{
	"event_to_response_gap_ms", "response_to_text_gap_ms", "visible_generation_window_ms",
	"visible_output_tps", "effective_output_tps", "inter_token_latency_ms",
	"relay_tail_ms", "local_ms", "end_to_end_ms", "final_response_ms",
}

// basisNames are the keys under which the basis of each stands, "" for none.
var basisNames = []string{
	"", "", "", "visible_output_tps_basis", "", "", "", "", "end_to_end_basis", "final_response_basis",
}

// Derived appends the derived metrics of row i to list. A wait that was cut off
// is none of them.
func (v *Verdicts) Derived(list []Value, i int) []Value { return v.load(i).derived(list, i) }

func (m *machine) derived(list []Value, i int) []Value {
	for k, name := range derivedNames {
		r := m.read(m.derivedMetric[k], i)
		if !r.ok || r.bound {
			continue
		}
		list = append(list, Value{Name: name, Unit: m.table.Metrics[m.derivedMetric[k]].Unit, Num: r.value})
		if key := basisNames[k]; key != "" {
			list = append(list, Value{Name: key, Unit: rules.Text, Text: m.basis(name, r, i)})
		}
	}
	return list
}

// basis names the column, or the tokens and the window, on which a metric rests.
func (m *machine) basis(metric string, r reading, i int) string {
	first, second := timeline.ColTotalHandler, timeline.ColUpstreamDone
	switch metric {
	case "visible_output_tps":
		if !r.derived {
			return "recorded"
		}
		return m.speedBasis(i)
	case "final_response_ms":
		first, second = second, first
	}
	if m.batch.Has(first, i) {
		return first.String()
	}
	return second.String()
}

func (m *machine) speedBasis(i int) string {
	q := &m.metrics[m.stepMetric[rules.GenerationSlow]]
	tokens, _ := m.at(q.part, i)
	window, _ := m.at(q.whole, i)
	var room [64]byte
	text := strconv.AppendInt(room[:0], tokens, 10)
	text = append(text, " tokens / "...)
	text = appendMs(text, window)
	return string(append(text, " ms"...))
}

// appendMs writes microseconds as milliseconds with up to three decimals.
func appendMs(b []byte, us int64) []byte {
	b = strconv.AppendInt(b, us/1000, 10)
	if rest := us % 1000; rest != 0 {
		b = append(b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	return b
}
