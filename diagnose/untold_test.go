package diagnose

import (
	"testing"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// Reasoning that is counted in output_tokens and nowhere else must not pass for
// the speed of the text.
func TestUntoldReasoningGivesNoVisibleSpeed(t *testing.T) {
	for _, untold := range []bool{false, true} {
		var r timeline.Row
		r.SetNum(timeline.ColStream, 1)
		r.SetNum(timeline.ColFirstResponse, 400_000)
		r.SetNum(timeline.ColFirstTextDelta, 1_400_000)
		r.SetNum(timeline.ColUpstreamDone, 3_400_000)
		r.SetNum(timeline.ColOutputTokens, 600)
		if untold {
			r.Notes.Add(timeline.UntoldReasoning)
		}
		b := timeline.NewBuilder()
		b.Append(&r)
		v := New(rules.Defaults()).Classify(b.Flush())
		known := false
		for _, d := range v.Diagnosis(0).Derived {
			known = known || d.Name == "visible_output_tps"
		}
		if known == untold {
			t.Errorf("untold %v: visible speed known %v", untold, known)
		}
	}
}
