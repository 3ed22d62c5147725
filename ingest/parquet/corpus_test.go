package parquet

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// readWhole reads every readable column of every row group and returns the
// rows, or the first error. It also checks what a batch promises.
func readWhole(data []byte, rows int) (n int64, err error) {
	return readWithin(data, rows, Limits{})
}

func readWithin(data []byte, rows int, limits Limits) (n int64, err error) {
	f, err := Open(bytes.NewReader(data), int64(len(data)), limits)
	if err != nil {
		return 0, err
	}
	var all []int
	for i := range f.Columns() {
		all = append(all, i)
	}
	r, err := f.NewReader(all...)
	if err != nil {
		return 0, err
	}
	for g, group := range f.RowGroups() {
		var got int64
		for b, err := range r.Group(context.Background(), g, rows) {
			if err != nil {
				return n + got, err
			}
			if err := checkBatch(r, b); err != nil {
				return n + got, err
			}
			got += int64(b.Rows)
		}
		n += got
		if got != group.Rows {
			return n, fmt.Errorf("SHORT: %d of %d rows without an error", got, group.Rows)
		}
	}
	return n, nil
}

// checkBatch touches every value and checks the shape of every vector.
func checkBatch(r *Reader, b *Batch) error {
	for i := range b.Columns {
		v, col := &b.Columns[i], r.columns[i].col
		slots := b.Rows
		for d, offsets := range v.Offsets {
			if len(offsets) != slots+1 || len(v.ListValid[d]) != slots || offsets[0] != 0 {
				return fmt.Errorf("BUG: offsets of %s", col.Name())
			}
			for j := range slots {
				if offsets[j] > offsets[j+1] || !v.ListValid[d][j] && offsets[j] != offsets[j+1] {
					return fmt.Errorf("BUG: offsets of %s fall", col.Name())
				}
			}
			slots = int(offsets[slots])
		}
		if v.Len() != slots || v.Valid != nil && len(v.Valid) != slots {
			return fmt.Errorf("BUG: %d slots in %s, not %d", v.Len(), col.Name(), slots)
		}
		switch col.Kind {
		case Ints:
			if len(v.Ints) != slots {
				return fmt.Errorf("BUG: %d numbers in %s, not %d", len(v.Ints), col.Name(), slots)
			}
		case Floats:
			if len(v.Floats) != slots {
				return fmt.Errorf("BUG: %d floats in %s, not %d", len(v.Floats), col.Name(), slots)
			}
		case Bytes:
			for j := range slots {
				_ = v.Bytes(j)
			}
		}
	}
	return nil
}

// corpusExpect is what a good reader says of a file in the corpus, in short:
// a number of rows, "error", or "either".
func corpusExpect(verdict string) (rows int64, mayFail, mayRead bool) {
	rows = -1
	rest, ok := strings.CutPrefix(verdict, "OK")
	if !ok {
		if _, err := fmt.Sscanf(verdict, "%d rows", &rows); err == nil {
			return rows, false, true
		}
		return -1, true, strings.Contains(verdict, "must stop it")
	}
	if i := strings.Index(rest, " rows"); i > 0 {
		j := strings.LastIndexAny(rest[:i], " ,") + 1
		fmt.Sscanf(rest[j:i], "%d", &rows)
	} else if strings.Contains(rest, " 1 row") {
		rows = 1
	}
	return rows, strings.Contains(verdict, " or a clean error") || strings.Contains(verdict, `or "unknown`) || strings.Contains(verdict, "(or:"), true
}

// TestCorpus reads a folder of good, odd, damaged and hostile files that is
// described by a MANIFEST.tsv: file, size, source, what a good reader says.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("TTDIAG_PARQUET_CORPUS")
	if dir == "" {
		t.Skip("TTDIAG_PARQUET_CORPUS is not set")
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "MANIFEST.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(manifest)), "\n")
	for _, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		t.Run(fields[0], func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(dir, fields[0]))
			if err != nil {
				t.Fatal(err)
			}
			want, mayFail, mayRead := corpusExpect(fields[3])
			for _, rows := range []int{0, 7} {
				got, err := readWhole(data, rows)
				t.Logf("%d rows, %v", got, err)
				switch {
				case err != nil && (strings.HasPrefix(err.Error(), "SHORT") || strings.HasPrefix(err.Error(), "BUG")):
					t.Errorf("%v", err)
				case err != nil && !mayFail:
					t.Errorf("error %v, want %d rows", err, want)
				case err == nil && !mayRead:
					t.Errorf("%d rows, want an error: %s", got, fields[3])
				case err == nil && want >= 0 && got != want:
					t.Errorf("%d rows, want %d", got, want)
				}
			}
		})
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.Sys > 512<<20 {
		t.Errorf("%d MiB of memory", m.Sys>>20)
	}
}
