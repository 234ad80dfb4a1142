package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestHashSources: another program, and changed files of the module, give another hash.
func TestHashSources(t *testing.T) {
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	t.Chdir(dir)
	seen := map[string]string{}
	for _, change := range []struct{ file, text string }{
		{"leadline", "one"}, {"leadline", "two"}, {"go.mod", "module example.com/m\n"}, {"a.go", "package m\n"},
		{"a.go", "package m // changed\n"}, {"b/b.go", "package b\n"},
	} {
		name := filepath.Join(dir, change.file)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(change.text), 0o777); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			sum, err := hashSources(context.Background(), filepath.Join(dir, "leadline"))
			if err != nil {
				t.Fatal(err)
			}
			if at := change.file + change.text; seen[sum] != "" && seen[sum] != at {
				t.Errorf("%s and %s have one hash", seen[sum], at)
			} else {
				seen[sum] = at
			}
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d hashes of 6 states", len(seen))
	}
}
