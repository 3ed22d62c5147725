package rules

import (
	"strings"

	"ttdiag/ingest/timeline"
)

// Definition is what ttdiag define says of one name.
type Definition struct {
	Name      string
	Kind      string // column, metric, class, outcome, note or threshold
	Unit      string // ms, tokens/s, tokens, or ""
	Means     string
	Formula   string // of metrics
	Absent    string // when a metric is absent
	Elsewhere []string
	LookAt    []string
}

// metricWords is what there is to say of a derived metric.
type metricWords struct {
	means, formula, absent string
	elsewhere              []string
}

var metricDefinitions = map[string]metricWords{
	"end_to_end_ms":                  {"The whole time at the gateway.", "total_handler_ms, else upstream_done_ms; the basis is named", "both are absent", []string{"request latency and e2e latency of benchmark tools, which count at the client"}},
	"final_response_ms":              {"When the response was complete.", "upstream_done_ms, else total_handler_ms", "both are absent", nil},
	"event_to_response_gap_ms":       {"From the first event to the first effective content.", "first_response_ms − first_sse_event_ms", "either is absent", nil},
	"response_to_text_gap_ms":        {"From the first effective content to the first visible text: reasoning and tool calls.", "first_text_delta_ms − first_response_ms", "either is absent", []string{"tools that count reasoning as the first token have no such figure"}},
	"event_to_text_gap_ms":           {"From the first event to the first visible text.", "first_text_delta_ms − first_sse_event_ms", "either is absent", nil},
	"event_to_end_ms":                {"From the first event to the end.", "final_response_ms − first_sse_event_ms", "either is absent", nil},
	"visible_generation_window_ms":   {"How long visible text was generated.", "final_response_ms − first_text_delta_ms", "either is absent", nil},
	"effective_generation_window_ms": {"How long content of any kind was generated.", "final_response_ms − first_response_ms", "either is absent", nil},
	"visible_output_tps":             {"The speed that the reader saw. It is per request, never the throughput of a system.", "as recorded, else (output_tokens − reasoning_tokens) ÷ visible_generation_window_ms", "there are no tokens or the window is 0, or the stream was buffered", []string{"output token throughput per user"}},
	"effective_output_tps":           {"The speed of all output, reasoning included.", "output_tokens ÷ effective_generation_window_ms", "there are no tokens or the window is 0, or the stream was buffered", []string{"output token throughput per user of tools that do not part reasoning from text"}},
	"inter_token_latency_ms":         {"The mean time between tokens of one request.", "effective_generation_window_ms ÷ (output_tokens − 1)", "there are fewer than 2 tokens", []string{"ITL (inter-token latency) as a mean per request; some tools list every gap between chunks instead", "TPOT (time per output token)", "TBT (time between tokens)"}},
	"relay_tail_ms":                  {"From the end of the upstream body to the end of the handler.", "total_handler_ms − upstream_done_ms", "either is absent", nil},
	"local_ms":                       {"The local phases together: a lower bound of the upstream start.", "auth_ms + distribution_ms + body_read_ms, over those present", "none is present", nil},
	"first_event_since_upstream_ms":  {"From the upstream start to the first event.", "first_sse_event_ms − upstream_start_ms; without it − local_ms (estimated); without that as it is (includes local time)", "first_sse_event_ms is absent", nil},
	"first_response_since_upstream_ms": {"From the upstream start to the first effective content.", "first_response_ms − upstream_start_ms, or as first_event_since_upstream_ms does without it",
		"first_response_ms is absent", nil},
	"first_text_since_upstream_ms": {"From the upstream start to the first visible text.", "first_text_delta_ms − upstream_start_ms, or as first_event_since_upstream_ms does without it", "first_text_delta_ms is absent", nil},
	"final_since_upstream_ms":      {"From the upstream start to the complete response.", "final_response_ms − upstream_start_ms, or as first_event_since_upstream_ms does without it", "final_response_ms is absent", nil},
}

// columnElsewhere is what other tools call a mark. TTFT has several meanings, so
// it never stands here without the one that is meant.
var columnElsewhere = map[timeline.Column][]string{
	timeline.ColUpstreamHeaders: {"TTFB (time to first byte) of proxies that stamp the header; ttdiag says time to headers"},
	timeline.ColFirstSSEEvent:   {"TTFT of tools that stamp the first chunk or event, whatever it holds; ttdiag says time to first event", "TTFB of clients that stamp the first body byte"},
	timeline.ColFirstResponse:   {"TTFT of tools that stamp the first token with content, reasoning included; ttdiag says time to first effective response"},
	timeline.ColFirstTextDelta:  {"TTFT of tools that skip reasoning, also called TTFO (time to first output); ttdiag says time to first visible text"},
	timeline.ColTotalHandler:    {"request_time, duration or e2e latency of gateways"},
	timeline.ColUpstreamDone:    {"upstream_response_time of proxies, counted from another origin"},
}

var outcomeWords = [NumOutcomes]string{
	"Status 2xx.", "Status 499, or the log says that the client cancelled.", "Status 429.", "Another status 4xx.",
	"Status 408 or 504, or the log says so.", "Another status 5xx, or the log says so.",
	"The log says that the stream was cut after a 2xx.", "No status and no outcome, or a status that says neither.",
}

var noteWords = [NumNotes]string{
	"The record does not say whether it was streamed, but its body ended within 5 % of its headers: judged as non-streaming.",
	"The first event came within 50 ms of the headers: the header time may hold queue and prefill.",
	"First event, response, text and end fall together over more than 64 tokens: no speed is derived.",
	"The upstream start is taken to be the sum of the local phases.",
	"The upstream start is not known at all: the time counts from the receipt.",
}

var cleaningWords = [timeline.NumCleanings]string{
	"A value was negative, not finite, above 7 days, or no such status: it is absent.",
	"A mark was 0, which a logger writes for what did not happen: it is absent.",
	"Two neighbouring marks were out of order by more than 1 ms: both are absent.",
	"A value was not of its column's kind: it is absent.",
	"A label was longer than 512 bytes: it is absent.",
	"The recorded speed and that of tokens and window are more than 2x apart: the recorded one is kept.",
}

var readerNoteWords = [timeline.NumNotes]string{
	"The first response is the start of an action that has no arguments.",
	"The events were replayed: their times are those of the replay, and no speed is derived.",
	"The stream held no event.",
	"A long silence lay inside the stream, between its first and its last event.",
	"First event, response, text and end fall together: no speed is derived.",
	"The stream ends inside an event.",
	"The content is a refusal.",
	"A content filter stopped the response.",
	"The error code is the tool's own, not that of HTTP.",
	"The token counts are those of a client's tokenizer.",
	"The answer came from a cache.",
	"Several spans or lines became this record.",
	"The first text may be that of a tool call.",
	"The stream held event types that are not known; they count as metadata.",
	"The total is known to a whole unit only.",
	"The times contain earlier attempts.",
	"The last event of the stream lacks its blank line.",
	"The source holds arrivals and tokens, and no latency.",
	"The output tokens hold reasoning that is not told apart: no speed of the text is derived.",
}

// Definitions returns every definition: classes in walk order, derived metrics,
// columns, outcomes, notes, thresholds. Names are unique; visible_output_tps is
// a column and a metric and stands once.
func Definitions() []Definition {
	var list []Definition
	for c := range Class(NumClasses) {
		w := c.Words()
		list = append(list, Definition{Name: c.String(), Kind: "class", Means: w.Means + " " + w.Why, LookAt: w.LookAt})
	}
	for _, m := range TheTable().Metrics {
		if w, ok := metricDefinitions[m.Name]; ok {
			list = append(list, Definition{m.Name, "metric", unitText(m.Unit), w.means, w.formula, w.absent, w.elsewhere, nil})
		}
	}
	for c := range timeline.Column(timeline.NumColumns) {
		if c.Info().Group == timeline.GroupInternal {
			continue
		}
		d := Definition{Name: c.String(), Kind: "column", Means: sentence(c.Info().Doc), Elsewhere: columnElsewhere[c]}
		if c.IsDuration() {
			d.Unit = "ms"
		}
		list = append(list, d)
	}
	for o := range Outcome(NumOutcomes) {
		list = append(list, Definition{Name: o.String(), Kind: "outcome", Means: outcomeWords[o]})
	}
	for n := range Note(NumNotes) {
		list = append(list, Definition{Name: n.String(), Kind: "note", Means: noteWords[n]})
	}
	for c, means := range cleaningWords {
		list = append(list, Definition{Name: timeline.Cleaning(c).String(), Kind: "note", Means: means})
	}
	for n, means := range readerNoteWords {
		if note := timeline.Note(n); note != timeline.BufferedStream { // the engine's own note, defined above
			list = append(list, Definition{Name: note.String(), Kind: "note", Means: means})
		}
	}
	for p := range Param(NumParams) {
		list = append(list, Definition{Name: p.Key(), Kind: "threshold", Unit: unitText(p.Unit()), Means: sentence(p.Doc())})
	}
	return list
}

func unitText(u Unit) string {
	switch u {
	case Milliseconds:
		return "ms"
	case TokensPerSecond:
		return "tokens/s"
	case Tokens:
		return "tokens"
	}
	return ""
}

// sentence turns a description into a sentence; one that begins with a mark, t3,
// stays as it is.
func sentence(text string) string {
	if len(text) > 1 && '0' <= text[1] && text[1] <= '9' {
		return text + "."
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// Define returns the definitions of a name, and where none has it those whose
// name holds it, or whose other names hold it as a word: ttdiag define itl.
func Define(name string) []Definition {
	var exact, near []Definition
	word := strings.ToLower(name)
	for _, d := range Definitions() {
		switch {
		case strings.EqualFold(d.Name, name):
			exact = append(exact, d)
		case word != "" && (strings.Contains(strings.ToLower(d.Name), word) || mentions(d.Elsewhere, word)):
			near = append(near, d)
		}
	}
	if exact != nil {
		return exact
	}
	return near
}

func mentions(texts []string, word string) bool {
	for _, t := range texts {
		for w := range strings.FieldsFuncSeq(strings.ToLower(t), func(r rune) bool { return strings.ContainsRune(" (),;", r) }) {
			if w == word {
				return true
			}
		}
	}
	return false
}
