package mapping

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"ttdiag/ingest/scan"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// AbsurdUnit is the error for a mapping whose unit cannot be right.
type AbsurdUnit struct {
	Column timeline.Column
	Path   string        // as the user wrote it
	Median float64       // of the numbers as they stand
	Unit   timeline.Unit // as mapped
	Likely timeline.Unit // that makes sense of them
}

// Error implements error. It names a figure of the numbers, and no text of the
// input.
func (e *AbsurdUnit) Error() string {
	return fmt.Sprintf("%s: median %s looks like %s, not %s: write %s=%s:%s", e.Column,
		strconv.FormatFloat(e.Median, 'g', 3, 64), unitWords[e.Likely], unitWords[e.Unit], e.Column, e.Path, shortUnits[e.Likely])
}

var unitWords = map[timeline.Unit]string{
	timeline.Nanosecond: "nanoseconds", timeline.Microsecond: "microseconds", timeline.Millisecond: "milliseconds",
	timeline.Second: "seconds", timeline.Minute: "minutes", timeline.Hour: "hours",
}

var shortUnits = map[timeline.Unit]string{
	timeline.Nanosecond: "ns", timeline.Microsecond: "us", timeline.Millisecond: "ms", timeline.Second: "s",
}

// What no log of model requests shows: a median beyond longest, or marks of
// which the median is below shortest while not one reaches slowest.
const (
	longest  = 10 * 60e6 // µs
	shortest = 10e3
	slowest  = 1e6
	// a unit is likely if it puts the median in here
	leastLikely, mostLikely = 20e3, 10 * 60e6
)

// CheckMagnitudes looks at the numbers that the mappings find in the window and
// returns an [*AbsurdUnit] if the unit of one cannot be right and another one
// can. Fewer than three numbers prove nothing.
func CheckMagnitudes(w *source.Window, list []source.Mapping) error {
	var paths []string
	for _, m := range list {
		paths = append(paths, m.Path)
	}
	compiled, err := scan.Compile(paths...)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrMapping, err)
	}
	numbers := make([][]float64, len(list))
	x := compiled.NewExtractor()
	for _, line := range w.Lines {
		if _, fault := x.Scan(line); fault != scan.OK {
			continue
		}
		for i := range list {
			if v, err := strconv.ParseFloat(string(x.Plain(x.Get(i))), 64); err == nil && v > 0 && !math.IsInf(v, 0) {
				numbers[i] = append(numbers[i], v)
			}
		}
	}
	for i, m := range list {
		if err := checkUnit(m, numbers[i]); err != nil {
			return err
		}
	}
	return nil
}

func checkUnit(m source.Mapping, numbers []float64) error {
	if !m.Column.IsDuration() || m.Unit == 0 || len(numbers) < 3 {
		return nil
	}
	slices.Sort(numbers)
	median, largest := numbers[(len(numbers)-1)/2], numbers[len(numbers)-1]
	us := func(v float64, u timeline.Unit) float64 { return v * float64(u) / 1000 }
	small := timeline.AllMarks.Has(m.Column) && us(median, m.Unit) < shortest && us(largest, m.Unit) < slowest
	if !small && us(median, m.Unit) <= longest {
		return nil
	}
	for _, u := range []timeline.Unit{timeline.Second, timeline.Millisecond, timeline.Microsecond, timeline.Nanosecond} {
		if likely := us(median, u); u != m.Unit && likely >= leastLikely && likely <= mostLikely {
			return &AbsurdUnit{m.Column, m.Path, median, m.Unit, u}
		}
	}
	return nil
}
