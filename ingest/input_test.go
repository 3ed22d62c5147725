package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

func records(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(record(i))
		b.WriteByte('\n')
	}
	return b.String()
}

func packed(t *testing.T, text string, open func(io.Writer) (io.WriteCloser, error)) string {
	t.Helper()
	var b bytes.Buffer
	w, err := open(&b)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gz(t *testing.T, text string) string {
	return packed(t, text, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
}

func zst(t *testing.T, text string) string {
	return packed(t, text, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
}

func TestCompression(t *testing.T) {
	text := records(500)
	half := strings.Index(text, "r-250")                    // in the middle of a line
	bzip2, err := os.ReadFile("testdata/records.jsonl.bz2") // of the same records; Go cannot write it
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct{ name, data, compression string }{
		{"plain", text, ""},
		{"bzip2", string(bzip2), "bzip2"},
		{"gzip", gz(t, text), "gzip"},
		{"gzip, members", gz(t, text[:half]) + gz(t, text[half:]), "gzip"},
		{"zstd", zst(t, text), "zstd"},
		{"zstd, frames", zst(t, text[:half]) + zst(t, text[half:]), "zstd"},
		{"gzip in gzip", gz(t, gz(t, text)), "gzip, gzip"},
		{"zstd in gzip", gz(t, zst(t, text)), "gzip, zstd"},
		{"lz4", packed(t, text, func(w io.Writer) (io.WriteCloser, error) { return lz4.NewWriter(w), nil }), "lz4"},
		{"xz", packed(t, text, func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) }), "xz"},
		{"byte order mark", "\xef\xbb\xbf" + text, ""},
		{"byte order mark in gzip", gz(t, "\xef\xbb\xbf"+text), "gzip"},
		{"CRLF", strings.ReplaceAll(text, "\n", "\r\n"), ""},
		{"no last line end", strings.TrimSuffix(text, "\n"), ""},
	}
	var want []string
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			path := write(t, "log", tc.data)
			for _, req := range []Request{
				{Names: []string{path}, Jobs: 1},
				{Names: []string{path}, Jobs: 3, Chunk: 1000},
				{Names: []string{"-"}, Stdin: strings.NewReader(tc.data), Jobs: 2},
				{Names: []string{"-"}, Stdin: oneByte{strings.NewReader(tc.data)}, Jobs: 2},
			} {
				got := readAll(t, req)
				in := got.inputs[0]
				rows := strip(got.records)
				if want == nil {
					want = rows
				}
				if strings.Join(rows, "\n") != strings.Join(want, "\n") || len(got.rejected) > 0 {
					t.Fatalf("jobs %d: %d records, rejected %v; want %d records", req.Jobs, len(rows), got.rejected, len(want))
				}
				if in.Compression != tc.compression || in.Bytes != int64(len(tc.data)) {
					t.Errorf("compression %q of %d bytes; want %q of %d", in.Compression, in.Bytes, tc.compression, len(tc.data))
				}
			}
		})
	}
}

// strip takes positions and file names off, which differ between inputs.
func strip(rows []string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		var kept []string
		for _, f := range strings.Fields(r) {
			if !strings.HasPrefix(f, "source_byte=") && !strings.HasPrefix(f, "source_file=") {
				kept = append(kept, f)
			}
		}
		out[i] = strings.Join(kept, " ")
	}
	return out
}

type oneByte struct{ r io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:1]) }

func TestTruncatedCompression(t *testing.T) {
	text := records(3000)
	for name, data := range map[string]string{"gzip": gz(t, text), "zstd": zst(t, text)} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "log", data[:len(data)*2/3])
			got := readAll(t, Request{Names: []string{path}, Jobs: 2, Chunk: 4096})
			in := got.inputs[0]
			if in.Records < 1000 || in.Records >= 3000 || in.Reasons[source.TruncatedInput] != 1 || in.Rejected != 1 {
				t.Errorf("%d records, rejected %v", in.Records, got.rejected)
			}
		})
	}
	t.Run("damaged", func(t *testing.T) {
		data := []byte(gz(t, text))
		data[len(data)/2] ^= 0xFF
		got := readAll(t, Request{Names: []string{write(t, "log", string(data))}})
		if in := got.inputs[0]; in.Records < 100 || in.Rejected == 0 || in.Reasons[source.DamagedInput]+in.Reasons[source.TruncatedInput] != 1 {
			t.Errorf("%d records, rejected %v", in.Records, in.Reasons)
		}
	})
	t.Run("cut at a line end", func(t *testing.T) {
		data := gz(t, records(10))
		data = data[:len(data)-8] // without the checksum
		got := readAll(t, Request{Names: []string{write(t, "log", data)}})
		if in := got.inputs[0]; in.Records != 10 || in.Rejected != 1 || in.Lines != 11 {
			t.Errorf("%d records of %d lines, rejected %v", in.Records, in.Lines, got.rejected)
		}
	})
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b.jsonl": records(1), "a.jsonl": records(2), "sub/c.jsonl": records(3), ".hidden/d": records(4), ".e": records(5)} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"nothing/deeper", "links"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"links/e": "../.e", "links/gone": "gone", "links/.up": ".."} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	a, b := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
	cases := []struct {
		name, args, want, repeated string
	}{
		{"file", "b.jsonl", "b.jsonl:1", ""},
		{"order of names", "b.jsonl a.jsonl", "b.jsonl:1 a.jsonl:2", ""},
		{"directory", ".", "a.jsonl:2 b.jsonl:1 links/e:5 sub/c.jsonl:3", ""},
		{"glob", "*.jsonl", "a.jsonl:2 b.jsonl:1", ""},
		{"glob beside a link to nowhere", "links/*", "links/e:5", ""},
		{"twice", "a.jsonl sub/../a.jsonl", "a.jsonl:2", "sub/../a.jsonl"},
		{"directory and file", "b.jsonl .", "b.jsonl:1 a.jsonl:2 links/e:5 sub/c.jsonl:3", "b.jsonl"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Chdir(dir)
			r, err := Open(Request{Names: strings.Fields(tc.args)})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := collect(context.Background(), r); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, in := range r.Inputs {
				got = append(got, fmt.Sprintf("%s:%d", in.Name, in.Records))
			}
			if strings.Join(got, " ") != tc.want || strings.Join(r.Repeated, " ") != tc.repeated {
				t.Errorf("%v, repeated %v; want %s, %s", got, r.Repeated, tc.want, tc.repeated)
			}
			if done, total := r.Progress.Bytes(); done != total || total == 0 {
				t.Errorf("progress ends at %d of %d", done, total)
			}
		})
	}
	for _, missing := range []string{"nowhere.jsonl", filepath.Join(dir, "*.log")} {
		if _, err := Open(Request{Names: []string{a, missing, b}}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: error %v", missing, err)
		}
	}
	if _, err := Open(Request{Names: []string{a, filepath.Join(dir, "nothing")}}); !errors.Is(err, ErrNoFiles) {
		t.Errorf("directory without files: error %v", err)
	}
	if _, err := Open(Request{Names: []string{a}, Format: "nonsense"}); !errors.Is(err, ErrFormat) {
		t.Errorf("unknown format: %v", err)
	}
}

// TestSplit checks that results do not depend on how a log is split into files.
func TestSplit(t *testing.T) {
	text := records(900)
	var want []string
	for _, parts := range []int{1, 2, 7, 900} {
		var names []string
		dir := t.TempDir()
		lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
		for i := range parts {
			path := filepath.Join(dir, fmt.Sprintf("%04d", i))
			part := strings.Join(lines[len(lines)*i/parts:len(lines)*(i+1)/parts], "")
			if err := os.WriteFile(path, []byte(part), 0o600); err != nil {
				t.Fatal(err)
			}
			names = append(names, path)
		}
		for _, jobs := range []int{1, 2, 8} {
			got := readAll(t, Request{Names: names, Jobs: jobs, Chunk: 3000})
			var ids []string
			for _, r := range got.records {
				ids = append(ids, r[strings.Index(r, "request_id="):])
			}
			if want == nil {
				want = ids
			}
			for i := range ids {
				ids[i], _, _ = strings.Cut(ids[i], " source_file")
			}
			for i := range want {
				want[i], _, _ = strings.Cut(want[i], " source_file")
			}
			if strings.Join(ids, "\n") != strings.Join(want, "\n") {
				t.Fatalf("%d files, %d jobs: other records", parts, jobs)
			}
		}
	}
}

func TestUnrecognised(t *testing.T) {
	tar := make([]byte, 512)
	copy(tar, "nginx.log")
	copy(tar[257:], "ustar")
	cases := []struct{ name, data, found, hint string }{
		{"empty", "", "empty", ""},
		{"blank", "\n \n", "blank lines only", ""},
		{"prose", "Call me Ishmael.\nSome years ago.\n", "2 lines looked at: 0 JSON objects, 0 of binary data, 0 of broken JSON, 2 others", "--log-format"},
		{"other JSON", `{"level":"info","secret":"CANARY"}` + "\n", "1 JSON objects", "--map"},
		{"other JSON over lines", "{\n\"level\":\"info\",\n\"secret\":\"CANARY\"}\n", "a JSON document over lines, 1 objects", "--map"},
		{"binary", "\x01\x00\xff\n\x02\x00\xfe\n", "2 of binary data", ""},
		{"UTF-16", "\xff\xfe{\x00\"\x00a\x00", "UTF-16", "convert"},
		{"UTF-16 without a mark", "{\x00\"\x00a\x00\"\x00:\x001\x00}\x00", "UTF-16", "convert"},
		{"zeros", strings.Repeat("\x00", 1000), "zero bytes only", ""},
		{"packed, cut off", gz(t, records(9))[:12], "nothing before a cut or damage in gzip data", ""},
		{"broken JSON", "{\"total_handler_ms\":}\n{\"total_handler_ms\":CANARY}\n", "2 of broken JSON", ""},
		{"zip", "PK\x03\x04" + records(3), "archive", "unpack"},
		{"tar", string(tar) + records(3), "archive", "unpack"},
		{"tar, packed", gz(t, string(tar)+records(3)), "archive", "unpack"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			good := write(t, "good", records(2))
			got := readAll(t, Request{Names: []string{write(t, "bad", tc.data), good}})
			var u *Unrecognised
			if !errors.As(got.inputs[0].Err, &u) || !strings.Contains(u.Found, tc.found) || !strings.Contains(u.Hint, tc.hint) ||
				tc.hint == "" && u.Hint != "" {
				t.Fatalf("%v; want it to say %q and %q", got.inputs[0].Err, tc.found, tc.hint)
			}
			if len(u.Error()) > 300 {
				t.Errorf("too long to read: %v", u)
			}
			if strings.Contains(u.Error(), "CANARY") || strings.Contains(u.Error(), "secret") {
				t.Errorf("quotes the input: %v", u)
			}
			if got.inputs[1].Records != 2 {
				t.Errorf("%d records of the good input", got.inputs[1].Records)
			}
		})
	}
}

func TestJSONDocuments(t *testing.T) {
	one := func(i int) string {
		return fmt.Sprintf("{\n  \"request_id\": \"r-%d\",\n  \"total_handler_ms\": %d\n}", i, i)
	}
	cases := []struct {
		name, data string
		records    int64
		rejected   string
	}{
		{"array", "[" + record(1) + "," + record(2) + "]", 2, ""},
		{"array over lines", "[\n" + record(1) + ",\n" + record(2) + "\n]\n", 2, ""},
		{"array over lines, of a gateway", "[\n" + row(1) + ",\n" + row(2) + "\n]\n", 2, ""},
		{"array, pretty", "[\n" + one(1) + ",\n" + one(2) + "\n]", 2, ""},
		{"one object, pretty", one(1), 1, ""},
		{"objects, pretty", one(1) + "\n" + one(2) + "\n" + one(3), 3, ""},
		{"array that ends early", "[" + one(1) + "," + one(2)[:20], 1, "truncated JSON"},
		{"array without its end", "[" + one(1) + "," + one(2), 2, "truncated JSON"},
		{"damage within", "[" + one(1) + ",\n{\"a\":nope},\n" + one(2) + "]", 2, "invalid JSON"},
		{"others within", "[" + one(1) + ",7,null," + one(2) + "]", 2, "not a JSON object,not a JSON object"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			path := write(t, "log.json", tc.data)
			for _, chunk := range []int{16, 0} {
				got := readAll(t, Request{Names: []string{path}, Chunk: chunk})
				var reasons []string
				for _, r := range got.rejected {
					_, reason, _ := strings.Cut(r, " ")
					reasons = append(reasons, strings.TrimSpace(reason))
				}
				if got.inputs[0].Records != tc.records || strings.Join(reasons, ",") != tc.rejected {
					t.Errorf("%d records, rejected %v; want %d, %s", got.inputs[0].Records, got.rejected, tc.records, tc.rejected)
				}
			}
		})
	}
}

func TestTooLong(t *testing.T) {
	long := `{"prompt":"` + strings.Repeat("x", 5000) + `","total_handler_ms":1}`
	path := write(t, "log", record(1)+"\n"+long+"\n"+record(2)+"\n"+long)
	for _, chunk := range []int{16, 100, 1000} {
		got := readAll(t, Request{Names: []string{path}, Chunk: chunk, MaxLine: 1000, Format: "jsonl"})
		at := len(record(1)) + 1
		want := fmt.Sprintf("[2@%d+0 line too long  4@%d+0 line too long ]", at, at+len(long)+1+len(record(2))+1)
		if in := got.inputs[0]; in.Records != 2 || fmt.Sprint(got.rejected) != want {
			t.Errorf("chunk %d: %d records, rejected %v; want %s", chunk, in.Records, got.rejected, want)
		}
	}
}

// TestLongestLine reads a line that is as long as lines may be, and one that is a
// byte longer, at all places of a chunk, from a file and from a stream.
func TestLongestLine(t *testing.T) {
	const most = 1000
	for _, tc := range []struct {
		name, end string
		n         int
		reasons   string
	}{
		{"longest", "\n", most, ""},
		{"longest with a carriage return", "\r\n", most - 1, ""},
		{"longest at the end", "", most, ""},
		{"too long", "\n", most + 1, "line too long"},
		{"too long by a carriage return", "\r\n", most, "line too long"},
		{"too long at the end", "", most + 1, "line too long"},
	} {
		for _, before := range []int{0, 1, 500, 999, 5000} {
			head, tail := `{"request_id":"long","total_handler_ms":5,"prompt":"`, `"}`
			long := head + strings.Repeat("x", tc.n-len(head)-len(tail)) + tail
			data := record(1) + "\n" + strings.Repeat("\n", before) + long + tc.end
			for _, chunk := range []int{16, 700, 1000} {
				for _, packed := range []bool{false, true} {
					content := data
					if packed {
						content = gz(t, data)
					}
					got := readAll(t, Request{Names: []string{write(t, "log", content)}, Chunk: chunk, MaxLine: most, Format: "jsonl"})
					var reasons []string
					for _, r := range got.rejected {
						_, reason, _ := strings.Cut(r, " ")
						reasons = append(reasons, strings.TrimSpace(reason))
					}
					in := got.inputs[0]
					if strings.Join(reasons, ",") != tc.reasons || in.Records+in.Rejected != 2 {
						t.Errorf("%s, %d before, chunk %d, packed %t: %d records, rejected %v", tc.name, before, chunk, packed, in.Records, got.rejected)
					}
				}
			}
		}
	}
}

// TestCutWhileTooLong cuts a compressed log within a line that is too long: it is
// told that the log was cut.
func TestCutWhileTooLong(t *testing.T) {
	whole := gz(t, record(1)+"\n"+strings.Repeat("x", 5000))
	cut := whole[:len(whole)-8] // all of the text, without its sum
	for _, most := range []int{1000, 1 << 20} {
		got := readAll(t, Request{Names: []string{write(t, "log", cut)}, MaxLine: most, Format: "jsonl"})
		if in := got.inputs[0]; in.Records != 1 || len(got.rejected) != 1 || !strings.Contains(got.rejected[0], string(source.TruncatedInput)) {
			t.Errorf("lines of %d bytes: %d records, rejected %v", most, in.Records, got.rejected)
		}
	}
}

// TestMixed reads a log of JSON among many other lines.
func TestMixed(t *testing.T) {
	data := strings.Repeat("Starting the server\n", 30) + row(1) + "\n" + row(2) + "\n"
	got := readAll(t, Request{Names: []string{write(t, "log", data)}})
	if in := got.inputs[0]; in.Records != 2 || in.Rejected != 30 || in.Format.Name != "new_api_consume" {
		t.Errorf("%d records, %d rejected, %v", in.Records, in.Rejected, in.Err)
	}
}

// TestSharedNames reads a log of Envoy that names some of its fields as ttdiag does,
// with other objects in it, and ttdiag's own records with one of Envoy's in them.
func TestSharedNames(t *testing.T) {
	envoy := `{"start_time":"2026-08-21T03:15:27.512Z","response_code":200,"duration":6421,"response_flags":"-","upstream_cluster":"pool",` +
		`"upstream_headers_ms":1203,"total_handler_ms":6421}` + "\n"
	other := `{"level":"info","msg":"hello"}` + "\n"
	for _, tc := range []struct{ name, data, format string }{
		{"all lines", strings.Repeat(envoy, 3), "envoy_json"},
		{"most lines", strings.Repeat(envoy, 8) + strings.Repeat(other, 4), "envoy_json"},
		{"few lines", envoy + strings.Repeat(other, 5), "envoy_json"},
		{"of ttdiag's own", strings.Repeat(record(1)+"\n", 5) + envoy, "jsonl"},
	} {
		got := readAll(t, Request{Names: []string{write(t, "log", tc.data)}})
		if in := got.inputs[0]; in.Format == nil || in.Format.Name != tc.format {
			t.Errorf("%s: %v, %v", tc.name, in.Format, in.Err)
		}
	}
}

// TestWide reads a table of more columns than are looked at.
func TestWide(t *testing.T) {
	data := "request_id,total_handler_ms" + strings.Repeat(",c", 10000) + "\n" + strings.Repeat("a,5"+strings.Repeat(",x", 10000)+"\n", 2)
	got := readAll(t, Request{Names: []string{write(t, "log", data)}})
	if in := got.inputs[0]; in.Records != 2 || in.Rejected != 0 {
		t.Errorf("%d records, rejected %v, %v", in.Records, got.rejected, in.Err)
	}
}

// TestNoContent reads records full of what must never come out.
func TestNoContent(t *testing.T) {
	const canary = "CANARY-5f1c"
	lines := []string{
		`{"request_id":"a","total_handler_ms":1,"prompt":"` + canary + `","response":"` + canary + `","api_key":"` + canary + `","user":"` + canary + `","client_ip":"` + canary + `","messages":[{"role":"user","content":"` + canary + `"}]}`,
		`{"total_handler_ms":"` + canary + `","stream":"` + canary + `","timestamp":"` + canary + `","` + canary + `":{}}`,
		`{"total_handler_ms":1,"` + canary + `":nope}`,
		`{"total_handler_ms":1,"prompt":"` + canary,
		canary,
		`["` + canary + `"]`,
		`{"msg":"` + canary + `"}`,
		`{"total_handler_ms":1,"total_handler_ms":"` + canary + `"}`,
	}
	path := write(t, "log", strings.Join(lines, "\n"))
	got := readAll(t, Request{Names: []string{path}})
	if len(got.records) != 2 || len(got.rejected) != 6 {
		t.Errorf("%d records, rejected %v", len(got.records), got.rejected)
	}
	if all := fmt.Sprint(got.records, got.rejected, got.inputs[0].Found, got.inputs[0].Reasons); strings.Contains(all, canary) {
		t.Errorf("content came out: %s", all)
	}
	got = readAll(t, Request{Names: []string{write(t, "other", canary+"\n"+lines[6])}})
	if err := got.inputs[0].Err; err == nil || strings.Contains(err.Error(), canary) {
		t.Errorf("content came out: %v", err)
	}
}

// TestStops checks that nothing is left running, however a run ends.
func TestStops(t *testing.T) {
	path := write(t, "log", records(20000))
	packed := write(t, "log.gz", gz(t, records(20000)))
	before := runtime.NumGoroutine()
	errWork := errors.New("work failed")
	for name, run := range map[string]func(context.Context, *Reading) error{
		"break": func(ctx context.Context, r *Reading) error {
			for _, err := range Run(ctx, r, rowsOf) {
				return err
			}
			return nil
		},
		"cancel": func(ctx context.Context, r *Reading) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			for _, err := range Run(ctx, r, rowsOf) {
				cancel()
				if err != nil {
					return nil
				}
			}
			return errors.New("the end came without an error")
		},
		"error": func(ctx context.Context, r *Reading) error {
			for _, err := range Run(ctx, r, func(*timeline.Batch) (int, error) { return 0, errWork }) {
				if !errors.Is(err, errWork) {
					return err
				}
				return nil
			}
			return errors.New("no result")
		},
	} {
		for _, jobs := range []int{1, 4} {
			r, err := Open(Request{Names: []string{path, packed}, Jobs: jobs, Chunk: 5000})
			if err != nil {
				t.Fatal(err)
			}
			if err := run(context.Background(), r); err != nil {
				t.Errorf("%s, %d jobs: %v", name, jobs, err)
			}
		}
	}
	for range 1_000_000 { // they have ended, but may not have left
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

// silent blocks its reader until it is told to end.
type silent struct {
	asked chan struct{}
	end   chan struct{}
}

func (s silent) Read([]byte) (int, error) {
	select {
	case s.asked <- struct{}{}:
	default:
	}
	<-s.end
	return 0, io.EOF
}

// TestSilentInput checks that a run can be ended while standard input says
// nothing.
func TestSilentInput(t *testing.T) {
	in := silent{make(chan struct{}, 1), make(chan struct{})}
	defer close(in.end)
	r, err := Open(Request{Names: []string{"-"}, Stdin: in, Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-in.asked
		cancel()
	}()
	if _, err := collect(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestWrappedSamples reads the text logs of all gateways, each behind the marks of
// a container runtime, and expects what the log alone gives.
func TestWrappedSamples(t *testing.T) {
	logs, err := filepath.Glob("../testdata/formats/*/log")
	if err != nil || len(logs) == 0 {
		t.Fatal(logs, err)
	}
	for _, log := range logs {
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		plain := readAll(t, Request{Names: []string{log}}).inputs[0]
		for _, mark := range []string{"[pod/gw-0/main] ", "2026-08-21T03:15:33.5Z stdout F ", "<134>Aug 21 03:19:08 host gw[1]: "} {
			var wrapped strings.Builder
			for line := range strings.Lines(string(data)) {
				wrapped.WriteString(mark + line)
			}
			in := readAll(t, Request{Names: []string{write(t, "log", wrapped.String())}}).inputs[0]
			if in.Records != plain.Records || in.Format == nil || in.Format.Name != plain.Format.Name {
				t.Errorf("%s behind %q: %d records, %v; want %d", log, mark, in.Records, in.Err, plain.Records)
			}
		}
	}
}

// TestNoLine gives up on a stream of text that never ends a line.
func TestNoLine(t *testing.T) {
	r := &repeated{text: strings.Repeat("x", 1<<20), left: 1 << 20}
	read, err := Open(Request{Names: []string{"-"}, Stdin: r})
	if err != nil {
		t.Fatal(err)
	}
	got, err := collect(t.Context(), read)
	var u *Unrecognised
	if err != nil || !errors.As(got.inputs[0].Err, &u) || !strings.Contains(u.Found, "no end of a line") {
		t.Errorf("%v, %v", got.inputs[0].Err, err)
	}
	if looked := 1<<20 - r.left; looked > 200 {
		t.Errorf("looked through %d MiB", looked)
	}
}
