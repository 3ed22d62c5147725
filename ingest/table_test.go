package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ttdiag/ingest/export"
	"ttdiag/ingest/parquet"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// batches reads an input and returns its batches.
func batches(t *testing.T, req Request) ([]*timeline.Batch, *Input) {
	t.Helper()
	r, err := Open(req)
	if err != nil {
		t.Fatal(err)
	}
	var all []*timeline.Batch
	for res, err := range Run(context.Background(), r, func(b *timeline.Batch) (int, error) { return 0, nil }) {
		if err != nil {
			t.Fatal(err)
		}
		if res.Batch.Len() > 0 {
			all = append(all, res.Batch)
		}
	}
	return all, r.Inputs[0]
}

// export writes batches to a file of a kind and returns its name.
func exported(t *testing.T, kind export.Kind, all []*timeline.Batch) string {
	t.Helper()
	var buf bytes.Buffer
	w, err := export.NewWriter(kind, &buf, "test")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range all {
		if err := w.Write(b, w.Prepare(nil, b)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return write(t, "out."+string(kind), buf.String())
}

// columnsOf writes every column of every row but where it stood.
func columnsOf(all []*timeline.Batch) string {
	var s strings.Builder
	for _, b := range all {
		for i := range b.Len() {
			for c := range timeline.Column(timeline.NumColumns) {
				if !b.Has(c, i) || c == timeline.ColSourceFile || c == timeline.ColSourceLine || c == timeline.ColSourceByte {
					continue
				}
				if c.IsText() {
					fmt.Fprintf(&s, "%s=%q ", c, b.Text(c, i))
					continue
				}
				v, _ := b.Num(c, i)
				fmt.Fprintf(&s, "%s=%d ", c, v)
			}
			s.WriteByte('\n')
		}
	}
	return s.String()
}

var exportKinds = []export.Kind{export.Parquet, export.Arrow, export.JSONL, export.CSV}

// A record of any format, converted to any kind of file and read again, is the
// record that it was.
func TestConvertedInputs(t *testing.T) {
	files, err := filepath.Glob("../testdata/formats/*/*")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, file := range files {
		name := filepath.Base(file)
		if name == "expect.json" || name == "cases.json" || name == "table.json" {
			continue
		}
		all, in := batches(t, Request{Names: []string{file}})
		if in.Records == 0 {
			continue
		}
		tried++
		for _, kind := range exportKinds {
			again, back := batches(t, Request{Names: []string{exported(t, kind, all)}})
			if back.Err != nil || back.Rejected > 0 {
				t.Errorf("%s as %s: %v, %v", file, kind, back.Err, back.Reasons)
				continue
			}
			if got, want := columnsOf(again), columnsOf(all); got != want {
				t.Errorf("%s as %s:\n%s\nwant\n%s", file, kind, got, want)
			}
		}
	}
	if tried < 60 {
		t.Errorf("only %d inputs", tried)
	}
}

// What is odd but valid survives too.
func TestConvertedOddities(t *testing.T) {
	log := `{"request_id":"a,\"b\"\n;|\t\u0000\u001b[31mé","model":"m <&>\u2028","total_handler_ms":0.001,"temperature":0.000001,"timestamp":1}
{"request_id":"b","first_response_ms":604800000,"visible_output_tps":999999.999999,"stream":false,"tools":true,"warmup":true}
{"request_id":"c","total_handler_ms":-1,"first_text_delta_ms":0,"status":99,"input_tokens":9007199254740993}
`
	all, in := batches(t, Request{Names: []string{write(t, "log", log)}})
	if in.Records != 3 {
		t.Fatal(in.Records)
	}
	for _, kind := range exportKinds {
		again, back := batches(t, Request{Names: []string{exported(t, kind, all)}})
		if got, want := columnsOf(again), columnsOf(all); got != want || back.Rejected > 0 {
			t.Errorf("%s: %v\n%s\nwant\n%s", kind, back.Reasons, got, want)
		}
	}
}

// Keys of a foreign log that happen to be those of a converted file are not
// believed.
func TestForeignProvenance(t *testing.T) {
	cases := []struct{ name, kind, text string }{
		{"without the schema", "jsonl", `{"total_handler_ms":1,"format":"x","notes":"replayed","approx":[{"column":"total_handler_ms"}],"recordable":"none"}`},
		{"twice", "jsonl", `{"total_handler_ms":1,"format":"x","notes":"a","notes":"b","format":7}`},
		{"the schema, but nonsense", "jsonl", `{"schema":"ttdiag.record/1","total_handler_ms":1,"notes":"secret","approx":[{"column":"secret"}],"recordable":"secret"}`},
		{"one column only", "csv", "total_handler_ms,notes\n1,replayed\n"},
		{"all columns, but nonsense", "csv", "total_handler_ms,format,approx,recordable,notes\n1,SECRET X,secret,secret,replayed;secret\n"},
	}
	for _, c := range cases {
		all, in := batches(t, Request{Names: []string{write(t, "log", c.text)}})
		if in.Err != nil || in.Records != 1 {
			t.Errorf("%s: %v, %d records", c.name, in.Err, in.Records)
			continue
		}
		want := "total_handler_ms=1000 vantage=\"gateway\" format=\"" + c.kind + "\" \n"
		if got := columnsOf(all); got != want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// tableCase is what a table file must yield: see table.json in testdata.
type tableCase struct {
	File   string `json:"file"`
	Format string `json:"format"`
	Rows   []struct {
		Entry int64          `json:"entry"`
		Has   map[string]any `json:"has"`
		Lacks []string       `json:"lacks"`
	} `json:"rows"`
	Rejected map[string]string `json:"rejected"`
}

// Exports of stores as Parquet are told by their columns, and hold what they say.
func TestTableFiles(t *testing.T) {
	files, err := filepath.Glob("../testdata/formats/*/table.json")
	if err != nil || len(files) < 3 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c tableCase
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(filepath.Dir(file), c.File)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, req := range map[string]Request{
			"told": {Names: []string{path}}, "named": {Names: []string{path}, Format: c.Format},
			"packed": {Names: []string{"-"}, Stdin: strings.NewReader(gz(t, string(data)))},
			"piped":  {Names: []string{"-"}, Stdin: bytes.NewReader(data)},
		} {
			all, in := batches(t, req)
			if in.Err != nil || in.Format.Name != c.Format {
				t.Errorf("%s %s: %v %v", file, name, in.Err, in.Format)
				continue
			}
			c.check(t, file+" "+name, all, in)
		}
	}
}

func (c *tableCase) check(t *testing.T, name string, all []*timeline.Batch, in *Input) {
	t.Helper()
	if in.Records != int64(len(c.Rows)) || in.Rejected != int64(len(c.Rejected)) || in.Lines != in.Records+in.Rejected {
		t.Errorf("%s: %d lines, %d records, %d rejected", name, in.Lines, in.Records, in.Rejected)
		return
	}
	for _, why := range c.Rejected {
		if in.Reasons[source.Reason(why)] == 0 {
			t.Errorf("%s: rejected for %v, not for %s", name, in.Reasons, why)
		}
	}
	for i, row := range c.Rows {
		b := all[0]
		if line, _ := b.Num(timeline.ColSourceLine, i); line != row.Entry {
			t.Errorf("%s: row %d is of entry %d, want %d", name, i, line, row.Entry)
		}
		for column, want := range row.Has {
			if got := cellOf(b, strings.TrimSuffix(column, "_us"), i); got != want {
				t.Errorf("%s: entry %d: %s is %v, want %v", name, row.Entry, column, got, want)
			}
		}
		for _, column := range row.Lacks {
			if got := cellOf(b, column, i); got != nil {
				t.Errorf("%s: entry %d has %s: %v", name, row.Entry, column, got)
			}
		}
	}
}

// cellOf returns a value as JSON has it, nil where it is absent.
func cellOf(b *timeline.Batch, name string, i int) any {
	c, ok := timeline.ColumnNamed(name)
	switch {
	case !ok:
		return "no such column"
	case !b.Has(c, i):
		return nil
	case c.IsText():
		return b.Text(c, i)
	}
	v, _ := b.Num(c, i)
	if c.Info().Kind == timeline.KindFlag {
		return v != 0
	}
	return timeline.Plain(c, v)
}

// parquetLog writes rows of ttdiag's own columns, beside one that is not read, in
// groups of a number of rows.
func parquetLog(t *testing.T, rows, group int) string {
	t.Helper()
	var buf bytes.Buffer
	w, err := parquet.NewWriter(&buf, []parquet.ColumnSpec{
		{Name: "request_id", Type: parquet.WriteText}, {Name: "total_handler_s", Type: parquet.WriteFloat},
		{Name: "first_response_us", Type: parquet.WriteInt}, {Name: "prompt", Type: parquet.WriteText},
		{Name: "stream", Type: parquet.WriteBool}, {Name: "ts", Type: parquet.WriteTimestamp},
		{Name: "timings.upstream_headers_ms", Type: parquet.WriteText},
	}, parquet.WriterOptions{GroupRows: group})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		w.Text(0, fmt.Sprint("r", i))
		if i%3 > 0 {
			w.Float(1, float64(i+1)/1000)
		}
		w.Int(2, int64(i+1))
		w.Text(3, "CANARY-sk-0000 "+strings.Repeat("x", 100))
		w.Bool(4, i%2 == 0)
		w.Int(5, int64(1_700_000_000_000_000+i))
		w.Text(6, "1.5")
		if err := w.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestParquetGroups(t *testing.T) {
	for _, c := range []struct{ rows, group int }{{0, 10}, {1, 10}, {10, 10}, {5000, 7}, {9000, 4097}} {
		data := parquetLog(t, c.rows, c.group)
		for _, jobs := range []int{1, 2, 5} {
			all, in := batches(t, Request{Names: []string{write(t, "log", data)}, Jobs: jobs})
			if in.Err != nil || in.Records != int64(c.rows) || in.Bytes != int64(len(data)) {
				t.Fatalf("%d rows: %v, %d records, %d bytes", c.rows, in.Err, in.Records, in.Bytes)
			}
			n := int64(0)
			for _, b := range all {
				for i := range b.Len() {
					line, _ := b.Num(timeline.ColSourceLine, i)
					total, has := b.Num(timeline.ColTotalHandler, i)
					first, _ := b.Num(timeline.ColFirstResponse, i)
					headers, _ := b.Num(timeline.ColUpstreamHeaders, i)
					at, _ := b.Num(timeline.ColTimestamp, i)
					if line != n+1 || has != (n%3 > 0) || has && total != (n+1)*1000 || first != n+1 || headers != 1500 || at != 1_700_000_000_000_000+n ||
						b.Text(timeline.ColRequestID, i) != fmt.Sprint("r", n) {
						t.Fatalf("row %d: line %d, total %d %v, first %d, headers %d", n, line, total, has, first, headers)
					}
					n++
				}
			}
		}
	}
}

// Damage inside of a row group costs no row of another, and is told with its
// place.
func TestParquetDamage(t *testing.T) {
	data := parquetLog(t, 3000, 1000)
	whole, _ := batches(t, Request{Names: []string{write(t, "log", data)}})
	kept := 0
	for at := 5000; at < len(data)/2; at += len(data) / 97 {
		bad := []byte(data)
		bad[at] ^= 0xA5 // more could be of two row groups
		got := readAll(t, Request{Names: []string{write(t, "log", string(bad))}})
		in := got.inputs[0]
		for _, r := range got.rejected {
			if !strings.Contains(r, "damaged row group column ") || !strings.Contains(r, "row group ") {
				t.Errorf("rejected: %s", r)
			}
		}
		if in.Err == nil && in.Records < 2000 {
			t.Errorf("at %d: %d records", at, in.Records)
		}
		if in.Rejected > 0 {
			kept++
		}
	}
	if kept == 0 || len(whole) == 0 {
		t.Error("nothing was damaged")
	}
	for _, cut := range []int{4, 11, len(data) / 2, len(data) - 1} {
		r := readAll(t, Request{Names: []string{write(t, "log", data[:cut]), write(t, "sound", parquetLog(t, 1, 1))}})
		if r.inputs[0].Err == nil || r.inputs[1].Records != 1 {
			t.Errorf("cut at %d: %v, %d records of the sound file", cut, r.inputs[0].Err, r.inputs[1].Records)
		}
	}
}

func TestParquetColumns(t *testing.T) {
	var buf bytes.Buffer
	w, err := parquet.NewWriter(&buf, []parquet.ColumnSpec{{Name: "a.total", Type: parquet.WriteInt}, {Name: "when", Type: parquet.WriteTimestamp},
		{Name: "id", Type: parquet.WriteInt}, {Name: "bad", Type: parquet.WriteFloat}}, parquet.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.Int(0, 3)
	w.Int(1, 1_700_000_000_000_001)
	w.Int(2, 77)
	w.Float(3, math.NaN())
	if err := w.EndRow(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := write(t, "log", buf.String())
	_, in := batches(t, Request{Names: []string{path}})
	if in.Err == nil || !strings.Contains(in.Err.Error(), "total_handler_ms") {
		t.Errorf("no timing column: %v", in.Err)
	}
	if _, in = batches(t, Request{Names: []string{path}, Format: "nginx_json"}); in.Err == nil {
		t.Error("nginx in Parquet")
	}
	all, in := batches(t, Request{Names: []string{path}, Options: source.Options{Map: []source.Mapping{
		{Column: timeline.ColTotalHandler, Path: ".a.total", Unit: timeline.Second}, {Column: timeline.ColTimestamp, Path: ".when"},
		{Column: timeline.ColRequestID, Path: ".id"}, {Column: timeline.ColAuth, Path: ".bad", Unit: timeline.Millisecond}, {Column: timeline.ColModel, Path: ".none"},
	}}})
	want := `total_handler_ms=3000000 timestamp=1700000000000001 request_id="77" vantage="gateway" format="map" recordable="total_handler_ms" notes="out_of_range:auth_ms" ` + "\n"
	if got := columnsOf(all); in.Err != nil || got != want {
		t.Errorf("mapped: %v %s", in.Err, got)
	}
}

// Nothing of a column that is not read comes out again.
func TestTableCanary(t *testing.T) {
	all, _ := batches(t, Request{Names: []string{write(t, "log", parquetLog(t, 50, 20))}})
	for _, kind := range exportKinds {
		data, err := os.ReadFile(exported(t, kind, all))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("CANARY")) || slices.Contains(strings.Fields(string(data)), "sk-0000") {
			t.Errorf("%s holds what it must not", kind)
		}
	}
}

// A damaged Arrow file keeps what stands before the damage, and never stops the
// program.
func TestArrowDamage(t *testing.T) {
	all, _ := batches(t, Request{Names: []string{write(t, "log", parquetLog(t, 300, 100))}})
	data, err := os.ReadFile(exported(t, export.Arrow, all))
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for at := 0; at < len(data); at += 97 {
		bad := slices.Clone(data)
		bad[at] ^= 0xFF
		got := readAll(t, Request{Names: []string{write(t, "log", string(bad))}, Format: "arrow"})
		if in := got.inputs[0]; in.Err != nil || in.Rejected > 0 {
			told++
		}
		cut := readAll(t, Request{Names: []string{write(t, "log", string(data[:at]))}, Format: "arrow"})
		if in := cut.inputs[0]; in.Records > 300 {
			t.Errorf("cut at %d: %d records", at, in.Records)
		}
	}
	if told == 0 {
		t.Error("no damage was told")
	}
}
