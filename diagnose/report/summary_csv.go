package report

import (
	"strconv"

	"ttdiag/diagnose"
	"ttdiag/rules"
)

// SummaryCSV returns the figures of a summary, one line per group, pool and
// metric. What is absent is empty.
func SummaryCSV(s *diagnose.Summary) (string, error) {
	header := append([]string{}, s.By...)
	header = append(header, "mode", "vantage", "first_token_basis", "metric", "approximate", "unit", "n", "absent",
		"lower_bounds", "percentile", "value", "lower_bound", "lo", "hi", "method")
	out := appendCSV(nil, header)
	out = appendGroupCSV(out, &s.Whole, make([]string, len(s.By)))
	for i := range s.Groups {
		key := make([]string, len(s.By))
		for k, part := range s.Groups[i].Key {
			key[k] = plainText(part.Value, 0)
		}
		out = appendGroupCSV(out, &s.Groups[i], key)
	}
	return string(out), nil
}

func appendGroupCSV(to []byte, g *diagnose.GroupSummary, key []string) []byte {
	for i := range g.Pools {
		pool := &g.Pools[i]
		for k := range pool.Metrics {
			m := &pool.Metrics[k]
			for f := range m.Figures {
				cells := append(append([]string{}, key...), pool.Mode, plainText(pool.Basis.Vantage, 0), plainText(pool.Basis.FirstToken, 0))
				to = appendCSV(to, append(cells, figureCells(m, f)...))
			}
		}
	}
	return to
}

func figureCells(m *diagnose.MetricFigures, k int) []string {
	f := &m.Figures[k]
	missing := int64(0)
	for _, a := range m.Absent {
		missing += a.Count
	}
	number := func(v int64, ok bool) string {
		if !ok {
			return ""
		}
		return string(diagnose.AppendScaled(nil, v, m.Unit.Scale()))
	}
	unit := "ms"
	if m.Unit == rules.TokensPerSecond {
		unit = "tokens/s"
	}
	bound := ""
	if f.OK {
		bound = strconv.FormatBool(f.LowerBound)
	}
	return []string{
		m.Metric, strconv.FormatBool(m.Approx != nil), unit, strconv.FormatInt(m.N, 10), strconv.FormatInt(missing, 10),
		strconv.FormatInt(m.Bounds, 10), f.Level.String(), number(f.Value, f.OK), bound,
		number(f.Lo.Value, f.Lo.OK), number(f.Hi.Value, f.Hi.OK && !f.Hi.LowerBound), f.Method.String(),
	}
}
