package observe

import (
	"fmt"
	"strconv"
	"testing"

	"ttdiag/ingest/document"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

func text(s string) document.Value { return document.Value{Kind: document.String, Text: []byte(s)} }

func at(us int64) document.Value {
	return document.Value{Kind: document.Time, Text: strconv.AppendInt(nil, us, 10)}
}

func number(n int64) document.Value {
	return document.Value{Kind: document.Number, Text: strconv.AppendInt(nil, n, 10)}
}

// A store of columns hands over typed cells: times are times, maps and lists
// their JSON, and columns may be nested or have dots in their names.
func TestTypedCells(t *testing.T) {
	const t0 = int64(1_773_230_400_125_000)
	cases := []struct {
		name    string
		columns [][]string
		cells   []document.Value
		want    string
	}{
		{"langfuse", [][]string{{"id"}, {"type"}, {"start_time"}, {"end_time"}, {"completion_start_time"}, {"usage_details"}, {"latency"}, {"input"}},
			[]document.Value{text("o"), text("GENERATION"), at(t0), at(t0 + 4_500_250), at(t0 + 750_500),
				{Kind: document.Object, Text: []byte(`{"input":176,"input_cached_tokens":1024,"output":236,"output_reasoning_tokens":64,"total":1500}`)}, number(9), text("secret")},
			"langfuse first_response_ms=750500 total_handler_ms=4500250 input_tokens=1200 cached_input_tokens=1024 output_tokens=300 reasoning_tokens=64 request_id=o"},
		{"an empty map", [][]string{{"id"}, {"type"}, {"start_time"}, {"completion_start_time"}, {"usage_details"}},
			[]document.Value{text("o"), text("GENERATION"), at(t0), {}, {Kind: document.Object, Text: []byte("{}")}},
			"langfuse request_id=o"},
		{"langsmith, JSON in strings", [][]string{{"id"}, {"run_type"}, {"start_time"}, {"end_time"}, {"trace_id"}, {"first_token_time"}, {"extra"}, {"events"}},
			[]document.Value{text("r"), text("llm"), at(t0), at(t0 + 2_500_000), text("t"), at(t0 + 500_000),
				text(`{"invocation_params":{"model":"gpt"},"metadata":{"ls_provider":"openai"}}`), text(`[{"name":"new_token","time":"2026-03-11T12:00:00.7Z"},{"name":"end"}]`)},
			"langsmith first_sse_event_ms=500000 total_handler_ms=2500000 event_count=1 request_id=r model=gpt channel=openai"},
		{"langsmith, nested columns", [][]string{{"id"}, {"run_type"}, {"start_time"}, {"end_time"}, {"trace_id"}, {"extra", "metadata", "ls_provider"}},
			[]document.Value{text("r"), text("llm"), at(t0), at(t0 + 1), text("t"), text("openai")},
			"langsmith total_handler_ms=1 request_id=r channel=openai"},
		{"phoenix, dots in names", [][]string{{"context.span_id"}, {"span_kind"}, {"start_time"}, {"end_time"}, {"attributes.llm.model_name"}, {"attributes.llm.token_count.prompt"}, {"events"}},
			[]document.Value{text("s"), text("LLM"), at(t0), at(t0 + 3_000_000), text("claude"), {Kind: document.Number, Text: []byte("900.0")},
				{Kind: document.Array, Text: []byte(`[{"name":"First Token Stream Event","timestamp":"2026-03-11T12:00:00.765Z"}]`)}},
			"phoenix first_sse_event_ms=640000 total_handler_ms=3000000 input_tokens=900 request_id=s model=claude"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			table := TableFor(c.columns)
			if table == nil {
				t.Fatal("no table")
			}
			cells := table.Cells()
			feeder := document.NewFeeder(cells)
			for i, names := range c.columns {
				if column, ok := table.Column(names...); ok {
					feeder.Feed(column, c.cells[i])
				}
			}
			out := source.NewOut(table.Format, nil)
			rows := table.NewRows(out)
			if why := rows.Add(source.Position{Line: 1}, cells.Values); why != source.OK {
				t.Fatal(why)
			}
			rows.Close()
			if got := table.Format.Name + render(out.Flush().Batch); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
	if table := TableFor([][]string{{"request_id"}, {"total_handler_ms"}}); table != nil {
		t.Errorf("a log of ttdiag's own is %s", table.Format.Name)
	}
}

// render lists the columns that the cases are about.
func render(b *timeline.Batch) string {
	s := ""
	for _, c := range []timeline.Column{timeline.ColFirstSSEEvent, timeline.ColFirstResponse, timeline.ColTotalHandler, timeline.ColInputTokens,
		timeline.ColCachedInputTokens, timeline.ColOutputTokens, timeline.ColReasoningTokens, timeline.ColEventCount} {
		if v, ok := b.Num(c, 0); ok {
			s += fmt.Sprintf(" %s=%d", c, v)
		}
	}
	for _, c := range []timeline.Column{timeline.ColRequestID, timeline.ColModel, timeline.ColChannel} {
		if b.Has(c, 0) {
			s += fmt.Sprintf(" %s=%s", c, b.Text(c, 0))
		}
	}
	return s
}

func TestUsage(t *testing.T) {
	cases := []struct {
		name, details string
		want          string
	}{
		{"disjoint", `{"input":176,"input_cached_tokens":1024,"output":236,"output_reasoning_tokens":64,"total":1500}`, " input_tokens=1200 cached_input_tokens=1024 output_tokens=300 reasoning_tokens=64"},
		{"disjoint, no total", `{"input":176,"input_cached_tokens":1024,"output":236}`, " input_tokens=1200 cached_input_tokens=1024 output_tokens=236"},
		{"the total says inclusive", `{"input":1200,"input_cached_tokens":1024,"output":300,"output_reasoning_tokens":64,"total":1500}`, " input_tokens=1200 cached_input_tokens=1024 output_tokens=300 reasoning_tokens=64"},
		{"Anthropic's names", `{"input":10,"cache_read_input_tokens":90,"cache_creation_input_tokens":5,"output":7,"total":112}`, " input_tokens=105 cached_input_tokens=90 output_tokens=7"},
		{"in a string", `"{\"input\":1,\"output\":2}"`, ""},
		{"nothing", `{}`, ""},
		{"zeros", `{"input":0,"output":0,"total":0}`, ""},
		{"numbers as strings", `{"input":"5","output":"6"}`, " input_tokens=5 output_tokens=6"},
		{"negative", `{"input":-5,"output":6}`, " output_tokens=6"},
		{"no numbers", `{"input":null,"output":{"x":1}}`, ""},
		{"cut", `{"input":5,"outp`, " input_tokens=5"},
	}
	for _, c := range cases {
		out := source.NewOut(langfuse().Format, nil)
		u := readUsage(document.Value{Kind: document.Object, Text: []byte(c.details)})
		u.fill(out.Row())
		out.Add()
		if got := render(out.Flush().Batch); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Rows leave the window in order; a version of a row that left long ago is
// dropped, and one inside the window replaces it.
func TestRowsBounded(t *testing.T) {
	table := langfuse()
	out := source.NewOut(table.Format, nil)
	rows := table.NewRows(out)
	cells := table.Cells()
	n := windowRows + 10
	put := func(line int, id string, updated, total int64) source.Reason {
		cells.Clear()
		v := cells.Values
		v[lfID], v[lfType], v[lfStart], v[lfEnd], v[lfUpdated] = text(id), text("GENERATION"), at(1e15), at(1e15+total), at(updated)
		return rows.Add(source.Position{Line: int64(line)}, v)
	}
	for i := range n {
		if why := put(i+1, strconv.Itoa(i), 2e15, 1000); why != source.OK {
			t.Fatal(i, why)
		}
	}
	if why := put(n+1, "0", 3e15, 5000); why != source.Duplicate {
		t.Errorf("a row that has left: %q", why)
	}
	if why := put(n+2, strconv.Itoa(n-1), 3e15, 5000); why != source.OK {
		t.Errorf("a newer version: %q", why)
	}
	if why := put(n+3, strconv.Itoa(n-1), 3e15, 7000); why != source.Duplicate {
		t.Errorf("the same version: %q", why)
	}
	rows.Close()
	part := out.Flush()
	if part.Batch.Len() != n || len(part.Rejected) != 1 || part.Rejected[0].Line != int64(n) {
		t.Fatalf("%d rows, rejected %v", part.Batch.Len(), part.Rejected)
	}
	last := int64(0)
	for i := range n {
		line, _ := part.Batch.Num(timeline.ColSourceLine, i)
		if line <= last {
			t.Fatalf("line %d behind %d", line, last)
		}
		last = line
	}
	if total, _ := part.Batch.Num(timeline.ColTotalHandler, n-1); total != 5000 {
		t.Errorf("the last row has a total of %d", total)
	}
}
