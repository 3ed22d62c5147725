package ingest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// reading is everything a run gave, as text: one line a record and a rejection.
type reading struct {
	records  []string
	rejected []string
	inputs   []*Input
}

// readAll runs a request and fails the test on an error.
func readAll(t *testing.T, req Request) reading {
	t.Helper()
	r, err := Open(req)
	if err != nil {
		t.Fatal(err)
	}
	got, err := collect(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range got.inputs {
		if in.Lines != in.Records+in.Rejected+in.Blank+in.Joined {
			t.Errorf("%s: %d lines are not %d records + %d rejected + %d blank + %d joined",
				in.Name, in.Lines, in.Records, in.Rejected, in.Blank, in.Joined)
		}
	}
	return got
}

func collect(ctx context.Context, r *Reading) (reading, error) {
	got := reading{inputs: r.Inputs}
	for res, err := range Run(ctx, r, rowsOf) {
		if err != nil {
			return got, err
		}
		got.records = append(got.records, res.Value...)
		for _, x := range res.Rejected {
			got.rejected = append(got.rejected, fmt.Sprintf("%d@%d+%d %s %s", x.Line, x.Byte, x.Offset, x.Reason, x.Field))
		}
	}
	return got, nil
}

// rowsOf writes every column of every row.
func rowsOf(b *timeline.Batch) ([]string, error) {
	var rows []string
	for i := range b.Len() {
		var s strings.Builder
		for c := range timeline.Column(timeline.NumColumns) {
			if !b.Has(c, i) {
				continue
			}
			if v, ok := int64(0), false; !c.IsText() {
				v, ok = b.Num(c, i)
				fmt.Fprintf(&s, "%s=%d,%v ", c, v, ok)
			} else {
				fmt.Fprintf(&s, "%s=%s ", c, b.Text(c, i))
			}
		}
		rows = append(rows, s.String())
	}
	return rows, nil
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func record(i int) string {
	return fmt.Sprintf(`{"request_id":"r-%d","model":"m%d","total_handler_ms":%d.25,"prompt":"%s"}`, i, i%3, 100+i, strings.Repeat("x", i%50))
}

func TestDamage(t *testing.T) {
	long := `{"prompt":"` + strings.Repeat("y", 30<<20) + `","request_id":"long","total_handler_ms":1}`
	lines := []string{
		"\xef\xbb\xbf" + "gateway 1.2 starting up",
		record(1) + "\r",
		record(2),
		`{"request_id":"torn","total_han`,
		record(3),
		strings.Repeat("\x00", 70_000),
		record(4),
		strings.Repeat("\x00", 70_000) + record(5),
		record(6) + "\x00\x00" + record(7) + "\x00",
		"{\"request_id\":\"\xff\",\"total_handler_ms\":1}",
		"[" + record(8) + "]",
		"",
		long,
		`{"x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
		`{"request_id":"nan","total_handler_ms":NaN}`,
		" \t\r",
		record(9),
	}
	path := write(t, "damage.jsonl", strings.Join(lines, "\n"))
	var first reading
	for _, jobs := range []int{1, 2, 8} {
		for _, chunk := range []int{100, DefaultChunk} {
			got := readAll(t, Request{Names: []string{path}, Jobs: jobs, Chunk: chunk})
			if first.records == nil {
				first = got
				checkDamage(t, got, lines)
			}
			if fmt.Sprint(got.records, got.rejected) != fmt.Sprint(first.records, first.rejected) {
				t.Fatalf("jobs %d, chunk %d: another result", jobs, chunk)
			}
		}
	}
}

func checkDamage(t *testing.T, got reading, lines []string) {
	t.Helper()
	var ids []string
	for _, r := range got.records {
		id := r[strings.Index(r, "request_id=")+len("request_id="):]
		ids = append(ids, id[:strings.IndexByte(id, ' ')])
	}
	if want := "r-1 r-2 r-3 r-4 r-5 r-6 r-7 long r-9"; strings.Join(ids, " ") != want {
		t.Errorf("records %v; want %s", ids, want)
	}
	at := make([]int64, len(lines))
	for i := 1; i < len(lines); i++ {
		at[i] = at[i-1] + int64(len(lines[i-1])) + 1
	}
	six := int64(len(record(6)))
	want := []string{
		fmt.Sprintf("1@3+0 %s ", source.InvalidJSON),
		fmt.Sprintf("4@%d+31 %s ", at[3], source.TruncatedJSON),
		fmt.Sprintf("6@%d+0 %s ", at[5], source.BinaryData),
		fmt.Sprintf("8@%d+0 %s ", at[7], source.BinaryData),
		fmt.Sprintf("9@%d+0 %s ", at[8]+six, source.BinaryData),
		fmt.Sprintf("9@%d+0 %s ", at[8]+six+2+int64(len(record(7))), source.BinaryData),
		fmt.Sprintf("10@%d+15 %s ", at[9], source.InvalidUTF8),
		fmt.Sprintf("11@%d+0 %s ", at[10], source.NotAnObject),
		fmt.Sprintf("14@%d+517 %s ", at[13], source.TooDeep),
		fmt.Sprintf("15@%d+39 %s ", at[14], source.InvalidJSON),
	}
	if g, w := strings.Join(got.rejected, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("rejected\n%s\nwant\n%s", g, w)
	}
	if in := got.inputs[0]; in.Blank != 2 || in.Lines != 21 {
		t.Errorf("%d lines, %d blank", in.Lines, in.Blank)
	}
}

// TestRelease checks that rows are the same where batches live on, are released,
// and are only lent.
func TestRelease(t *testing.T) {
	var log strings.Builder
	for i := range 5000 {
		fmt.Fprintln(&log, record(i))
		if i%7 == 0 {
			fmt.Fprintf(&log, `{"request_id":"x","auth_ms":%d,"channel":"c%d","first_text_delta_ms":0}`+"\n", i, i%11)
		}
	}
	path := write(t, "log", log.String())
	var want []string
	for _, mode := range []string{"kept", "released", "transient"} {
		for _, jobs := range []int{1, 3} {
			r, err := Open(Request{Names: []string{path}, Jobs: jobs, Chunk: 10_000, Transient: mode == "transient"})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for res, err := range Run(context.Background(), r, rowsOf) {
				if err != nil {
					t.Fatal(err)
				}
				if (res.Batch == nil) != (mode == "transient") {
					t.Fatal("batch kept or lost")
				}
				got = append(got, res.Value...)
				if mode == "released" {
					res.Release()
				}
			}
			if want == nil {
				want = got
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%s, %d jobs: other rows", mode, jobs)
			}
		}
	}
}
