package accesslog

import (
	"fmt"
	"strings"

	"ttdiag/ingest/timeline"
)

// haproxyVariables are the variables of a log-format that mean something.
var haproxyVariables = map[string]meaning{
	"tr":  {to: slotTime, stamp: stampCommon},
	"t":   {to: slotTime, stamp: stampCommon},
	"T":   {to: slotTime, stamp: stampCommon},
	"Ts":  {to: slotTime, stamp: stampEpoch, unit: timeline.Second},
	"ST":  {to: slotStatus},
	"b":   {to: slotBackend},
	"s":   {to: slotServer},
	"ft":  {to: slotFrontend},
	"f":   {to: slotFrontend},
	"TR":  {to: slotHeaderRead, unit: timeline.Millisecond},
	"Tw":  {to: slotQueue, unit: timeline.Millisecond},
	"Tc":  {to: slotConnect, unit: timeline.Millisecond},
	"Tr":  {to: slotResponse, unit: timeline.Millisecond},
	"Ta":  {to: slotTotal, unit: timeline.Millisecond},
	"tsc": {to: slotTermination},
	"ts":  {to: slotTermination},
	"bc":  {to: slotSessions},
	"rc":  {to: slotRetries},
	"ID":  {to: slotRequestID},
}

// compileHAProxy compiles a log-format of HAProxy, with or without the
// directive around it.
func compileHAProxy(format string) (*layout, error) {
	b := newLayoutBuilder()
	rest := haproxyDirective(format)
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
		name, flags, after, ok := haproxyVariable(rest[percent+1:])
		if !ok {
			return nil, fmt.Errorf("a %% that begins no variable")
		}
		rest = after
		if name == "hr" || name == "hs" {
			if b.captures() {
				rest = strings.TrimPrefix(rest, " ")
			}
			continue
		}
		quoted := strings.Contains(flags, "+Q") && (rest != "" || name != "r")
		if quoted {
			b.text(`"`)
		}
		b.value("%"+name, haproxyVariables[name])
		if quoted {
			b.text(`"`)
		}
	}
	return b.finish()
}

// haproxyVariable takes a variable off the front of s: name, {flags}name or an
// expression in brackets.
func haproxyVariable(s string) (name, flags, rest string, ok bool) {
	if strings.HasPrefix(s, "{") {
		flags, s, ok = strings.Cut(s[1:], "}")
		if !ok {
			return "", "", "", false
		}
	}
	if strings.HasPrefix(s, "[") {
		_, rest, ok = strings.Cut(s, "]")
		return "[]", flags, rest, ok
	}
	n := 0
	for n < len(s) && (s[n]-'0' < 10 || s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z') {
		n++
	}
	return s[:n], flags, s[n:], n > 0
}

func haproxyDirective(s string) string {
	s = strings.TrimSpace(s)
	if after, ok := strings.CutPrefix(s, "log-format"); ok && startsBlank(after) {
		s = strings.TrimSpace(after)
	}
	return strings.ReplaceAll(unquoted(s), `\ `, " ")
}
