package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// column is one column of a table.
type column struct {
	name  string
	right bool
}

// left and right make columns aligned to that side.
func left(name string) column  { return column{name: name} }
func right(name string) column { return column{name: name, right: true} }

// plain lays a table out with spaces between columns, in room characters where
// squeeze can. Cells must hold printable text only.
func plain(cols []column, rows [][]string, room int, ascii bool) (string, error) {
	rows, gap := squeeze(cols, rows, room)
	line := tw.NewSymbols(tw.StyleLight)
	if ascii {
		line = tw.NewSymbols(tw.StyleASCII)
	}
	look := renderer.NewBlueprint(tw.Rendition{
		Borders: tw.BorderNone,
		Symbols: line,
		Settings: tw.Settings{
			Lines:      tw.Lines{ShowHeaderLine: tw.Off, ShowTop: tw.Off, ShowBottom: tw.Off, ShowFooterLine: tw.Off},
			Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
		},
	})
	return render(cols, rows, tablewriter.WithRenderer(look),
		tablewriter.WithPadding(tw.Padding{Left: "", Right: strings.Repeat(" ", gap), Overwrite: true}))
}

// markdownTable lays a table out as Markdown.
func markdownTable(cols []column, rows [][]string) (string, error) {
	escaped := make([][]string, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			escaped[i] = append(escaped[i], escapeMarkdown(cell))
		}
	}
	return render(cols, escaped, tablewriter.WithRenderer(renderer.NewMarkdown()))
}

// escapeMarkdown keeps input text from becoming markup.
func escapeMarkdown(s string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "`", "\\`", "<", "&lt;", ">", "&gt;",
		"*", "\\*", "[", "\\[", "]", "\\]", "\n", " ").Replace(s)
}

func render(cols []column, rows [][]string, opts ...tablewriter.Option) (string, error) {
	align := make(tw.Alignment, len(cols))
	header := make([]string, len(cols))
	for i, c := range cols {
		header[i] = c.name
		align[i] = tw.AlignLeft
		if c.right {
			align[i] = tw.AlignRight
		}
	}
	var out bytes.Buffer
	opts = append(opts, tablewriter.WithAlignment(align), tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithRowAutoWrap(tw.WrapNone), tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithTrimSpace(tw.Off))
	t := tablewriter.NewTable(&out, opts...)
	t.Header(header)
	if err := t.Bulk(rows); err != nil {
		return "", fmt.Errorf("fill table: %w", err)
	}
	if err := t.Render(); err != nil {
		return "", fmt.Errorf("render table: %w", err)
	}
	return trimLines(out.String()), nil
}

// trimLines takes off what the renderer leaves at the ends of lines.
func trimLines(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}
