package mapping

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// ErrLogFormat says that a log format in JSON cannot be read, or cannot be read
// by.
var ErrLogFormat = errors.New("log format")

// IsJSONLogFormat reports whether text is a log format that writes JSON: an
// object, with or without the directive and the quotes of nginx around it.
func IsJSONLogFormat(text string) bool { return strings.HasPrefix(formatBody(text), "{") }

// FromLogFormat returns the format of logs that are written with a log format
// of Envoy (%OPERATORS%) or nginx ($variables) whose text is a JSON object, under
// whatever keys. Only values that are one variable are read. The error wraps
// ErrLogFormat and is returned for text that is no JSON, and for a format in
// which no variable is a time.
func FromLogFormat(text string) (*source.Format, error) {
	var tree map[string]any
	if err := json.Unmarshal([]byte(quoteVariables(formatBody(text))), &tree); err != nil {
		return nil, fmt.Errorf("%w: no JSON object", ErrLogFormat)
	}
	w := written{paths: map[string]string{}, units: map[string]timeline.Unit{}}
	w.walk("", tree)
	base := nginxJSON
	if w.envoy {
		base = envoyJSON
		base.Fields = append(slices.Clone(envoyJSON.Fields), envoyAIGateway.Fields...)
	}
	t := w.table(&base)
	p, err := Compile(t)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLogFormat, err)
	}
	f := *p.Format()
	if f.Recordable() == 0 {
		return nil, fmt.Errorf("%w: no timing column in it; add: %s", ErrLogFormat, t.More)
	}
	f.Title += ", written with the given log format"
	f.Detect = func(win *source.Window) source.Confidence {
		x := p.Extractor()
		share := win.Share(func(line []byte) bool { return finds(x, line) })
		if share == 0 {
			return source.No
		}
		return source.Likely + source.Confidence(share*(100-float64(source.Likely)))
	}
	return &f, nil
}

// formatBody takes nginx's directive and quotes off a log format.
func formatBody(text string) string {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "log_format"); ok {
		if i := strings.IndexAny(rest, `'"`); i >= 0 {
			text = rest[i:]
		}
	}
	if !strings.HasPrefix(text, "'") && !strings.HasPrefix(text, `"`) {
		return text
	}
	var body strings.Builder // strings that follow each other are one
	for text = strings.TrimSpace(text); text != "" && (text[0] == '\'' || text[0] == '"'); {
		end := strings.IndexByte(text[1:], text[0])
		if end < 0 {
			break
		}
		body.WriteString(text[1 : end+1])
		text = strings.TrimSpace(text[end+2:])
	}
	return strings.TrimSpace(body.String())
}

// quoteVariables puts quotes around variables of nginx that stand outside of
// strings, where they write numbers.
func quoteVariables(text string) string {
	var b strings.Builder
	inside := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && inside && i+1 < len(text):
			b.WriteString(text[i : i+2])
			i++
		case c == '"':
			inside = !inside
			b.WriteByte(c)
		case c == '$' && !inside:
			end := i + 1
			for end < len(text) && isVariable(text[end]) {
				end++
			}
			b.WriteString(`"` + text[i:end] + `"`)
			i = end - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isVariable(c byte) bool {
	return c == '_' || c == '{' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// written is what a log format writes: where each variable stands.
type written struct {
	paths map[string]string        // path in the table → path in the log
	units map[string]timeline.Unit // of paths in the log, where they differ from the table's
	envoy bool
}

func (w *written) walk(prefix string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			w.walk(prefix+"."+strconv.Quote(key), value)
		}
	case string:
		name, unit := w.variable(strings.TrimSpace(v))
		if _, twice := w.paths[name]; name == "" || twice && w.paths[name] < prefix {
			return
		}
		w.paths[name] = prefix
		if unit != 0 {
			w.units[prefix] = unit
		}
	}
}

// variable returns the path that the tables use for a variable, "" for one that
// they do not know, and the unit where the variable names one.
func (w *written) variable(text string) (path string, unit timeline.Unit) {
	if name, ok := strings.CutPrefix(text, "$"); ok {
		return "." + strings.Trim(name, "{}"), 0
	}
	if len(text) < 2 || text[0] != '%' || text[len(text)-1] != '%' {
		return "", 0
	}
	operator := text[1 : len(text)-1]
	w.envoy = true
	name, args, _ := strings.Cut(strings.TrimSuffix(operator, ")"), "(")
	if name == "COMMON_DURATION" {
		points, precision := args, "ms"
		if parts := strings.Split(args, ":"); len(parts) == 3 {
			points, precision = parts[0]+":"+parts[1], parts[2]
		}
		return envoyDurations[points], mapUnits[precision]
	}
	if name == "START_TIME" {
		return ".start_time", 0
	}
	return envoyOperators[strings.ToUpper(operator)], 0
}

// The operators that Envoy's tables know, and the keys by which they do.
var envoyOperators = map[string]string{
	"DURATION": ".duration", "RESPONSE_CODE": ".response_code", "RESPONSE_FLAGS": ".response_flags",
	"UPSTREAM_HOST": ".upstream_host", "UPSTREAM_REQUEST_ATTEMPT_COUNT": ".upstream_attempts",
	"REQUEST_DURATION": ".request_duration", "RESPONSE_DURATION": ".response_duration",
	"REQ(X-REQUEST-ID)": ".request_id", "STREAM_ID": ".x_request_id",
	"RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)":                          ".upstream_service_time",
	"REQ(X-AI-EG-MODEL)":                                           `."gen_ai.request.model"`,
	"DYNAMIC_METADATA(IO.ENVOY.AI_GATEWAY:BACKEND_NAME)":           `."gen_ai.provider.name"`,
	"DYNAMIC_METADATA(IO.ENVOY.AI_GATEWAY:TOKEN_LATENCY_TTFT)":     ".token_latency_ttft",
	"DYNAMIC_METADATA(IO.ENVOY.AI_GATEWAY:LLM_INPUT_TOKEN)":        `."gen_ai.usage.input_tokens"`,
	"DYNAMIC_METADATA(IO.ENVOY.AI_GATEWAY:LLM_CACHED_INPUT_TOKEN)": `."gen_ai.usage.cached_input_tokens"`,
	"DYNAMIC_METADATA(IO.ENVOY.AI_GATEWAY:LLM_OUTPUT_TOKEN)":       `."gen_ai.usage.output_tokens"`,
}

var envoyDurations = map[string]string{
	"DS_RX_BEG:US_TX_BEG":      ".upstream_start_ms",
	"US_TX_BEG:US_RX_BEG":      ".upstream_headers_ms",
	"DS_RX_BEG:US_RX_BEG":      ".response_duration",
	"DS_RX_BEG:US_RX_BODY_BEG": ".first_body_ms",
	"DS_RX_BEG:US_RX_END":      ".upstream_done_ms",
	"DS_RX_BEG:DS_TX_END":      ".duration",
	"DS_RX_BEG:DS_RX_END":      ".request_duration",
}

// nowhere is the path of variables that the format does not write.
const nowhere = `."\x00"`

// table is base with the paths of the log.
func (w *written) table(base *Table) *Table {
	t := *base
	t.Match, t.Fields = Match{}, nil
	for _, f := range base.Fields {
		var places []string
		for _, path := range append([]string{f.Path}, f.Or...) {
			if place := w.paths[path]; place != "" {
				places = append(places, place)
			}
		}
		f.When = w.conds(f.When)
		if f.Path != "" {
			if len(places) == 0 {
				continue
			}
			f.Path, f.Or = places[0], nil
			if unit := w.units[f.Path]; unit != 0 {
				f.Unit = unit
			}
		}
		var same bool
		if f.Minus, same = w.terms(f.Minus, f.Unit); same {
			t.Fields = append(t.Fields, f)
		}
	}
	return &t
}

// terms returns the places of the terms of a sum; false if one is not written,
// or in another unit.
func (w *written) terms(paths []string, unit timeline.Unit) (places []string, ok bool) {
	for _, path := range paths {
		place := w.paths[path]
		if u := w.units[place]; place == "" || u != 0 && u != unit {
			return nil, false
		}
		places = append(places, place)
	}
	return places, true
}

func (w *written) conds(list []Cond) []Cond {
	var renamed []Cond
	for _, c := range list {
		if c.Path = w.paths[c.Path]; c.Path == "" {
			c.Path = nowhere
		}
		renamed = append(renamed, c)
	}
	return renamed
}
