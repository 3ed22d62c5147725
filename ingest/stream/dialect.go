package stream

// Dialect is the family of event shapes that a stream uses. Relatives of a
// dialect (Azure, vLLM, SGLang, DeepSeek, OpenRouter, Mistral, Groq and
// Perplexity all speak OpenAI Chat) share it.
type Dialect uint8

// The dialects.
const (
	UnknownDialect Dialect = iota
	OpenAIChat
	OpenAIResponses
	AnthropicMessages
	Gemini
	BedrockConverse
	CohereV2
	Ollama
	DashScope
	NumDialects = int(DashScope) + 1
)

var dialectNames = [NumDialects]string{
	"unknown", "openai_chat", "openai_responses", "anthropic_messages", "gemini", "bedrock_converse",
	"cohere_v2", "ollama", "dashscope",
}

// String returns the name of the dialect.
func (d Dialect) String() string { return dialectNames[d] }
