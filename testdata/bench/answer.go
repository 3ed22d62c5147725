package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
)

// marks are the columns whose percentiles are compared.
var marks = []string{
	"auth_ms", "distribution_ms", "body_read_ms", "upstream_start_ms", "upstream_headers_ms", "first_sse_event_ms",
	"first_response_ms", "first_text_delta_ms", "upstream_done_ms", "total_handler_ms",
}

// answer is what both sides must say alike.
type answer struct {
	Classes     map[string]int64     `json:"classes"`
	Percentiles map[string][]float64 `json:"percentiles"` // p50, p95, p99 of each mark, ms
}

// summary is what the bench reads of ttdiag.summary/1.
type summary struct {
	Classes []struct {
		Class string
		Count int64
	}
	Pools []struct {
		Metrics []struct {
			Metric      string
			Percentiles []struct{ Value float64 }
		}
	}
}

func answerOf(text []byte) (answer, error) {
	var s summary
	if err := json.Unmarshal(text, &s); err != nil {
		return answer{}, fmt.Errorf("read summary: %w", err)
	}
	a := answer{Classes: map[string]int64{}, Percentiles: map[string][]float64{}}
	for _, c := range s.Classes {
		if c.Count > 0 {
			a.Classes[c.Class] = c.Count
		}
	}
	if len(s.Pools) != 1 {
		return a, fmt.Errorf("the summary has %d pools, want 1", len(s.Pools))
	}
	for _, m := range s.Pools[0].Metrics {
		for _, p := range m.Percentiles {
			a.Percentiles[m.Metric] = append(a.Percentiles[m.Metric], p.Value)
		}
	}
	return a, nil
}

// check compares answers: percentiles to the microsecond, or within the relative
// error of a sketch.
func (a answer) check(b answer, relative float64) error {
	if !maps.Equal(a.Classes, b.Classes) {
		return fmt.Errorf("classes differ: %v and %v", a.Classes, b.Classes)
	}
	for _, name := range marks {
		x, y := a.Percentiles[name], b.Percentiles[name]
		if len(x) != 3 || len(y) != 3 {
			return fmt.Errorf("%s: %d and %d percentiles", name, len(x), len(y))
		}
		for k := range x {
			if math.Abs(x[k]-y[k]) > 0.0005+relative*y[k] {
				return fmt.Errorf("%s: percentile %d is %v and %v", name, k, x[k], y[k])
			}
		}
	}
	return nil
}
