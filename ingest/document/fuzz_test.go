package document_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// text renders everything that was read.
func text(part source.Part) string {
	var b strings.Builder
	fmt.Fprintln(&b, part.Lines, part.Blank, part.Joined, part.Rejected)
	for i := range part.Batch.Len() {
		for c := range timeline.Column(timeline.NumColumns) {
			if part.Batch.Has(c, i) {
				fmt.Fprint(&b, c, "=", value(part.Batch, c.String(), i), " ")
			}
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// fuzz checks that a format never panics, gives the same answer twice, gives it
// too when the bytes come one by one, and accounts for every entry.
func fuzz(f *testing.F, name string) {
	format := formatNamed(f, name)
	files, _ := filepath.Glob(filepath.Join(corpus, "*", "expect.json"))
	for _, file := range files {
		expect, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(expect, []byte(`"format": "`+name+`"`)) {
			continue
		}
		inputs, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*"))
		for _, input := range inputs {
			if data, err := os.ReadFile(input); err == nil && input != file && len(data) < 20_000 {
				f.Add(data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first := read(t, format, data)
		if first.Lines != int64(first.Batch.Len()+len(first.Rejected))+first.Blank+first.Joined {
			t.Fatalf("%d entries, %d records, %d rejected, %d blank, %d joined", first.Lines, first.Batch.Len(), len(first.Rejected), first.Blank, first.Joined)
		}
		once := text(first)
		if again := text(read(t, format, data)); again != once {
			t.Fatalf("two answers:\n%s\n%s", once, again)
		}
		if format.Document == nil {
			return
		}
		out := source.NewOut(format, nil)
		if err := format.Document(context.Background(), iotest.OneByteReader(bytes.NewReader(data)), source.Options{}, out); err != nil {
			t.Fatal(err)
		}
		if bytewise := text(out.Flush()); bytewise != once {
			t.Fatalf("byte by byte:\n%s\nat once:\n%s", bytewise, once)
		}
		format.Detect(window(data))
	})
}

func FuzzAIPerf(f *testing.F)       { fuzz(f, "aiperf") }
func FuzzVLLM(f *testing.F)         { fuzz(f, "vllm-bench") }
func FuzzSGLang(f *testing.F)       { fuzz(f, "sglang-bench") }
func FuzzGuideLLM(f *testing.F)     { fuzz(f, "guidellm") }
func FuzzLLMPerf(f *testing.F)      { fuzz(f, "llmperf") }
func FuzzGenaiBench(f *testing.F)   { fuzz(f, "genai-bench") }
func FuzzLoadTest(f *testing.F)     { fuzz(f, "llm-load-test") }
func FuzzAIBenchmarks(f *testing.F) { fuzz(f, "ai-benchmarks") }
func FuzzEvalScope(f *testing.F)    { fuzz(f, "evalscope") }
func FuzzAIBrix(f *testing.F)       { fuzz(f, "aibrix") }
func FuzzBurstGPT(f *testing.F)     { fuzz(f, "burstgpt") }
func FuzzAzure(f *testing.F)        { fuzz(f, "azure-trace") }
func FuzzMooncake(f *testing.F)     { fuzz(f, "mooncake-trace") }
func FuzzOTLP(f *testing.F)         { fuzz(f, "otlp") }
func FuzzLangfuse(f *testing.F)     { fuzz(f, "langfuse") }
func FuzzLangSmith(f *testing.F)    { fuzz(f, "langsmith") }
func FuzzPhoenix(f *testing.F)      { fuzz(f, "phoenix") }
func FuzzBraintrust(f *testing.F)   { fuzz(f, "braintrust") }

// An input that is cut off anywhere gives what stood before the cut, says that
// it is cut, and accounts for every entry.
func TestCutAnywhere(t *testing.T) {
	for name, e := range expectations(t) {
		data, err := os.ReadFile(filepath.Join(corpus, name, e.File))
		if err != nil {
			t.Fatal(err)
		}
		format := formatNamed(t, e.Format)
		whole := read(t, format, data)
		for cut := 0; cut < len(data); cut += max(1, len(data)/60) {
			part := read(t, format, data[:cut])
			if part.Lines != int64(part.Batch.Len()+len(part.Rejected))+part.Blank+part.Joined {
				t.Errorf("%s cut at %d: %d entries, %d records, %d rejected", name, cut, part.Lines, part.Batch.Len(), len(part.Rejected))
			}
			if part.Batch.Len() > whole.Batch.Len()+1 { // a span may lose the one it would join
				t.Errorf("%s cut at %d: %d records of %d", name, cut, part.Batch.Len(), whole.Batch.Len())
			}
		}
	}
}
