package jsonl

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ttdiag/ingest/source"
)

// leanLog is a log of n records of about 560 bytes and 27 keys.
func leanLog(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for i := range n {
		headers := 100 + r.ExpFloat64()*400
		event := headers + r.ExpFloat64()*50
		response := event + r.ExpFloat64()*100
		text := response + r.ExpFloat64()*100
		done := text + 1000 + r.ExpFloat64()*5000
		fmt.Fprintf(&b, `{"request_id":"req-%016x","timestamp":"2026-08-21T03:%02d:%02d.%03dZ","attempt":1,"model":"model-%d",`+
			`"group":"g%d","channel":"ch-%d","route":"route-%d","region":"eu-%d","provider":"p%d","workload":"chat","stream":true,`+
			`"status":200,"outcome":"success","finish_reason":"stop",`,
			r.Uint64(), i/60000%60, i/1000%60, i%1000, r.IntN(5), r.IntN(8), r.IntN(40), r.IntN(6), r.IntN(4), r.IntN(5))
		fmt.Fprintf(&b, `"auth_ms":%.1f,"distribution_ms":%.1f,"upstream_headers_ms":%.1f,"first_sse_event_ms":%.1f,`+
			`"first_response_ms":%.1f,"first_text_delta_ms":%.1f,"upstream_done_ms":%.1f,"total_handler_ms":%.1f,`+
			`"visible_output_tps":%.2f,"input_tokens":%d,"output_tokens":%d,"event_count":%d,"inflight":%d}`+"\n",
			r.Float64()*5, r.Float64()*3, headers, event, response, text, done, done+r.Float64()*5,
			r.Float64()*100, r.IntN(20000), r.IntN(1000), r.IntN(500), r.IntN(100))
	}
	return b.Bytes()
}

// fatLog is a log of n records with a prompt and a response of 9.8 kB each, the
// one with line breaks, quotes and accents, the other plain.
func fatLog(n int) []byte {
	const sentence = "the quick brown fox jumps over the lazy dog "
	prompt := strings.Repeat(`Explain \"it\" to me, \u00e9 and é.\n`+strings.Repeat(sentence, 4), 46)
	response := strings.Repeat(sentence, 223)
	fields := fmt.Sprintf(`,"prompt":"%s","response":"%s"}`, prompt, response)
	return bytes.ReplaceAll(leanLog(n), []byte("}\n"), []byte(fields+"\n"))
}

func benchmark(b *testing.B, log []byte) {
	f := Formats()[0]
	out := source.NewOut(f, nil)
	p := f.Lines(source.Options{})
	records := bytes.Count(log, []byte{'\n'})
	b.SetBytes(int64(len(log)))
	b.ResetTimer()
	for b.Loop() {
		for rest := log; len(rest) > 0; {
			end := bytes.IndexByte(rest, '\n')
			if r := p.Parse(rest[:end], out); r.Reason != source.OK {
				b.Fatal(r)
			}
			rest = rest[end+1:]
		}
		out.Recycle(out.Flush().Batch)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*records), "ns/record")
}

func BenchmarkLean(b *testing.B) { benchmark(b, leanLog(1800)) }

func BenchmarkFat(b *testing.B) { benchmark(b, fatLog(50)) }
