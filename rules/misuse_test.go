package rules

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// exports finds the compiled form of the packages that the snippets import.
func exports(t *testing.T) func(path string) (io.ReadCloser, error) {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "ttdiag/rules", "ttdiag/ingest/timeline").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return func(path string) (io.ReadCloser, error) {
		data, err := os.ReadFile(files[path])
		return io.NopCloser(bytes.NewReader(data)), err
	}
}

// TestMisuseDoesNotCompile type-checks snippets against the real packages. Those
// that mix origins, or lengths with moments, must be refused; those beside them,
// which differ in nothing else, must not.
func TestMisuseDoesNotCompile(t *testing.T) {
	cases := []struct {
		name, code string
		ok         bool
	}{
		{"gap of one origin", "rules.Gap(rules.At(timeline.FirstSSEEvent), rules.At(timeline.FirstResponse))", true},
		{"gap of two origins", "rules.Gap(rules.At(timeline.UpstreamHeaders), rules.At(timeline.FirstResponse))", false},
		{"gap after moving", "rules.Gap(rules.At(timeline.UpstreamHeaders), rules.SinceUpstream(rules.At(timeline.FirstResponse)))", true},
		{"moving what counts from t1", "rules.SinceUpstream(rules.At(timeline.UpstreamHeaders))", false},
		{"first of one origin", "rules.First(rules.At(timeline.UpstreamDone), rules.At(timeline.TotalHandler))", true},
		{"first of two origins", "rules.First(rules.At(timeline.UpstreamDone), rules.At(timeline.UpstreamHeaders))", false},
		{"a phase is no moment", "rules.At(timeline.Auth)", false},
		{"a moment is no phase", "rules.LengthOf(timeline.FirstResponse)", false},
		{"a phase is a length", "rules.LengthOf(timeline.Auth)", true},
		{"a gap to a length", "rules.Gap(rules.At(timeline.FirstSSEEvent), rules.LengthOf(timeline.Auth))", false},
		{"converting a moment", "rules.Instant[timeline.Receipt](rules.At(timeline.UpstreamHeaders))", false},
		{"converting a moment to its own type", "rules.Instant[timeline.Receipt](rules.At(timeline.FirstResponse))", true},
		{"an origin of one's own", "rules.Instant[int]{}", false},
		{"comparing a moment as a length", "rules.At(timeline.FirstResponse).Beyond(nil)", false},
		{"comparing a length", "rules.At(timeline.FirstResponse).Elapsed().Beyond(nil)", true},
		{"subtracting times of one origin", "timeline.At[timeline.Receipt](2).Sub(timeline.At[timeline.Receipt](1))", true},
		{"subtracting times of two origins", "timeline.At[timeline.Receipt](2).Sub(timeline.At[timeline.UpstreamStart](1))", false},
		{"converting a time", "timeline.Time[timeline.Receipt](timeline.At[timeline.UpstreamStart](1))", false},
		{"converting a time to its own type", "timeline.Time[timeline.UpstreamStart](timeline.At[timeline.UpstreamStart](1))", true},
		{"a time is no length", "timeline.Length(timeline.At[timeline.Receipt](1))", false},
		{"adding a time to a length", "timeline.LengthOf(1).Add(timeline.At[timeline.Receipt](1))", false},
		{"adding lengths", "timeline.LengthOf(1).Add(timeline.LengthOf(1))", true},
		{"a time is no number", "timeline.At[timeline.Receipt](1) + 1", false},
		{"times do not subtract by sign", "timeline.At[timeline.Receipt](2) - timeline.At[timeline.Receipt](1)", false},
		{"the bridge the wrong way", "timeline.FromReceipt(timeline.At[timeline.Receipt](1), timeline.At[timeline.Receipt](1))", false},
		{"the bridge", "timeline.FromReceipt(timeline.At[timeline.UpstreamStart](1), timeline.At[timeline.Receipt](1))", true},
		{"a time from its fields", "timeline.Time[timeline.Receipt]{us: 1}", false},
		{"a mark of another origin", "timeline.Moment[timeline.Receipt](nil, timeline.UpstreamHeaders, 0)", false},
		{"a mark of its origin", "timeline.Moment[timeline.Receipt](nil, timeline.FirstResponse, 0)", true},
	}
	fset := token.NewFileSet()
	packages := importer.ForCompiler(fset, "gc", exports(t))
	for _, c := range cases {
		src := "package p\nimport (\"ttdiag/ingest/timeline\"; \"ttdiag/rules\")\nvar _ timeline.Column\nvar _ rules.Class\nvar _ = " + c.code + "\n"
		file, err := parser.ParseFile(fset, c.name, src, 0)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		config := types.Config{Importer: packages}
		_, err = config.Check("p", fset, []*ast.File{file}, nil)
		if (err == nil) != c.ok {
			t.Errorf("%s: %s: compiles is %v: %v", c.name, c.code, err == nil, err)
		}
	}
}
