package report

import (
	"embed"
	"slices"
	"strings"
)

// The JSON Schemas (2020-12), one file for each kind of document.
//
//go:embed schema/*.json
var schemas embed.FS

// Schemas returns the names of all documents that have a schema, sorted.
func Schemas() []string {
	entries, err := schemas.ReadDir("schema")
	if err != nil {
		panic(err) // it is embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	slices.Sort(names)
	return names
}

// Schema returns the JSON Schema of the named document, and false where there is
// none. The name may be as documents have it: ttdiag.diagnosis/1.
func Schema(name string) (string, bool) {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "ttdiag."), "/1")
	if !slices.Contains(Schemas(), name) {
		return "", false
	}
	text, err := schemas.ReadFile("schema/" + name + ".json")
	return string(text), err == nil
}
