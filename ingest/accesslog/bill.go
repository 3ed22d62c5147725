package accesslog

import (
	"bytes"
	"math"

	"ttdiag/ingest/timeline"
)

// param reads a member of the JSON of a consume line.
func (e *joined) param(key, value []byte) {
	v := plainValue(value)
	switch string(key) {
	case "channel_id":
		e.channel = label(v)
	case "model_name":
		e.model = label(v)
	case "group":
		e.group = label(v)
	case "prompt_tokens":
		e.input = counter(v)
	case "completion_tokens":
		e.output = counter(v)
	case "use_time_seconds":
		if n := counter(v); n >= 0 && n <= timeline.MaxMicros/1e6 {
			e.spent, e.spentBy = n*1e6, 1
		}
	case "is_stream":
		e.setStream(v)
	case "other":
		members(value, e.other)
	}
}

func (e *joined) other(key, value []byte) {
	switch string(key) {
	case "cache_tokens":
		e.cached = counter(plainValue(value))
	case "frt":
		// -1000 is how New API writes that no event came.
		if us, p := timeline.Micros(plainValue(value), timeline.Millisecond); p == timeline.ParsedOK && us > 0 {
			e.first = us
		}
	case "admin_info":
		members(value, func(key, value []byte) {
			if string(key) == "use_channel" {
				e.attempt = max(e.attempt, elements(value))
			}
		})
	}
}

// older reads the consume line of 2025: name=value with commas. The name of the
// token and what follows it are a user's and are not looked at.
func (e *joined) older(b []byte) {
	if token := bytes.Index(b, []byte(", tokenName=")); token >= 0 {
		b = b[:token]
	}
	for part := range bytes.SplitSeq(b, []byte(", ")) {
		key, v, _ := bytes.Cut(part, []byte{'='})
		switch string(key) {
		case "channelId":
			e.channel = label(v)
		case "modelName":
			e.model = label(v)
		case "promptTokens":
			e.input = counter(v)
		case "completionTokens":
			e.output = counter(v)
		}
	}
}

// spell reads the row of One API as Go's %+v prints it: names and values
// without quotes. It is taken apart from the end, because a user's names stand
// before what is wanted.
func (e *joined) spell(b []byte) {
	take := func(name string) []byte {
		at := bytes.LastIndex(b, []byte(" "+name+":"))
		if at < 0 {
			return nil
		}
		v := bytes.TrimRight(b[at+len(name)+2:], "} ")
		b = b[:at]
		return v
	}
	take("SystemPromptReset")
	e.setStream(take("IsStream"))
	if n := counter(take("ElapsedTime")); n > 0 && n <= timeline.MaxMicros/1000 { // 0: the column did not exist
		e.spent, e.spentBy = n*1000, 2
	}
	take("RequestId")
	e.channel = label(take("ChannelId"))
	e.output = counter(take("CompletionTokens"))
	e.input = counter(take("PromptTokens"))
	take("Quota")
	e.model = label(take("ModelName"))
	if at := bytes.Index(b, []byte("CreatedAt:")); at >= 0 {
		v, _, _ := bytes.Cut(b[at+len("CreatedAt:"):], []byte{' '})
		if us, p := timeline.ParseEpoch(v); p == timeline.ParsedOK && us > 0 {
			e.end = us
		}
	}
}

func (e *joined) setStream(v []byte) {
	switch string(v) {
	case "true":
		e.stream = 1
	case "false":
		e.stream = -1
	}
}

// label copies a short text out of a line.
func label(v []byte) string {
	if len(v) > timeline.MaxText {
		return ""
	}
	return string(v)
}

// counter reads a count, -1 where there is none.
func counter(v []byte) int64 {
	if n, p := number(v, 0); p == timeline.ParsedOK && n >= 0 && n < math.MaxInt64/2 {
		return n
	}
	return -1
}
