package ingest

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"ttdiag/ingest/jsonl"
)

// FuzzRead reads any bytes, in chunks of any size by any number of workers: the
// result is the same, and every line is accounted for.
func FuzzRead(f *testing.F) {
	f.Add([]byte(records(4)), 100)
	f.Add([]byte("\xef\xbb\xbfbanner\r\n"+record(1)+"\x00\x00"+record(2)+"\n\n \r\n["+record(3)+"]\n{\"a"), 7)
	f.Add([]byte("["+record(1)+",\n"+record(2)), 30)
	f.Add([]byte("\x1f\x8b\x08"), 1)
	f.Add([]byte("\x28\xb5\x2f\xfd"), 1)
	f.Add([]byte("BZh91AY&SY"), 1)
	f.Add([]byte("\xfd7zXZ\x00"), 1)
	f.Add([]byte("\x04\x22\x4d\x18"), 1)
	f.Add([]byte(`{"log":"{\"total_handler_ms\":1}\n","stream":"stdout","time":"2026-08-21T03:15:33.5Z"}`+"\n"), 40)
	formats := jsonl.Formats()
	f.Fuzz(func(t *testing.T, data []byte, chunk int) {
		var want string
		for _, req := range []Request{{Jobs: 1}, {Jobs: 3, Chunk: chunk%4000 + 1}} {
			req.Names, req.Stdin, req.Formats, req.MaxLine = []string{"-"}, bytes.NewReader(data), formats, 3000
			r, err := Open(req)
			if err != nil {
				t.Fatal(err)
			}
			got, err := collect(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			in := got.inputs[0]
			if in.Lines != in.Records+in.Rejected+in.Blank+in.Joined || int(in.Records) != len(got.records) {
				t.Fatalf("%d lines, %d records, %d rejected, %d blank, %d joined", in.Lines, in.Records, in.Rejected, in.Blank, in.Joined)
			}
			text := fmt.Sprintln(got.records, got.rejected, in.Lines, in.Blank, in.Err)
			if want == "" {
				want = text
			}
			if text != want {
				t.Fatalf("%s; want %s", text, want)
			}
		}
	})
}
