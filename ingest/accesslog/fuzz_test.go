package accesslog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// everything returns what a format makes of a log, as text.
func everything(f *source.Format, opt source.Options, log []byte) string {
	got := parseLog(f, opt, log)
	var b bytes.Buffer
	for i := range got.batch.Len() {
		for c := range timeline.Column(timeline.NumColumns) {
			if got.batch.Has(c, i) {
				fmt.Fprintf(&b, "%s=%s ", c, show(got.batch, i, c))
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%v %d %d", got.rejected, got.lines, got.joined)
	return b.String()
}

// FuzzParsers gives a log to every format: none may fail, all must say the same
// twice, and every line is accounted for.
func FuzzParsers(f *testing.F) {
	for _, name := range ownFormats {
		log, err := os.ReadFile(filepath.Join(corpus, name, "log"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(log)
	}
	f.Add([]byte("\x00\xff[GIN] | | |\n[INFO] a | b | record log: &{ ModelName:\n\"\" - [] \"\n\t\t\n{\"scope\":\"request\"}"))
	formats := Formats()
	f.Fuzz(func(t *testing.T, log []byte) {
		for _, format := range formats {
			first := everything(format, source.Options{}, log)
			if second := everything(format, source.Options{}, log); first != second {
				t.Errorf("%s: two readings differ:\n%s\n%s", format.Name, first, second)
			}
			got := parseLog(format, source.Options{Exact: true}, log)
			if sum := int64(got.batch.Len()+len(got.rejected)) + got.joined; sum > got.lines {
				t.Errorf("%s: %d records, %d rejected, %d joined of %d lines", format.Name, got.batch.Len(), len(got.rejected), got.joined, got.lines)
			}
			format.Detect(windowOf(log))
		}
	})
}

// FuzzCustom compiles a log format and reads a line by it.
func FuzzCustom(f *testing.F) {
	f.Add(nginxMore, `1.2.3.4 - - [21/Aug/2026:03:15:33 +0000] "P / H" 200 1 "-" "-" rid=r rt=6.4 uct="0" uht="-, 1 : 2" urt="1" ua="a:1, b:2 : c:3" us="200"`)
	f.Add(envoyDefault, `[2026-08-21T03:15:27.512Z] "P / H" 200 - 1 2 3 4 "x" "a" b" "id" "h" "1.1.1.1:1"`)
	f.Add(haproxyDefault, `1:2 [21/Aug/2026:03:15:27.512] a b/c 0/0/2/1203/+6421 200 9 - - ---- 1/1/1/1/+1 0/0 {a} {b} "P / H"`)
	f.Add(`LogFormat "%h %t \"%r\" %{ms}T %{%d/%b/%Y %T}t" x`, `1 [21/Aug/2026:03:15:27 +0000] "x" 12 21/Aug/2026 03:15:27`)
	f.Add(`%START_TIME(%s.%9f)% %DURATION%`, `1.5 2`)
	f.Fuzz(func(t *testing.T, format, line string) {
		custom, err := Custom(format)
		if err != nil {
			return
		}
		custom.Detect(windowOf([]byte(line)))
		if first, second := everything(custom, source.Options{}, []byte(line)), everything(custom, source.Options{}, []byte(line)); first != second {
			t.Errorf("two readings differ:\n%s\n%s", first, second)
		}
	})
}
