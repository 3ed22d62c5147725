package stats

import (
	"errors"
	"testing"
)

func TestParseLevel(t *testing.T) {
	for _, c := range []struct {
		name string
		want Level // 0 is an error
	}{
		{"p50", P50}, {"p5", P5}, {"p05", P5}, {"p99.9", P999}, {"p99.999", 99_999}, {"p0.001", 1},
		{"", 0}, {"p", 0}, {"50", 0}, {"p0", 0}, {"p100", 0}, {"p99.", 0}, {"p.9", 0},
		{"p99.9999", 0}, {"p-5", 0}, {"p+5", 0}, {"p5e1", 0}, {"P95", 0}, {"p 5", 0},
	} {
		got, err := ParseLevel(c.name)
		if got != c.want || (err != nil) != (c.want == 0) || err != nil && !errors.Is(err, ErrLevel) {
			t.Errorf("%q: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
	for _, l := range []Level{P1, P5, P50, P95, P999, 1, 99_999} {
		if got, err := ParseLevel(l.String()); got != l || err != nil {
			t.Errorf("%v does not read back: %v, %v", l, got, err)
		}
	}
}

func TestNearestRank(t *testing.T) {
	for _, c := range []struct {
		n     int64
		level Level
		want  int64
	}{
		{1, P50, 1}, {2, P50, 1}, {3, P50, 2}, {100, P95, 95}, {101, P95, 96}, {100, P99, 99},
		{100, P5, 5}, {101, P5, 6}, {1, P1, 1}, {1000, P999, 999}, {1 << 53, P50, 1 << 52},
	} {
		if got := c.level.rank(c.n); got != c.want {
			t.Errorf("%v of %d: rank %d, want %d", c.level, c.n, got, c.want)
		}
	}
}

func TestTailNamesItsLevels(t *testing.T) {
	if got := Low.Levels(); got[0] != P50 || got[1] != P5 || got[2] != P1 {
		t.Errorf("low tail: %v", got)
	}
	if got := High.Levels(); got[0] != P50 || got[1] != P95 || got[2] != P99 {
		t.Errorf("high tail: %v", got)
	}
}

func TestNeeds(t *testing.T) {
	for _, c := range []struct {
		level         Level
		value, lo, hi int64
	}{
		{P50, 2, 6, 6}, {P90, 10, 2, 36}, {P95, 20, 2, 72}, {P99, 100, 1, 368},
		{P999, 1000, 1, 3688}, {P5, 20, 72, 2}, {P1, 100, 368, 1},
	} {
		lo, hi := IntervalNeeds(c.level)
		if value := c.level.valueNeeds(); value != c.value || lo != c.lo || hi != c.hi {
			t.Errorf("%v: value %d, ends %d and %d; want %d, %d, %d", c.level, value, lo, hi, c.value, c.lo, c.hi)
		}
	}
}

func FuzzParseLevel(f *testing.F) {
	for _, name := range []string{"p50", "p99.9", "p0.001", "p", "p1_0", "p5.0"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		l, err := ParseLevel(name)
		if err != nil {
			return
		}
		if back, err := ParseLevel(l.String()); back != l || err != nil || l <= 0 || l >= whole {
			t.Errorf("%q is %v, which reads as %v, %v", name, l, back, err)
		}
	})
}
