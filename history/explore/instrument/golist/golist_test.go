package golist_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/explore/instrument/golist"
)

func Example() {
	list, err := golist.Load(ctx, "", nil, "container/list")
	if err != nil {
		fmt.Println(err)
		return
	}
	source, faults := list.Check(list.Named[0])
	fmt.Println(source.Types.Name(), len(source.Files), "file,", len(faults), "faults")
	// Output:
	// list 1 file, 0 faults
}

var ctx = context.Background()

// module writes a module of the files, given as name and text, and returns its
// directory.
func module(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A test's variant of a package has other declarations than the package.
func TestVariants(t *testing.T) {
	dir := module(t, "go.mod", "module m\n\ngo 1.22\n",
		"q/q.go", "package q\n\ntype T struct{}\n",
		"q/q_in_test.go", "package q\n\nvar Inside int\n",
		"r/r.go", "package r\n\nimport \"m/q\"\n\nvar R q.T\n",
		"q/q_test.go", "package q_test\n\nimport (\n\t\"m/q\"\n\t\"m/r\"\n)\n\nvar Outside = q.Inside\n\nvar same q.T = r.R\n")
	list, err := golist.Load(t.Context(), dir, []string{"-test"}, "./q")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"m/q": "T", "m/q [m/q.test]": "Inside T", "m/q_test [m/q.test]": "Outside same"}
	got := map[string]string{}
	for _, p := range list.Named {
		if p.Name == "main" {
			continue // the generated one
		}
		s, faults := list.Check(p)
		if len(faults) > 0 {
			t.Fatalf("%s: %v", p.ImportPath, faults)
		}
		got[p.ImportPath] = strings.Join(s.Types.Scope().Names(), " ")
	}
	for path, names := range want {
		if got[path] != names {
			t.Errorf("%s declares %q, want %q", path, got[path], names)
		}
	}
}

func TestFaults(t *testing.T) {
	dir := module(t, "go.mod", "module m\n\ngo 1.22\n", "q/q.go", "package q\n\nvar x int = \"\"\n", "r/r.go", "package r\n\nimport _ \"m/q\"\n", "s/s.go", "package s\n")
	list, err := golist.Load(t.Context(), dir, nil, "./...", "m/none")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range list.Named {
		_, faults := list.Check(p)
		for _, f := range faults {
			got = append(got, f.Error())
		}
	}
	if len(got) != 3 {
		t.Fatalf("%d faults, want 3: %q", len(got), got)
	}
	for _, want := range []string{"q/q.go:3:13: cannot use", "m/none"} {
		if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("none of %q contains %q", got, want)
		}
	}
}

// What a newer compiler has written is an error, not a panic.
func TestNewerExport(t *testing.T) {
	dir := module(t, "go.mod", "module m\n\ngo 1.22\n", "q/q.go", "package q\n\ntype T struct{}\n")
	list, err := golist.Load(ctx, dir, nil, "./q")
	if err != nil {
		t.Fatal(err)
	}
	q := list.Packages["m/q"]
	text, err := os.ReadFile(q.Export)
	if err != nil {
		t.Fatal(err)
	}
	const header = "\n$$B\nu" // the version follows
	before, after, found := bytes.Cut(text, []byte(header))
	if !found {
		t.Fatalf("%s has no header", q.Export)
	}
	after[0] = 99
	q.Export = filepath.Join(dir, "newer")
	if err := os.WriteFile(q.Export, slices.Concat(before, []byte(header), after), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := list.Import("m/q"); err == nil || !strings.Contains(err.Error(), "this program was built with go") {
		t.Errorf("the error is %v", err)
	}
}
