package stream

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// readSession runs a session over text as ingest does.
func readSession(f *source.Format, opt source.Options, text string) source.Part {
	out := source.NewOut(f, nil)
	p := f.Session(opt)
	offset := 0
	for n, line := range strings.SplitAfter(text, "\n") {
		out.At(source.Position{Line: int64(n + 1), Byte: int64(offset)})
		offset += len(line)
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "" && offset == len(text):
		case strings.TrimSpace(line) == "":
			out.Blank()
		default:
			out.Line()
			out.Reject(p.Parse([]byte(line), out))
		}
	}
	p.Close(out)
	return out.Flush()
}

// rows returns the columns of a batch as JSON-like text, in schema order.
func rows(b *timeline.Batch) []string {
	var list []string
	for i := range b.Len() {
		var cells []string
		for c := range timeline.Column(timeline.NumColumns) {
			if c.IsText() {
				if v := b.Text(c, i); v != "" {
					cells = append(cells, c.String()+"="+v)
				}
			} else if v, ok := b.Num(c, i); ok {
				cells = append(cells, fmt.Sprint(c, "=", v))
			}
		}
		list = append(list, strings.Join(cells, " "))
	}
	return list
}

// chunk returns a line of a recording.
func chunk(id string, ms float64, data string) string {
	b, _ := json.Marshal(map[string]any{"request_id": id, "t_ms": ms, "data": data})
	return string(b) + "\n"
}

func TestRecording(t *testing.T) {
	created := "data: {\"type\":\"response.created\",\"response\":{\"model\":\"gpt\"}}\n\n"
	item := "data: {\"type\":\"response.output_item.added\",\"item\":{\"type\":\"message\"}}\n\n"
	text := "data: {\"type\":\"response.output_text.delta\",\"delta\":\"Hi\"}\n\n"
	completed := "data: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":5,\"output_tokens\":9}}}\n\n"
	cases := []struct {
		name, input string
		want        []string // rows, without columns that every row has
	}{
		{
			"envelope, empty item, text, end",
			chunk("a", 200, created) + chunk("a", 300, item) + chunk("a", 6000, text) + chunk("a", 8000, completed),
			[]string{"first_sse_event_ms=200000 first_response_ms=6000000 first_text_delta_ms=6000000 upstream_done_ms=8000000 stream=1 " +
				"input_tokens=5 output_tokens=9 event_count=4 heartbeat_count=0 longest_gap_ms=5800000 longest_gap_at_ms=200000 " +
				"source_line=1 source_byte=0 request_id=a model=gpt outcome=success " + bodyRecordable},
		},
		{
			"marks and metadata of two requests, mixed",
			`{"request_id":"a","t_ms":12.5,"mark":"upstream_start"}` + "\n" +
				`{"model":"m2","request_id":"b","channel":"c1","timestamp":"2026-01-02T03:04:05Z","auth_ms":3}` + "\r\n" +
				`{"request_id":"a","t_ms":240,"mark":"headers","status":200}` + "\n\n" +
				chunk("b", 50, text) + chunk("a", 260, text[:20]) + chunk("a", 270, text[20:]) +
				`{"request_id":"a","t_ms":900,"mark":"done"}` + "\n" + `{"request_id":"b","t_ms":70,"mark":"handler_done","status":499}` + "\n" +
				`{"request_id":"a","t_ms":"905.5","mark":"handler_done"}`,
			[]string{
				"upstream_start_ms=12500 upstream_headers_ms=227500 first_sse_event_ms=270000 first_response_ms=270000 " +
					"first_text_delta_ms=270000 upstream_done_ms=900000 total_handler_ms=905500 stream=1 status=200 event_count=1 " +
					"heartbeat_count=0 source_line=1 source_byte=0 request_id=a outcome=incomplete notes=truncated",
				"auth_ms=3000 first_sse_event_ms=50000 first_response_ms=50000 first_text_delta_ms=50000 total_handler_ms=70000 " +
					"timestamp=1767323045000000 stream=1 status=499 event_count=1 heartbeat_count=0 source_line=2 source_byte=55 " +
					"request_id=b model=m2 channel=c1 " + bodyRecordable + ",total_handler_ms notes=truncated",
			},
		},
		{
			"base64 cut inside a character, data before the id, data as an object",
			`{"b64":"` + base64.StdEncoding.EncodeToString([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"\xe4\xbd")) + `","request_id":7,"t_ms":10}` + "\n" +
				`{"b64":"` + base64.StdEncoding.EncodeToString([]byte("\xa0\"}}]}\n\n")) + `","request_id":"7","t_ms":20}` + "\n" +
				`{"data":{"messageStop":{"stopReason":"end_turn"}},"request_id":"7","t_ms":3e1}` + "\n",
			[]string{"first_sse_event_ms=20000 first_response_ms=20000 first_text_delta_ms=20000 upstream_done_ms=30000 stream=1 " +
				"event_count=2 heartbeat_count=0 longest_gap_ms=10000 longest_gap_at_ms=20000 source_line=1 source_byte=0 " +
				"request_id=7 outcome=success finish_reason=end_turn " + bodyRecordable},
		},
		{
			"no times: counts and tokens only",
			`{"request_id":"a","data":"data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n"}` + "\n",
			[]string{"stream=1 event_count=1 heartbeat_count=0 source_line=1 source_byte=0 request_id=a outcome=success finish_reason=stop " + bodyRecordable},
		},
		{
			"attempts are requests of their own",
			`{"request_id":"a","attempt":2,"t_ms":1,"mark":"handler_done","status":503}` + "\n" + chunk("a", 2, "data: [DONE]\n\n") +
				`{"request_id":"a","attempt":1,"model":"m"}` + "\n",
			[]string{
				"total_handler_ms=1000 attempt=2 status=503 source_line=1 source_byte=0 request_id=a " + bodyRecordable + ",total_handler_ms",
				"upstream_done_ms=2000 attempt=1 stream=1 event_count=1 heartbeat_count=0 source_line=2 source_byte=75 request_id=a model=m outcome=incomplete " +
					bodyRecordable + ",total_handler_ms notes=empty_stream",
			},
		},
		{
			"a body without the mark of its headers: their absence proves nothing",
			`{"request_id":"a","t_ms":0,"mark":"upstream_start"}` + "\n" + `{"request_id":"a","t_ms":9,"mark":"headers"}` + "\n" +
				chunk("b", 100, ": ping\n\n") + `{"request_id":"b","t_ms":60000,"mark":"handler_done","status":504}` + "\n" +
				`{"request_id":"a","t_ms":60000,"mark":"handler_done","status":504}` + "\n",
			[]string{
				"upstream_start_ms=0 upstream_headers_ms=9000 total_handler_ms=60000000 status=504 source_line=1 source_byte=0 request_id=a",
				"total_handler_ms=60000000 stream=1 status=504 event_count=0 heartbeat_count=1 source_line=3 source_byte=97 request_id=b " +
					bodyRecordable + ",total_handler_ms notes=empty_stream;truncated",
			},
		},
		{
			"heartbeats alone are no event",
			chunk("a", 100, ": ping\n\n") + chunk("a", 15000, "event: ping\ndata: {\"type\":\"ping\"}\n\n") + `{"request_id":"a","t_ms":60000,"mark":"done","status":504}` + "\n",
			[]string{"upstream_done_ms=60000000 stream=1 status=504 event_count=0 heartbeat_count=2 source_line=1 source_byte=0 request_id=a " +
				bodyRecordable + " notes=empty_stream;truncated"},
		},
		{
			"a tool-only turn has no text",
			chunk("a", 100, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}}]}\n\n") +
				chunk("a", 400, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\"{}\"}}]}}]}\n\n") +
				chunk("a", 500, "data: [DONE]\n\n"),
			[]string{"first_sse_event_ms=100000 first_response_ms=400000 upstream_done_ms=500000 stream=1 event_count=3 heartbeat_count=0 " +
				"longest_gap_ms=300000 longest_gap_at_ms=100000 source_line=1 source_byte=0 request_id=a outcome=success " + bodyRecordable},
		},
		{
			"reasoning that is inside the output and not told apart",
			chunk("a", 100, "data: {\"type\":\"content_block_delta\",\"delta\":{\"thinking\":\"x\"}}\n\n") +
				chunk("a", 400, "data: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"x\"}}\n\n") +
				chunk("a", 900, "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":50}}\n\n"+
					"data: {\"type\":\"message_stop\"}\n\n"),
			[]string{"first_sse_event_ms=100000 first_response_ms=100000 first_text_delta_ms=400000 upstream_done_ms=900000 stream=1 output_tokens=50 " +
				"event_count=4 heartbeat_count=0 longest_gap_ms=500000 longest_gap_at_ms=400000 source_line=1 source_byte=0 request_id=a " +
				"outcome=success finish_reason=end_turn " + bodyRecordable + " notes=reasoning_inside_output"},
		},
		{
			"a stall after the answer began, and times that are out of range",
			chunk("a", -5, ": x\n\n") + chunk("a", 100, "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n") +
				chunk("a", 2101, "data: {\"choices\":[{\"delta\":{\"content\":\"\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"y\"}}]}\n\n") +
				chunk("a", 2102, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\n"),
			[]string{"first_sse_event_ms=100000 first_response_ms=100000 first_text_delta_ms=100000 upstream_done_ms=2102000 stream=1 event_count=4 " +
				"heartbeat_count=1 longest_gap_ms=2001000 longest_gap_at_ms=100000 source_line=1 source_byte=0 request_id=a outcome=success " +
				"finish_reason=length " + bodyRecordable + " notes=mid_stream_stall"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			part := readSession(recordingFormat(), source.Options{}, c.input)
			got := rows(part.Batch)
			for i := range got {
				got[i] = strings.NewReplacer(" vantage=gateway", "", " format=recording", "").Replace(got[i])
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("rows:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if len(part.Rejected) > 0 {
				t.Errorf("rejected: %v", part.Rejected)
			}
			if part.Lines != int64(part.Batch.Len())+part.Joined+part.Blank {
				t.Errorf("%d lines, %d records, %d joined, %d blank", part.Lines, part.Batch.Len(), part.Joined, part.Blank)
			}
		})
	}
}

const bodyRecordable = "recordable=first_sse_event_ms,first_response_ms,first_text_delta_ms,upstream_done_ms"

func TestRecordingRejects(t *testing.T) {
	cases := []struct {
		name, line string
		want       source.Rejection
	}{
		{"torn inside the data", `{"request_id":"a","t_ms":1,"data":"data: {\"x`, source.Rejection{Reason: source.TruncatedJSON, Offset: 45}},
		{"torn inside an escape", `{"request_id":"a","t_ms":1,"data":"\u00`, source.Rejection{Reason: source.TruncatedJSON, Offset: 35}},
		{"no object", `[1]`, source.Rejection{Reason: source.NotAnObject}},
		{"no id", `{"t_ms":1,"data":"x"}`, source.Rejection{Reason: source.NotARequest, Field: "request_id"}},
		{"null id", `{"request_id":null,"t_ms":1,"data":"x"}`, source.Rejection{Reason: source.NotARequest, Field: "request_id"}},
		{"unknown mark", `{"request_id":"a","t_ms":1,"mark":"nap"}`, source.Rejection{Reason: source.NotThisFormat, Field: "mark"}},
		{"mark without time", `{"request_id":"a","mark":"done"}`, source.Rejection{Reason: source.NotARecord, Field: "t_ms"}},
		{"time is no number", `{"request_id":"a","t_ms":"soon","data":"x"}`, source.Rejection{Reason: source.NotARecord, Field: "t_ms"}},
		{"two times", `{"request_id":"a","t_ms":1,"t_ms":2,"data":"x"}`, source.Rejection{Reason: source.DuplicateKey, Offset: 27, Field: "t_ms"}},
		{"data twice over", `{"request_id":"a","t_ms":1,"data":"x","b64":"eA=="}`, source.Rejection{Reason: source.UnsupportedShape, Field: "b64"}},
		{"no base64", `{"request_id":"a","t_ms":1,"b64":"e-=="}`, source.Rejection{Reason: source.BadEncoding, Field: "b64"}},
		{"padding inside base64", `{"request_id":"a","b64":"` + strings.Repeat("eA==", 20) + `"}`, source.Rejection{Reason: source.BadEncoding, Field: "b64"}},
		{"raw control character", "{\"request_id\":\"a\",\"data\":\"a\x01\"}", source.Rejection{Reason: source.InvalidJSON, Offset: 27}},
		{"junk behind", `{"request_id":"a","data":"a"} x`, source.Rejection{Reason: source.InvalidJSON, Offset: 30}},
		{"a comma too many", `{"request_id":"a",}`, source.Rejection{Reason: source.InvalidJSON, Offset: 18}},
		{"NUL bytes", "\x00\x00\x00", source.Rejection{Reason: source.NotAnObject}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := recordingFormat()
			out := source.NewOut(f, nil)
			p := f.Session(source.Options{})
			if got := p.Parse([]byte(c.line), out); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			p.Close(out)
			if out.Len() != 0 {
				t.Error("a rejected line made a record")
			}
		})
	}
}

// TestLongLine: a line beyond what is decoded at once means the same.
func TestLongLine(t *testing.T) {
	event := "data: {\"choices\":[{\"delta\":{\"content\":\"" + strings.Repeat("é\\n\\u00e9", maxText/4) + "\"},\"finish_reason\":\"stop\"}]}\n\n"
	for _, line := range []string{
		chunk("a", 5, event),
		`{"request_id":"a","t_ms":5,"b64":"` + base64.StdEncoding.EncodeToString([]byte(event)) + `"}`,
	} {
		if len(line) < maxText {
			t.Fatal("the line is not long")
		}
		part := readSession(recordingFormat(), source.Options{}, line)
		if got := rows(part.Batch); len(got) != 1 || !strings.Contains(got[0], "first_text_delta_ms=5000 ") {
			t.Errorf("got %v", got)
		}
	}
}

// TestManyOpenStreams: streams between two events hold no frame.
func TestManyOpenStreams(t *testing.T) {
	p := newRecording(Options{}, nil)
	out := source.NewOut(recordingFormat(), nil)
	const n = 100_000
	var line bytes.Buffer
	allocated := testing.AllocsPerRun(1, func() {
		for i := range n {
			line.Reset()
			fmt.Fprintf(&line, `{"request_id":"%d","t_ms":1,"data":"data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n"}`, i)
			p.Parse(line.Bytes(), out)
		}
	})
	frames := 0
	for _, q := range p.queue {
		if q.stream.frame != nil {
			frames++
		}
	}
	if frames != 0 || len(p.queue) != n || allocated > 8*n {
		t.Errorf("%d frames for %d streams, %.0f allocations", frames, len(p.queue), allocated)
	}
}

// TestTimes: the quick way to read a time is the slow way.
func TestTimes(t *testing.T) {
	for _, lit := range []string{"0", "7", "12.5", "99999999", "99999999.999", "0.001", "1.0", "100000000", "1e3", "-1", "1.2345", "1.", "01", ".5",
		"604800000", "604800001", "1.5e2", "00", "1 "} {
		line := `{"request_id":"a","t_ms":` + lit + `}`
		var quick, slow recordedLine
		names := memberNames()
		quick.reset([]byte(line))
		slow.reset([]byte(strings.Replace(line, ":"+lit, `:"`+strings.TrimSpace(lit)+`"`, 1)))
		rq, rs := quick.read(names), slow.read(names)
		if rs.Reason != source.OK {
			t.Fatal(lit, rs)
		}
		if rq.Reason == source.OK && quick.at != slow.at {
			t.Errorf("%s: %v, want %v", lit, quick.at, slow.at)
		}
		if valid := json.Valid([]byte(line)); valid != (rq.Reason == source.OK) {
			t.Errorf("%s: valid %t, read %v", lit, valid, rq)
		}
	}
}
