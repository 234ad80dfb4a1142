package main

import (
	"os"
	"strings"
	"testing"

	"github.com/leadline/leadline/benchdata/subjects/internal/tables"
)

// The table of the README is that of the results. Every finding is explained, by a line
// of the library's source, and nothing else is.
func TestTable(t *testing.T) {
	types, err := readTypes("types.txt")
	if err != nil {
		t.Fatal(err)
	}
	results, err := readResults("results.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if len(results) < 40 {
		t.Errorf("%d results", len(results))
	}
	for _, s := range types {
		r := results[s.name]
		if r == nil {
			t.Errorf("%s does not have a result", s.name)
			continue
		}
		if r.Unsafe != strings.Contains(s.explanation, ".go:") {
			t.Errorf("%s: found %v, explained by %q", s.name, r.Unsafe, s.explanation)
		}
		if r.Unsafe && (r.Failing == nil || *r.Failing == 0) {
			t.Errorf("%s: the Go test does not fail", s.name)
		}
		delete(results, s.name)
	}
	for name := range results {
		t.Errorf("%s is not in types.txt", name)
	}
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if results, err = readResults("results.jsonl"); err != nil {
		t.Fatal(err)
	}
	if changed, err := tables.WithTables(string(text), command, tableOf(types, results)); err != nil || changed != string(text) {
		t.Errorf("the README has another table, %v: go run ./safety -table", err)
	}
}

func TestReadTypes(t *testing.T) {
	file := t.TempDir() + "/types.txt"
	for text, want := range map[string]string{
		"# a\n\na | b.New | safe |  | ":           "",
		"a | b.New | safe | --exclude A | x.go:1": "",
		"a | b.New": ":1: expected",
		"a | b.New | safe |  | \nb | c | no |  | ": ":2: expected",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := readTypes(file)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), file+want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
