package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// leanLog writes n records of about 560 bytes, the same ones every time.
func leanLog(tb testing.TB, n int) string {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	models := []string{"gpt-4o", "claude-sonnet-4", "qwen3-235b", "deepseek-r1", "gemini-2.5-pro"}
	var b bytes.Buffer
	for i := range n {
		start := rng.Float64() * 30
		head := 100 + rng.ExpFloat64()*500
		event := start + head + rng.ExpFloat64()*60
		response := event + rng.ExpFloat64()*200
		text := response + rng.ExpFloat64()*50
		tokens := 20 + rng.IntN(900)
		tps := 10 + rng.Float64()*80
		done := text + float64(tokens)/tps*1000
		at := time.UnixMilli(1_787_000_000_000 + int64(i)*37).UTC().Format("2006-01-02T15:04:05.000Z")
		fmt.Fprintf(&b, `{"timestamp":"%s","request_id":"req-%08x-%04x","attempt":1,"model":"%s","group":"vip","channel":"ch-%02d",`+
			`"route":"/v1/chat/completions","region":"eu-west","provider":"openai","stream":true,"status":200,"workload":"chat",`+
			`"auth_ms":%.1f,"distribution_ms":%.1f,"body_read_ms":%.1f,"upstream_start_ms":%.1f,"upstream_headers_ms":%.1f,`+
			`"first_sse_event_ms":%.1f,"first_response_ms":%.1f,"first_text_delta_ms":%.1f,"upstream_done_ms":%.1f,"total_handler_ms":%.1f,`+
			`"visible_output_tps":%.2f,"input_tokens":%d,"output_tokens":%d,"inflight":%d}`+"\n",
			at, rng.Uint32(), i&0xffff, models[rng.IntN(len(models))], rng.IntN(30),
			start/4, start/8, start/2, start, head, event, response, text, done, done+rng.ExpFloat64()*3,
			tps, 50+rng.IntN(8000), tokens, rng.IntN(200))
	}
	name := filepath.Join(tb.TempDir(), "lean.jsonl")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
	return name
}

func BenchmarkAnalyze(b *testing.B) {
	const rows = 200_000
	name := leanLog(b, rows)
	s := std{
		in: bytes.NewReader(nil), out: io.Discard, err: io.Discard, now: time.Now, width: 80,
		env: func(string) (string, bool) { return "", false },
	}
	for _, args := range [][]string{
		{"analyze", "--no-store", "--summary", name},
		{"analyze", "--no-store", "--summary", "--jobs", "1", name},
		{"analyze", "--no-store", name},
		{"analyze", "--quiet", "--store", filepath.Join(b.TempDir(), "store"), "--summary", name},
	} {
		b.Run(fmt.Sprint(args[1:len(args)-1]), func(b *testing.B) {
			info, err := os.Stat(name)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(info.Size())
			for b.Loop() {
				if code := run(context.Background(), args, s); code != exitOK {
					b.Fatalf("exit status %d", code)
				}
			}
		})
	}
}
