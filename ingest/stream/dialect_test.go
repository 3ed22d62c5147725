package stream

import (
	"fmt"
	"strings"
	"testing"

	"ttdiag/ingest/source"
)

// conversation is one turn as each dialect records it: an envelope at 200 ms,
// reasoning at 500 and 900, a tool named at 1500 with arguments at 1800, text
// at 2500 and 2700, the end at 3000. A dialect that sends whole calls names the
// tool with its arguments, at 1800.
var conversation = []struct {
	dialect Dialect
	chunks  map[int]string
}{
	{OpenAIChat, map[int]string{
		200:  `data: {"choices":[{"delta":{"role":"assistant","content":""}}]}` + "\n\n",
		500:  `data: {"choices":[{"delta":{"reasoning_content":"a"}}]}` + "\n\n",
		900:  `data: {"choices":[{"delta":{"reasoning":"b"}}]}` + "\n\n",
		1500: `data: {"choices":[{"delta":{"tool_calls":[{"id":"c","function":{"name":"f","arguments":""}}]}}]}` + "\n\n",
		1800: `data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{}"}}]}}]}` + "\n\n",
		2500: `data: {"choices":[{"delta":{"content":"x"}}]}` + "\n\n",
		2700: `data: {"choices":[{"delta":{"content":"y"}}]}` + "\n\n",
		3000: `data: {"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":50,"prompt_tokens_details":{"cached_tokens":40}}}` + "\n\ndata: [DONE]\n\n",
	}},
	{OpenAIResponses, map[int]string{
		200:  `data: {"type":"response.created","response":{}}` + "\n\n",
		500:  `data: {"type":"response.reasoning_text.delta","delta":"a"}` + "\n\n",
		900:  `data: {"type":"response.reasoning_summary_text.delta","delta":"b"}` + "\n\n",
		1500: `data: {"type":"response.output_item.added","item":{"type":"function_call","arguments":""}}` + "\n\n",
		1800: `data: {"type":"response.function_call_arguments.delta","delta":"{}"}` + "\n\n",
		2500: `data: {"type":"response.output_text.delta","delta":"x"}` + "\n\n",
		2700: `data: {"delta":"y","type":"response.output_text.delta"}` + "\n\n",
		3000: `data: {"type":"response.completed","response":{"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":40},"output_tokens":50}}}` + "\n\n",
	}},
	{AnthropicMessages, map[int]string{
		200:  `data: {"type":"message_start","message":{"usage":{"input_tokens":60,"cache_read_input_tokens":40,"output_tokens":1}}}` + "\n\n",
		500:  `data: {"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"a"}}` + "\n\n",
		900:  `data: {"type":"content_block_start","content_block":{"type":"redacted_thinking","data":"b"}}` + "\n\n",
		1500: `data: {"type":"content_block_start","content_block":{"type":"tool_use","input":{}}}` + "\n\n",
		1800: `data: {"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{}"}}` + "\n\n",
		2500: `data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"x"}}` + "\n\n",
		2700: `data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"y"}}` + "\n\n",
		3000: `data: {"type":"message_delta","usage":{"output_tokens":50}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
	}},
	{Gemini, map[int]string{
		200:  `data: {"candidates":[{"content":{"parts":[{"text":""}]}}]}` + "\r\n\r\n",
		500:  `data: {"candidates":[{"content":{"parts":[{"text":"a","thought":true}]}}]}` + "\r\n\r\n",
		900:  `data: {"candidates":[{"content":{"parts":[{"thought":true,"text":"b"}]}}]}` + "\r\n\r\n",
		1800: `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{}}}]}}]}` + "\r\n\r\n",
		2500: `data: {"candidates":[{"content":{"parts":[{"text":"x"}]}}]}` + "\r\n\r\n",
		2700: `data: {"candidates":[{"content":{"parts":[{"text":"y"}]}}]}` + "\r\n\r\n",
		3000: `data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":40,"candidatesTokenCount":30,"thoughtsTokenCount":20}}` + "\r\n\r\n",
	}},
	{BedrockConverse, map[int]string{
		200:  `{"messageStart":{"role":"assistant"}}` + "\n",
		500:  `{"contentBlockDelta":{"delta":{"reasoningContent":{"text":"a"}}}}` + "\n",
		900:  `{"contentBlockDelta":{"delta":{"reasoningContent":{"redactedContent":"b"}}}}` + "\n",
		1500: `{"contentBlockStart":{"start":{"toolUse":{"name":"f"}}}}` + "\n",
		1800: `{"contentBlockDelta":{"delta":{"toolUse":{"input":"{}"}}}}` + "\n",
		2500: `{"contentBlockDelta":{"delta":{"text":"x"}}}` + "\n",
		2700: `{"contentBlockDelta":{"delta":{"text":"y"}}}` + "\n",
		3000: `{"messageStop":{"stopReason":"end_turn"}}` + "\n" + `{"metadata":{"usage":{"inputTokens":60,"outputTokens":50,"cacheReadInputTokens":40}}}` + "\n",
	}},
	{CohereV2, map[int]string{
		200:  `data: {"type":"message-start"}` + "\n\n",
		500:  `data: {"type":"content-delta","delta":{"message":{"content":{"thinking":"a"}}}}` + "\n\n",
		900:  `data: {"type":"tool-plan-delta","delta":{"message":{"tool_plan":"b"}}}` + "\n\n",
		1500: `data: {"type":"tool-call-start","delta":{"message":{"tool_calls":{"function":{"name":"f","arguments":""}}}}}` + "\n\n",
		1800: `data: {"type":"tool-call-delta","delta":{"message":{"tool_calls":{"function":{"arguments":"{}"}}}}}` + "\n\n",
		2500: `data: {"type":"content-delta","delta":{"message":{"content":{"text":"x"}}}}` + "\n\n",
		2700: `data: {"type":"content-delta","delta":{"message":{"content":{"text":"y"}}}}` + "\n\n",
		3000: `data: {"type":"message-end","delta":{"finish_reason":"COMPLETE","usage":{"tokens":{"input_tokens":100,"output_tokens":50},"cached_tokens":40}}}` + "\n\n",
	}},
	{Ollama, map[int]string{
		200:  `{"message":{"role":"assistant","content":""},"done":false}` + "\n",
		500:  `{"message":{"thinking":"a","content":""},"done":false}` + "\n",
		900:  `{"message":{"thinking":"b","content":""},"done":false}` + "\n",
		1800: `{"message":{"content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]},"done":false}` + "\n",
		2500: `{"message":{"content":"x"},"done":false}` + "\n",
		2700: `{"message":{"content":"y"},"done":false}` + "\n",
		3000: `{"message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":100,"eval_count":50}` + "\n",
	}},
	{DashScope, map[int]string{
		200:  `data:{"output":{"choices":[{"message":{"content":"","role":"assistant"},"finish_reason":"null"}]}}` + "\n\n",
		500:  `data:{"output":{"choices":[{"message":{"content":"","reasoning_content":"a"},"finish_reason":"null"}]}}` + "\n\n",
		900:  `data:{"output":{"choices":[{"message":{"content":"","reasoning_content":"b"},"finish_reason":"null"}]}}` + "\n\n",
		1500: `data:{"output":{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":""}}]},"finish_reason":"null"}]}}` + "\n\n",
		1800: `data:{"output":{"choices":[{"message":{"tool_calls":[{"function":{"arguments":"{}"}}]},"finish_reason":"null"}]}}` + "\n\n",
		2500: `data:{"output":{"choices":[{"message":{"content":"x"},"finish_reason":"null"}]}}` + "\n\n",
		2700: `data:{"output":{"choices":[{"message":{"content":"y"},"finish_reason":"null"}]}}` + "\n\n",
		3000: `data:{"output":{"choices":[{"message":{"content":""},"finish_reason":"stop"}]},"usage":{"input_tokens":100,"output_tokens":50,"prompt_tokens_details":{"cached_tokens":40}}}` + "\n\n",
	}},
}

// TestSameConversation: one conversation in each dialect gives the same marks,
// classes and tokens.
func TestSameConversation(t *testing.T) {
	const want = "first_sse_event_ms=200000 first_response_ms=500000 first_text_delta_ms=2500000 upstream_done_ms=3000000 " +
		"input_tokens=100 output_tokens=50 outcome=success"
	for _, c := range conversation {
		t.Run(c.dialect.String(), func(t *testing.T) {
			recording := ""
			for _, ms := range []int{200, 500, 900, 1500, 1800, 2500, 2700, 3000} {
				if c.chunks[ms] != "" {
					recording += chunk("a", float64(ms), c.chunks[ms])
				}
			}
			got := rows(readSession(recordingFormat(), source.Options{}, recording).Batch)
			if len(got) != 1 || keepCells(got[0], want) != want {
				t.Errorf("got  %v\nwant %s", got, want)
			}
			p := newRecording(Options{}, nil)
			out := source.NewOut(recordingFormat(), nil)
			for line := range strings.SplitSeq(strings.TrimSpace(recording), "\n") {
				p.Parse([]byte(line), out)
			}
			r := p.queue[0].stream.End()
			counts := fmt.Sprint(r.Dialect, r.Counts[Reasoning], r.Counts[Action], r.Counts[VisibleText], r.Counts[Failure], r.Counts[Heartbeat], len(r.Unknown))
			if want := fmt.Sprint(c.dialect, 2, 1, 2, 0, 0, 0); counts != want {
				t.Errorf("counts %s, want %s", counts, want)
			}
			if us, _ := r.Gap.Length.Micros(); us < 600_000 || us > 900_000 || r.Gap.AfterText {
				t.Errorf("longest silence %v", r.Gap)
			}
		})
	}
}

// keepCells keeps the cells whose columns stand in like.
func keepCells(row, like string) string {
	var kept []string
	for cell := range strings.SplitSeq(row, " ") {
		name, _, _ := strings.Cut(cell, "=")
		if strings.Contains(" "+like, " "+name+"=") {
			kept = append(kept, cell)
		}
	}
	return strings.Join(kept, " ")
}

func TestSilence(t *testing.T) {
	text := `data: {"type":"content_block_delta","delta":{"text":"x"}}` + "\n\n"
	type step struct {
		ms   float64
		data string
	}
	end := `data: {"type":"message_delta","usage":{"input_tokens":1,"output_tokens":100}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n"
	cases := []struct {
		name  string
		steps []step
		want  string
	}{
		{
			"a tool of the server is neither silence nor generation",
			[]step{{100, text}, {200, `data: {"type":"content_block_start","content_block":{"type":"server_tool_use","input":{}}}` + "\n\n"},
				{300, `data: {"type":"content_block_delta","delta":{"partial_json":"{}"}}` + "\n\n"}, {310, `data: {"type":"content_block_stop"}` + "\n\n"},
				{5310, `data: {"type":"content_block_start","content_block":{"type":"web_search_tool_result"}}` + "\n\n"}, {5400, text}, {6100, end}},
			"longest=700000 from=5400000 after=true stall=false rate=100000000",
		},
		{
			"a tool of Responses",
			[]step{{100, `data: {"type":"response.output_text.delta","delta":"x"}` + "\n\n"}, {200, `data: {"type":"response.web_search_call.in_progress"}` + "\n\n"},
				{300, `data: {"type":"response.web_search_call.searching"}` + "\n\n"}, {9200, `data: {"type":"response.web_search_call.completed"}` + "\n\n"},
				{9300, `data: {"type":"response.output_text.delta","delta":"x"}` + "\n\n"},
				{10100, `data: {"type":"response.completed","response":{"usage":{"output_tokens":50}}}` + "\n\n"}},
			"longest=800000 from=9300000 after=true stall=false rate=50000000",
		},
		{
			"reasoning that is not told apart: no rate",
			[]step{{50, `data: {"type":"content_block_delta","delta":{"thinking":"x"}}` + "\n\n"}, {100, text},
				{310, `data: {"type":"content_block_start","content_block":{"type":"web_search_tool_result"}}` + "\n\n"}, {5400, text}, {6100, end}},
			"longest=5090000 from=310000 after=true stall=true rate=-",
		},
		{
			"heartbeats and empty deltas do not end a silence",
			[]step{{100, text}, {1000, ": x\n\n"}, {1500, `data: {"type":"content_block_delta","delta":{"text":""}}` + "\n\n"}, {2101, text}, {2200, end}},
			"longest=2001000 from=100000 after=true stall=true rate=-",
		},
		{
			"the silence before the answer is no stall",
			[]step{{100, `data: {"type":"message_start"}` + "\n\n"}, {9000, text}, {9100, end}},
			"longest=8900000 from=100000 after=false stall=false rate=-",
		},
		{
			"exactly two seconds are no stall",
			[]step{{100, text}, {2100, text}, {2200, end}},
			"longest=2000000 from=100000 after=true stall=false rate=-",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := New(Options{})
			for _, step := range c.steps {
				s.Chunk(at(int64(step.ms*1000)), []byte(step.data))
			}
			r := s.End()
			longest, _ := r.Gap.Length.Micros()
			from, _ := r.Gap.From.Micros()
			rate := "-"
			if micro, ok := r.VisibleRate.Value(); ok {
				rate = fmt.Sprint(micro)
			}
			got := fmt.Sprintf("longest=%d from=%d after=%t stall=%t rate=%s", longest, from, r.Gap.AfterText, r.Stalled, rate)
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestBufferedAndReplayed(t *testing.T) {
	text := `data: {"choices":[{"delta":{"content":"x"}}]}` + "\n\n"
	end := func(tokens int) string {
		return fmt.Sprintf(`data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":%d}}`+"\n\ndata: [DONE]\n\n", tokens)
	}
	cases := []struct {
		name               string
		first, last, done  int64 // microseconds
		tokens             int
		buffered, replayed bool
	}{
		{"all at the end", 7_900_000, 7_950_000, 8_000_000, 500, true, false},
		{"within five per cent", 950, 960, 1000, 500, true, false},
		{"just beyond five per cent, and too quick for a model", 949, 960, 1000, 500, false, true},
		{"few tokens", 7_900_000, 7_950_000, 8_000_000, 64, false, false},
		{"at an honest speed", 500_000, 7_950_000, 8_000_000, 500, false, false},
		{"sent again from a cache", 50_000, 60_000, 70_000, 2000, false, true},
		{"a very quick model", 50_000, 500_000, 550_000, 2000, false, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := New(Options{})
			s.Chunk(at(c.first), []byte(text))
			s.Chunk(at(c.last), []byte(text))
			s.Chunk(at(c.done), []byte(end(c.tokens)))
			if r := s.End(); r.Buffered != c.buffered || r.Replayed != c.replayed {
				t.Errorf("buffered %t, replayed %t", r.Buffered, r.Replayed)
			}
		})
	}
}

// TestChoices: the first over all choices counts, and each keeps its own.
func TestChoices(t *testing.T) {
	s := New(Options{})
	for i, data := range []string{
		`data: {"choices":[{"index":0,"delta":{"reasoning":"x"}}]}`, `data: {"choices":[{"index":1,"delta":{"content":"x"}},{"index":0,"delta":{"content":""}}]}`,
		`data: {"choices":[{"delta":{"content":"y"},"index":0}]}`, `data: {"choices":[{"index":2,"delta":{"content":""}}]}`,
	} {
		s.Chunk(at(int64(i+1)*1000), []byte(data+"\n\n"))
	}
	r := s.End()
	var got []string
	for _, c := range r.Choices {
		response, _ := c.FirstResponse.Micros()
		text, _ := c.FirstText.Micros()
		got = append(got, fmt.Sprint(c.Index, response, text))
	}
	if want := "[0 1000 3000 1 2000 2000 2 0 0]"; fmt.Sprint(got) != want {
		t.Errorf("choices %v, want %s", got, want)
	}
	if us, _ := r.FirstText.Micros(); us != 2000 {
		t.Errorf("first text %d", us)
	}
}
