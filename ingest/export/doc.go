// Package export writes batches of records as files that other programs read:
// Parquet, Arrow IPC, JSON Lines and CSV. All have the same columns under the same
// names, and ttdiag reads all of them back as the records they were.
//
// Durations are milliseconds, with all the microseconds behind the point; rates
// are tokens per second; a timestamp is one of UTC; flags are truth values and
// counts whole numbers. An absent value is null, no key, or an empty cell. The
// columns format, approx, recordable and notes say what was known of the record
// beside its values, and source_file, source_line and source_byte where it stood.
package export
