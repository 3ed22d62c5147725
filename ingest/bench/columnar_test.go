package bench

import (
	"context"
	"strings"
	"testing"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

const summaryKeys = `"backend":"openai","model_id":"m","num_prompts":2,"request_throughput":1.0,`

func TestRunDamaged(t *testing.T) {
	cases := []struct {
		name, text string
		records    int
		rejected   []source.Reason
	}{
		{"whole", `{` + summaryKeys + `"input_lens":[1,2],"ttfts":[0.5,0.25],"generated_texts":["a","b"]}`, 2, nil},
		{"cut in the texts", `{` + summaryKeys + `"input_lens":[1,2],"ttfts":[0.5,0.25],"generated_texts":["a","b`, 2, []source.Reason{source.TruncatedJSON}},
		{"cut in the times", `{` + summaryKeys + `"input_lens":[1,2],"ttfts":[0.5,0.`, 0, []source.Reason{source.TruncatedJSON}},
		{"cut in the errors", `{` + summaryKeys + `"input_lens":[1,2],"ttfts":[0.5,0.25],"errors":["`, 2, []source.Reason{source.TruncatedJSON}},
		{"unequal", `{` + summaryKeys + `"input_lens":[1],"ttfts":[0.5,0.25]}`, 0, []source.Reason{source.UnequalColumns}},
		{"an array that is empty", `{` + summaryKeys + `"input_lens":[],"ttfts":[0.5,0.25]}`, 2, nil},
		{"null arrays", `{` + summaryKeys + `"input_lens":null,"ttfts":null}`, 0, []source.Reason{vllmAlone}},
		{"no arrays", `{` + summaryKeys + `"duration":1}`, 0, []source.Reason{vllmAlone}},
		{"no run", `{"a":1}`, 0, []source.Reason{source.NotThisFormat}},
		{"two runs and a torn one", `{` + summaryKeys + `"ttfts":[0.5]}` + "\n{\"ttfts\":[0.5\n{" + summaryKeys + `"ttfts":[0.5,1]}`, 3, []source.Reason{source.InvalidJSON}},
		{"numbers that are none", `{` + summaryKeys + `"ttfts":[NaN,"x",null,{},0.5,-1,1e300]}`, 7, nil},
		{"not an object", `7`, 0, []source.Reason{source.NotAnObject}},
		{"empty", ``, 0, nil},
	}
	format := vllm()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out := source.NewOut(format, nil)
			if err := format.Document(context.Background(), strings.NewReader(c.text), source.Options{}, out); err != nil {
				t.Fatal(err)
			}
			part := out.Flush()
			if part.Batch.Len() != c.records || part.Lines != int64(part.Batch.Len()+len(part.Rejected)) {
				t.Errorf("%d records of %d entries, want %d", part.Batch.Len(), part.Lines, c.records)
			}
			if len(part.Rejected) != len(c.rejected) {
				t.Fatalf("rejected %v, want %v", part.Rejected, c.rejected)
			}
			for i, r := range part.Rejected {
				if r.Reason != c.rejected[i] {
					t.Errorf("rejected for %q, want %q", r.Reason, c.rejected[i])
				}
			}
			for i := range part.Batch.Len() {
				if v, ok := part.Batch.Num(timeline.ColFirstSSEEvent, i); ok && (v <= 0 || v > 1e6) {
					t.Errorf("first event at %d", v)
				}
			}
		})
	}
}

// The same key has another meaning in the other tool.
func TestSameKeyOtherMeaning(t *testing.T) {
	const arrays = `"input_lens":[1],"output_lens":[2],"ttfts":[0.5],"itls":[[0.1]],"errors":[""]}`
	cases := []struct {
		format *source.Format
		text   string
		column timeline.Column
		basis  string
	}{
		{vllm(), `{` + summaryKeys + arrays, timeline.ColFirstSSEEvent, choicesChunk},
		{sglang(), `{"backend":"sglang","random_range_ratio":0,"max_concurrency":1,"request_throughput":1.0,` + arrays, timeline.ColFirstTextDelta, contentOnly},
	}
	for _, c := range cases {
		w := &source.Window{Head: []byte(c.text), Lines: [][]byte{[]byte(c.text)}, Whole: true}
		for _, f := range Formats() {
			if got := f.Detect(w); got > 0 != (f.Name == c.format.Name) {
				t.Errorf("%s: %s to %d", c.format.Name, f.Name, got)
			}
		}
		out := source.NewOut(c.format, nil)
		if err := c.format.Document(context.Background(), strings.NewReader(c.text), source.Options{}, out); err != nil {
			t.Fatal(err)
		}
		b := out.Flush().Batch
		if v, ok := b.Num(c.column, 0); !ok || v != 500_000 {
			t.Errorf("%s: %s = %d", c.format.Name, c.column, v)
		}
		if got := b.Text(timeline.ColFirstTokenBasis, 0); got != c.basis {
			t.Errorf("%s: basis %q", c.format.Name, got)
		}
	}
}

func TestErrorTexts(t *testing.T) {
	classes := map[string]string{
		"Traceback (most recent call last):\n  x\naiohttp.client_exceptions.ServerDisconnectedError: Server disconnected\n": "ServerDisconnectedError",
		"Too Many Requests":                "",
		"TimeoutError":                     "TimeoutError",
		"asyncio.TimeoutError: my secret":  "TimeoutError",
		"sk-secret: TimeoutError":          "",
		"my secret prompt Error":           "",
		"":                                 "",
		strings.Repeat("x", 100) + "Error": "",
	}
	for text, want := range classes {
		if got := string(errorClass([]byte(text))); got != want {
			t.Errorf("class of %.40q is %q, want %q", text, got, want)
		}
	}
	outcomes := map[string]string{"Request timed out": timedOut, "CancelledError": cancelled, "Too Many Requests": limited, "x": failed, "": failed}
	for text, want := range outcomes {
		if got := failure([]byte(text)); got != want {
			t.Errorf("outcome of %q is %q, want %q", text, got, want)
		}
	}
	statuses := map[string]int64{"HTTPStatusError: Client error '429 Too Many": 429, "Client error '42": 0, "Client error '4299": 0, "Client error '999 x": 0, "x": 0}
	for text, want := range statuses {
		if got := statusIn([]byte(text), "Client error '", " "); got != want {
			t.Errorf("status in %q is %d, want %d", text, got, want)
		}
	}
}
