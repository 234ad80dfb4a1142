package main

import (
	"os"
	"strings"
	"testing"

	"github.com/leadline/leadline/benchdata/subjects/internal/tables"
)

// The table of the README is that of the results. Every violation is explained, by a
// line of the library's source, and nothing else is.
func TestTable(t *testing.T) {
	t.Chdir("../..")
	objects, err := readObjects()
	if err != nil {
		t.Fatal(err)
	}
	results, err := readResults()
	if err != nil {
		t.Fatal(err)
	}
	explanations, err := readExplanations()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(readmeFile)
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := tables.WithTables(string(text), command, tableOf(objects, results, explanations)); err != nil || changed != string(text) {
		t.Errorf("the README has another table, %v: go run ./further/compare -table", err)
	}
	for _, o := range objects {
		r := results[o.name]
		if r == nil || r.Stress == nil || r.Module == "" {
			t.Errorf("%s does not have a result", o.name)
			continue
		}
		for _, method := range r.methods() {
			k := key{o.name, method}
			if method == "" {
				k.method = "-"
			}
			if !strings.Contains(explanations[k], ".go:") {
				t.Errorf("%v is explained by %q", k, explanations[k])
			}
			delete(explanations, k)
		}
	}
	for k := range explanations {
		t.Errorf("%v is explained, and was not found", k)
	}
}
