package otlp

import (
	"sync"

	"ttdiag/ingest/document"
)

// attribute is a fact of a span that some dialects write under some names.
type attribute uint8

const (
	atOperation attribute = iota
	atRequestType
	atKind     // OpenInference
	atNode     // OpenLLMetry: workflow, task, agent, tool
	atSDK      // Vercel: name of the function
	atProvider // of the model
	atAsked    // model
	atModel    // model that answered
	atResponse // id
	atRequest  // id at the server
	atStream
	atFirstChunk  // s, of any kind
	atFirstToken  // s, not told from the whole where nothing was streamed
	atFirstOutput // ms
	atOldChunk    // ms, of any kind
	atFinish      // ms
	atInput
	atOutput
	atCached
	atReasoning
	atHTTP
	atError
	atReason
	atMaxTokens
	atTemperature
	atServerFirst // s from the server's arrival
	atServerTotal
	atServerQueue
	numAttributes = int(atServerQueue) + 1
)

// place is which attribute a name is. A lower rank wins.
type place struct {
	attribute attribute
	rank      int
}

// names finds each attribute by its spellings.
var names = sync.OnceValue(func() map[string]place { return spellings(attributes) })

// attributes are the spellings of each attribute, the preferred one first.
var attributes = [numAttributes][]string{
	atOperation:   {"gen_ai.operation.name"},
	atRequestType: {"llm.request.type"},
	atKind:        {"openinference.span.kind"},
	atNode:        {"traceloop.span.kind"},
	atSDK:         {"ai.operationId"},
	atProvider:    {"gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system", "llm.vendor", "ai.model.provider"},
	atAsked:       {"gen_ai.request.model", "llm.request.model", "ai.model.id"},
	atModel:       {"gen_ai.response.model", "llm.response.model", "llm.model_name", "ai.response.model"},
	atResponse:    {"gen_ai.response.id", "llm.response.id"},
	atRequest:     {"gen_ai.request.id"},
	atStream:      {"gen_ai.request.stream", "gen_ai.is_streaming", "llm.is_streaming", "gen_ai.request.is_stream"},
	atFirstChunk:  {"gen_ai.response.time_to_first_chunk", "gen_ai.client.operation.time_to_first_chunk"},
	atFirstToken:  {"gen_ai.server.time_to_first_token", "gen_ai.response.time_to_first_token"},
	atFirstOutput: {"ai.response.msToFirstChunk"},
	atOldChunk:    {"ai.stream.msToFirstChunk"},
	atFinish:      {"ai.response.msToFinish"},
	atInput: {"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "llm.usage.prompt_tokens",
		"ai.usage.inputTokens", "ai.usage.promptTokens"},
	atOutput: {"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
		"llm.usage.completion_tokens", "ai.usage.outputTokens", "ai.usage.completionTokens"},
	atCached: {"gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
		"llm.token_count.prompt_details.cache_read", "ai.usage.cachedInputTokens", "gen_ai.usage.input_tokens.cached"},
	atReasoning: {"gen_ai.usage.reasoning.output_tokens", "llm.token_count.completion_details.reasoning", "llm.usage.reasoning_tokens",
		"gen_ai.usage.reasoning_tokens", "gen_ai.usage.output_tokens.reasoning", "ai.usage.reasoningTokens"},
	atHTTP:        {"http.response.status_code", "http.status_code"},
	atError:       {"error.type"},
	atReason:      {"gen_ai.response.finish_reasons", "ai.response.finishReason", "gen_ai.completion.0.finish_reason"},
	atMaxTokens:   {"gen_ai.request.max_tokens"},
	atTemperature: {"gen_ai.request.temperature"},
	atServerFirst: {"gen_ai.latency.time_to_first_token"},
	atServerTotal: {"gen_ai.latency.e2e"},
	atServerQueue: {"gen_ai.latency.time_in_queue"},
}

func spellings(all [numAttributes][]string) map[string]place {
	m := map[string]place{}
	for a, list := range all {
		for rank, name := range list {
			m[name] = place{attribute(a), rank}
		}
	}
	return m
}

// Attributes are written as objects of a key and a value of a named type.
const (
	kvKey = iota
	kvValue
)

var pairPaths = document.NewPaths([]string{
	kvKey: "key",
	kvValue: "value/stringValue value/intValue value/doubleValue value/boolValue value/arrayValue/values/[]/stringValue " +
		"value/string_value value/int_value value/double_value value/bool_value value/array_value/values/[]/string_value",
}...)

// pairs reads attributes. The value of a key that is not wanted is skipped and
// never held: prompts and answers stand beside the numbers.
type pairs struct {
	key    []byte // of the current pair, once it was read
	wanted bool
	value  document.Value
}

// read reads one pair. ok is false for keys that want does not know.
func (p *pairs) read(r *document.Reader, want func(key []byte) bool) (ok bool, err error) {
	p.key, p.wanted, p.value = nil, true, document.Value{}
	err = r.Extract(pairPaths, &pairSink{p, want})
	return p.key != nil && p.wanted && p.value.Has(), err
}

type pairSink struct {
	*pairs
	want func([]byte) bool
}

// Value implements document.Sink. Of an array it keeps the first element.
func (s *pairSink) Value(at document.Place, r *document.Reader) error {
	if at.Slot == kvKey {
		v, err := r.Scalar()
		s.key = v.Label()
		s.wanted = s.want(s.key)
		return err
	}
	if !s.wanted || s.value.Has() {
		return r.Skip()
	}
	v, err := r.Scalar()
	s.value = v
	return err
}
