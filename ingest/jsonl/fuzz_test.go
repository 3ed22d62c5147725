package jsonl

import (
	"bytes"
	"encoding/json"
	"testing"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// FuzzParse checks that a parser that has seen other lines, and so guesses, gives
// the same answer as one that has not, and that what is accepted is an object to
// the standard library as well.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"request_id":"trace-a","upstream_headers_ms":6100,"total_handler_ms":9200.5,"stream":true}`,
		`{"timings":{"total_handler_ms":1},"tokens":{"output_tokens":3},"derived":{"visible_output_tps":5}}`,
		`{"total_handler_milliseconds":12345678.12345678,"ts":"2026-08-21T03:15:33.5Z"}`,
		`{"total\u005fhandler_ms":1e3,"prompt":"é\n\ud83d\ude00"}`,
		`{"total_handler_ms":1,"total_handler_ms":1}`,
		`[{}]`, `{"auth_ms":[[[{"a":{}}]]]}`, "\x00", `{"a":"` + "\xff", ` {"auth_ms" : 01 } `,
	} {
		f.Add([]byte(seed), []byte(seed[:len(seed)/2]))
	}
	format := Formats()[0]
	f.Fuzz(func(t *testing.T, first, second []byte) {
		fresh, warm := newReader(format), newReader(format)
		warm.read(first)
		warm.read(second)
		warm.out.Flush()
		for range 2 {
			a, b := fresh.read(first), warm.read(first)
			if a != b {
				t.Fatalf("%+v; after other lines %+v", a, b)
			}
			if a.Reason == source.OK && !isObject(first) {
				t.Fatal("accepted, but no JSON object")
			}
		}
		x, y := fresh.out.Flush().Batch, warm.out.Flush().Batch
		if x.Len() != y.Len() {
			t.Fatalf("%d records; after other lines %d", x.Len(), y.Len())
		}
		for i := range x.Len() {
			for c := range timeline.Column(timeline.NumColumns) {
				var v, w int64
				if !c.IsText() {
					v, _ = x.Num(c, i)
					w, _ = y.Num(c, i)
				}
				if x.Has(c, i) != y.Has(c, i) || v != w || c.IsText() && x.Text(c, i) != y.Text(c, i) {
					t.Fatalf("%s of row %d differs after other lines", c, i)
				}
			}
		}
	})
}

type reader struct {
	out    *source.Out
	parser source.LineParser
}

func newReader(f *source.Format) *reader {
	return &reader{source.NewOut(f, nil), f.Lines(source.Options{})}
}

func (r *reader) read(line []byte) source.Rejection { return r.parser.Parse(line, r.out) }

// isObject leaves depth to the parser, which is stricter, and UTF-8 too.
func isObject(line []byte) bool {
	return json.Valid(line) && bytes.HasPrefix(bytes.TrimLeft(line, " \t\r\n"), []byte("{"))
}
