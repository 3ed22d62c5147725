package ingest

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"ttdiag/ingest/mapping"
	"ttdiag/ingest/source"
	"ttdiag/ingest/wrap"
)

// row is a record of New API.
func row(i int) string {
	return fmt.Sprintf(`{"id":%d,"user_id":7,"created_at":1787300000,"type":2,"content":"CANARY ]}[{","model_name":"m","quota":9,`+
		`"prompt_tokens":5,"completion_tokens":6,"use_time":%d,"is_stream":true,"channel":3,"group":"g","other":"{\"frt\":800.0}"}`, i, i)
}

func indented(record, by string) string {
	return strings.NewReplacer(`,"`, ",\n"+by+`  "`, "{\"id", "{\n"+by+`  "id`).Replace(record)
}

func TestEnvelopes(t *testing.T) {
	own := func(i int) string { return record(i) }
	pretty := func(records ...string) string {
		for i := range records {
			records[i] = "      " + indented(records[i], "      ")
		}
		return "{\n  \"success\": true,\n  \"data\": {\n    \"items\": [\n" + strings.Join(records, ",\n") + "\n    ],\n    \"total\": 7\n  }\n}\n"
	}
	long := strings.Repeat("x", 300<<10)
	cases := []struct {
		name, data string
		records    int64
		rejected   string
		wrapper    string
	}{
		{"page", `{"success":true,"message":"","data":{"page":1,"items":[` + row(1) + `,` + row(2) + `],"total":7}}`, 2, "", "data.items.[]"},
		{"page, pretty", pretty(row(1), row(2)), 2, "", "data.items.[]"},
		{"array", `{"data":[` + row(1) + `,` + row(2) + `]}` + "\n", 2, "", "data.[]"},
		{"one object", `{"data":` + row(1) + `}`, 1, "", "data"},
		{"Cloudflare's", `{"result":[` + row(1) + `],"errors":[],"result_info":{"page":1}}`, 1, "", "result.[]"},
		{"logs", `{"logs":[` + row(1) + `,` + row(2) + `]}`, 2, "", "logs.[]"},
		{"search", `{"took":3,"hits":{"total":{"value":2},"hits":[{"_id":"a","_source":` + row(1) + `},{"_id":"b","_source":` + row(2) + `}]}}`,
			2, "", "hits.hits.[]._source"},
		{"dump of a search", `{"_id":"a","_source":` + row(1) + "}\n" + `{"_id":"b","_source":` + row(2) + "}\n", 2, "", "_source"},
		{"pages, one a line", `{"data":[` + row(1) + `,` + row(2) + "]}\n{\"data\":[]}\n" + `{"data":[` + row(3) + "]}\n", 3, "", "data.[]"},
		{"pages over lines", pretty(row(1), row(2)) + pretty(row(3)), 3, "", "data.items.[]"},
		{"pages in an array", `[{"data":[` + row(1) + `]},{"data":[` + row(2) + `]}]`, 2, "", "data.[]"},
		{"a page that holds one", `{"data":[` + row(1) + `]}` + "\n" + `{"data":` + row(2) + "}\n", 2, "", "data.[]"},
		{"a page of an error", `{"data":[` + row(1) + `]}` + "\n" + `{"error":"CANARY"}` + "\n", 1, "not a request", "data.[]"},
		{"long text beside", `{"debug":"` + long + `","data":[` + row(1) + `]}`, 1, "", "data.[]"},
		{"long text in it", `{"data":[{"x":"` + long + `",` + row(1)[1:] + `,` + row(2) + `]}`, 2, "", "data.[]"},
		{"ttdiag's own", `{"data":[` + own(1) + `,` + own(2) + `]}`, 2, "", "data.[]"},
		{"cut off", `{"data":[` + row(1) + `,` + row(2)[:30], 1, "truncated JSON", "data.[]"},
		{"cut off behind an element", `{"data":[` + row(1) + `,` + row(2), 2, "truncated JSON", "data.[]"},
		{"damage, pretty", pretty(row(1), `{"id":nope,"type":2}`, row(3)) + pretty(row(4)), 3, "invalid JSON", "data.items.[]"},
		{"damage, an element a line", "{\"data\":[\n" + row(1) + ",\n{\"id\":nope},\n" + row(2) + "\n]}\n", 2, "invalid JSON", "data.[]"},
		{"damage, a page a line", `{"data":[` + row(1) + "]}\n{\"data\":[{nope}]}\n" + `{"data":[` + row(2) + "]}\n", 2, "invalid JSON", "data.[]"},
		{"others within", `{"data":[` + row(1) + `,7,` + row(2) + `]}`, 2, "not a JSON object", "data.[]"},
		{"no object where one should be", `{"data":[` + row(1) + `]}{"data":"CANARY"}`, 1, "not a JSON object", "data.[]"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			for _, chunk := range []int{16, 0} {
				got := readAll(t, Request{Names: []string{write(t, "log.json", tc.data)}, Chunk: chunk})
				in := got.inputs[0]
				if in.Err != nil || in.Records != tc.records || reasonsOf(got) != tc.rejected || in.Wrapper != tc.wrapper || in.Joined > 1 {
					t.Errorf("chunk %d: %d records, rejected %v, wrapper %q, %d joined, %v; want %d, %s, %q", chunk,
						in.Records, got.rejected, in.Wrapper, in.Joined, in.Err, tc.records, tc.rejected, tc.wrapper)
				}
				if strings.Contains(fmt.Sprint(got.records, got.rejected), "CANARY") {
					t.Error("content came out")
				}
			}
		})
	}
}

func reasonsOf(got reading) string {
	var reasons []string
	for _, r := range got.rejected {
		_, reason, _ := strings.Cut(r, " ")
		reasons = append(reasons, strings.TrimSpace(reason))
	}
	return strings.Join(reasons, ",")
}

// TestEnvelopeWrapped reads envelopes in the lines of a container log.
func TestEnvelopeWrapped(t *testing.T) {
	var log strings.Builder
	for i := range 3 {
		fmt.Fprintf(&log, "2026-08-21T03:15:33.%dZ stdout F {\"data\":[%s,%s]}\n", i, row(i), row(i+10))
	}
	got := readAll(t, Request{Names: []string{write(t, "log", log.String())}})
	if in := got.inputs[0]; in.Records != 6 || in.Rejected != 0 || in.Wrapper != "cri>data.[]" {
		t.Errorf("%d records, rejected %v, wrapper %q, %v", in.Records, got.rejected, in.Wrapper, in.Err)
	}
}

// TestEnvelopeAround reads text lines that a shipper put into a store.
func TestEnvelopeAround(t *testing.T) {
	const line = `127.0.0.1 - - [21/Aug/2026:03:15:33 +0000] "POST / HTTP/1.1" 200 5 "-" "CANARY" rt=1.5 uct="0.001" uht="1.2" urt="1.5"`
	shipped := func(i int) string {
		return fmt.Sprintf(`{"@timestamp":"2026-08-21T03:15:33Z","message":%s,"log":{"offset":%d}}`, strconv.Quote(line), i)
	}
	for _, tc := range []struct{ name, data, wrapper string }{
		{"shipper", shipped(1) + "\n" + shipped(2) + "\n", "beats"},
		{"search", `{"hits":{"hits":[{"_source":` + shipped(1) + `},{"_source":` + shipped(2) + `}]}}`, "hits.hits.[]._source>beats"},
		{"dump", `{"_source":` + shipped(1) + "}\n" + `{"_source":` + shipped(2) + "}\n", "_source>beats"},
	} {
		got := readAll(t, Request{Names: []string{write(t, "log", tc.data)}})
		in := got.inputs[0]
		if in.Records != 2 || in.Rejected != 0 || in.Wrapper != tc.wrapper || strings.Contains(fmt.Sprint(got.records), "CANARY") {
			t.Errorf("%s: %v, rejected %v, wrapper %q, %v", tc.name, got.records, got.rejected, in.Wrapper, in.Err)
		}
	}
}

// TestEnvelopeJoined reads lines of a text log that belong together, each in its
// document of a store.
func TestEnvelopeJoined(t *testing.T) {
	log, err := os.ReadFile("../testdata/formats/new_api_text/log")
	if err != nil {
		t.Fatal(err)
	}
	plain := readAll(t, Request{Names: []string{write(t, "log", string(log))}})
	var docs []string
	for line := range strings.Lines(string(log)) {
		message, _ := json.Marshal(strings.TrimSuffix(line, "\n"))
		docs = append(docs, fmt.Sprintf(`{"_source":{"@timestamp":"2026-08-21T03:15:33Z","message":%s}}`, message))
	}
	for name, data := range map[string]string{
		"dump": strings.Join(docs, "\n"), "search": `{"hits":{"hits":[` + strings.Join(docs, ",\n") + `]}}`,
	} {
		got := readAll(t, Request{Names: []string{write(t, "log", data)}})
		in, want := got.inputs[0], plain.inputs[0]
		if in.Records != want.Records || in.Joined != want.Joined || in.Rejected != want.Rejected {
			t.Errorf("%s: %d records, %d joined, rejected %v, %v", name, in.Records, in.Joined, got.rejected, in.Err)
		}
	}
}

// TestEnvelopeMapped reads what a user maps, and what a user says the format is.
func TestEnvelopeMapped(t *testing.T) {
	m, err := mapping.ParseMapping("total_handler_ms=.took:s")
	if err != nil {
		t.Fatal(err)
	}
	path := write(t, "log", `{"rows":[{"took":2.1},{"took":1.5},{"took":1.2}]}`)
	got := readAll(t, Request{Names: []string{path}, Options: source.Options{Map: []source.Mapping{m}}})
	if in := got.inputs[0]; in.Records != 3 || !strings.Contains(got.records[0], "total_handler_ms=2100000,") {
		t.Errorf("%v, %v", got.records, in.Err)
	}
	got = readAll(t, Request{Names: []string{write(t, "log", `{"rows":[`+row(1)+`]}`)}, Format: "new_api_consume"})
	if got.inputs[0].Records != 1 {
		t.Errorf("forced: %v, %v", got.rejected, got.inputs[0].Err)
	}
}

// TestEnvelopeKnown leaves documents and records alone that are of a format as
// they stand.
func TestEnvelopeKnown(t *testing.T) {
	inner := `"items":[{"total_handler_ms":7},{"total_handler_ms":8}]`
	for _, data := range []string{
		`{"request_id":"a","total_handler_ms":5,` + inner + "}\n" + `{"request_id":"b","total_handler_ms":6,` + inner + "}\n",
		`{"request_id":"a","total_handler_ms":5,` + inner + "}",
	} {
		got := readAll(t, Request{Names: []string{write(t, "log", data)}})
		if want := int64(strings.Count(data, "request_id")); got.inputs[0].Records != want || got.inputs[0].Wrapper != "" {
			t.Errorf("%d records of %s, wrapper %q", got.inputs[0].Records, got.inputs[0].Format.Name, got.inputs[0].Wrapper)
		}
	}
}

// repeated is a long stream of the same text between a head and a tail.
type repeated struct {
	text string
	left int
	io.Reader
}

func (r *repeated) Read(p []byte) (int, error) {
	for r.Reader == nil || r.left > 0 {
		if r.Reader != nil {
			if n, err := r.Reader.Read(p); err == nil {
				return n, nil
			}
		}
		r.left--
		r.Reader = strings.NewReader(r.text)
	}
	return r.Reader.Read(p)
}

// TestEnvelopeMemory reads a long array in an envelope, and passes over a long one
// beside it, in the memory of a chunk.
func TestEnvelopeMemory(t *testing.T) {
	element := row(1) + ","
	for _, n := range []int{1, 100} {
		stream := io.MultiReader(strings.NewReader(`{"data":[`+element), &repeated{text: strings.Repeat(element, 1000), left: n},
			strings.NewReader(row(2)+`],"debug":[`), &repeated{text: strings.Repeat(element, 1000), left: n}, strings.NewReader("0]}"))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := Open(Request{Names: []string{"-"}, Stdin: stream, Transient: true, Chunk: 64 << 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range Run(t.Context(), r, totals) {
			if err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
		}
		if in := r.Inputs[0]; in.Records != int64(1000*n+2) || in.Rejected != 0 {
			t.Errorf("%d records, %v", in.Records, in.Reasons)
		}
		if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 64<<20 {
			t.Errorf("the heap grew by %d bytes", grown)
		}
	}
}

func FuzzEnvelope(f *testing.F) {
	for _, s := range []string{
		`{"data":[` + record(1) + `]}`, "[{\"data\":[\n{\"total_handler_ms\":1},\n{x}\n]}]", `{"data":[{"total_handler_ms":1},`,
		`{"a":{"b":["]"]},"data":{"total_handler_ms":1}}{"data":null}`, "{\n \"data\": [\n  {\"x\":},\n  {\"total_handler_ms\":1}\n ]\n}",
	} {
		f.Add(s)
	}
	own := formatNamed(Formats(), ownFormat)
	read := func(t *testing.T, data string, size int) string {
		out := source.NewOut(own, nil)
		v := &enveloped{entries: entries{r: strings.NewReader(data), size: size, maxLine: 1 << 20}, path: wrap.Envelope{"data", wrap.Elements}}
		if err := v.read(own.Lines(source.Options{}), out, func() source.Reason { return source.OK }); err != nil {
			t.Fatal(err)
		}
		part := out.Flush()
		if part.Lines != int64(part.Batch.Len()+len(part.Rejected)) {
			t.Errorf("%d lines, %d records, %v", part.Lines, part.Batch.Len(), part.Rejected)
		}
		rows, _ := rowsOf(part.Batch)
		return fmt.Sprint(rows, part.Rejected)
	}
	f.Fuzz(func(t *testing.T, data string) {
		if one, two := read(t, data, 16), read(t, data, 1<<16); one != two {
			t.Errorf("by pieces: %s\nat once: %s", one, two)
		}
	})
}
