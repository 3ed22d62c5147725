package stream

// reading says what a path's value must be for the path to count.
type reading uint8

const (
	readNone  reading = iota // the path only leads on
	readText                 // a string with at least one character
	readFull                 // a string, array or object that is not empty
	readAny                  // any value but null and false
	readCount                // a number, into a slot
	readWord                 // a label of a closed vocabulary
)

// sign is a fact about an event that alone decides no class.
type sign uint32

const (
	signChoice   sign = 1 << iota // a choice or candidate stands in the event
	signDelta                     // a choice carries a delta
	signMessage                   // a choice carries a whole message
	signPayload                   // the payload of a typed event is not empty
	signItemArgs                  // an added item already carries its arguments
	signPartText                  // Gemini: the part has text
	signThought                   // Gemini: the part is a thought
	signInk                       // visible text that is more than whitespace
	signBlocked                   // Gemini: the prompt was blocked
	signFinish                    // a finish reason stands in the event
	signOllama                    // Ollama: the final object
	signMembers                   // the event is an object with members
	signError                     // an error object or text
	signWhole                     // a whole response, not a streamed one
)

// slot is one of the numbers that an event may say.
type slot uint8

const (
	slotNone slot = iota
	slotInput
	slotOutput
	slotTotal
	slotCached
	slotReasoning
	slotCacheRead
	slotCacheWrite
	slotCandidates
	slotThoughts
	slotToolPrompt
	slotIndex
	slotSequence
	slotErrorCode
	numSlots = int(slotErrorCode) + 1
)

// usageSlots are the slots that are token counts.
const usageSlots = 1<<slotInput | 1<<slotOutput | 1<<slotTotal | 1<<slotCached | 1<<slotReasoning |
	1<<slotCacheRead | 1<<slotCacheWrite | 1<<slotCandidates | 1<<slotThoughts | 1<<slotToolPrompt

// scope marks an element whose members are judged together.
type scope uint8

const (
	scopeNone   scope = iota
	scopeChoice       // one choice or candidate
	scopePart         // one Gemini part: thought and text may come in any order
)

const noClass = Class(255)

// pathRow is one row of the path tables: where, what must stand there, and what
// it proves.
type pathRow struct {
	path  string
	read  reading
	class Class
	sign  sign
}

// text, full and any are the rows' constructors, so that a table reads as path
// → class.
func text(path string, c Class) pathRow { return pathRow{path: path, read: readText, class: c} }
func full(path string, c Class) pathRow { return pathRow{path: path, read: readFull, class: c} }
func any_(path string, c Class) pathRow { return pathRow{path: path, read: readAny, class: c} }
func signs(path string, r reading, s sign) pathRow {
	return pathRow{path: path, read: r, class: noClass, sign: s}
}

// chatPaths: OpenAI Chat Completions, its relatives, and the older text
// completions.
var chatPaths = []pathRow{
	text("choices[].text", VisibleText),
	text("choices[].delta.content", VisibleText),
	text("choices[].delta.content[].text", VisibleText), // Mistral: typed parts
	text("choices[].delta.content[].thinking", Reasoning),
	text("choices[].delta.content[].thinking[].text", Reasoning),
	text("choices[].delta.reasoning_content", Reasoning),
	text("choices[].delta.reasoning", Reasoning),
	text("choices[].delta.reasoning_details[].text", Reasoning), // OpenRouter; its encrypted ones are opaque
	text("choices[].delta.reasoning_details[].summary", Reasoning),
	text("choices[].delta.tool_calls[].id", ActionStart),
	text("choices[].delta.tool_calls[].function.name", ActionStart),
	full("choices[].delta.tool_calls[].function.arguments", Action),
	text("choices[].delta.tool_calls[].custom.name", ActionStart),
	text("choices[].delta.tool_calls[].custom.input", Action),
	text("choices[].delta.function_call.name", ActionStart),
	full("choices[].delta.function_call.arguments", Action),
	text("choices[].delta.refusal", Refusal),
	full("choices[].delta.annotations", Citation),
	text("choices[].delta.audio.transcript", Transcript),
	text("choices[].delta.audio.data", Media),
	full("choices[].delta.images", Media),
	full("citations", Citation), // Perplexity
	full("search_results", Citation),
	signs("choices[].delta", readAny, signDelta),
	signs("choices[].message", readAny, signMessage),
}

// anthropicPaths: the deltas are told apart by the name of their payload, so a
// delta whose type comes last is no different.
var anthropicPaths = []pathRow{
	text("content_block.text", VisibleText), // some compatible servers begin with text
	text("content_block.thinking", Reasoning),
	full("content_block.input", Action),
	text("delta.text", VisibleText),
	text("delta.thinking", Reasoning),
	text("delta.partial_json", Action),
	any_("delta.citation", Citation),
	text("completion", VisibleText), // the older /v1/complete
}

// responsesPaths: one payload name for all delta events; the type decides.
var responsesPaths = []pathRow{
	signs("delta", readText, signPayload),
	signs("command", readText, signPayload),
	signs("item.arguments", readFull, signItemArgs),
	signs("item.input", readFull, signItemArgs),
}

// geminiPaths stand at the root, and under "response" where Code Assist wraps.
var geminiPaths = []pathRow{
	signs("candidates[].content.parts[].text", readText, signPartText),
	signs("candidates[].content.parts[].thought", readAny, signThought),
	any_("candidates[].content.parts[].functionCall", Action), // the whole call; its arguments may be {}
	any_("candidates[].content.parts[].executableCode", Action),
	any_("candidates[].content.parts[].inlineData", Media),
	any_("candidates[].content.parts[].fileData", Media),
	full("candidates[].citationMetadata", Citation),
	full("candidates[].groundingMetadata", Citation),
	full("candidates[].urlContextMetadata", Citation),
}

var bedrockPaths = []pathRow{
	any_("contentBlockStart.start.toolUse", ActionStart),
	text("contentBlockDelta.delta.text", VisibleText),
	text("contentBlockDelta.delta.reasoningContent.text", Reasoning),
	text("contentBlockDelta.delta.reasoningContent.redactedContent", Reasoning),
	text("contentBlockDelta.delta.toolUse.input", Action),
	any_("contentBlockDelta.delta.citation", Citation),
	any_("contentBlockDelta.delta.image", Media),
	any_("messageStop", Done),
	any_("internalServerException", Failure),
	any_("modelStreamErrorException", Failure),
	any_("validationException", Failure),
	any_("throttlingException", Failure),
	any_("serviceUnavailableException", Failure),
}

var coherePaths = []pathRow{
	text("delta.message.content.text", VisibleText),
	text("delta.message.content.thinking", Reasoning),
	text("delta.message.tool_plan", Reasoning),
	text("delta.message.tool_calls.function.name", ActionStart),
	text("delta.message.tool_calls.function.arguments", Action),
	full("delta.message.citations", Citation),
}

var ollamaPaths = []pathRow{
	text("message.content", VisibleText),
	text("message.thinking", Reasoning),
	full("message.tool_calls", Action), // whole calls
	text("response", VisibleText),      // the generate endpoint
	text("thinking", Reasoning),
	signs("done", readAny, signOllama),
}

var dashscopePaths = []pathRow{
	text("output.text", VisibleText),
	text("output.choices[].message.content", VisibleText),
	text("output.choices[].message.content[].text", VisibleText),
	text("output.choices[].message.reasoning_content", Reasoning),
	text("output.choices[].message.tool_calls[].function.name", ActionStart),
	full("output.choices[].message.tool_calls[].function.arguments", Action),
}

// sharedPaths have the same meaning wherever they stand.
var sharedPaths = []pathRow{
	signs("error", readFull, signError),
}

// vocabulary is a closed list of words that a label is looked up in.
type vocabulary uint8

const (
	noWords vocabulary = iota
	typeWords
	objectWords
	blockWords
	finishWords
	errorWords
	modelWords // not a closed list: the characters are checked instead
)

// wordRows are the labels that are read. Nothing else of a string is.
var wordRows = []struct {
	path string
	of   vocabulary
}{
	{"type", typeWords}, {"object", objectWords}, {"content_block.type", blockWords}, {"item.type", blockWords},
	{"choices[].finish_reason", finishWords}, {"candidates[].finishReason", finishWords},
	{"response.candidates[].finishReason", finishWords}, {"promptFeedback.blockReason", finishWords},
	{"response.promptFeedback.blockReason", finishWords}, {"delta.stop_reason", finishWords}, {"stop_reason", finishWords},
	{"delta.finish_reason", finishWords}, {"done_reason", finishWords}, {"messageStop.stopReason", finishWords},
	{"output.finish_reason", finishWords}, {"output.choices[].finish_reason", finishWords},
	{"response.incomplete_details.reason", finishWords},
	{"error.type", errorWords}, {"error.code", errorWords}, {"error.status", errorWords}, {"code", errorWords},
	{"response.error.code", errorWords},
	{"model", modelWords}, {"message.model", modelWords}, {"response.model", modelWords},
	{"modelVersion", modelWords}, {"response.modelVersion", modelWords},
}

// countRows are the numbers that are read.
var countRows = []struct {
	path string
	slot slot
}{
	{"choices[].index", slotIndex}, {"candidates[].index", slotIndex}, {"sequence_number", slotSequence},
	{"error.code", slotErrorCode}, {"prompt_eval_count", slotInput}, {"eval_count", slotOutput},
	{"delta.usage.tokens.input_tokens", slotInput}, {"delta.usage.tokens.output_tokens", slotOutput},
	{"delta.usage.cached_tokens", slotCached},
	{"metadata.usage.inputTokens", slotInput}, {"metadata.usage.outputTokens", slotOutput},
	{"metadata.usage.totalTokens", slotTotal}, {"metadata.usage.cacheReadInputTokens", slotCacheRead},
	{"metadata.usage.cacheWriteInputTokens", slotCacheWrite},
}

// usageParents are the objects that hold the members of usageRows.
var usageParents = []string{"usage", "x_groq.usage", "message.usage", "response.usage"}

var usageRows = []struct {
	name string
	slot slot
}{
	{"prompt_tokens", slotInput}, {"input_tokens", slotInput},
	{"completion_tokens", slotOutput}, {"output_tokens", slotOutput}, {"total_tokens", slotTotal},
	{"prompt_tokens_details.cached_tokens", slotCached}, {"input_tokens_details.cached_tokens", slotCached},
	{"prompt_cache_hit_tokens", slotCached}, // DeepSeek
	{"completion_tokens_details.reasoning_tokens", slotReasoning},
	{"output_tokens_details.reasoning_tokens", slotReasoning}, {"reasoning_tokens", slotReasoning},
	{"cache_read_input_tokens", slotCacheRead}, {"cache_creation_input_tokens", slotCacheWrite},
}

// geminiParents are the objects that hold the members of geminiUsageRows.
var geminiParents = []string{"usageMetadata", "response.usageMetadata"}

var geminiUsageRows = []struct {
	name string
	slot slot
}{
	{"promptTokenCount", slotInput}, {"candidatesTokenCount", slotCandidates}, {"thoughtsTokenCount", slotThoughts},
	{"totalTokenCount", slotTotal}, {"cachedContentTokenCount", slotCached}, {"toolUsePromptTokenCount", slotToolPrompt},
}

// voteRows are the members whose presence tells the dialect.
var voteRows = []struct {
	path    string
	dialect Dialect
}{
	{"choices", OpenAIChat}, {"candidates", Gemini}, {"usageMetadata", Gemini}, {"promptFeedback", Gemini},
	{"response.candidates", Gemini}, {"response.usageMetadata", Gemini}, {"messageStart", BedrockConverse},
	{"contentBlockStart", BedrockConverse}, {"contentBlockDelta", BedrockConverse}, {"contentBlockStop", BedrockConverse},
	{"messageStop", BedrockConverse}, {"metadata.usage", BedrockConverse}, {"metadata.metrics", BedrockConverse},
	{"internalServerException", BedrockConverse}, {"modelStreamErrorException", BedrockConverse},
	{"validationException", BedrockConverse}, {"throttlingException", BedrockConverse},
	{"serviceUnavailableException", BedrockConverse}, {"done", Ollama}, {"output", DashScope}, {"completion", AnthropicMessages},
}

// scopeRows are the elements whose members are judged together.
var scopeRows = []struct {
	path  string
	scope scope
}{
	{"choices[]", scopeChoice}, {"candidates[]", scopeChoice}, {"response.candidates[]", scopeChoice},
	{"output.choices[]", scopeChoice},
	{"candidates[].content.parts[]", scopePart}, {"response.candidates[].content.parts[]", scopePart},
}
