package stream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ttdiag/ingest/source"
)

func eventLine(e Event) string {
	at, gap := "-", "-"
	if us, ok := e.At.Micros(); ok {
		at = fmt.Sprint(us)
	}
	if us, ok := e.Gap.Micros(); ok {
		gap = fmt.Sprint(us)
	}
	return fmt.Sprintf("%d %s %s %s %s %s %d %s", e.Number, at, gap, e.Dialect, e.Type, strings.Join(e.Classes.Names(), "+"), e.Bytes,
		strings.Join(e.Sets.Names(), ","))
}

func TestEvents(t *testing.T) {
	recording := chunk("a", 10, ": ping\n\nretry: 5\n\n") + chunk("b", 15, "data: [DONE]\n\n") +
		chunk("a", 200, "data: {\"type\":\"response.created\"}\n\n") + "junk\n" +
		chunk("a", 300, "data: {\"type\":\"response.output_item.added\",\"item\":{\"type\":\"function_call\"}}\n\n") +
		chunk("a", 400, "data: {\"type\":\"Very secret\"}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}}\n\n")
	want := []string{
		"1 10000 - unknown comment heartbeat 0 ",
		"2 10000 0 unknown field none 0 ",
		"3 200000 190000 openai_responses response.created metadata 27 t3",
		"4 300000 100000 openai_responses response.output_item.added metadata:action_start 69 t4",
		"5 400000 100000 openai_responses other metadata 22 ",
		"6 400000 0 openai_responses response.completed usage+done 87 t6",
	}
	for _, id := range []string{"a", "#1"} {
		l, err := Events(context.Background(), "recording", strings.NewReader(recording), id, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range l.Events {
			got = append(got, eventLine(e))
		}
		if !slices.Equal(got, want) || l.RequestID != "a" || !l.Result.ActionStart {
			t.Errorf("events of %s:\n%s\nwant:\n%s", id, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if n, ok := l.Events[5].Tokens.Output.Value(); n != 4 || !ok {
			t.Errorf("tokens %v", l.Events[5].Tokens)
		}
	}
	if l, err := Events(context.Background(), "recording", strings.NewReader(recording), "", source.Options{}); !errors.Is(err, ErrManyRequests) || l.RequestID != "a" {
		t.Errorf("no id: %v", err)
	}
	if _, err := Events(context.Background(), "recording", strings.NewReader(recording), "c", source.Options{}); !errors.Is(err, ErrNoRequest) {
		t.Errorf("unknown id: %v", err)
	}
	if _, err := Events(context.Background(), "jsonl", strings.NewReader(recording), "a", source.Options{}); !errors.Is(err, ErrNotAStream) {
		t.Errorf("other format: %v", err)
	}
}

// TestEventsOfDocuments: the times of documents reach the list, and the marks.
func TestEventsOfDocuments(t *testing.T) {
	cases := []struct{ format, file, id, want string }{
		{"aiperf-raw", "formats/aiperf-raw.jsonl", "raw-1", "3 210000 0 openai_chat chat.completion.chunk reasoning 169 t4"},
		{"genai-perf", "formats/genai-perf.json", "#1", "3 140000 0 openai_chat chat.completion.chunk visible_text 113 "},
		{"inference-perf", "formats/inference-perf.json", "#2", "1 500000 - openai_chat chat.completion.chunk reasoning 90 t4"},
		{"har", "formats/archive.har", "#2", "3 900000 300000 openai_chat chat.completion.chunk metadata 49 "},
		{"sse", "cases/openai-chat-text.sse", "", "2 - - openai_chat chat.completion.chunk visible_text 276 t4,t5"},
		{"stream-json", "cases/bedrock-converse-stream.jsonl", "", "10 - - bedrock_converse messageStop done 41 t6"},
	}
	for _, c := range cases {
		t.Run(c.format, func(t *testing.T) {
			f, err := os.Open("testdata/" + c.file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			l, err := Events(context.Background(), c.format, f, c.id, source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range l.Events {
				got = append(got, eventLine(e))
			}
			if !slices.Contains(got, c.want) {
				t.Errorf("%q is not in\n%s", c.want, strings.Join(got, "\n"))
			}
		})
	}
}
