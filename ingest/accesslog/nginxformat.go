package accesslog

import (
	"fmt"
	"strings"

	"ttdiag/ingest/timeline"
)

// nginxVariables are the variables of a log_format that mean something here.
// All others, $remote_addr and $request among them, are passed over.
var nginxVariables = map[string]meaning{
	"time_local":             {to: slotTime, stamp: stampCommon, end: true},
	"time_iso8601":           {to: slotTime, stamp: stampISO, end: true},
	"msec":                   {to: slotTime, stamp: stampEpoch, unit: timeline.Second, end: true},
	"request_time":           {to: slotTotal, unit: timeline.Second},
	"upstream_header_time":   {to: slotHeaders, unit: timeline.Second},
	"upstream_response_time": {to: slotUpstreamTime, unit: timeline.Second},
	"upstream_connect_time":  {to: slotConnectTime, unit: timeline.Second},
	"upstream_addr":          {to: slotUpstreamAddr},
	"upstream_status":        {to: slotUpstreamCode},
	"upstream_cache_status":  {to: slotCacheStatus},
	"status":                 {to: slotStatus},
	"request_id":             {to: slotRequestID},
	"req_id":                 {to: slotRequestID}, // ingress-nginx
	"http_x_request_id":      {to: slotRequestID},
	"proxy_upstream_name":    {to: slotGroup}, // ingress-nginx: namespace-service-port
	"http_user_agent":        {free: true},
	"http_referer":           {free: true},

	"apisix_request_id":       {to: slotRequestID},
	"request_type":            {to: slotRequestType},
	"llm_time_to_first_token": {to: slotFirstChunk, unit: timeline.Millisecond},
	"request_llm_model":       {to: slotModel},
	"llm_prompt_tokens":       {to: slotInputTokens},
	"llm_completion_tokens":   {to: slotOutputTokens},
}

// compileNginx compiles the value of an nginx log_format. It also takes the
// whole directive as it stands in a configuration file, over several lines and
// in several quoted parts.
func compileNginx(format string) (*layout, error) {
	b := newLayoutBuilder()
	rest := nginxDirective(format)
	for len(rest) > 0 {
		dollar := strings.IndexByte(rest, '$')
		if dollar < 0 {
			b.text(rest)
			break
		}
		b.text(rest[:dollar])
		name, after := nginxVariable(rest[dollar+1:])
		if name == "" {
			return nil, fmt.Errorf("a $ without the name of a variable after it")
		}
		m := nginxVariables[name]
		// $upstream_response_length and its like are lists too.
		m.list = strings.HasPrefix(strings.TrimPrefix(name, "apisix_"), "upstream_")
		b.value("$"+name, m)
		rest = after
	}
	return b.finish()
}

// nginxVariable takes the name of a variable, with or without braces, off the
// front of s.
func nginxVariable(s string) (name, rest string) {
	if strings.HasPrefix(s, "{") {
		name, rest, ok := strings.Cut(s[1:], "}")
		if !ok {
			return "", s
		}
		return name, rest
	}
	n := 0
	for n < len(s) && (s[n] == '_' || s[n]-'0' < 10 || s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z') {
		n++
	}
	return s[:n], s[n:]
}

// nginxDirective takes the directive, its name, its escape parameter and the
// quotes off a log_format.
func nginxDirective(s string) string {
	s = strings.TrimSpace(s)
	after, directive := strings.CutPrefix(s, "log_format")
	if directive = directive && startsBlank(after); directive {
		s = strings.TrimLeft(after, " \t\r\n")
		if s == "" || s[0] != '\'' && s[0] != '"' {
			s = s[len(word(s)):]
		}
		s = strings.TrimSpace(s)
	} else if after, ok := strings.CutPrefix(s, "access_log_format:"); ok { // APISIX config.yaml
		return yamlScalar(after)
	}
	if strings.HasPrefix(s, "escape=") {
		directive = true
		s = strings.TrimSpace(s[len(word(s)):])
	}
	if strings.HasPrefix(s, "'") || directive && strings.HasPrefix(s, `"`) {
		return joinQuoted(s)
	}
	return unquoted(strings.TrimSuffix(s, ";"))
}

// unquoted takes the quotes off s where it is one quoted string from end to
// end. A format may well begin and end with quotes of its own.
func unquoted(s string) string {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return s
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			if i == len(s)-1 {
				return joinQuoted(s)
			}
			return s
		}
	}
	return s
}

func startsBlank(s string) bool { return s != "" && strings.IndexByte(" \t\r\n", s[0]) >= 0 }

func word(s string) string {
	if n := strings.IndexAny(s, " \t\r\n"); n >= 0 {
		return s[:n]
	}
	return s
}

// joinQuoted joins the quoted parts of s up to a semicolon, as nginx does:
// without anything between them.
func joinQuoted(s string) string {
	var b strings.Builder
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" || s[0] != '\'' && s[0] != '"' {
			return b.String()
		}
		quote := s[0]
		i := 1
		for i < len(s) && s[i] != quote {
			if s[i] == '\\' && i+1 < len(s) {
				i++
				b.WriteString(configEscape(s[i]))
			} else {
				b.WriteByte(s[i])
			}
			i++
		}
		s = s[min(i+1, len(s)):]
	}
}

// configEscape returns what a backslash and c stand for in a quoted string of a
// configuration: nginx keeps the backslash before what needs none.
func configEscape(c byte) string {
	switch c {
	case 't':
		return "\t"
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case '"', '\'', '\\':
		return string(rune(c))
	}
	return "\\" + string(rune(c))
}

// yamlScalar takes the quotes off a value of a YAML file.
func yamlScalar(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'' {
		return strings.ReplaceAll(s[1:len(s)-1], "''", "'")
	}
	return unquoted(s)
}

// mustLayout returns the layout of a format that is built in.
func mustLayout(l *layout, err error) *layout {
	if err != nil {
		panic(err)
	}
	return l
}
