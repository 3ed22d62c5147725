package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"
)

// A record is one request of a made-up gateway. Its marks are in order and its
// figures plausible, so that nothing is cleaned; one request in twelve waits
// somewhere.
type record struct {
	rng  *rand.Rand
	at   int64 // ms since the epoch
	n    int
	id   uint64
	text []byte
}

var models = []string{"gpt-4o", "claude-sonnet-4", "qwen3-235b", "deepseek-r1", "gemini-2.5-pro"}

func newRecord(seed uint64) *record {
	return &record{rng: rand.New(rand.NewPCG(seed, 20260821)), at: 1_787_000_000_000}
}

// wait returns a wait with the given mean, seldom one that is over every limit.
func (r *record) wait(mean float64) float64 {
	ms := r.rng.ExpFloat64() * mean
	if r.rng.IntN(60) == 0 {
		ms += 2000 + r.rng.ExpFloat64()*3000
	}
	return ms
}

// next makes the next line; prompt and response are put into it where they are
// not empty.
func (r *record) next(prompt, response string) []byte {
	r.n++
	r.at += int64(r.rng.IntN(75))
	r.id = r.rng.Uint64()
	start := r.rng.Float64() * 30
	headers := start + 100 + r.wait(400)
	event := headers + r.wait(60)
	first := event + r.wait(150)
	text := first + r.wait(50)
	tokens := 20 + r.rng.IntN(900)
	tps := 12 + r.rng.Float64()*80
	done := text + float64(tokens)/tps*1000
	b := append(r.text[:0], `{"timestamp":"`...)
	b = time.UnixMilli(r.at).UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
	b = fmt.Appendf(b, `","request_id":"req-%016x","attempt":1,"model":"%s","group":"vip","channel":"ch-%02d",`,
		r.id, models[r.rng.IntN(len(models))], r.rng.IntN(30))
	b = append(b, `"route":"/v1/chat/completions","region":"eu-west","provider":"openai","stream":true,"status":200,"workload":"chat",`...)
	if prompt != "" {
		b = fmt.Appendf(b, `"prompt":"%s","response":"%s",`, prompt, response)
	}
	for _, one := range []struct {
		name  string
		value float64
	}{
		{"auth_ms", start / 4}, {"distribution_ms", start / 8}, {"body_read_ms", start / 2}, {"upstream_start_ms", start},
		{"upstream_headers_ms", headers}, {"first_sse_event_ms", event}, {"first_response_ms", first},
		{"first_text_delta_ms", text}, {"upstream_done_ms", done}, {"total_handler_ms", done + r.rng.ExpFloat64()*3},
	} {
		b = append(append(append(b, '"'), one.name...), `":`...)
		b = append(strconv.AppendFloat(b, one.value, 'f', 1, 64), ',')
	}
	b = append(b, `"visible_output_tps":`...)
	b = strconv.AppendFloat(b, tps, 'f', 2, 64)
	b = fmt.Appendf(b, `,"input_tokens":%d,"output_tokens":%d,"inflight":%d}`+"\n", 50+r.rng.IntN(8000), tokens, r.rng.IntN(200))
	r.text = b
	return b
}

// prose returns n bytes of text as JSON writes it, with the escapes that prompts
// have.
func (r *record) prose(n int) string {
	words := []string{
		"stream ", "the ", "latency ", "of ", "request ", "which ", `\n\n`, `\"quoted\" `, "token ", "and ", "model ", "für ", "数据 ",
		"answers ", "whenever ", "a ", `\t- item `, "gateway ", "measured ", `C:\\path `,
	}
	var b []byte
	for len(b) < n {
		b = append(b, words[r.rng.IntN(len(words))]...)
	}
	return string(b)
}

// writeLog writes a log of n records: lean ones of about 560 bytes, or fat ones
// with 9.8 kB of prompt and as much response. It returns the id of one request
// in the middle.
func writeLog(name string, n int, seed uint64, fat bool) (id string, err error) {
	file, err := os.Create(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	r := newRecord(seed)
	prompts := []string{""}
	if fat {
		prompts = prompts[:0]
		for range 17 {
			prompts = append(prompts, r.prose(4900))
		}
	}
	for i := range n {
		if _, err := out.Write(r.next(prompts[i%len(prompts)], prompts[i*7%len(prompts)])); err != nil {
			return "", err
		}
		if i == n/2 {
			id = fmt.Sprintf("req-%016x", r.id)
		}
	}
	return id, out.Flush()
}
