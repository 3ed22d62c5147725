package timeline

import "math/bits"

// Column names one column of the schema. Columns below [FirstText] are
// numeric: an int64 in the unit of their kind. The others are text.
type Column uint8

// The columns, in schema order. Fields holds what each of them means.
const (
	ColAuth Column = iota
	ColDistribution
	ColBodyRead
	ColUpstreamStart
	ColUpstreamHeaders
	ColFirstSSEEvent
	ColFirstResponse
	ColFirstTextDelta
	ColUpstreamDone
	ColTotalHandler
	ColVisibleOutputTPS
	ColTimestamp
	ColAttempt
	ColStream
	ColStatus
	ColInputTokens
	ColCachedInputTokens
	ColOutputTokens
	ColReasoningTokens
	ColEventCount
	ColInflight
	ColTools
	ColMaxOutputTokens
	ColTemperature
	ColWarmup
	ColHeartbeatCount
	ColLongestGap
	ColLongestGapAt
	ColSourceLine
	ColSourceByte

	ColRequestID
	ColModel
	ColGroup
	ColChannel
	ColRoute
	ColRegion
	ColProvider
	ColWorkload
	ColOutcome
	ColErrorClass
	ColFinishReason
	ColReasoningEffort
	ColRetryPolicy
	ColNetworkPath
	ColVantage
	ColFormat
	ColFirstTokenBasis
	ColTimestampBasis
	ColApprox
	ColRecordable
	ColNotes
	ColSourceFile

	NumColumns = int(ColSourceFile) + 1
	// FirstText is the first column that holds text.
	FirstText = ColRequestID
	// NumNumeric and NumText are the sizes of the two halves of the schema.
	NumNumeric = int(FirstText)
	NumText    = NumColumns - NumNumeric
)

// Kind says what a column's value is and in which unit it is kept.
type Kind uint8

// The kinds. Numbers are always whole; the unit is the one named here.
const (
	KindLength        Kind = iota // microseconds, the length of a phase
	KindReceipt                   // microseconds since t0
	KindUpstreamStart             // microseconds since t1
	KindRate                      // millionths of a token per second
	KindTimestamp                 // microseconds since 1970-01-01T00:00:00Z
	KindCount                     // a plain count
	KindFlag                      // 0 or 1
	KindFraction                  // millionths
	KindLabel                     // text of few distinct values, dictionary-encoded
	KindID                        // text of many distinct values
)

// Group is the part of an output document that a column stands in.
type Group uint8

// The groups.
const (
	GroupTimings Group = iota
	GroupTokens
	GroupMetadata
	GroupInternal // carries provenance; shown in a shape of its own
)

// Field describes one column.
type Field struct {
	Name  string // the one name of the column everywhere: flag, JSON key, document
	Kind  Kind
	Group Group
	Doc   string // what it means, in one line
}

var fields = [NumColumns]Field{
	ColAuth:              {"auth_ms", KindLength, GroupTimings, "length of authentication, inside [t0, t1]"},
	ColDistribution:      {"distribution_ms", KindLength, GroupTimings, "length of channel selection and routing, inside [t0, t1]"},
	ColBodyRead:          {"body_read_ms", KindLength, GroupTimings, "length of reading the request body (slow upload), inside [t0, t1]"},
	ColUpstreamStart:     {"upstream_start_ms", KindReceipt, GroupTimings, "t1: the upstream request starts"},
	ColUpstreamHeaders:   {"upstream_headers_ms", KindUpstreamStart, GroupTimings, "t2: the upstream response headers arrive, counted from t1"},
	ColFirstSSEEvent:     {"first_sse_event_ms", KindReceipt, GroupTimings, "t3: the first non-empty SSE event arrives"},
	ColFirstResponse:     {"first_response_ms", KindReceipt, GroupTimings, "t4: the first effective content or action"},
	ColFirstTextDelta:    {"first_text_delta_ms", KindReceipt, GroupTimings, "t5: the first visible text delta"},
	ColUpstreamDone:      {"upstream_done_ms", KindReceipt, GroupTimings, "t6: the upstream body ends or is closed"},
	ColTotalHandler:      {"total_handler_ms", KindReceipt, GroupTimings, "t7: the gateway handler ends"},
	ColVisibleOutputTPS:  {"visible_output_tps", KindRate, GroupInternal, "recorded speed of the visible text, tokens per second"},
	ColTimestamp:         {"timestamp", KindTimestamp, GroupMetadata, "wall clock of t0"},
	ColAttempt:           {"attempt", KindCount, GroupMetadata, "number of the attempt, 1 is the first"},
	ColStream:            {"stream", KindFlag, GroupMetadata, "whether the response was streamed"},
	ColStatus:            {"status", KindCount, GroupMetadata, "HTTP status"},
	ColInputTokens:       {"input_tokens", KindCount, GroupTokens, "tokens of the request, cached ones included"},
	ColCachedInputTokens: {"cached_input_tokens", KindCount, GroupTokens, "tokens of the request that came from a cache"},
	ColOutputTokens:      {"output_tokens", KindCount, GroupTokens, "tokens of the response, reasoning included"},
	ColReasoningTokens:   {"reasoning_tokens", KindCount, GroupTokens, "tokens of the response that are reasoning"},
	ColEventCount:        {"event_count", KindCount, GroupMetadata, "number of SSE events; never a number of tokens"},
	ColInflight:          {"inflight", KindCount, GroupMetadata, "requests in flight at t0"},
	ColTools:             {"tools", KindFlag, GroupMetadata, "whether the request offered tools"},
	ColMaxOutputTokens:   {"max_output_tokens", KindCount, GroupMetadata, "limit of output tokens in the request"},
	ColTemperature:       {"temperature", KindFraction, GroupMetadata, "sampling temperature in the request"},
	ColWarmup:            {"warmup", KindFlag, GroupMetadata, "whether a benchmark marked the request as warm-up"},
	ColHeartbeatCount:    {"heartbeat_count", KindCount, GroupMetadata, "number of heartbeats in a recorded stream"},
	ColLongestGap:        {"longest_gap_ms", KindLength, GroupTimings, "longest silence between two events of a recorded stream"},
	ColLongestGapAt:      {"longest_gap_at_ms", KindReceipt, GroupTimings, "start of the longest silence"},
	ColSourceLine:        {"source_line", KindCount, GroupInternal, "line of the input, 1 is the first"},
	ColSourceByte:        {"source_byte", KindCount, GroupInternal, "byte offset of the record in the input"},

	ColRequestID:       {"request_id", KindID, GroupMetadata, "identifier of the request; attempts share it"},
	ColModel:           {"model", KindLabel, GroupMetadata, "model name"},
	ColGroup:           {"group", KindLabel, GroupMetadata, "user group or tenant class"},
	ColChannel:         {"channel", KindLabel, GroupMetadata, "upstream channel, account pool or backend"},
	ColRoute:           {"route", KindLabel, GroupMetadata, "route name"},
	ColRegion:          {"region", KindLabel, GroupMetadata, "region of the upstream"},
	ColProvider:        {"provider", KindLabel, GroupMetadata, "provider of the model"},
	ColWorkload:        {"workload", KindLabel, GroupMetadata, "chat, agent or tool_api"},
	ColOutcome:         {"outcome", KindLabel, GroupMetadata, "success, client_cancelled, rate_limited, rejected, timeout, upstream_error, incomplete or unknown"},
	ColErrorClass:      {"error_class", KindLabel, GroupMetadata, "class of the error, never its message"},
	ColFinishReason:    {"finish_reason", KindLabel, GroupMetadata, "why generation stopped"},
	ColReasoningEffort: {"reasoning_effort", KindLabel, GroupMetadata, "reasoning effort in the request"},
	ColRetryPolicy:     {"retry_policy", KindLabel, GroupMetadata, "name of the retry policy"},
	ColNetworkPath:     {"network_path", KindLabel, GroupMetadata, "name of the network path"},
	ColVantage:         {"vantage", KindLabel, GroupMetadata, "whose clock: gateway, client or engine"},
	ColFormat:          {"format", KindLabel, GroupInternal, "input format the record was read as"},
	ColFirstTokenBasis: {"first_token_basis", KindLabel, GroupMetadata, "what the source's first-token mark really is"},
	ColTimestampBasis:  {"timestamp_basis", KindLabel, GroupMetadata, "end where the log stamps the end and the total is unknown"},
	ColApprox:          {"approx", KindLabel, GroupInternal, "approximate columns with origin, point and bias"},
	ColRecordable:      {"recordable", KindLabel, GroupInternal, "marks that the source records when they happen; absent means all"},
	ColNotes:           {"notes", KindLabel, GroupInternal, "doubts about the record, ;-separated, a column after a colon"},
	ColSourceFile:      {"source_file", KindLabel, GroupInternal, "name of the input"},
}

// Info returns the description of c.
func (c Column) Info() Field { return fields[c] }

// String returns the name of c, as everywhere else.
func (c Column) String() string { return fields[c].Name }

// IsText reports whether c holds text.
func (c Column) IsText() bool { return c >= FirstText }

// IsDuration reports whether c holds microseconds of a phase or since an origin.
func (c Column) IsDuration() bool {
	return !c.IsText() && fields[c].Kind <= KindUpstreamStart
}

// ColumnNamed returns the column of that exact name.
func ColumnNamed(name string) (Column, bool) {
	for i := range fields {
		if fields[i].Name == name {
			return Column(i), true
		}
	}
	return 0, false
}

// Mask is a set of columns.
type Mask uint64

// MaskOf returns the set of the given columns.
func MaskOf(cols ...Column) Mask {
	var m Mask
	for _, c := range cols {
		m |= 1 << (c & 63)
	}
	return m
}

// Has reports whether c is in m.
func (m Mask) Has(c Column) bool { return m>>(c&63)&1 != 0 }

// With returns m and c.
func (m Mask) With(c Column) Mask { return m | 1<<(c&63) }

// Without returns m less c.
func (m Mask) Without(c Column) Mask { return m &^ (1 << (c & 63)) }

// Len returns the number of columns in m.
func (m Mask) Len() int { return bits.OnesCount64(uint64(m)) }

// All yields the columns of m in schema order.
func (m Mask) All(yield func(Column) bool) {
	for ; m != 0; m &= m - 1 {
		if !yield(Column(bits.TrailingZeros64(uint64(m)))) {
			return
		}
	}
}
