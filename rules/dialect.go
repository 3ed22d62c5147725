package rules

import (
	"errors"
	"strconv"
	"strings"

	"ttdiag/ingest/timeline"
)

// ErrDialect says that no SQL dialect has that name.
var ErrDialect = errors.New("unknown SQL dialect")

// dialect is what differs between databases.
type dialect struct {
	integer string // type of 64 bits
	text    string
	round   func(x string) string // to the nearest whole number, as integer
	flag    func(x string) string // of a truth value or a number, as 1 or 0
	glob    func(x, pattern string) string
	width   func(column string) string // plus_minus_ms of a column in the text approx, as integer or NULL
	as      string                     // before a common table expression: keeps names from being expanded where they are used
	byName  bool                       // UNION ALL BY NAME fills in columns that the table lacks
}

// Dialects returns the names of the dialects, the first being the default.
func Dialects() []string { return []string{"duckdb", "postgres", "clickhouse", "sqlite"} }

func dialectNamed(name string) (dialect, error) {
	cast := func(typ string) func(string) string {
		return func(x string) string { return "CAST(" + x + " AS " + typ + ")" }
	}
	rounded := func(typ string) func(string) string {
		return func(x string) string { return "CAST(round(" + x + ") AS " + typ + ")" }
	}
	switch name {
	case "duckdb":
		return dialect{"BIGINT", "VARCHAR", rounded("BIGINT"), cast("BIGINT"), like(" ESCAPE '\\'"), func(c string) string {
			return "TRY_CAST(regexp_extract(CAST(approx AS VARCHAR), " + quote(widthPattern(c)) + ", 1) AS BIGINT)"
		}, "AS", true}, nil
	case "postgres":
		return dialect{"BIGINT", "TEXT", rounded("BIGINT"), cast("INTEGER"), like(" ESCAPE '\\'"), func(c string) string {
			return "CAST(substring(CAST(approx AS TEXT) FROM " + quote(widthPattern(c)) + ") AS BIGINT)"
		}, "AS MATERIALIZED", false}, nil
	case "clickhouse":
		return dialect{"Nullable(Int64)", "Nullable(String)", rounded("Nullable(Int64)"), cast("Nullable(Int64)"), like(""), func(c string) string {
			return "toInt64OrNull(extract(approx, " + quote(strings.ReplaceAll(widthPattern(c), `\`, `\\`)) + "))"
		}, "AS", false}, nil
	case "sqlite":
		return dialect{"INTEGER", "TEXT", rounded("INTEGER"), cast("INTEGER"), func(x, pattern string) string {
			return x + " GLOB " + quote(strings.ReplaceAll(pattern, "[", "[[]"))
		}, func(c string) string {
			return "(SELECT json_extract(value, '$.plus_minus_ms') FROM json_each(approx) WHERE json_extract(value, '$.column') = " + quote(c) + ")"
		}, "AS MATERIALIZED", false}, nil
	}
	return dialect{}, ErrDialect
}

// widthPattern finds plus_minus_ms in the item of a column.
func widthPattern(column string) string {
	return `"column":"` + column + `"[^}]*"plus_minus_ms":([0-9]+)`
}

// like turns a glob into LIKE.
func like(escape string) func(x, pattern string) string {
	r := strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`, "*", "%", "?", "_")
	return func(x, pattern string) string {
		text := r.Replace(pattern)
		if escape == "" { // ClickHouse reads backslashes in literals itself
			text = strings.ReplaceAll(text, `\`, `\\`)
		}
		return x + " LIKE " + quote(text) + escape
	}
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// sqlColumn is the name that a column has behind the first step of a statement:
// whole numbers, with the unit in the name.
func sqlColumn(c timeline.Column) string {
	switch {
	case c.IsDuration():
		return strings.TrimSuffix(c.String(), "_ms") + "_us"
	case c == timeline.ColVisibleOutputTPS:
		return "visible_output_tps_millionths"
	case c == timeline.ColStream:
		return "stream_flag"
	case c.IsText():
		return c.String() + "_text"
	}
	return c.String() + "_count"
}

// read is the column as a whole number, or as text.
func (d *dialect) read(c timeline.Column) string {
	switch {
	case c.IsDuration():
		return d.round(c.String() + " * 1000")
	case c == timeline.ColVisibleOutputTPS:
		return d.round(c.String() + " * 1000000")
	case c == timeline.ColStream:
		return d.flag(c.String())
	case c.IsText():
		return "CAST(" + c.String() + " AS " + d.text + ")"
	}
	return "CAST(" + c.String() + " AS " + d.integer + ")"
}

// halfWidth is the half width of a rounded column, less 1 µs, 0 where exact.
func (d *dialect) halfWidth(c timeline.Column) string {
	width := d.width(c.String())
	most := strconv.FormatInt(timeline.MaxMicros/1000, 10)
	return "CASE WHEN " + width + " > " + most + " THEN " + most + "000 WHEN " + width + " > 0 THEN " + width + " * 1000 - 1 ELSE 0 END"
}
