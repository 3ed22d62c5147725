package report

import "testing"

func TestPlain(t *testing.T) {
	got, err := plain([]column{left("class"), right("n")}, [][]string{{"upstream_headers_slow", "1"}, {"x", "1,234"}}, 80, false)
	want := "class                      n\nupstream_headers_slow      1\nx                      1,234\n"
	if err != nil || got != want {
		t.Errorf("got\n%q, %v\nwant\n%q", got, err, want)
	}
}

func TestMarkdownKeepsCellsInside(t *testing.T) {
	got, err := markdownTable([]column{left("class"), right("n")}, [][]string{{"a|b\n`c`", "1"}})
	want := "| class      | n |\n|:-----------|--:|\n| a\\|b \\`c\\` | 1 |\n"
	if err != nil || got != want {
		t.Errorf("got\n%q, %v\nwant\n%q", got, err, want)
	}
}
