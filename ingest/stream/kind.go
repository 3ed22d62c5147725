package stream

import "sync"

// rule says where the classes of a typed event come from.
type rule uint8

const (
	byPath    rule = iota // from the paths of the event; metadata where none counts
	always                // the row's classes
	ifPayload             // the row's classes where the payload is not empty, else metadata
	ifArgs                // action where the added item carries its arguments, else metadata
	heartbeat             // a heartbeat, although it has data
	whole                 // a whole response, not an event of a streamed one
)

// activity says what an event means for a tool that the server runs.
type activity uint8

const (
	noTool activity = iota
	toolRuns
	toolEnds
)

// kindRow is one row of the event-type tables.
type kindRow struct {
	name    string
	dialect Dialect // UnknownDialect where several dialects share the type
	rule    rule
	classes ClassSet
	tool    activity
	opens   bool // the first event of a response: a second one is a replay
}

// kinds are the event types that are known. Types that are not listed are
// metadata; they are counted and listed.
var kinds = sync.OnceValue(func() map[string]*kindRow {
	return byName(sharedKinds, responses(responsesKinds), anthropicKinds, cohereKinds)
})

var sharedKinds = []kindRow{
	{name: "ping", rule: heartbeat},
	{name: "keepalive", rule: heartbeat},
	{name: "keep-alive", rule: heartbeat},
	{name: "keep_alive", rule: heartbeat},
	{name: "heartbeat", rule: heartbeat},
	{name: "error", rule: always, classes: SetOf(Failure)},
}

// responsesKinds are named without their common "response.".
var responsesKinds = []kindRow{
	{name: "created", rule: always, opens: true},
	{name: "queued", rule: always},
	{name: "in_progress", rule: always},
	{name: "output_item.added", rule: ifArgs},
	{name: "output_item.done", rule: always},
	{name: "content_part.added", rule: always},
	{name: "content_part.done", rule: always},
	{name: "output_text.delta", rule: ifPayload, classes: SetOf(VisibleText)},
	{name: "output_text.done", rule: always},
	{name: "output_text.annotation.added", rule: always, classes: SetOf(Citation)},
	{name: "refusal.delta", rule: ifPayload, classes: SetOf(Refusal)},
	{name: "refusal.done", rule: always},
	{name: "reasoning.delta", rule: ifPayload, classes: SetOf(Reasoning)},
	{name: "reasoning.done", rule: always},
	{name: "reasoning_text.delta", rule: ifPayload, classes: SetOf(Reasoning)},
	{name: "reasoning_text.done", rule: always},
	{name: "reasoning_summary_part.added", rule: always},
	{name: "reasoning_summary_part.done", rule: always},
	{name: "reasoning_summary_text.delta", rule: ifPayload, classes: SetOf(Reasoning)},
	{name: "reasoning_summary_text.done", rule: always},
	{name: "function_call_arguments.delta", rule: ifPayload, classes: SetOf(Action)},
	{name: "function_call_arguments.done", rule: always},
	{name: "custom_tool_call_input.delta", rule: ifPayload, classes: SetOf(Action)},
	{name: "custom_tool_call_input.done", rule: always},
	{name: "mcp_call_arguments.delta", rule: ifPayload, classes: SetOf(Action)},
	{name: "mcp_call_arguments.done", rule: always},
	{name: "code_interpreter_call_code.delta", rule: ifPayload, classes: SetOf(Action)},
	{name: "code_interpreter_call_code.done", rule: always},
	{name: "shell_call_command.added", rule: ifPayload, classes: SetOf(Action)},
	{name: "shell_call_command.delta", rule: ifPayload, classes: SetOf(Action)},
	{name: "shell_call_command.done", rule: always},
	{name: "shell_call_output_content.delta", rule: always},
	{name: "shell_call_output_content.done", rule: always},
	{name: "apply_patch_call_operation_diff.delta", rule: ifPayload, classes: SetOf(Action)},
	{name: "apply_patch_call_operation_diff.done", rule: always},
	{name: "web_search_call.in_progress", rule: always, tool: toolRuns},
	{name: "web_search_call.searching", rule: always, tool: toolRuns},
	{name: "web_search_call.completed", rule: always, tool: toolEnds},
	{name: "file_search_call.in_progress", rule: always, tool: toolRuns},
	{name: "file_search_call.searching", rule: always, tool: toolRuns},
	{name: "file_search_call.completed", rule: always, tool: toolEnds},
	{name: "code_interpreter_call.in_progress", rule: always},
	{name: "code_interpreter_call.interpreting", rule: always, tool: toolRuns},
	{name: "code_interpreter_call.completed", rule: always, tool: toolEnds},
	{name: "mcp_call.in_progress", rule: always},
	{name: "mcp_call.completed", rule: always, tool: toolEnds},
	{name: "mcp_call.failed", rule: always, tool: toolEnds},
	{name: "mcp_list_tools.in_progress", rule: always, tool: toolRuns},
	{name: "mcp_list_tools.completed", rule: always, tool: toolEnds},
	{name: "mcp_list_tools.failed", rule: always, tool: toolEnds},
	{name: "image_generation_call.in_progress", rule: always, tool: toolRuns},
	{name: "image_generation_call.generating", rule: always, tool: toolRuns},
	{name: "image_generation_call.partial_image", rule: always, classes: SetOf(Media)},
	{name: "image_generation_call.completed", rule: always, tool: toolEnds},
	{name: "audio.delta", rule: ifPayload, classes: SetOf(Media)},
	{name: "audio.done", rule: always},
	{name: "audio.transcript.delta", rule: ifPayload, classes: SetOf(Transcript)},
	{name: "audio.transcript.done", rule: always},
	{name: "completed", rule: always, classes: SetOf(Usage, Done)},
	{name: "incomplete", rule: always, classes: SetOf(Usage, Done)},
	{name: "failed", rule: always, classes: SetOf(Failure, Done)},
	{name: "cancelled", rule: always, classes: SetOf(Done)},
}

var anthropicKinds = []kindRow{
	{name: "message_start", dialect: AnthropicMessages, opens: true},
	{name: "content_block_start", dialect: AnthropicMessages},
	{name: "content_block_delta", dialect: AnthropicMessages},
	{name: "content_block_stop", dialect: AnthropicMessages, rule: always},
	{name: "message_delta", dialect: AnthropicMessages},
	{name: "message_stop", dialect: AnthropicMessages, rule: always, classes: SetOf(Done)},
	{name: "completion", dialect: AnthropicMessages},
	{name: "message", dialect: AnthropicMessages, rule: whole},
}

var cohereKinds = []kindRow{
	{name: "message-start", dialect: CohereV2, opens: true},
	{name: "content-start", dialect: CohereV2},
	{name: "content-delta", dialect: CohereV2},
	{name: "content-end", dialect: CohereV2, rule: always},
	{name: "tool-plan-delta", dialect: CohereV2},
	{name: "tool-call-start", dialect: CohereV2},
	{name: "tool-call-delta", dialect: CohereV2},
	{name: "tool-call-end", dialect: CohereV2, rule: always},
	{name: "citation-start", dialect: CohereV2, rule: always, classes: SetOf(Citation)},
	{name: "citation-end", dialect: CohereV2, rule: always},
	{name: "message-end", dialect: CohereV2, rule: always, classes: SetOf(Usage, Done)},
	{name: "debug", dialect: CohereV2, rule: always},
}

// responses gives rows of the Responses dialect their full names.
func responses(rows []kindRow) []kindRow {
	for i := range rows {
		rows[i].name = "response." + rows[i].name
		rows[i].dialect = OpenAIResponses
	}
	return rows
}

func byName(tables ...[]kindRow) map[string]*kindRow {
	m := make(map[string]*kindRow)
	for _, t := range tables {
		for i := range t {
			m[t[i].name] = &t[i]
		}
	}
	return m
}

// objectKinds are the values of the member "object".
var objectKinds = map[string]struct {
	dialect Dialect
	sign    sign
}{
	"chat.completion.chunk": {OpenAIChat, 0},
	"text_completion":       {OpenAIChat, 0},
	"chat.completion":       {OpenAIChat, signWhole},
	"response":              {OpenAIResponses, signWhole},
	"error":                 {UnknownDialect, signError},
}

// block says what the type of an Anthropic block or a Responses item means.
type block uint8

const (
	plainBlock  block = iota
	startBlock        // a tool is named
	serverBlock       // a tool is named that the server runs
	opaqueBlock       // reasoning that arrives whole and unreadable
	resultBlock       // the result of a tool that the server ran
)

var blockKinds = map[string]block{
	"text": plainBlock, "thinking": plainBlock, "container_upload": plainBlock, "compaction": plainBlock,
	"message": plainBlock, "reasoning": plainBlock,
	"function_call": startBlock, "custom_tool_call": startBlock, "tool_use": startBlock,
	"server_tool_use": serverBlock, "mcp_tool_use": serverBlock,
	"redacted_thinking":                      opaqueBlock,
	"web_search_tool_result":                 resultBlock,
	"web_fetch_tool_result":                  resultBlock,
	"code_execution_tool_result":             resultBlock,
	"bash_code_execution_tool_result":        resultBlock,
	"text_editor_code_execution_tool_result": resultBlock,
	"tool_search_tool_result":                resultBlock,
	"mcp_tool_result":                        resultBlock,
}

// identifier reports whether s may be shown: [a-z0-9_.-]{1,64}.
func identifier(s []byte) bool {
	if len(s) == 0 || len(s) > 64 {
		return false
	}
	for _, c := range s {
		if c-'a' > 25 && c-'0' > 9 && c != '_' && c != '.' && c != '-' {
			return false
		}
	}
	return true
}
