package accesslog

import (
	"bytes"
	"fmt"
	"testing"

	"ttdiag/ingest/source"
)

// benchLines are as many records as ingest parses at once.
const benchLines = 4000

// benchmark parses a log of which every line has its own id and times.
func benchmark(b *testing.B, name string, line func(i int) string) {
	var f *source.Format
	for _, g := range Formats() {
		if g.Name == name {
			f = g
		}
	}
	var log []byte
	for i := range benchLines {
		log = append(log, line(i)...)
		log = append(log, '\n')
	}
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	out := source.NewOut(f, nil)
	p := f.Lines(source.Options{})
	for b.Loop() {
		rest := log
		for n := int64(1); len(rest) > 0; n++ {
			end := bytes.IndexByte(rest, '\n')
			out.At(source.Position{Line: n})
			if r := p.Parse(rest[:end], out); r.Reason != source.OK {
				b.Fatal(r.Reason)
			}
			rest = rest[end+1:]
		}
		batch := out.Flush().Batch
		if batch.Len() != benchLines {
			b.Fatal("records lost")
		}
		out.Recycle(batch)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*benchLines), "ns/record")
}

func BenchmarkNginx(b *testing.B) {
	benchmark(b, "nginx_text", func(i int) string {
		return fmt.Sprintf(`203.0.113.%d - - [21/Aug/2026:03:%02d:%02d +0000] "POST /v1/chat/completions HTTP/1.1" 200 %d "-" "openai-python/1.99.1" rid=%032x rt=%d.%03d uct="0.002" uht="1.%03d" urt="%d.%03d" ua="10.0.0.%d:8000" us="200"`,
			i%250, i/60/50%60, i/50%60, 900+i, i*7919, 2+i%9, i%1000, i%999, 1+i%9, i%1000, i%20)
	})
}

func BenchmarkEnvoy(b *testing.B) {
	benchmark(b, "envoy_text_default", func(i int) string {
		return fmt.Sprintf(`[2026-08-21T03:%02d:%02d.%03dZ] "POST /v1/chat/completions HTTP/1.1" 200 - 1843 9127 %d %d "203.0.113.24" "openai-python/1.99.1" "%08x-7a52-4a0c-9a86-3d1f0a4c7e21" "llm.example.test" "10.4.2.%d:8000"`,
			i/60%60, i%60, i%1000, 4000+i%5000, 800+i%700, i, i%20)
	})
}

func BenchmarkHAProxy(b *testing.B) {
	benchmark(b, "haproxy_http", func(i int) string {
		return fmt.Sprintf(`203.0.113.24:51844 [21/Aug/2026:03:%02d:%02d.%03d] llm_in llm_pool/gpu-%d 0/0/2/%d/%d 200 9127 - - ---- 14/12/9/4/0 0/0 "POST /v1/chat/completions HTTP/1.1"`,
			i/60%60, i%60, i%1000, i%20, 800+i%900, 4000+i%5000)
	})
}
