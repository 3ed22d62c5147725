package stream

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"ttdiag/ingest/source"
)

func readDocument(t *testing.T, f *source.Format, opt source.Options, b []byte) source.Part {
	t.Helper()
	out := source.NewOut(f, nil)
	if err := f.Document(context.Background(), iotest.HalfReader(bytes.NewReader(b)), opt, out); err != nil {
		t.Fatal(err)
	}
	return out.Flush()
}

func rejections(part source.Part) []string {
	var list []string
	for _, r := range part.Rejected {
		list = append(list, string(r.Reason))
	}
	return list
}

func TestDocuments(t *testing.T) {
	cases := []struct {
		format, file string
		opt          source.Options
		want         []string
		rejected     []string
	}{
		{
			"aiperf-raw", "aiperf-raw.jsonl", source.Options{},
			[]string{
				"upstream_start_ms=0 upstream_headers_ms=41000 first_sse_event_ms=210000 first_response_ms=210000 first_text_delta_ms=700000 " +
					"upstream_done_ms=900000 timestamp=1785304801664008 stream=1 status=200 input_tokens=12 cached_input_tokens=8 output_tokens=40 " +
					"reasoning_tokens=18 event_count=9 heartbeat_count=1 longest_gap_ms=290000 longest_gap_at_ms=210000 source_line=1 " +
					"request_id=raw-1 model=qwen3 outcome=success finish_reason=tool_calls",
				"upstream_start_ms=0 first_sse_event_ms=1000000 first_response_ms=1000000 first_text_delta_ms=1000000 upstream_done_ms=1500000 " +
					"timestamp=1785304801664008 stream=1 status=200 event_count=2 heartbeat_count=0 longest_gap_ms=500000 longest_gap_at_ms=1000000 " +
					"source_line=3 request_id=raw-err outcome=upstream_error error_class=status_502 notes=tool_reported_status",
				"upstream_start_ms=0 upstream_headers_ms=900000 upstream_done_ms=1000000 timestamp=1785304801000000 stream=0 status=200 " +
					"input_tokens=3 output_tokens=4 max_output_tokens=50 source_line=4 request_id=raw-whole model=m outcome=success finish_reason=stop",
			},
			[]string{"marked as warm-up", "invalid JSON", "not a request"},
		},
		{
			"genai-perf", "genai-perf.json", source.Options{},
			[]string{
				"upstream_start_ms=0 first_sse_event_ms=95000 first_response_ms=140000 first_text_delta_ms=140000 upstream_done_ms=172000 " +
					"timestamp=1741134588000000 stream=1 event_count=5 inflight=2 heartbeat_count=0 longest_gap_ms=45000 longest_gap_at_ms=95000 " +
					"source_line=1 model=facebook/opt-125m outcome=success finish_reason=stop",
				"upstream_start_ms=0 upstream_done_ms=250000 timestamp=1741134588000001 stream=0 input_tokens=33 output_tokens=32 inflight=2 " +
					"source_line=2 model=facebook/opt-125m outcome=success finish_reason=stop",
			},
			nil,
		},
		{
			"inference-perf", "inference-perf.json", source.Options{},
			[]string{
				"upstream_start_ms=0 first_text_delta_ms=750000 upstream_done_ms=3500000 stream=1 input_tokens=12 cached_input_tokens=0 " +
					"output_tokens=8 source_line=1 model=m7 outcome=success",
				"upstream_start_ms=0 first_response_ms=500000 first_text_delta_ms=900000 upstream_done_ms=1000000 stream=1 input_tokens=5 " +
					"output_tokens=2 source_line=2 model=m7 outcome=success notes=estimated_tokens",
				"upstream_start_ms=0 upstream_done_ms=1250000 input_tokens=5 output_tokens=7 source_line=3 outcome=upstream_error notes=estimated_tokens",
			},
			[]string{"not a request"},
		},
		{
			"har", "archive.har", source.Options{},
			[]string{
				"upstream_start_ms=0 upstream_headers_ms=100000 first_sse_event_ms=250000 first_response_ms=500000 first_text_delta_ms=500000 " +
					"upstream_done_ms=1000000 timestamp=1767323045000000 stream=1 status=200 event_count=3 heartbeat_count=0 longest_gap_ms=500000 " +
					"longest_gap_at_ms=500000 source_line=1 model=m7 outcome=success",
				"upstream_start_ms=0 upstream_headers_ms=100000 first_sse_event_ms=200000 first_response_ms=600000 first_text_delta_ms=600000 " +
					"upstream_done_ms=1000000 timestamp=1767323046000000 stream=1 status=200 event_count=4 heartbeat_count=0 longest_gap_ms=400000 " +
					"longest_gap_at_ms=200000 source_line=2 model=m7 outcome=success finish_reason=stop",
				"upstream_start_ms=0 upstream_headers_ms=100000 upstream_done_ms=1000000 timestamp=1767323047000000 stream=1 status=200 " +
					"event_count=4 heartbeat_count=0 source_line=3 model=m7 outcome=success finish_reason=stop recordable=upstream_headers_ms,upstream_done_ms",
				"upstream_start_ms=0 upstream_headers_ms=100000 upstream_done_ms=700000 timestamp=1767323048000000 stream=0 status=200 " +
					"input_tokens=1 output_tokens=2 source_line=5 model=m outcome=success finish_reason=stop recordable=upstream_headers_ms,upstream_done_ms",
				"upstream_start_ms=0 upstream_done_ms=60000000 timestamp=1767323049000000 source_line=6 recordable=upstream_headers_ms,upstream_done_ms",
			},
			[]string{"not a request"},
		},
	}
	for _, c := range cases {
		t.Run(c.format, func(t *testing.T) {
			b, err := os.ReadFile("testdata/formats/" + c.file)
			if err != nil {
				t.Fatal(err)
			}
			part := readDocument(t, formatNamed(c.format), c.opt, b)
			got := rows(part.Batch)
			for i := range got {
				got[i] = trimRow(got[i])
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("rows:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if r := rejections(part); !slices.Equal(r, c.rejected) {
				t.Errorf("rejected %v, want %v", r, c.rejected)
			}
		})
	}
}

// trimRow takes off the columns that are the same in all rows of a format.
func trimRow(row string) string {
	var kept []string
	for cell := range strings.SplitSeq(row, " ") {
		name, value, _ := strings.Cut(cell, "=")
		switch {
		case name == "vantage", name == "format", name == "source_byte":
		case name == "recordable" && value != "upstream_headers_ms,upstream_done_ms":
		default:
			kept = append(kept, cell)
		}
	}
	return strings.Join(kept, " ")
}

// TestDetect: each sample is recognised by its own format and by no other of
// this package with more confidence.
func TestDetect(t *testing.T) {
	cases := []struct{ file, want string }{
		{"testdata/formats/aiperf-raw.jsonl", "aiperf-raw"}, {"testdata/formats/genai-perf.json", "genai-perf"},
		{"testdata/formats/inference-perf.json", "inference-perf"}, {"testdata/formats/archive.har", "har"},
		{"testdata/cases/openai-responses.sse", "sse"}, {"testdata/cases/dashscope-native.sse", "sse"}, {"testdata/cases/edge-cr-only.sse", "sse"},
		{"testdata/cases/edge-crlf-bom.sse", "sse"}, {"testdata/cases/gemini-json-array.json", "stream-json"},
		{"testdata/cases/bedrock-converse-stream.jsonl", "stream-json"}, {"testdata/cases/ollama-chat.jsonl", "stream-json"},
	}
	for _, c := range cases {
		t.Run(c.file, func(t *testing.T) {
			b, err := os.ReadFile(c.file)
			if err != nil {
				t.Fatal(err)
			}
			if got := detected(b); got != c.want {
				t.Errorf("detected %q, want %q", got, c.want)
			}
		})
	}
	recording := chunk("a", 1, "data: {\"choices\":[]}\n\n") + `{"request_id":"a","model":"m","total_handler_ms":5}` + "\n"
	if got := detected([]byte(recording)); got != "recording" {
		t.Errorf("detected %q, want recording", got)
	}
	if got := detected([]byte(`{"request_id":"a","total_handler_ms":5}` + "\n")); got != "" {
		t.Errorf("a record is taken for %q", got)
	}
}

func detected(b []byte) string {
	w := &source.Window{Head: b, Whole: true}
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		if line = bytes.TrimRight(line, "\r"); len(bytes.TrimSpace(line)) > 0 {
			w.Lines = append(w.Lines, line)
		}
	}
	best, name := source.No, ""
	for _, f := range Formats() {
		if c := f.Detect(w); c > best {
			best, name = c, f.Name
		}
	}
	return name
}

// TestBare: a body without times has classes, counts and tokens, and no mark.
func TestBare(t *testing.T) {
	for _, c := range []struct{ file, format, want string }{
		{"openai-chat-text.sse", "sse", "stream=1 input_tokens=120 cached_input_tokens=0 output_tokens=64 reasoning_tokens=0 event_count=6 " +
			"heartbeat_count=0 source_line=1 model=gpt-5.1-2025-11-13 outcome=success finish_reason=stop recordable=none"},
		{"gemini-json-array.json", "stream-json", "stream=1 input_tokens=6 output_tokens=15 reasoning_tokens=10 event_count=3 heartbeat_count=0 " +
			"source_line=1 outcome=success finish_reason=STOP recordable=none"},
	} {
		b, err := os.ReadFile("testdata/cases/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		part := readDocument(t, formatNamed(c.format), source.Options{}, b)
		got := strings.NewReplacer(" source_byte=0", "", " vantage=client", "", " format="+c.format, "").Replace(rows(part.Batch)[0])
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.file, got, c.want)
		}
	}
	part := readDocument(t, formatNamed("sse"), source.Options{}, nil)
	if part.Batch.Len() != 0 || len(part.Rejected) != 1 {
		t.Errorf("an empty body: %d records, %d rejected", part.Batch.Len(), len(part.Rejected))
	}
}
