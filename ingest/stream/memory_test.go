package stream

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
)

// TestGiantEvent: an event of 16 MiB costs no memory, whatever path its text
// stands at.
func TestGiantEvent(t *testing.T) {
	piece := bytes.Repeat([]byte(`abcdef \n\u00e9`), 5000)
	for _, head := range []string{`{"choices":[{"delta":{"content":"`, `{"unknown":{"x":["`, `{"type":"`, `{"`} {
		for _, opts := range []Options{{}, {ThinkTags: true}} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			s := New(opts)
			s.Chunk(at(1), []byte("data: "+head))
			for n := 0; n < 16<<20; n += len(piece) {
				s.Chunk(at(2), piece)
			}
			s.Chunk(at(3), []byte("\n\n"))
			s.End()
			runtime.ReadMemStats(&after)
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
				t.Errorf("%s: %d bytes allocated", head, grown)
			}
		}
	}
}

// TestEndedRequestsGo: requests whose stream has ended do not wait for a last
// line for ever.
func TestEndedRequestsGo(t *testing.T) {
	p := newRecording(Options{}, nil)
	out := source.NewOut(recordingFormat(), nil)
	line := func(i int) []byte {
		return fmt.Appendf(nil, `{"request_id":"%d","t_ms":1,"data":"data: [DONE]\n\n"}`, i)
	}
	for i := range maxOpen + 10 {
		p.Parse(line(i), out)
	}
	if out.Len() != 10 || len(p.open) != maxOpen {
		t.Errorf("%d records, %d open", out.Len(), len(p.open))
	}
	p.Close(out)
	if out.Len() != maxOpen+10 || len(p.open) != 0 {
		t.Errorf("%d records, %d open at the end", out.Len(), len(p.open))
	}
}

// TestUnquoteRandom holds whole blocks against package scan.
func TestUnquoteRandom(t *testing.T) {
	parts := []string{"a", "bcd", " ", "é", "日本", `\n`, `\"`, `\\`, `\/`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, "0123456789abcdef"}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		doc := []byte{'"'}
		for range rng.IntN(80) {
			doc = append(doc, parts[rng.IntN(len(parts))]...)
		}
		doc = append(doc, '"')
		doc = append(doc, bytes.Repeat([]byte(","), rng.IntN(80))...)
		dst := make([]byte, 16+rng.IntN(300))
		var got []byte
		i, open, fault := 1, true, scan.OK
		for open && fault == scan.OK {
			var n int
			n, i, open, fault = unquote(dst, doc, i)
			got = append(got, dst[:n]...)
		}
		end, _, _ := scan.String(doc, 0)
		if want := scan.Unescape(nil, doc[1:end-1]); fault != scan.OK || i != end || !bytes.Equal(got, want) {
			t.Fatalf("%s\ngot  %q %d %d\nwant %q %d", doc, got, i, fault, want, end)
		}
	}
}
