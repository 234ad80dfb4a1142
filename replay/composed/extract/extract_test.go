package extract

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// module writes the files of an archive to a directory.
func module(t *testing.T, file string) (dir string, a *txtar.Archive) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := txtar.Write(a, dir); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOWORK", "off")
	return dir, a
}

func find(t *testing.T, dir string, patterns ...string) *Result {
	t.Helper()
	r, err := Find(context.Background(), dir, patterns)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFind(t *testing.T) {
	dir, a := module(t, "testdata/find.txtar")
	r := find(t, dir, "./...")
	if len(r.Faults) > 0 || r.Packages != 1 {
		t.Errorf("%d packages, faults %v", r.Packages, r.Faults)
	}
	var b strings.Builder
	for _, f := range r.Functions {
		fmt.Fprintf(&b, "%s:%d %s: %s (%s):", f.Position.Filename, f.Position.Line, f.Name, f.Collection, f.Type)
		for _, o := range f.Operations {
			b.WriteString(" " + o.Method)
			if o.Via != "" {
				b.WriteString("(" + o.Via + ")")
			}
			if o.Loop {
				b.WriteString("*")
			}
		}
		b.WriteString("\n")
	}
	if want := string(a.Files[0].Data); b.String() != want {
		t.Errorf("found\n%s\nwant\n%s", &b, want)
	}
}

// TestFaults: errors in packages have a place, and the other packages are read.
func TestFaults(t *testing.T) {
	dir, _ := module(t, "testdata/faults.txtar")
	r := find(t, dir, "./...", "./missing")
	var texts []string
	for _, err := range r.Faults {
		texts = append(texts, err.Error())
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{
		"syntax/syntax.go:3:13: expected operand",
		"types/types.go:3:13: cannot use \"a\"",
		"imports/imports.go:3:8: cannot find module providing package example.com/none",
		"missing",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no fault %q in\n%s", want, all)
		}
	}
	if len(r.Functions) != 1 || r.Functions[0].Name != "Good" {
		t.Errorf("found %v", r.Functions)
	}
	if len(texts) != 4 {
		t.Errorf("%d faults; each should be there once:\n%s", len(texts), all)
	}
	for _, text := range texts {
		if strings.Contains(text, dir) && !strings.HasSuffix(text, "/missing: directory not found") || strings.Contains(text, "\n") {
			t.Errorf("fault %q", text)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Find(ctx, dir, []string{"./..."}); err == nil {
		t.Error("a cancelled Find returns a result")
	}
}

// TestPrograms: functions that cannot be called have the reason, and the others are in a program.
func TestPrograms(t *testing.T) {
	dir, _ := module(t, "testdata/find.txtar")
	r := find(t, dir, ".")
	programs, err := r.Programs()
	if err != nil || len(programs) != 1 {
		t.Fatalf("%d programs, %v", len(programs), err)
	}
	reasons := map[string]string{
		"started (go statement)":         "it is a function literal",
		"literal":                        "it is a function literal",
		"interceptor (function literal)": "it is a function literal",
		"nested (function literal)":      "it is a function literal",
		"reassigned":                     "its collection depends on m, a variable of the function",
		"worded":                         "it has a type parameter S that int does not satisfy",
	}
	for _, f := range r.Functions {
		if f.Reason != reasons[f.Name] {
			t.Errorf("%s: %q, want %q", f.Name, f.Reason, reasons[f.Name])
		}
		if got := slices.Contains(programs[0].Functions, f); got != (f.Reason == "") {
			t.Errorf("%s: it is in the program: %v", f.Name, got)
		}
	}
	for _, part := range []string{
		`Function: (*Table).Get, Receiver: "*Table", Makers: []any{  },`,
		`Collection: func(t *Table, ) []any { return []any{ t.m.Load, t.m.Store, t.m.Delete } },`,
		`Function: (*Bag[int]).Toggle`,
		`Values: []any{ state(0), *new(state), state(1) }`,
		`Sites: []string{ "embedded.go:16 Load", "embedded.go:17 LoadOrStore" }`,
	} {
		if !strings.Contains(programs[0].Source, part) {
			t.Errorf("no %s in\n%s", part, programs[0].Source)
		}
	}
}

// TestCgo: a package that imports C has no faults, although its types are not all known.
func TestCgo(t *testing.T) {
	r := find(t, "", "net", "os/user", "runtime/cgo")
	if len(r.Faults) > 0 || r.Packages != 3 {
		t.Errorf("%d packages, faults %v", r.Packages, r.Faults)
	}
}
