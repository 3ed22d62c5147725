package stream

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
)

// classesOf reads a body cut at the given places.
func classesOf(body []byte, cuts ...int) ([]string, Result) {
	var lines []string
	s := New(Options{OnEvent: func(e Event) {
		lines = append(lines, fmt.Sprint(e.Number, e.Dialect, e.Type, e.Classes.Names(), e.Bytes, tokensText(e.Tokens), e.Sets))
	}})
	from := 0
	for _, k := range cuts {
		k = min(max(k, from), len(body))
		s.Chunk(at(1), body[from:k])
		from = k
	}
	s.Chunk(at(1), body[from:])
	return lines, s.End()
}

// checkBody: a body read twice, whole, cut and byte by byte is the same.
func checkBody(t *testing.T, body []byte, a, b uint16) {
	whole, r := classesOf(body)
	again, _ := classesOf(body)
	if !slices.Equal(whole, again) {
		t.Fatal("two answers")
	}
	cut, rc := classesOf(body, int(min(a, b)), int(max(a, b)))
	if !slices.Equal(whole, cut) {
		t.Fatalf("cut at %d and %d:\n%s\nwhole:\n%s", a, b, strings.Join(cut, "\n"), strings.Join(whole, "\n"))
	}
	if !reflect.DeepEqual(r, rc) {
		t.Fatalf("cut at %d and %d: %+v, whole %+v", a, b, rc, r)
	}
	if len(body) < 2000 {
		var every []int
		for i := range body {
			every = append(every, i)
		}
		if bytewise, _ := classesOf(body, every...); !slices.Equal(whole, bytewise) {
			t.Fatalf("byte by byte:\n%s\nwhole:\n%s", strings.Join(bytewise, "\n"), strings.Join(whole, "\n"))
		}
	}
}

func fuzzBodies(f *testing.F, names ...string) {
	for _, c := range loadCases(f) {
		for _, n := range names {
			if strings.HasPrefix(c.name, n) {
				f.Add(c.data, uint16(len(c.data)/3), uint16(len(c.data)/2))
			}
		}
	}
	f.Fuzz(checkBody)
}

func FuzzSSE(f *testing.F)       { fuzzBodies(f, "edge", "gateway") }
func FuzzJSONLines(f *testing.F) { fuzzBodies(f, "edge-truncated-json", "ollama", "bedrock") }
func FuzzJSONArray(f *testing.F) { fuzzBodies(f, "gemini-json-array", "whole") }
func FuzzOpenAIChat(f *testing.F) {
	fuzzBodies(f, "openai-chat", "openai-text", "vllm", "deepseek", "azure", "openrouter", "mistral", "groq", "perplexity", "sglang")
}
func FuzzOpenAIResponses(f *testing.F) { fuzzBodies(f, "openai-responses", "responses") }
func FuzzAnthropic(f *testing.F)       { fuzzBodies(f, "anthropic") }
func FuzzGemini(f *testing.F)          { fuzzBodies(f, "gemini") }
func FuzzBedrock(f *testing.F)         { fuzzBodies(f, "bedrock") }
func FuzzCohere(f *testing.F)          { fuzzBodies(f, "cohere") }
func FuzzOllama(f *testing.F)          { fuzzBodies(f, "ollama") }
func FuzzDashScope(f *testing.F)       { fuzzBodies(f, "dashscope") }

// FuzzScanner holds the scanner against encoding/json: what is valid there is
// complete here, wherever it is cut, and what is complete here begins like it.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{`{"choices":[{"delta":{"content":"a\u00e9\\\""}}],"x":[1,-2.5e+3,true,false,null,{}]}`, `[]`, `"\ud83d\ude00"`, ` {"type":"p\u0069ng"} `,
		`{"a":{"b":[[[{}]]]},"usage":{"prompt_tokens":1e3}}`, `nul`, `{"a":}`, `{"model":"` + strings.Repeat("m", 200) + `"}`} {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, k uint8) {
		complete := func(n int) bool {
			p := new(frame)
			p.reset()
			p.data(b[:n])
			p.data(b[n:])
			return p.scan.complete()
		}
		whole, cut := complete(0), complete(min(int(k), len(b)))
		if whole != cut {
			t.Fatalf("whole %t, cut at %d %t", whole, k, cut)
		}
		if json.Valid(b) && !whole {
			t.Fatalf("valid JSON is not complete: %q", b)
		}
	})
}

// FuzzUnquote holds the decoder against package scan, which the other formats
// use.
func FuzzUnquote(f *testing.F) {
	for _, s := range []string{`abc`, `a\nb\u00e9\ud83d\ude00\"`, `\ud83d`, `\ud83dx\u12`, "\x01", strings.Repeat(`x\\`, 50)} {
		f.Add([]byte(s), uint8(0))
	}
	f.Fuzz(func(t *testing.T, raw []byte, room uint8) {
		doc := append(append([]byte{'"'}, raw...), '"')
		dst := make([]byte, int(room)+16)
		var got []byte
		i, open, fault := 1, true, scan.OK
		for open && fault == scan.OK {
			var n int
			n, i, open, fault = unquote(dst, doc, i)
			got = append(got, dst[:n]...)
		}
		end, _, want := scan.String(doc, 0)
		if want == scan.UTF8 || want == scan.Truncated && fault == scan.OK {
			return // bytes that are no UTF-8 are passed on as they are
		}
		if fault != want && !(fault != scan.OK && want != scan.OK) {
			t.Fatalf("%q: fault %d, want %d", raw, fault, want)
		}
		if want == scan.OK && (i != end || string(got) != string(scan.Unescape(nil, doc[1:end-1]))) {
			t.Fatalf("%q: %q", raw, got)
		}
	})
}

func FuzzRecording(f *testing.F) {
	for _, s := range []string{
		chunk("a", 1, "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n") + `{"request_id":"a","t_ms":5,"mark":"handler_done","status":200}`,
		`{"request_id":1,"b64":"eA==","attempt":2,"timestamp":"2026-01-01T00:00:00Z","model":"m"}`, `{"request_id":"a","data":{"done":true}}`, "\x00\n{\n[]\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := readSession(recordingFormat(), source.Options{}, text)
		b := readSession(recordingFormat(), source.Options{}, text)
		if !slices.Equal(rows(a.Batch), rows(b.Batch)) {
			t.Fatal("two answers")
		}
		if a.Lines != int64(a.Batch.Len())+a.Joined+a.Blank+int64(len(a.Rejected)) {
			t.Fatalf("%d lines, %d records, %d joined, %d blank, %d rejected", a.Lines, a.Batch.Len(), a.Joined, a.Blank, len(a.Rejected))
		}
	})
}
