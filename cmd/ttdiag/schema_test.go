package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ttdiag/diagnose/report"
	"ttdiag/ingest/timeline"
)

// shell runs ttdiag in process, as in a pipe.
type shell struct {
	t     *testing.T
	store string
}

func newShell(t *testing.T) shell { return shell{t, filepath.Join(t.TempDir(), "store")} }

// run returns what the command prints on standard output.
func (sh shell) run(stdin string, args ...string) string {
	sh.t.Helper()
	var out, messages bytes.Buffer
	env := func(key string) (string, bool) { return sh.store, key == "TTDIAG_STORE" }
	s := std{in: strings.NewReader(stdin), out: &out, err: &messages, env: env, now: time.Now, width: 80, inIsPipe: true}
	if status := run(context.Background(), args, s); status == exitUsage || out.Len() == 0 {
		sh.t.Fatalf("%q: status %d, %d bytes of output: %s", args, status, out.Len(), &messages)
	}
	return out.String()
}

// schemas compiles all schemas, each under the name that documents give it.
func schemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	out := map[string]*jsonschema.Schema{}
	for _, name := range report.Schemas() {
		text, _ := report.Schema(name)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(name, err)
		}
		if err := c.AddResource("file:///"+name+".json", doc); err != nil {
			t.Fatal(name, err)
		}
	}
	for _, name := range report.Schemas() {
		s, err := c.Compile("file:///" + name + ".json")
		if err != nil {
			t.Fatal(name, err)
		}
		out["ttdiag."+name+"/1"] = s
	}
	return out
}

// validate checks one document, or each of an array, against the schema that it
// names, and marks the schema as seen.
func validate(t *testing.T, all map[string]*jsonschema.Schema, seen map[string]bool, text string) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
	list, isList := doc.([]any)
	if !isList {
		list = []any{doc}
	}
	for _, one := range list {
		name, _ := one.(map[string]any)["schema"].(string)
		s, ok := all[name]
		if !ok {
			t.Fatalf("no schema %q, which is named by %.200s", name, text)
		}
		seen[name] = true
		if err := s.Validate(one); err != nil {
			t.Errorf("%v\nin %.600s", err, text)
		}
	}
}

// The logs whose outputs are validated: worked examples, failures, answers that
// were not streamed, attempts, approximate values, recordings.
var schemaLogs = []string{
	"logs/traces.jsonl", "logs/examples.jsonl", "logs/incident.jsonl", "logs/attempts.jsonl",
	"formats/nginx_text/log", "formats/litellm_spendlogs/input.log", "formats/otlp/spans.jsonl", "formats/envoy_json/input.log",
}

func TestOutputsFitTheirSchemas(t *testing.T) {
	all, seen, sh := schemas(t), map[string]bool{}, newShell(t)
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	lines := func(text string) {
		t.Helper()
		for line := range strings.Lines(text) {
			validate(t, all, seen, line)
		}
	}
	for _, name := range schemaLogs {
		log := testLog(t, testdata, name)
		lines(sh.run("", "analyze", log))
		validate(t, all, seen, sh.run("", "analyze", "--output", "json", "--why", "--by", "model,channel", log))
		lines(sh.run("", "analyze", "--summary", "--every", "5m", "--percentile-method", "linear", log))
	}
	incident, attempts := testLog(t, testdata, "logs/incident.jsonl"), testLog(t, testdata, "logs/attempts.jsonl")
	for _, id := range []string{"trace-b", "timeout-event", "total-only", "retried"} {
		validate(t, all, seen, sh.run("", "explain", id, "--output", "json"))
		lines(sh.run("", "explain", id))
	}
	validate(t, all, seen, sh.run("", "explain", "retried", "--in", attempts, "--output", "json"))
	lines(sh.run("", "compare", incident, "--by", "channel"))
	validate(t, all, seen, sh.run("", "compare", incident, "--by", "region", "--match", "model", "--output", "json"))
	validate(t, all, seen, sh.run("", "compare", "--a", incident, "--b", attempts, "--output", "json"))
	requirements := []string{"--require", "first_text_delta_ms p95 < 3s", "--require", "share upstream_headers_slow < 1%",
		"--require", "count failed < 5", "--require", "visible_output_tps p5 > 15", "--require", "auth_ms p50 < 1s", "--by", "channel"}
	validate(t, all, seen, sh.run("", append([]string{"check", incident, "--output", "json"}, requirements...)...))
	lines(sh.run("", append([]string{"check", incident, "--on-interval", "upper"}, requirements...)...))
	for _, args := range [][]string{
		{"rules"}, {"rules", "--set", "rule.headers_ms=1500"}, {"formats"}, {"formats", "otlp"}, {"define"}, {"define", "ttft"},
		{"store", "list"}, {"events", filepath.Join(testdata, "logs/stream.jsonl")},
	} {
		lines(sh.run("", args...))
		validate(t, all, seen, sh.run("", append(args, "--output", "json")...))
	}
	rejects := filepath.Join(t.TempDir(), "rejects.jsonl")
	sh.run("{\n{\"total_handler_ms\":1}\n", "analyze", "-", "--rejects", rejects)
	text, err := os.ReadFile(rejects)
	if err != nil {
		t.Fatal(err)
	}
	lines(string(text))
	for name := range all {
		if !seen[name] && name != "ttdiag.why/1" { // it stands inside of a summary
			t.Errorf("no document of %s was validated", name)
		}
	}
}

// testLog returns the path of a log in testdata: a file, or the one that begins
// with the name.
func testLog(t *testing.T, testdata, name string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(testdata, name) + "*")
	if err != nil || len(found) == 0 {
		t.Fatalf("no log %s", name)
	}
	return found[0]
}

// Every column that a diagnosis can show is in its schema, under its group.
func TestSchemaHasEveryColumn(t *testing.T) {
	text, _ := report.Schema("diagnosis")
	for c := range timeline.Column(timeline.NumColumns) {
		if c.Info().Group != timeline.GroupInternal && !strings.Contains(text, `"`+c.String()+`": {`) {
			t.Errorf("the schema of a diagnosis lacks %s", c)
		}
	}
}

// A document with a key too many, or one too few, does not fit.
func TestSchemasAreStrict(t *testing.T) {
	s := schemas(t)["ttdiag.store/1"]
	good := `{"schema":"ttdiag.store/1","name":"a","created":"2026-01-02T03:04:05Z","records":1,"bytes":2,"inputs":[]}`
	for _, c := range []struct {
		name, old, new string
		fits           bool
	}{
		{"as it is", "", "", true},
		{"a key too many", `"records":1`, `"records":1,"prompt":"x"`, false},
		{"a key too few", `"records":1,`, "", false},
		{"a negative count", `"records":1`, `"records":-1`, false},
		{"another major version", "store/1", "store/2", false},
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(good, c.old, c.new, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); (err == nil) != c.fits {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
