package extract

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// goTool runs the Go tool in a directory.
func goTool(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestSkeletons: in the package's directory and outside of it, skeletons pass
// go vet; those that can be copied are, and find what is not atomic.
func TestSkeletons(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	dir, _ := module(t, "testdata/find.txtar")
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(root + "/go.sum")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/go.sum", sums, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := goTool(t, dir, "mod", "edit", "-require=github.com/leadline/leadline@v0.0.0",
		"-replace=github.com/leadline/leadline="+root); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r := find(t, dir, ".")
	for place, want := range map[string]map[string]string{
		".": {
			"registry_once":        "",
			"registry_again":       "",
			"sharded_move":         "",
			"sharded_clear":        "",
			"both":                 "",
			"twice":                "",
			"two_maps":             "",
			"registry_both":        "",
			"even":                 "even calls itself",
			"calls_not_only_that":  "",
			"deferred":             "",
			"started_go_statement": "it is a function literal",
			"generic_tadd":         "",
			"memo_kvfirst":         "",
			"bag_etoggle":          "",
			"worded":               "has a type parameter S that int does not satisfy",
			"table_get":            "",
			"table_put":            "",
			"table_compute":        "composed.Map does not have Compute",
			"size":                 "",
			"retry":                "",
			"tags_rename":          "",
			"post_tag":             "",
			"worker_next":          "",
			"worker_pair":          "",
			"discount":             "",
			"counts_get_or_make":   "",
			"counts_start":         "",
		},
		"elsewhere": {
			"registry_once": "",
			"sharded_move":  "in the copy, undefined: Sharded",
			"table_get":     "",
			"announce":      "",
		},
	} {
		files, err := r.WriteSkeletons(filepath.Join(dir, place))
		if err != nil || len(files) != len(r.Functions) {
			t.Fatalf("%d files of %d, %v", len(files), len(r.Functions), err)
		}
		for name, reason := range want {
			text, err := os.ReadFile(filepath.Join(dir, place, "composed_demo_"+name+"_test.go"))
			if err != nil {
				t.Error(err)
				continue
			}
			if todo := strings.Contains(string(text), "t.Fatal("); todo != (reason != "") || !strings.Contains(string(text), reason) {
				t.Errorf("%s in %s: want the reason %q in\n%s", name, place, reason, text)
			}
		}
	}
	if out, err := goTool(t, dir, "vet", "./..."); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
	if out, err := exec.Command("gofmt", "-l", dir).CombinedOutput(); err != nil || strings.Contains(string(out), "_test.go") {
		t.Errorf("gofmt: %v\n%s", err, out)
	}
	out, err := goTool(t, dir, "test", "./elsewhere", "-run", "TableGet|RegistryOnce|RegistryBoth|Twice|Size|Announce|ShardedMove", "-v")
	if err == nil || !strings.Contains(out, "--- FAIL: TestDemoTableGet") || !strings.Contains(out, "--- FAIL: TestDemoShardedMove") || !strings.Contains(out, "--- FAIL: TestDemoRegistryBoth") || !strings.Contains(out, "--- FAIL: TestDemoTwice") || !strings.Contains(out, "--- PASS: TestDemoRegistryOnce") ||
		!strings.Contains(out, "--- PASS: TestDemoSize") || !strings.Contains(out, "--- PASS: TestDemoAnnounce") {
		t.Errorf("go test: %v\n%s", err, out)
	}
	out, err = goTool(t, dir, "test", ".", "-run", "BagEToggle|TagsRename|PostTag|WorkerNext|WorkerPair|Discount|Counts", "-v")
	for _, want := range []string{"BagEToggle", "TagsRename", "PostTag", "WorkerNext", "WorkerPair", "Discount",
		"FAIL: TestDemoCountsDropIfZero", "FAIL: TestDemoCountsStart", "FAIL: TestDemoCountsQuote", "FAIL: TestDemoCountsGetOrMake", "FAIL: TestDemoCountsHidden", "not exercised", `Repair: Add("a"), and return whether it succeeds`} {
		if err == nil || !strings.Contains(out, want) || strings.Contains(out, "--- PASS") {
			t.Errorf("go test, %s: %v\n%s", want, err, out)
		}
	}
	// Files that exist are left as they are.
	if files, err := r.WriteSkeletons(dir); err == nil || !strings.Contains(err.Error(), "exists already") || len(files) > 0 {
		t.Errorf("wrote %v again: %v", files, err)
	}
}

// TestCgo: a package that imports C has no faults, although its types are not all known.
func TestCgo(t *testing.T) {
	r := find(t, "", "net", "os/user", "runtime/cgo")
	if len(r.Faults) > 0 || r.Packages != 3 {
		t.Errorf("%d packages, faults %v", r.Packages, r.Faults)
	}
}
