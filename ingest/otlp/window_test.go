package otlp

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// spanJSON is a span of trace 1: with a parent and tokens it is vLLM's, without
// it is a client's call.
func spanJSON(id, parent int) string {
	attributes := `{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}`
	if parent > 0 {
		attributes = `{"key":"gen_ai.latency.e2e","value":{"doubleValue":0.5}},{"key":"gen_ai.usage.completion_tokens","value":{"intValue":"7"}}`
	}
	return fmt.Sprintf(`{"traceId":"1","spanId":"%x","parentSpanId":"%x","name":"x","kind":3,"startTimeUnixNano":"1764000000000000000","endTimeUnixNano":"1764000001000000000","attributes":[%s]}`,
		id, parent, attributes)
}

func readSpans(t *testing.T, spans []string) source.Part {
	t.Helper()
	out := source.NewOut(Formats()[0], nil)
	text := `{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + `]}]}]}`
	if err := read(context.Background(), strings.NewReader(text), source.Options{}, out); err != nil {
		t.Fatal(err)
	}
	return out.Flush()
}

func TestWindow(t *testing.T) {
	for _, gap := range []int{0, 1, windowSpans/2 - 2, windowSpans + 10} {
		for _, serverFirst := range []bool{false, true} {
			client, server := spanJSON(1, 0), spanJSON(2, 1)
			spans := []string{client}
			if serverFirst {
				spans[0] = server
			}
			for i := range gap {
				spans = append(spans, spanJSON(10+i, 0))
			}
			if serverFirst {
				spans = append(spans, client)
			} else {
				spans = append(spans, server)
			}
			part := readSpans(t, spans)
			merged := gap < windowSpans
			want := gap + 2
			if merged {
				want--
			}
			if part.Batch.Len() != want || part.Joined != int64(gap+2-want) || part.Lines != int64(gap+2) {
				t.Errorf("gap %d, server first %v: %d records, %d joined of %d", gap, serverFirst, part.Batch.Len(), part.Joined, part.Lines)
			}
			tokens, engines, last := 0, 0, int64(0)
			for i := range part.Batch.Len() {
				if _, ok := part.Batch.Num(timeline.ColOutputTokens, i); ok {
					tokens++
				}
				if part.Batch.Text(timeline.ColVantage, i) == "engine" {
					engines++
				}
				line, _ := part.Batch.Num(timeline.ColSourceLine, i)
				if line <= last {
					t.Fatalf("entry %d behind %d", line, last)
				}
				last = line
			}
			if tokens != 1 || engines > 0 == merged {
				t.Errorf("gap %d, server first %v: %d with tokens, %d of the engine", gap, serverFirst, tokens, engines)
			}
		}
	}
}

func TestTwice(t *testing.T) {
	part := readSpans(t, []string{spanJSON(1, 0), spanJSON(3, 0), spanJSON(1, 0)})
	if part.Batch.Len() != 2 || len(part.Rejected) != 1 || part.Rejected[0].Reason != source.Duplicate || part.Rejected[0].Line != 3 {
		t.Errorf("%d records, rejected %v", part.Batch.Len(), part.Rejected)
	}
	part = readSpans(t, []string{spanJSON(0, 0), spanJSON(0, 0)}) // without an id nothing is the same
	if part.Batch.Len() != 2 {
		t.Errorf("%d records of spans without ids", part.Batch.Len())
	}
}

func TestFailure(t *testing.T) {
	cases := map[[2]string]string{
		{"429", ""}: "rate_limited", {"504", ""}: "timeout", {"499", ""}: "client_cancelled", {"404", ""}: "rejected", {"500", ""}: "upstream_error",
		{"timeout", ""}: "timeout", {"", "openai.APITimeoutError"}: "timeout", {"", "asyncio.CancelledError"}: "client_cancelled",
		{"", "openai.RateLimitError"}: "rate_limited", {"_OTHER", ""}: "upstream_error", {"", ""}: "upstream_error",
	}
	for c, want := range cases {
		if got := failure(c[0], c[1]); got != want {
			t.Errorf("%q is %s, want %s", c, got, want)
		}
	}
}

func TestDetectFramed(t *testing.T) {
	frame := func(n int) string { return string([]byte{0, 0, 0, byte(n), 0x0A}) + strings.Repeat("x", n-1) }
	cases := []struct {
		name, head string
		whole      bool
		want       bool
	}{
		{"one message", frame(20), true, true},
		{"two messages", frame(20) + frame(30), true, true},
		{"begun", frame(100)[:50], false, true},
		{"cut short", frame(100)[:50], true, false},
		{"text", "hello world, this is text", true, false},
		{"JSON", `{"resourceSpans":[]}`, true, false},
		{"zeros", strings.Repeat("\x00", 40), true, false},
	}
	for _, c := range cases {
		w := &source.Window{Head: []byte(c.head), Whole: c.whole}
		if got := detectFramed(w) > source.No; got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
