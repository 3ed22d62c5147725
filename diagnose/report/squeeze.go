package report

import (
	"slices"
	"strings"
)

const (
	wideGap   = 2  // blanks between columns
	narrowGap = 1  // the same where a table is too wide for its line
	leastWide = 12 // characters that a squeezed column keeps
	prose     = 24 // characters from which on a column with blanks is folded first
)

// squeeze makes a table fit into room characters, and returns the blanks to put
// between its columns: first the gap goes down to one blank, then the widest
// columns of text lose what is left: prose first, the first column last, since it
// says whose row it is. A cell with blanks is folded onto further rows, one
// without is cut. A table of numbers alone may stay too wide.
func squeeze(cols []column, rows [][]string, room int) (out [][]string, gap int) {
	wide := widths(cols, rows)
	if tableWidth(wide, wideGap) <= room {
		return rows, wideGap
	}
	words := make([]bool, len(cols))
	for i := range cols {
		words[i] = wide[i] > prose && hasBlank(rows, i)
	}
	for tableWidth(wide, narrowGap) > room {
		at := widestText(cols, wide, func(i int) bool { return words[i] })
		if at < 0 {
			at = widestText(cols, wide, func(i int) bool { return i > 0 })
		}
		if at < 0 {
			at = widestText(cols, wide, func(int) bool { return true })
		}
		if at < 0 {
			break
		}
		wide[at]--
	}
	for _, row := range rows {
		out = append(out, foldRow(row, cols, wide)...)
	}
	return out, narrowGap
}

// foldRow lays the cells of a row out in columns that wide, on as many rows as
// the longest cell takes.
func foldRow(row []string, cols []column, wide []int) [][]string {
	out := [][]string{make([]string, len(row))}
	for i, cell := range row {
		parts := []string{cell}
		if !cols[i].right && len([]rune(cell)) > wide[i] {
			parts = fold(cell, wide[i])
		}
		for n, part := range parts {
			if n == len(out) {
				out = append(out, make([]string, len(row)))
			}
			if len([]rune(part)) > wide[i] {
				part = cut(part, wide[i])
			}
			out[n][i] = part
		}
	}
	return out
}

func widths(cols []column, rows [][]string) []int {
	wide := make([]int, len(cols))
	for i, c := range cols {
		wide[i] = len([]rune(c.name))
		for _, row := range rows {
			wide[i] = max(wide[i], len([]rune(row[i])))
		}
	}
	return wide
}

func tableWidth(wide []int, gap int) int {
	n := gap * (len(wide) - 1)
	for _, w := range wide {
		n += w
	}
	return n
}

// widestText returns the widest column of text that is asked for and can lose a
// character, -1 if there is none.
func widestText(cols []column, wide []int, asked func(i int) bool) int {
	at := -1
	for i, c := range cols {
		if c.right || wide[i] <= max(leastWide, len([]rune(c.name))) || !asked(i) {
			continue
		}
		if at < 0 || wide[i] > wide[at] {
			at = i
		}
	}
	return at
}

func hasBlank(rows [][]string, at int) bool {
	return slices.ContainsFunc(rows, func(row []string) bool { return strings.Contains(row[at], " ") })
}
