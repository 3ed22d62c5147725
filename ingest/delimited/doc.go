// Package delimited reads ttdiag's own columns as CSV or TSV with a header. The
// names are those of timeline, and the obvious spellings of them; cells under
// any other name are passed over as they stream by, whatever their size.
//
// Other layouts of CSV are read by their own tables, with document.EachRow.
package delimited
