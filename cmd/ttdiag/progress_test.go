package main

import (
	"bytes"
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		read, total int64
		since       time.Duration
		want        string
	}{
		{0, 0, time.Second, "reading 0 B, 0 B/s"},
		{0, 2_000_000, time.Second, "reading 0 B of 2.0 MB (0%), 0 B/s"}, // when it ends nobody knows
		{1_500_000, 0, 3 * time.Second, "reading 1.5 MB, 500.0 kB/s"},
		{1_000_000, 4_000_001, time.Second, "reading 1.0 MB of 4.0 MB (24%), 1.0 MB/s, 4s left"},
		{5_000_000_000, 305_000_000_000, 10 * time.Second, "reading 5.0 GB of 305.0 GB (1%), 500.0 MB/s, 10m0s left"},
		{4_000_000, 4_000_000, time.Second, "reading 4.0 MB of 4.0 MB (100%), 4.0 MB/s"},
		{5_000_000, 4_000_000, time.Second, "reading 5.0 MB of 4.0 MB (100%), 5.0 MB/s"}, // it grew
	} {
		if got := progressLine(c.read, c.total, c.since); got != c.want {
			t.Errorf("%d of %d in %v: %q, want %q", c.read, c.total, c.since, got, c.want)
		}
	}
}

func TestProgressLineFits(t *testing.T) {
	for _, c := range []struct {
		columns int
		want    string
	}{{0, "reading"}, {1, ""}, {7, "readin"}, {8, "reading"}, {80, "reading"}} {
		if got := fitting("reading", c.columns); got != c.want {
			t.Errorf("%d columns: %q, want %q", c.columns, got, c.want)
		}
	}
}

func TestProgressLineCoversTheLast(t *testing.T) {
	var out bytes.Buffer
	if width := overwrite(&out, 6, "four"); width != 4 || out.String() != "\rfour  " {
		t.Errorf("%d %q", width, out.String())
	}
}
