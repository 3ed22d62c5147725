package stream

import (
	"bytes"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"ttdiag/ingest/source"
)

// recordingOf returns a recording of n streams, their chunks mixed as they are
// on a busy gateway: 32 streams at once, one chunk of each in turn.
func recordingOf(n int) []byte {
	var b strings.Builder
	for batch := 0; batch < n; batch += 32 {
		for step := range 120 {
			for k := batch; k < min(batch+32, n); k++ {
				id := fmt.Sprintf("7c1f0c5e-%08x", k)
				ms := float64(200 + 21*step + k%17)
				b.WriteString(chunk(id, ms, benchEvent(step)))
			}
		}
	}
	return []byte(b.String())
}

func benchEvent(step int) string {
	const head = `data: {"id":"chatcmpl-BxA1Z9k3Q","object":"chat.completion.chunk","created":1785000000,"model":"gpt-5.1-2025-11-13",` +
		`"service_tier":"default","system_fingerprint":null,"choices":[{"index":0,"delta":`
	switch step {
	case 0:
		return head + `{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"Zk3"}` + "\n\n"
	case 118:
		return head + `{},"logprobs":null,"finish_reason":"stop"}],"usage":null,"obfuscation":"abc"}` + "\n\n"
	case 119:
		return `data: {"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":120,"completion_tokens":117,"total_tokens":237,` +
			`"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}` + "\n\ndata: [DONE]\n\n"
	}
	return head + `{"content":" word ` + strings.Repeat("x", step%13) + `"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"p0aQ2"}` + "\n\n"
}

func BenchmarkRecording(b *testing.B) {
	data := recordingOf(256)
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	f := recordingFormat()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	defer reportCPU(b, len(data))()
	for b.Loop() {
		out := source.NewOut(f, nil)
		p := f.Session(source.Options{})
		for _, line := range lines {
			p.Parse(line, out)
		}
		p.Close(out)
		if out.Len() != 256 {
			b.Fatal(out.Len())
		}
	}
}

// reportCPU reports the bytes per second of processor time, which a busy machine
// does not change as it does the time on the wall.
func reportCPU(b *testing.B, size int) func() {
	start := cpuTime()
	return func() {
		b.ReportMetric(float64(size)*float64(b.N)/1e6/(cpuTime()-start), "MB/cpu-s")
	}
}

func cpuTime() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func BenchmarkBody(b *testing.B) {
	var body strings.Builder
	for step := range 120 {
		body.WriteString(benchEvent(step))
	}
	text := []byte(strings.Repeat(body.String(), 1))
	b.SetBytes(int64(len(text)))
	d, opts := new(desk), new(Options)
	defer reportCPU(b, len(text))()
	for b.Loop() {
		s := newStream(d, opts)
		s.Chunk(at(1), text)
		s.End()
	}
}
