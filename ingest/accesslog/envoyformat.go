package accesslog

import (
	"fmt"
	"strings"

	"ttdiag/ingest/timeline"
)

// compileEnvoy compiles an Envoy access log format string.
func compileEnvoy(format string) (*layout, error) {
	b := newLayoutBuilder()
	b.stamp = stampISO
	rest := strings.TrimSpace(envoyUnquote(format))
	rest = strings.TrimSuffix(rest, `\n`)
	for len(rest) > 0 {
		percent := strings.IndexByte(rest, '%')
		if percent < 0 {
			b.text(rest)
			break
		}
		b.text(rest[:percent])
		if strings.HasPrefix(rest[percent:], "%%") {
			b.text("%")
			rest = rest[percent+2:]
			continue
		}
		name, argument, after, ok := envoyOperator(rest[percent+1:])
		if !ok {
			return nil, fmt.Errorf("a %% that begins no operator")
		}
		b.value("%"+name+"%", envoyMeaning(name, argument))
		rest = after
	}
	return b.finish()
}

// envoyUnquote takes the YAML or JSON around a format off it.
func envoyUnquote(s string) string {
	s = strings.TrimSpace(s)
	for _, key := range []string{"accessLogFormat:", "access_log_format:", "format:", "inline_string:"} {
		if after, ok := strings.CutPrefix(s, key); ok {
			s = strings.TrimSpace(after)
			s = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(s, "|-"), "|"))
		}
	}
	if strings.HasPrefix(s, "%") || strings.HasPrefix(s, "[") {
		return s
	}
	return yamlScalar(s)
}

// envoyOperator takes NAME(argument):length% off the front of s. An argument
// may hold percent signs (a date) and is closed by its last bracket.
func envoyOperator(s string) (name, argument, rest string, ok bool) {
	n := 0
	for n < len(s) && (s[n] == '_' || s[n]-'0' < 10 || s[n]-'A' < 26) {
		n++
	}
	name, s = s[:n], s[n:]
	if name == "" {
		return "", "", "", false
	}
	if strings.HasPrefix(s, "(") {
		depth, i := 1, 1
		for i < len(s) && depth > 0 {
			switch s[i] {
			case '(':
				depth++
			case ')':
				depth--
			}
			i++
		}
		if depth > 0 {
			return "", "", "", false
		}
		argument, s = s[1:i-1], s[i:]
	}
	length, rest, ok := strings.Cut(s, "%")
	if !ok || strings.Trim(length, ":0123456789") != "" {
		return "", "", "", false
	}
	return name, argument, rest, true
}

// envoyOperators are the operators without an argument that mean something.
var envoyOperators = map[string]meaning{
	"DURATION":                       {to: slotTotal, unit: timeline.Millisecond},
	"REQUEST_DURATION":               {to: slotBodyRead, unit: timeline.Millisecond},
	"RESPONSE_DURATION":              {to: slotHeadersAt, unit: timeline.Millisecond},
	"RESPONSE_CODE":                  {to: slotStatus},
	"RESPONSE_FLAGS":                 {to: slotResponseFlags},
	"UPSTREAM_HOST":                  {to: slotChannel},
	"UPSTREAM_REQUEST_ATTEMPT_COUNT": {to: slotAttempt},
}

// envoyHeaders are the request and response headers that mean something, in
// capitals.
var envoyHeaders = map[string]meaning{
	"X-REQUEST-ID":                  {to: slotRequestID},
	"X-ENVOY-UPSTREAM-SERVICE-TIME": {to: slotServiceTime, unit: timeline.Millisecond},
	"X-AI-EG-MODEL":                 {to: slotModel},
	"USER-AGENT":                    {free: true},
}

// envoyMetadata are the keys of io.envoy.ai_gateway. Token names are chosen by
// users; these are those of the documentation.
var envoyMetadata = map[string]meaning{
	"token_latency_ttft":     {to: slotFirstChunk, unit: timeline.Millisecond},
	"llm_input_token":        {to: slotInputTokens},
	"llm_cached_input_token": {to: slotCachedTokens},
	"llm_output_token":       {to: slotOutputTokens},
	"backend_name":           {to: slotChannel},
	"response_model":         {to: slotServedModel},
}

func envoyMeaning(name, argument string) meaning {
	switch name {
	case "START_TIME", "START_TIME_LOCAL":
		return envoyTime(argument, false)
	case "EMIT_TIME", "EMIT_TIME_LOCAL":
		return envoyTime(argument, true)
	case "COMMON_DURATION":
		return envoyDuration(argument)
	case "REQ", "RESP", "REQUEST_HEADER", "RESPONSE_HEADER":
		for header := range strings.SplitSeq(strings.ToUpper(argument), "?") {
			if m, ok := envoyHeaders[header]; ok {
				return m
			}
		}
		return meaning{}
	case "DYNAMIC_METADATA":
		if key, ok := strings.CutPrefix(argument, "io.envoy.ai_gateway:"); ok {
			return envoyMetadata[key]
		}
		return meaning{}
	}
	if argument != "" {
		return meaning{}
	}
	return envoyOperators[name]
}

func envoyTime(pattern string, end bool) meaning {
	if pattern == "" {
		return meaning{to: slotTime, stamp: stampISO, end: end}
	}
	return meaning{to: slotTime, stamp: stampPattern, date: pattern, end: end}
}

// envoyDurations are the spans between two points that are a mark.
var envoyDurations = map[string]slot{
	"US_TX_BEG:US_RX_BEG":      slotHeaders,
	"DS_RX_BEG:US_RX_BEG":      slotHeadersAt,
	"DS_RX_BEG:US_TX_BEG":      slotStart,
	"DS_RX_BEG:DS_RX_END":      slotBodyRead,
	"DS_RX_BEG:US_RX_BODY_BEG": slotFirstBody,
	"DS_RX_BEG:US_RX_END":      slotDone,
	"DS_RX_BEG:DS_TX_END":      slotTotal,
}

// envoyDuration reads the argument START:END:PRECISION of COMMON_DURATION.
func envoyDuration(argument string) meaning {
	from, rest, _ := strings.Cut(argument, ":")
	to, precision, _ := strings.Cut(rest, ":")
	unit := timeline.Millisecond
	switch precision {
	case "us":
		unit = timeline.Microsecond
	case "ns":
		unit = timeline.Nanosecond
	}
	return meaning{to: envoyDurations[from+":"+to], unit: unit}
}
