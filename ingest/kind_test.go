package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// The formats of this file read lines "N word": N milliseconds in all.

func addRow(out *source.Out, line []byte) source.Rejection {
	number, _, ok := bytes.Cut(line, []byte(" "))
	if !ok {
		return source.Reject(source.NotThisFormat, 0)
	}
	out.Row().Parse(timeline.ColTotalHandler, number, timeline.Millisecond, nil)
	out.Add()
	return source.Rejection{}
}

// pairs joins each line to the one before it, and adds both as one record.
type pairs struct{ held []byte }

func (p *pairs) Parse(line []byte, out *source.Out) source.Rejection {
	if p.held == nil {
		p.held = append([]byte{}, line...)
		return source.Reject(source.Joined, 0)
	}
	p.held = nil
	return addRow(out, line)
}

func (p *pairs) Close(out *source.Out) {
	if p.held != nil {
		addRow(out, p.held)
	}
}

func readDocument(_ context.Context, r io.Reader, _ source.Options, out *source.Out) error {
	all, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	for i, line := range bytes.Split(all, []byte("\n")) {
		out.At(source.Position{Line: int64(i + 1)})
		out.Line()
		out.Reject(addRow(out, line))
	}
	return nil
}

// onePart is an input of a single part.
type onePart struct {
	format *source.Format
	r      *io.SectionReader
	opt    source.Options
}

func (p *onePart) Format() *source.Format       { return p.format }
func (p *onePart) Len() int                     { return 1 }
func (p *onePart) NewReader() source.PartReader { return p }
func (p *onePart) Read(ctx context.Context, _ int, out *source.Out) error {
	return readDocument(ctx, p.r, p.opt, out)
}

func randomOf(f *source.Format) func(io.ReaderAt, int64, source.Options) (source.Parts, error) {
	return func(r io.ReaderAt, size int64, opt source.Options) (source.Parts, error) {
		return &onePart{f, io.NewSectionReader(r, 0, size), opt}, nil
	}
}

func kinds() []*source.Format {
	detect := func(prefix string) func(*source.Window) source.Confidence {
		return func(w *source.Window) source.Confidence {
			if strings.HasPrefix(string(w.Head), prefix) {
				return source.Certain
			}
			return source.No
		}
	}
	random := &source.Format{Name: "random", Detect: detect("4 ")}
	random.Random = randomOf(random)
	return []*source.Format{
		{Name: "session", Detect: detect("1 "), Session: func(source.Options) source.SessionParser { return &pairs{} }},
		{Name: "document", Detect: detect("2 "), Document: readDocument},
		{Name: "broken", Detect: detect("3 "), Document: func(context.Context, io.Reader, source.Options, *source.Out) error {
			return errBroken
		}},
		random,
	}
}

var errBroken = errors.New("broken")

func TestKinds(t *testing.T) {
	cases := []struct {
		name, data                       string
		lines, records, rejected, joined int64
	}{
		{"session", "1 a\n2 b\n3 c\n4 d\n", 4, 2, 0, 2},
		{"session", "1 a\n2 b\n3 c", 3, 2, 0, 1},
		{"session", "1 a\nb\nc\nd\n", 4, 0, 2, 2},
		{"document", "2 a\n2 b\nc", 3, 2, 1, 0},
		{"random", "4 a\n5 b\nc", 3, 2, 1, 0},
	}
	for _, tc := range cases {
		for _, data := range []string{tc.data, gz(t, tc.data)} {
			for _, jobs := range []int{1, 2} {
				path, other := write(t, "log", data), write(t, "other", "2 x")
				got := readAll(t, Request{Names: []string{path, other, path}, Jobs: jobs, Chunk: 16, Formats: kinds()})
				in := got.inputs[0]
				if in.Format.Name != tc.name || in.Lines != tc.lines || in.Records != tc.records || in.Rejected != tc.rejected || in.Joined != tc.joined {
					t.Errorf("%s %q: %d lines, %d records, %d rejected, %d joined", in.Format.Name, tc.data, in.Lines, in.Records, in.Rejected, in.Joined)
				}
				if int64(len(got.records)) != tc.records+1 || got.inputs[1].Records != 1 {
					t.Errorf("%q: %d records in all", tc.data, len(got.records))
				}
			}
		}
	}
}

func TestErrorOfDocument(t *testing.T) {
	r, err := Open(Request{Names: []string{write(t, "log", "3 ")}, Formats: kinds()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := collect(context.Background(), r); !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
}

// TestWrapped reads records inside of what a container engine writes.
func TestWrapped(t *testing.T) {
	var plain, docker, prefixed strings.Builder
	for i := range 50 {
		line := record(i)
		fmt.Fprintln(&plain, line)
		quoted := strings.ReplaceAll(line, `"`, `\"`)
		if i%10 == 3 { // a long line comes in two
			half := strings.Index(quoted, "model")
			fmt.Fprintf(&docker, `{"log":"%s","stream":"stdout","time":"2026-08-21T03:15:33.5Z"}`+"\n", quoted[:half])
			quoted = quoted[half:]
		}
		fmt.Fprintf(&docker, `{"log":"%s\n","stream":"stdout","time":"2026-08-21T03:15:33.5Z"}`+"\n", quoted)
		fmt.Fprintf(&prefixed, "[pod/gw-1/gateway] %s\n", line)
	}
	want := readAll(t, Request{Names: []string{write(t, "log", plain.String())}})
	for wrapper, text := range map[string]string{"docker": docker.String(), "kubectl": prefixed.String()} {
		got := readAll(t, Request{Names: []string{write(t, "log", text)}, Jobs: 2, Chunk: 1000})
		in := got.inputs[0]
		if in.Wrapper != wrapper || in.Format == nil || in.Format.Name != "jsonl" || in.Records != 50 || in.Rejected != 0 {
			t.Errorf("%s: wrapper %q, %d records, rejected %v", wrapper, in.Wrapper, in.Records, got.rejected)
		}
		if a, b := withoutLine(got.records), withoutLine(want.records); a != b {
			t.Errorf("%s: other records\n%s\nwant\n%s", wrapper, a, b)
		}
	}
}

func withoutLine(rows []string) string {
	var out []string
	for _, r := range strip(rows) {
		var kept []string
		for _, f := range strings.Fields(r) {
			if !strings.HasPrefix(f, "source_line=") {
				kept = append(kept, f)
			}
		}
		out = append(out, strings.Join(kept, " "))
	}
	return strings.Join(out, "\n")
}

// TestManyRejections checks that rejections are handed over as they come.
func TestManyRejections(t *testing.T) {
	r, err := Open(Request{Names: []string{write(t, "log", record(1)+"\n"+strings.Repeat("x\n", 100_000))}, Format: "jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	most, all := 0, 0
	var last source.Rejected
	for res, err := range Run(context.Background(), r, rowsOf) {
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, len(res.Rejected))
		all += len(res.Rejected)
		if n := len(res.Rejected); n > 0 {
			last = res.Rejected[n-1]
		}
	}
	if all != 100_000 || most > 1<<14 || last.Line != 100_001 {
		t.Errorf("%d rejections, at most %d at once, the last in line %d", all, most, last.Line)
	}
}
