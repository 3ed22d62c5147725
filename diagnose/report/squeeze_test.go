package report

import (
	"strings"
	"testing"
)

func TestPlainFitsIntoItsRoom(t *testing.T) {
	cols := []column{left("metric"), right("n"), right("max"), left("what it is")}
	for _, tt := range []struct {
		name string
		rows [][]string
		room int
		want string
	}{
		{"with room", [][]string{{"relay_tail_ms", "1,583", "50 ms", "the tail"}}, 44,
			"metric             n    max  what it is\nrelay_tail_ms  1,583  50 ms  the tail\n"},
		{"gap given up", [][]string{{"relay_tail_ms", "1,583", "50 ms", "the tail"}}, 37,
			"metric            n   max what it is\nrelay_tail_ms 1,583 50 ms the tail\n"},
		{"words folded", [][]string{{"relay_tail_ms", "1,583", "50 ms", "from the end of the body to the end"}}, 50,
			"metric            n   max what it is\n" +
				"relay_tail_ms 1,583 50 ms from the end of the body\n" +
				"                          to the end\n"},
		{"name cut", [][]string{{"visible_generation_window_ms", "1", "≥ 20.00 s", ""}}, 46,
			"metric                  n       max what it is\nvisible_generation_win… 1 ≥ 20.00 s\n"},
		{"names outlive words", [][]string{{"litellm_standard_logging_payload", "1", "9 s", "one payload of a callback"}}, 62,
			"metric                           n max what it is\n" +
				"litellm_standard_logging_payload 1 9 s one payload of a\n" +
				"                                       callback\n"},
		{"too little room for the numbers", [][]string{{"a", "1,000,000", "≥ 20.00 s", ""}}, 20,
			"metric         n       max what it is\na      1,000,000 ≥ 20.00 s\n"},
	} {
		got, err := plain(cols, tt.rows, tt.room, false)
		if err != nil || got != tt.want {
			t.Errorf("%s: got\n%s%v\nwant\n%s", tt.name, got, err, tt.want)
		}
		for line := range strings.Lines(got) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > max(tt.room, 38) {
				t.Errorf("%s: a line of %d characters in %d", tt.name, n, tt.room)
			}
		}
	}
}
