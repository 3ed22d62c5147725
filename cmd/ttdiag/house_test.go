package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// pkg is what `go list -json` says of one package.
type pkg struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "ttdiag/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// Imports flow one way; each prefix of packages may import of this module just
// what stands beside it.
var flows = []struct {
	from string
	may  []string
}{
	{"ttdiag/cmd/", []string{"ttdiag/ingest", "ttdiag/diagnose", "ttdiag/rules"}},
	{"ttdiag/diagnose/report", []string{"ttdiag/diagnose", "ttdiag/rules", "ttdiag/ingest/timeline"}},
	{"ttdiag/diagnose/stats", nil},
	{"ttdiag/diagnose", []string{"ttdiag/diagnose/stats", "ttdiag/rules", "ttdiag/ingest/timeline"}},
	{"ttdiag/rules", []string{"ttdiag/ingest/timeline"}},
	{"ttdiag/ingest/timeline", nil},
	{"ttdiag/ingest/source", []string{"ttdiag/ingest/timeline"}},
	{"ttdiag/ingest", []string{"ttdiag/ingest"}},
}

func TestImportsFlowOneWay(t *testing.T) {
	for _, p := range packages(t) {
		for _, flow := range flows {
			if p.ImportPath != flow.from && !strings.HasPrefix(p.ImportPath, strings.TrimSuffix(flow.from, "/")+"/") {
				continue
			}
			for _, imported := range p.Imports {
				if strings.HasPrefix(imported, "ttdiag/") && !allowed(imported, flow.may) {
					t.Errorf("%s imports %s", p.ImportPath, imported)
				}
			}
			break
		}
	}
}

func allowed(path string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool {
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	})
}

// Each library has its place.
func TestLibrariesStayInTheirPlace(t *testing.T) {
	places := map[string][]string{
		"github.com/alecthomas/kong":            {"ttdiag/cmd/ttdiag"},
		"github.com/olekukonko/tablewriter":     {"ttdiag/diagnose/report"},
		"github.com/apache/arrow/go/v17":        {"ttdiag/ingest/timeline", "ttdiag/ingest/store"},
		"github.com/apache/arrow-go/v18":        {}, // tests only: it costs every start
		"github.com/klauspost/compress":         {"ttdiag/ingest", "ttdiag/ingest/parquet"},
		"github.com/pierrec/lz4/v4":             {"ttdiag/ingest", "ttdiag/ingest/parquet"},
		"github.com/santhosh-tekuri/jsonschema": {},
	}
	for _, p := range packages(t) {
		for _, imported := range p.Imports {
			for library, in := range places {
				if allowed(imported, []string{library}) && !slices.Contains(in, p.ImportPath) {
					t.Errorf("%s imports %s", p.ImportPath, imported)
				}
			}
		}
	}
}

// The program holds no code that opens a connection or starts another program,
// its libraries' included.
func TestOffline(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "ttdiag/cmd/ttdiag").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 100 {
		t.Fatalf("only %d packages", len(deps))
	}
	for _, forbidden := range []string{"net", "net/http", "crypto/tls", "os/exec", "plugin"} {
		if slices.Contains(deps, forbidden) {
			t.Errorf("the program holds package %s", forbidden)
		}
	}
}
