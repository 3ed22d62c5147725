// Package mapping reads the records of gateways and other tools whose fields
// have names, by tables: where a column stands in the source, in which unit,
// from which zero to which point, which values mean absent, and when it counts.
//
// A format is one [Table]: adding one takes a table and its cases. The table is
// the only place that knows the format; how it is detected and what ttdiag says
// that it can tell are derived from it. Only the paths of the tables are ever
// looked at, so that nothing else of a record can reach an output.
//
// Tables are usually filled from lines of JSON. They know nothing of JSON,
// though: a [Filler] takes any [Values], a row of a Parquet file as well.
package mapping
