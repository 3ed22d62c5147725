// Package report turns results into what people and programs read: tables,
// Markdown, JSON, CSV and HTML. It formats numbers and units and holds no
// finding of its own. Text that came from an input never reaches an output
// unescaped.
package report
