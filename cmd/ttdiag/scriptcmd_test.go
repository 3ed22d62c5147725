package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptCommands are what scripts can do beside what testscript can.
var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"status": status, "classes": classes, "for-each-output": forEachOutput,
	"no-text-under": noTextUnder, "modes": modes, "many": many,
}

// classes compares request_id and class of diagnoses with a file of both:
// classes out.jsonl want.
func classes(ts *testscript.TestScript, _ bool, args []string) {
	var got strings.Builder
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var d struct {
			ID    string `json:"request_id"`
			Class string `json:"class"`
		}
		ts.Check(json.Unmarshal([]byte(line), &d))
		fmt.Fprintf(&got, "%s %s\n", d.ID, d.Class)
	}
	if want := ts.ReadFile(args[1]); got.String() != want {
		ts.Fatalf("classes are\n%s\nwant\n%s", &got, want)
	}
}

// forEachOutput runs analyze in every output and fails where one holds the text:
// for-each-output log text.
func forEachOutput(ts *testscript.TestScript, _ bool, args []string) {
	for _, more := range []string{"--output=table", "--output=json", "--output=jsonl", "--output=csv", "--output=markdown", "--why"} {
		ts.Check(ts.Exec("ttdiag", "analyze", "--no-store", more, args[0]))
		if strings.Contains(ts.ReadFile("stdout")+ts.ReadFile("stderr"), args[1]) {
			ts.Fatalf("%s shows %s", more, args[1])
		}
	}
}

// noTextUnder fails where a file of a folder holds the text, and where there is
// no file: no-text-under dir text.
func noTextUnder(ts *testscript.TestScript, _ bool, args []string) {
	files := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(args[1])) {
			ts.Fatalf("%s holds %s", path, args[1])
		}
		return err
	}))
	if files == 0 {
		ts.Fatalf("no file under %s", args[0])
	}
}

// modes fails where anyone but the owner can do anything with a folder and what
// is in it: modes dir.
func modes(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			ts.Fatalf("%s has mode %v", path, info.Mode().Perm())
		}
		return err
	}))
}

// many writes a log of n records: many n file.
func many(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), manyRecords(n), 0o600))
}

func manyRecords(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"request_id":"r-%d","stream":true,"status":200,"upstream_headers_ms":%d,"total_handler_ms":%d}`+"\n", i, 100+i%97, 900+i%1013)
	}
	return b.Bytes()
}
