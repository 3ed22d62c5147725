package main

import (
	"os"
	"strings"
	"testing"
)

// The made-up format of CONTRIBUTING.md is the one that a test of ingest/mapping
// reads records with.
func TestContributingShowsTheMadeUpFormat(t *testing.T) {
	code, err := os.ReadFile("../../ingest/mapping/table_test.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(code), "\nvar madeUp = Table{")
	table, _, ended := strings.Cut(table, "\n}\n")
	if !found || !ended || !strings.Contains(string(page), "\nvar madeUp = Table{"+table+"\n}\n") {
		t.Error("CONTRIBUTING.md shows another table than ingest/mapping/table_test.go")
	}
}
