package ingest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ttdiag/ingest/mapping"
	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// TestMap reads records of no known format, plain and wrapped, and refuses a
// unit that cannot be right.
func TestMap(t *testing.T) {
	plain := `{"took":{"s":2.1}}` + "\n" + `{"took":{"s":1.4}}` + "\n" + `{"took":{"s":0.9}}` + "\n"
	var wrapped strings.Builder
	for line := range strings.Lines(plain) {
		wrapped.WriteString("2026-08-21T03:15:33.123456789Z stdout F " + line)
	}
	table := "id,took\r\na,2.1\r\nb,\"1.4\"\r\nc,0.9\r\n"
	array := "[" + strings.ReplaceAll(strings.TrimSpace(plain), "\n", ",") + "]\n"
	for _, tt := range []struct {
		name, log, mapping string
		absurd             bool
	}{
		{"plain", plain, "total_handler_ms=.took.s:s", false},
		{"plain, wrong unit", plain, "total_handler_ms=.took.s", true},
		{"container log", wrapped.String(), "total_handler_ms=.took.s:s", false},
		{"container log, wrong unit", wrapped.String(), "total_handler_ms=.took.s", true},
		{"JSON array", array, "total_handler_ms=.took.s:s", false},
		{"JSON array, wrong unit", array, "total_handler_ms=.took.s", true},
		{"table", table, "total_handler_ms=took:s", false},
		{"table, path with a dot", table, "total_handler_ms=.took:s", false},
		{"table, wrong unit", table, "total_handler_ms=took", true},
		{"table, another separator", "id;took\na;2.1\nb;1.4\nc;0.9", "total_handler_ms=took:s", false},
	} {
		m, err := mapping.ParseMapping(tt.mapping)
		if err != nil {
			t.Fatal(err)
		}
		totals, err := totalsOf(t, tt.log, source.Options{Map: []source.Mapping{m}})
		if absurd := new(mapping.AbsurdUnit); tt.absurd {
			if !errors.As(err, &absurd) {
				t.Errorf("%s: error %v", tt.name, err)
			}
			continue
		}
		if err != nil || len(totals) != 3 || totals[0] != 2100000 {
			t.Errorf("%s: %v, %v", tt.name, totals, err)
		}
	}
}

// totalsOf returns the totals of the records in log, in microseconds.
func totalsOf(t *testing.T, log string, opt source.Options) ([]int64, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Open(Request{Names: []string{name}, Options: opt})
	if err != nil {
		return nil, err
	}
	var all []int64
	for res, err := range Run(context.Background(), r, totals) {
		if err != nil {
			return all, err
		}
		all = append(all, res.Value...)
	}
	return all, nil
}

func totals(b *timeline.Batch) ([]int64, error) {
	var all []int64
	for i := range b.Len() {
		if v, ok := b.Num(timeline.ColTotalHandler, i); ok {
			all = append(all, v)
		}
	}
	return all, nil
}

// TestMapOverFormat adds columns to records of a known format, and reads others
// from where the user says.
func TestMapOverFormat(t *testing.T) {
	record := `{"ClientAddr":"CANARY","Duration":2500000000,"DownstreamStatus":200,"OriginStatus":200,"RequestMethod":"POST",` +
		`"RouterName":"router","ServiceName":"service","StartUTC":"2026-08-21T03:15:27Z","StartLocal":"2026-08-21T03:15:27Z","team":"blue","real":1.5}`
	for _, tt := range []struct{ name, maps, want string }{
		{"as it is", "", "group=router "},
		{"another group", "group=.team", "group=blue "},
		{"a column that is not there", "group=.nothing", "group=router "},
		{"one more column", "region=.team", "region=blue "},
		{"another total", "total_handler_ms=.real:s", "total_handler_ms=1500000,"},
	} {
		var opt source.Options
		if tt.maps != "" {
			m, err := mapping.ParseMapping(tt.maps)
			if err != nil {
				t.Fatal(err)
			}
			opt.Map = []source.Mapping{m}
		}
		for _, log := range []string{record, "2026-08-21T03:15:33.1Z stdout F " + record} {
			got := readAll(t, Request{Names: []string{write(t, "log", log+"\n")}, Options: opt})
			if len(got.records) != 1 || !strings.Contains(got.records[0], tt.want) || !strings.Contains(got.records[0], "format=traefik ") {
				t.Errorf("%s: %v, %v", tt.name, got.records, got.inputs[0].Err)
			}
		}
	}
}
