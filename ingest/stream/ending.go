package stream

// Ending says how a stream ended, as far as its events tell.
type Ending uint8

// The endings. A later one in this list outweighs an earlier one.
const (
	Unended   Ending = iota // no terminal event and no finish reason was seen
	Completed               // finished as it should
	Limited                 // stopped at a limit of tokens
	Refused                 // the model refused
	Filtered                // a content filter stopped it
	Cancelled               // cancelled
	Failed                  // an error, also one under HTTP 200
)

var endingNames = [...]string{"unended", "completed", "limited", "refused", "content_filter", "cancelled", "error"}

// String returns the name of the ending.
func (e Ending) String() string { return endingNames[e] }

// finishKinds are the finish reasons that are known. Others show as "other".
var finishKinds = map[string]Ending{
	"stop": Completed, "tool_calls": Completed, "function_call": Completed, "end_turn": Completed, "eos": Completed,
	"tool_use": Completed, "stop_sequence": Completed, "pause_turn": Completed, "STOP": Completed, "COMPLETE": Completed,
	"STOP_SEQUENCE": Completed, "TOOL_CALL": Completed, "load": Completed, "unload": Completed, "eos_token": Completed,
	"length": Limited, "max_tokens": Limited, "MAX_TOKENS": Limited, "model_length": Limited, "max_output_tokens": Limited,
	"model_context_window_exceeded": Limited,
	"refusal":                       Refused,
	"content_filter":                Filtered, "content_filtered": Filtered, "guardrail_intervened": Filtered, "SAFETY": Filtered,
	"RECITATION": Filtered, "PROHIBITED_CONTENT": Filtered, "BLOCKLIST": Filtered, "SPII": Filtered, "LANGUAGE": Filtered,
	"IMAGE_SAFETY": Filtered, "IMAGE_PROHIBITED_CONTENT": Filtered, "IMAGE_RECITATION": Filtered, "sensitive": Filtered,
	"ERROR_TOXIC": Filtered, "BLOCK_REASON_UNSPECIFIED": Filtered, "OTHER": Failed,
	"cancelled": Cancelled, "abort": Cancelled, "USER_CANCEL": Cancelled,
	"error": Failed, "ERROR": Failed, "ERROR_LIMIT": Failed, "TIMEOUT": Failed, "network_error": Failed,
	"insufficient_system_resource": Failed, "MALFORMED_FUNCTION_CALL": Failed, "UNEXPECTED_TOOL_CALL": Failed,
	"MALFORMED_RESPONSE": Failed, "TOO_MANY_TOOL_CALLS": Failed, "MISSING_THOUGHT_SIGNATURE": Failed, "NO_IMAGE": Failed,
	"IMAGE_OTHER": Failed, "malformed_model_output": Failed, "malformed_tool_use": Failed,
}

// errorKinds are the error labels that are known, with the outcome they mean.
// Others show as "other": an error label may quote the input.
var errorKinds = map[string]string{
	"server_error": "upstream_error", "internal_server_error": "upstream_error", "internal_error": "upstream_error",
	"api_error": "upstream_error", "overloaded_error": "upstream_error", "overloaded": "upstream_error",
	"service_unavailable": "upstream_error", "upstream_error": "upstream_error", "vector_store_timeout": "timeout",
	"internalServerException": "upstream_error", "modelStreamErrorException": "upstream_error",
	"serviceUnavailableException": "upstream_error", "INTERNAL": "upstream_error", "UNAVAILABLE": "upstream_error",
	"InternalServerError": "upstream_error", "InternalError": "upstream_error", "bad_gateway": "upstream_error",
	"rate_limit_error": "rate_limited", "rate_limit_exceeded": "rate_limited", "throttlingException": "rate_limited",
	"RESOURCE_EXHAUSTED": "rate_limited", "insufficient_quota": "rate_limited", "Throttling": "rate_limited",
	"Throttling.RateQuota": "rate_limited", "rate_limited": "rate_limited", "too_many_requests": "rate_limited",
	"timeout_error": "timeout", "timeout": "timeout", "request_timeout": "timeout", "DEADLINE_EXCEEDED": "timeout",
	"gateway_timeout":       "timeout",
	"invalid_request_error": "rejected", "authentication_error": "rejected", "permission_error": "rejected",
	"not_found_error": "rejected", "request_too_large": "rejected", "billing_error": "rejected", "invalid_prompt": "rejected",
	"validationException": "rejected", "INVALID_ARGUMENT": "rejected", "PERMISSION_DENIED": "rejected",
	"NOT_FOUND": "rejected", "FAILED_PRECONDITION": "rejected", "UNAUTHENTICATED": "rejected",
	"InvalidParameter": "rejected", "DataInspectionFailed": "rejected", "BadRequestError": "rejected",
	"context_length_exceeded": "rejected", "content_filter": "rejected", "content_policy_violation": "rejected",
	"invalid_request": "rejected", "bad_request": "rejected", "model_not_found": "rejected",
}

// outcomeOfStatus returns the outcome that an HTTP status inside an error means.
func outcomeOfStatus(code int64) (string, bool) {
	switch {
	case code == 429:
		return "rate_limited", true
	case code == 408 || code == 504:
		return "timeout", true
	case code == 499:
		return "client_cancelled", true
	case code >= 400 && code < 500:
		return "rejected", true
	case code >= 500 && code < 600:
		return "upstream_error", true
	}
	return "", false
}
