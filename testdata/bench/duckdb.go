package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	_ "github.com/duckdb/duckdb-go/v2"
)

// columns are those of the made-up logs, as somebody would write them out for
// DuckDB: that is twice as fast as having them found out.
const columns = `{timestamp: 'TIMESTAMP', request_id: 'VARCHAR', attempt: 'INTEGER', model: 'VARCHAR', "group": 'VARCHAR',
 channel: 'VARCHAR', route: 'VARCHAR', region: 'VARCHAR', provider: 'VARCHAR', stream: 'BOOLEAN', status: 'INTEGER',
 workload: 'VARCHAR', auth_ms: 'DOUBLE', distribution_ms: 'DOUBLE', body_read_ms: 'DOUBLE', upstream_start_ms: 'DOUBLE',
 upstream_headers_ms: 'DOUBLE', first_sse_event_ms: 'DOUBLE', first_response_ms: 'DOUBLE', first_text_delta_ms: 'DOUBLE',
 upstream_done_ms: 'DOUBLE', total_handler_ms: 'DOUBLE', visible_output_tps: 'DOUBLE', input_tokens: 'BIGINT',
 output_tokens: 'BIGINT', inflight: 'BIGINT'}`

func table(file string) string {
	return "read_json(" + quoted(file) + ", format='newline_delimited', columns=" + columns + ")"
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// byHand is the CASE that somebody would write who knows that this log has every
// mark: right for the made-up logs, and cheaper than the whole table.
const byHand = `SELECT *, CASE
  WHEN upstream_headers_ms > 2000 THEN 'upstream_headers_slow'
  WHEN round(first_sse_event_ms - upstream_start_ms, 3) > 3000 THEN 'first_event_slow'
  WHEN round(first_response_ms - first_sse_event_ms, 3) > 2000 THEN 'event_to_response_slow'
  WHEN round(first_response_ms - upstream_start_ms, 3) > 3000 THEN 'first_response_slow'
  WHEN round(first_text_delta_ms - first_response_ms, 3) > 2000 THEN 'response_to_text_slow'
  WHEN visible_output_tps < 15 AND output_tokens >= 16 AND round(upstream_done_ms - first_text_delta_ms, 3) >= 1000 THEN 'generation_slow'
  ELSE 'no_slow_stage' END AS class FROM `

// query returns one statement that reads the file once: classes with counts,
// and p50, p95 and p99 of each mark by nearest rank.
func query(classified string) string {
	var b strings.Builder
	b.WriteString("SELECT CAST(histogram(class) AS VARCHAR)")
	for _, m := range marks {
		fmt.Fprintf(&b, ", CAST(quantile_disc(%s, [0.5, 0.95, 0.99]) AS VARCHAR)", m)
	}
	b.WriteString(" FROM (" + strings.TrimSuffix(strings.TrimSpace(classified), ";") + "\n)")
	return b.String()
}

// duckDB runs in a process of its own: it prints an answer as JSON.
func duckDB(classified string, threads int) error {
	db, err := open(threads)
	if err != nil {
		return err
	}
	defer db.Close()
	texts := make([]string, 1+len(marks))
	into := make([]any, len(texts))
	for i := range texts {
		into[i] = &texts[i]
	}
	if err := db.QueryRow(query(classified)).Scan(into...); err != nil {
		return err
	}
	a := answer{Classes: map[string]int64{}, Percentiles: map[string][]float64{}}
	for _, one := range strings.Split(strings.Trim(texts[0], "{}"), ", ") {
		name, count, _ := strings.Cut(one, "=")
		if a.Classes[name], err = strconv.ParseInt(count, 10, 64); err != nil {
			return err
		}
	}
	for i, name := range marks {
		var list []float64
		if err := json.Unmarshal([]byte(texts[1+i]), &list); err != nil {
			return err
		}
		a.Percentiles[name] = list
	}
	return json.NewEncoder(os.Stdout).Encode(a)
}

func open(threads int) (*sql.DB, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(fmt.Sprintf("SET threads = %d", threads))
	return db, err
}

// pointQuery looks one request up in Parquet files of the same columns.
func pointQuery(files, id string, threads int) error {
	db, err := open(threads)
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.Query("SELECT * FROM read_parquet("+quoted(files)+", union_by_name = true) WHERE request_id = ?", id)
	if err != nil {
		return err
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	fmt.Println(n)
	return rows.Err()
}
