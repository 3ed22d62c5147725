package accesslog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// ErrLogFormat says that a log format cannot be read, or cannot be read by.
var ErrLogFormat = errors.New("log format")

// dialect is a language of log formats.
type dialect struct {
	name    string // of the format that comes of it
	title   string
	compile func(string) (*layout, error)
	finish  func(*filler, *timeline.Row) timeline.Mask
	items   []timeline.Approx
	more    string
}

var dialects = []dialect{
	{"nginx_text", "nginx log_format", compileNginx, finishNginx, apisixItems, nginxMore},
	{"envoy_text", "Envoy access log format", compileEnvoy, finishEnvoy, envoyItems, envoyMore},
	{"apache_text", "Apache LogFormat", compileApache, nil, nil, apacheMore},
	{"haproxy_text", "HAProxy log-format", compileHAProxy, finishHAProxy, haproxyItems, haproxyDefault},
}

// Custom returns the format of logs that are written with the given log format:
// the value of an nginx log_format ($variables), an Envoy format (%OPERATORS%),
// an Apache LogFormat (%h %D %{…}i) or a HAProxy log-format (%ci %TR), with or
// without the directive, its quotes and its line breaks around it. What the
// format can record is told from the variables that are there. The error wraps
// ErrLogFormat, names variables only, and is returned for a format in which no
// variable is a time.
func Custom(logFormat string) (*source.Format, error) {
	d, err := dialectOf(logFormat)
	if err != nil {
		return nil, err
	}
	l, err := d.compile(logFormat)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrLogFormat, d.title, err)
	}
	if l.wanted.marks() == 0 && !l.wanted.has(slotStart) {
		return nil, fmt.Errorf("%w: %s: no timing column in it; add: %s", ErrLogFormat, d.title, d.more)
	}
	return &source.Format{
		Name: d.name, Family: "access logs", Title: "access log written with the given " + d.title, Vantage: "gateway",
		Columns: source.Fixed(capabilities(l, d)), FirstToken: "what the log format names", More: d.more,
		Detect: func(w *source.Window) source.Confidence {
			return min(100, shareOf(w, l.matches)+5)
		},
		Lines: func(opt source.Options) source.LineParser {
			f := newFiller(l, opt, d.items)
			f.finish = d.finish
			if d.name == "haproxy_text" {
				return haproxyLines{f}
			}
			return f
		},
	}, nil
}

// dialectOf tells the dialects by what only one of them has.
func dialectOf(s string) (*dialect, error) {
	switch {
	case strings.Contains(s, "$"):
		return &dialects[0], nil
	case hasEnvoyOperator(s):
		return &dialects[1], nil
	case strings.Contains(s, "%ci") || strings.Contains(s, "%Ta") || strings.Contains(s, "%TR") || strings.Contains(s, "%tr"):
		return &dialects[3], nil
	case strings.Contains(s, "%"):
		return &dialects[2], nil
	}
	return nil, fmt.Errorf("%w: no $variable and no %%item in it", ErrLogFormat)
}

func hasEnvoyOperator(s string) bool {
	for {
		_, after, ok := strings.Cut(s, "%")
		if !ok {
			return false
		}
		if name, _, _, ok := envoyOperator(after); ok && len(name) > 2 {
			return true
		}
		s = after
	}
}

// capabilities lists what the slots of l can fill.
func capabilities(l *layout, d *dialect) []source.Capability {
	var all []source.Capability
	marks := l.wanted.marks()
	for c := range marks.All {
		all = append(all, source.Capability{Column: c, Quality: source.Exact, Field: d.title})
	}
	plain := []struct {
		from slot
		to   timeline.Column
	}{
		{slotStart, timeline.ColUpstreamStart}, {slotTime, timeline.ColTimestamp}, {slotRequestID, timeline.ColRequestID},
		{slotStatus, timeline.ColStatus}, {slotBodyRead, timeline.ColBodyRead}, {slotSessions, timeline.ColInflight},
		{slotFirstChunk, timeline.ColFirstSSEEvent}, {slotUpstreamAddr, timeline.ColChannel}, {slotServer, timeline.ColChannel},
		{slotChannel, timeline.ColChannel}, {slotGroup, timeline.ColGroup}, {slotModel, timeline.ColModel},
		{slotServedModel, timeline.ColModel}, {slotAttempt, timeline.ColAttempt}, {slotRetries, timeline.ColAttempt},
		{slotUpstreamCode, timeline.ColAttempt}, {slotResponseFlags, timeline.ColOutcome}, {slotTermination, timeline.ColOutcome},
		{slotInputTokens, timeline.ColInputTokens}, {slotCachedTokens, timeline.ColCachedInputTokens},
		{slotOutputTokens, timeline.ColOutputTokens}, {slotRequestType, timeline.ColStream},
	}
	var listed timeline.Mask
	for _, p := range plain {
		if l.wanted.has(p.from) && !marks.Has(p.to) && !listed.Has(p.to) {
			listed = listed.With(p.to)
			all = append(all, source.Capability{Column: p.to, Quality: source.Sometimes, Field: d.title})
		}
	}
	for i := range all {
		k := slices.IndexFunc(d.items, func(a timeline.Approx) bool { return a.Column == all[i].Column.String() })
		if k >= 0 && !(all[i].Column == timeline.ColUpstreamHeaders && l.wanted.has(slotHeaders)) {
			a := d.items[k]
			all[i].Origin, all[i].Point, all[i].Bias = a.Origin, a.Point, a.Bias
			if all[i].Quality == source.Exact {
				all[i].Quality = source.Approx
			}
		}
	}
	slices.SortFunc(all, func(a, b source.Capability) int { return int(a.Column) - int(b.Column) })
	return all
}
