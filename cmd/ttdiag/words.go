package main

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"ttdiag/diagnose"
	"ttdiag/ingest"
)

// printable returns text that came from outside for a message.
func printable(s string) string {
	quoted := strconv.QuoteToGraphic(s)
	return quoted[1 : len(quoted)-1]
}

func sortedReasons(in *ingest.Input) []diagnose.ReasonCount {
	var out []diagnose.ReasonCount
	for reason, n := range in.Reasons {
		out = append(out, diagnose.ReasonCount{Reason: string(reason), Count: n})
	}
	slices.SortFunc(out, func(a, b diagnose.ReasonCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Reason, b.Reason))
	})
	return out
}

var errSize = errors.New("not a size such as 512MB or 2GiB")

// parseSize reads a number of bytes with an optional unit; "" is 0.
func parseSize(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	digits := strings.TrimRight(text, "kKMGTiBb ")
	unit := strings.ToLower(strings.TrimSpace(text[len(digits):]))
	scale, ok := map[string]float64{
		"": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12,
		"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
	}[unit]
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if !ok || err != nil || v < 0 || v*scale > 1<<62 {
		return 0, errSize
	}
	return int64(v * scale), nil
}

var errAge = errors.New("not a duration such as 5m, 2h or 30d")

// parseAge reads a duration of Go, or a number of days or weeks.
func parseAge(text string) (time.Duration, error) {
	for suffix, unit := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if digits, ok := strings.CutSuffix(text, suffix); ok {
			if v, err := strconv.ParseFloat(digits, 64); err == nil && v >= 0 && v < 1e5 {
				return time.Duration(v * float64(unit)), nil
			}
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, errAge
	}
	return d, nil
}

var errMoment = errors.New("not a time: want RFC 3339, a date, or an age such as 2h")

// parseMoment reads a moment: RFC 3339, the same without seconds or zone, a
// date, or an age before now. Without a zone it is in zone. "" is 0.
func parseMoment(text string, now time.Time, zone *time.Location) (int64, error) {
	if text == "" {
		return 0, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return t.UnixMicro(), nil
		}
	}
	if age, err := parseAge(text); err == nil {
		return now.Add(-age).UnixMicro(), nil
	}
	return 0, errMoment
}
