// Package parquet reads and writes Parquet files: leaf columns in, typed
// vectors out. It knows no file names, no field names and no rules.
//
// Reading is done by this package's own decoder, not by a library. No library
// for Go met what is asked here: arrow-go v18.8.0 panics while opening files
// with a logical type it does not know, fails on empty version 2 page bodies
// and needs 2.6 times DuckDB's time for the same columns; parquet-go v0.32.0
// returns empty strings for some LZ4_RAW pages. Guarding either one takes a
// footer reader, a page header reader, bounded codecs and a level check; what
// is left for a decoder of one's own are the value encodings. Flat columns are
// written without a library too: arrow-go's writer would be half of the program
// and a sixth of every start, whatever it does. arrow-go is the second opinion
// in tests, on what is read and on what is written.
//
// What a caller can rely on:
//
//   - A row group yields exactly its rows in every column asked for, or an
//     [*Error] that names column and row group. Nothing is short in silence.
//   - Columns that are not asked for are not looked at: their codec, logical
//     type or encryption does not matter.
//   - A null is absent ([Vector.Present] is false), never 0 and never "".
//   - Sizes are checked before memory is taken: see [Limits].
//   - No input makes the package panic; errors hold no values of the file.
package parquet
