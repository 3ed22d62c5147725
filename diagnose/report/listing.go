package report

// Column is one column of a listing.
type Column = column

// Left returns a column of text.
func Left(name string) Column { return left(name) }

// Right returns a column of numbers.
func Right(name string) Column { return right(name) }

// Listing lays out a table for a terminal, or as Markdown. Cells may come from
// input: what is not printable is escaped.
func Listing(cols []Column, rows [][]string, style Style, markdown bool) (string, error) {
	safe := make([][]string, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			safe[i] = append(safe[i], plainText(cell, 0))
		}
	}
	if markdown {
		return markdownTable(cols, safe)
	}
	return plain(cols, safe, style.width(), style.ASCII)
}

// Size returns a number of bytes for people.
func Size(n int64) string { return bytesText(n) }

// Count returns a count for people.
func Count(n int64) string { return grouped(n) }
