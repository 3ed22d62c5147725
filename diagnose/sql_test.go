package diagnose

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"ttdiag/ingest/timeline"
	"ttdiag/rules"
)

// sqlTable writes batches as a table t of the documented columns.
func sqlTable(batches []*timeline.Batch) string {
	var names []string
	for c := range timeline.Column(timeline.NumColumns) {
		names = append(names, `"`+c.String()+`"`)
	}
	var b strings.Builder
	b.WriteString("CREATE TABLE t (n INTEGER, " + strings.Join(names, ", ") + ");\nBEGIN;\n")
	n := 0
	for _, batch := range batches {
		for i := range batch.Len() {
			fmt.Fprintf(&b, "INSERT INTO t VALUES (%d", n)
			for c := range timeline.Column(timeline.NumColumns) {
				b.WriteString(", " + sqlValue(batch, c, i))
			}
			b.WriteString(");\n")
			n++
		}
	}
	b.WriteString("COMMIT;\n")
	return b.String()
}

func sqlValue(b *timeline.Batch, c timeline.Column, i int) string {
	if !b.Has(c, i) {
		return "NULL"
	}
	if c.IsText() {
		return "'" + strings.ReplaceAll(b.Text(c, i), "'", "''") + "'"
	}
	v, _ := b.Num(c, i)
	return rules.FormatValue(v, unitOf(c))
}

// TestSQLAgrees runs the printed statement in SQLite where that is installed.
func TestSQLAgrees(t *testing.T) {
	sqlite, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("sqlite3 is not installed")
	}
	for k, th := range thresholdSets(t) {
		batches := append(randomBatches(rand.New(rand.NewPCG(11, uint64(k))), 600), workedBatch())
		query, err := rules.SQL("sqlite", "t", timeline.Mask(1)<<timeline.NumColumns-1, th)
		if err != nil {
			t.Fatal(err)
		}
		query = "SELECT n, outcome, class FROM (" + strings.TrimSuffix(strings.TrimSpace(strings.Replace(query, "\nSELECT ", "\nSELECT n, ", 1)), ";") + "\n) ORDER BY n;\n"
		cmd := exec.Command(sqlite, "-batch", "-noheader", "-separator", " ", ":memory:")
		cmd.Stdin = strings.NewReader(sqlTable(batches) + query)
		var out, complaint bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &complaint
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, complaint.String())
		}
		compareSQL(t, th, batches, strings.Split(strings.TrimSpace(out.String()), "\n"))
	}
}

func workedBatch() *timeline.Batch {
	var list []exampleRow
	for _, c := range worked {
		list = append(list, c.in)
	}
	return exampleBatch(list...)
}

func compareSQL(t *testing.T, th rules.Thresholds, batches []*timeline.Batch, lines []string) {
	t.Helper()
	n := 0
	for _, b := range batches {
		v := New(th).Classify(b)
		for i := range b.Len() {
			want := fmt.Sprintf("%d %s %s", n, v.Outcome[i], v.Class[i])
			if n >= len(lines) || lines[n] != want {
				t.Fatalf("row %d: SQL says %q, want %q\nrecord %+v", n, lines[min(n, len(lines)-1)], want, *readPlain(b, i, th))
			}
			n++
		}
	}
	if n != len(lines) {
		t.Errorf("SQL gave %d rows, want %d", len(lines), n)
	}
}
