package delimited

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

func formatNamed(name string) *source.Format {
	for _, f := range Formats() {
		if f.Name == name {
			return f
		}
	}
	panic("no format " + name)
}

// describe reads text and returns each record and each rejection as a line,
// with its position.
func describe(t *testing.T, f *source.Format, opt source.Options, r io.Reader) []string {
	t.Helper()
	out := source.NewOut(f, nil)
	if err := f.Document(context.Background(), r, opt, out); err != nil {
		return []string{"error"}
	}
	part := out.Flush()
	var all []string
	for i := range part.Batch.Len() {
		var b strings.Builder
		for c := range timeline.Column(timeline.NumColumns) {
			switch {
			case !part.Batch.Has(c, i), c == timeline.ColFormat, c == timeline.ColVantage:
			case c.IsText():
				fmt.Fprintf(&b, "%s=%s ", c, part.Batch.Text(c, i))
			default:
				v, _ := part.Batch.Num(c, i)
				fmt.Fprintf(&b, "%s=%d ", c, v)
			}
		}
		all = append(all, strings.TrimSpace(b.String()))
	}
	for _, r := range part.Rejected {
		all = append(all, fmt.Sprintf("line %d byte %d: %s %s", r.Line, r.Byte, r.Reason, r.Field))
	}
	if sum := int64(part.Batch.Len()+len(part.Rejected)) + part.Blank + part.Joined; sum != part.Lines {
		all = append(all, fmt.Sprintf("%d lines, %d accounted for", part.Lines, sum))
	}
	return all
}

func TestRead(t *testing.T) {
	zone := time.FixedZone("", 2*3600)
	cases := []struct {
		name, format, text string
		want               []string
	}{
		{"plain", "csv", "request_id,total_handler_ms,status\na,12.5,200\n", []string{
			"total_handler_ms=12500 status=200 source_line=2 source_byte=35 request_id=a"}},
		{"no line end, CRLF and a mark", "csv", "\xef\xbb\xbfrequest_id,total_handler_s\r\na,1.5\r\nb,2", []string{
			"total_handler_ms=1500000 source_line=2 source_byte=31 request_id=a",
			"total_handler_ms=2000000 source_line=3 source_byte=38 request_id=b"}},
		{"quotes", "csv", "prompt,total_handler_ms,model\n\"two\n\"\"lines\"\", 1\",7,\"m, \"\"x\"\"\"\nx,8,\n", []string{
			`total_handler_ms=7000 source_line=2 source_byte=30 model=m, "x"`,
			"total_handler_ms=8000 source_line=4 source_byte=62"}},
		{"semicolons", "csv", "request_id;total_handler_ms;stream\na,b;1;true\n", []string{
			"total_handler_ms=1000 stream=1 source_line=2 source_byte=35 request_id=a,b"}},
		{"tabs", "tsv", "request_id\ttotal_handler_ms\na b\t1\n", []string{
			"total_handler_ms=1000 source_line=2 source_byte=28 request_id=a b"}},
		{"ragged", "csv", "request_id,total_handler_ms\na\nb,1,2\nc,3\n", []string{
			"total_handler_ms=3000 source_line=4 source_byte=36 request_id=c",
			"line 2 byte 28: torn line ", "line 3 byte 30: torn line "}},
		{"blank lines", "csv", "total_handler_ms,status\n\n1,200\n\n", []string{
			"total_handler_ms=1000 status=200 source_line=3 source_byte=25"}},
		{"absent is not 0", "csv", "total_handler_ms,first_sse_event_ms,input_tokens,status\n0,,0,NULL\n\\N,null,,\n", []string{
			"total_handler_ms=0 input_tokens=0 source_line=2 source_byte=56", "source_line=3 source_byte=66"}},
		{"bad values", "csv", "total_handler_ms,status,first_text_delta_ms\nx,999,-1\n", []string{
			"source_line=2 source_byte=44 notes=out_of_range:first_text_delta_ms;out_of_range:status;bad_value:total_handler_ms"}},
		{"the better spelling", "csv", "total_handler_s,total_handler_ms\n2,1000\n3,\n", []string{
			"total_handler_ms=1000000 source_line=2 source_byte=33", "total_handler_ms=3000000 source_line=3 source_byte=40"}},
		{"a name twice", "csv", "total_handler_ms,status,status\n1,200,500\n", []string{
			"total_handler_ms=1000 source_line=2 source_byte=31", "line 1 byte 0: duplicate key status"}},
		{"camel case and a time in the user's zone", "csv", "totalHandlerMs,timestamp\n1e3,2026-08-21 05:15:33\n", []string{
			"total_handler_ms=1000000 timestamp=1787282133000000 source_line=2 source_byte=25"}},
		{"no timing", "csv", "request_id,status\na,200\n", []string{"line 2 byte 18: no timing column in it "}},
		{"a quote that never ends", "csv", "total_handler_ms,model\n1,m\n2,\"x\n3,y\n", []string{
			"total_handler_ms=1000 source_line=2 source_byte=23 model=m", "line 3 byte 27: input cut off here "}},
		{"header only", "csv", "total_handler_ms\n", nil},
		{"empty", "csv", "", nil},
		{"NUL", "csv", "total_handler_ms,model\n\x00,\x00\n", []string{
			"source_line=2 source_byte=23 model=\x00 notes=bad_value:total_handler_ms"}},
	}
	for _, c := range cases {
		if got := describe(t, formatNamed(c.format), source.Options{Zone: zone}, strings.NewReader(c.text)); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestDetect(t *testing.T) {
	cases := []struct {
		head string
		want string // the format, or ""
	}{
		{"request_id,total_handler_ms\na,1\n", "csv"},
		{"total_handler_ms\n1\n", "csv"},
		{"model;total_handler_s\n", "csv"},
		{"\xef\xbb\xbf\"total_handler_ms\",\"x\"\r\n", "csv"},
		{"request_id\ttotal_handler_ms\n", "tsv"},
		{"request_id,status\n", ""},
		{`{"total_handler_ms":1}`, ""},
		{"Timestamp,Session ID,Elapsed time,Model,Request tokens\n", ""},
		{"", ""},
	}
	for _, c := range cases {
		for _, f := range Formats() {
			if got := f.Detect(&source.Window{Head: []byte(c.head)}); (got > source.No) != (f.Name == c.want) {
				t.Errorf("%q: %s is sure to %d", c.head, f.Name, got)
			}
		}
	}
}

// large yields a header, then rows of which one cell is size bytes long.
type large struct {
	parts []string
	size  int
}

func (l *large) Read(p []byte) (int, error) {
	if len(l.parts) == 0 {
		return 0, io.EOF
	}
	if l.parts[0] == "" {
		n := min(len(p), l.size)
		for i := range n {
			p[i] = 'x'
		}
		if l.size -= n; l.size == 0 {
			l.parts = l.parts[1:]
		}
		return n, nil
	}
	n := copy(p, l.parts[0])
	if l.parts[0] = l.parts[0][n:]; l.parts[0] == "" {
		l.parts = l.parts[1:]
	}
	return n, nil
}

// TestLargeCells streams cells of 200 MB by, one that is not wanted and one
// that is.
func TestLargeCells(t *testing.T) {
	const size = 200 << 20
	for _, model := range []string{"prompt", "model"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := describe(t, formatNamed("csv"), source.Options{}, &large{
			parts: []string{model + ",total_handler_ms\n\"", "", "\",7\nm,8\n"}, size: size})
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
			t.Errorf("%s: %d bytes were used", model, used)
		}
		if len(got) != 2 || !strings.Contains(got[0], "total_handler_ms=7000") || !strings.Contains(got[1], "source_line=3") {
			t.Errorf("%s: %q", model, got)
		}
	}
}

type broken struct{ r io.Reader }

var errDisk = errors.New("disk")

func (b broken) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err == io.EOF {
		err = errDisk
	}
	return n, err
}

func TestReadingFails(t *testing.T) {
	for _, text := range []string{"", "total_handler_ms\n1\n", "total_handler_ms\n\"1"} {
		f := formatNamed("csv")
		out := source.NewOut(f, nil)
		if err := f.Document(context.Background(), broken{strings.NewReader(text)}, source.Options{}, out); !errors.Is(err, errDisk) {
			t.Errorf("%q: error %v", text, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := formatNamed("csv")
	err := f.Document(ctx, strings.NewReader("total_handler_ms\n1\n"), source.Options{}, source.NewOut(f, nil))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestCanary(t *testing.T) {
	text := "prompt,user,total_handler_ms,model\ncanary,canary@example.test,canary,m\n\"canary\ncanary\",canary,1\ncanary,canary,2,m\n"
	got := strings.Join(describe(t, formatNamed("csv"), source.Options{}, strings.NewReader(text)), "\n")
	if strings.Contains(got, "canary") || strings.Count(got, "source_line") != 2 {
		t.Errorf("got %s", got)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"request_id,total_handler_ms\na,1\n", "total_handler_s;model\r\n\"1\";\"a\"\"b\n\"\n", "\"", "total_handler_ms\n1,2\n\n\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range Formats() {
			first := describe(t, format, source.Options{}, strings.NewReader(text))
			if second := describe(t, format, source.Options{}, strings.NewReader(text)); !slices.Equal(first, second) {
				t.Errorf("two readings differ: %q and %q", first, second)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	text.WriteString("request_id,timestamp,model,channel,status,upstream_headers_ms,first_sse_event_ms,total_handler_ms,input_tokens,output_tokens\n")
	for i := range 20000 {
		fmt.Fprintf(&text, "req-%016x,2026-08-21T03:%02d:%02d.%03dZ,model-%d,ch-%d,200,%d.%d,%d,%d,%d,%d\n",
			i*7919, i/60%60, i%60, i%1000, i%5, i%40, 100+i%400, i%10, 600+i%100, 4000+i%5000, i%2000, i%900)
	}
	f := formatNamed("csv")
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		out := source.NewOut(f, nil)
		if err := f.Document(context.Background(), strings.NewReader(text.String()), source.Options{}, out); err != nil {
			b.Fatal(err)
		}
	}
}
