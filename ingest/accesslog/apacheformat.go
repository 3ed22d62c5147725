package accesslog

import (
	"fmt"
	"strings"

	"ttdiag/ingest/timeline"
)

// compileApache compiles a LogFormat of Apache httpd, with or without the
// directive around it.
func compileApache(format string) (*layout, error) {
	b := newLayoutBuilder()
	rest := apacheDirective(format)
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
		name, argument, after, ok := apacheItem(rest[percent+1:])
		if !ok {
			return nil, fmt.Errorf("a %% that begins no item")
		}
		m := apacheMeaning(name, argument)
		if name == "t" && argument == "" { // written with its brackets
			b.text("[")
			b.value("%t", m)
			b.text("]")
		} else {
			b.value("%"+name, m)
		}
		rest = after
	}
	return b.finish()
}

// apacheItem takes %[codes][<>]{argument}name off the front of s.
func apacheItem(s string) (name, argument, rest string, ok bool) {
	s = strings.TrimLeft(s, "!0123456789,<>")
	if strings.HasPrefix(s, "{") {
		if argument, s, ok = strings.Cut(s[1:], "}"); !ok {
			return "", "", "", false
		}
	}
	if strings.HasPrefix(s, "^") && len(s) >= 3 { // %{…}^ti
		return s[:3], argument, s[3:], true
	}
	if s == "" {
		return "", "", "", false
	}
	return s[:1], argument, s[1:], true
}

func apacheMeaning(name, argument string) meaning {
	switch name {
	case "t":
		return apacheTime(argument)
	case "s":
		return meaning{to: slotStatus}
	case "D":
		return meaning{to: slotTotal, unit: timeline.Microsecond}
	case "T":
		switch argument {
		case "ms":
			return meaning{to: slotTotal, unit: timeline.Millisecond}
		case "us":
			return meaning{to: slotTotal, unit: timeline.Microsecond}
		}
		return meaning{to: slotTotal, unit: timeline.Second}
	case "L":
		return meaning{}
	case "i", "o", "e", "n":
		switch strings.ToLower(argument) {
		case "x-request-id", "unique_id":
			return meaning{to: slotRequestID}
		case "balancer_worker_name":
			return meaning{to: slotChannel}
		case "balancer_worker_route":
			return meaning{to: slotChannel}
		}
		return meaning{free: name == "i"}
	}
	return meaning{}
}

// apacheTime reads the argument of %{…}t. Without begin: or end: it is the time
// of receipt, as %t is.
func apacheTime(argument string) meaning {
	m := meaning{to: slotTime, stamp: stampCommon}
	if after, ok := strings.CutPrefix(argument, "end:"); ok {
		argument, m.end = after, true
	}
	argument = strings.TrimPrefix(argument, "begin:")
	switch argument {
	case "":
		return m
	case "sec":
		m.stamp, m.unit = stampEpoch, timeline.Second
	case "msec":
		m.stamp, m.unit = stampEpoch, timeline.Millisecond
	case "usec":
		m.stamp, m.unit = stampEpoch, timeline.Microsecond
	case "msec_frac", "usec_frac":
		return meaning{}
	default:
		m.stamp, m.date = stampPattern, argument
	}
	return m
}

func apacheDirective(s string) string {
	s = strings.TrimSpace(s)
	after, directive := strings.CutPrefix(s, "LogFormat")
	if !directive || !startsBlank(after) {
		return unquoted(s)
	}
	s = strings.TrimSpace(after)
	// The nickname after the closing quote is no part of the format.
	for i := 1; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == s[0] {
			return unquoted(s[:i+1])
		}
	}
	return s
}
