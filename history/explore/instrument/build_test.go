package instrument

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

const counterText = `package q

import "sync/atomic"

var N atomic.Int64

func Add() { N.Add(1) }
`

// A second build finds everything in the cache; a change of a file, of the
// options or of an imported package makes new copies.
func TestCache(t *testing.T) {
	dir := newModule(t, "q/q.go", counterText, "r/r.go", "package r\n\nimport \"m/q\"\n\nfunc F() { q.Add() }\n")
	cache := t.TempDir()
	builds := 0
	build := func(o Target) string {
		t.Helper()
		o.Dir, o.Cache = dir, cache
		if o.Packages == nil {
			o.Packages = []string{"./r"}
		}
		before := entries(t, cache)
		r, err := Build(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		builds = len(entries(t, cache)) - len(before)
		if len(r.Notes) != 2 {
			t.Errorf("the copies have notes on %d packages, want 2: r and what it imports", len(r.Notes))
		}
		return r.Overlay[filepath.Join(dir, "q/q.go")]
	}
	first := build(Target{})
	if second := build(Target{}); second != first || builds != 0 {
		t.Errorf("the second build has made %d entries, and %s instead of %s", builds, second, first)
	}
	if plain := build(Target{Plain: true}); plain == first {
		t.Error("with plain loads, the copy is the same")
	}
	if err := os.WriteFile(filepath.Join(dir, "q/q.go"), []byte(counterText+"\nfunc Sub() { N.Add(-1) }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	changed := build(Target{})
	text, err := os.ReadFile(changed)
	if err != nil || !strings.Contains(string(text), "Sub") || changed == first {
		t.Errorf("after a change of the file, the copy %s is %q, %v", changed, text, err)
	}
	for _, name := range entries(t, cache) {
		if strings.HasPrefix(name, "new-") {
			t.Errorf("%s is left", name)
		}
	}
}

// Builds at the same time give the same, and leave no entry without its files.
func TestConcurrentBuilds(t *testing.T) {
	dir := newModule(t, "q/q.go", counterText)
	cache := t.TempDir()
	results := make([]*Copies, 8)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			r, err := Build(t.Context(), Target{Dir: dir, Packages: []string{"./q"}, Cache: cache})
			if err != nil {
				t.Error(err)
				return
			}
			results[i] = r
		})
	}
	wg.Wait()
	for _, r := range results {
		if r == nil || fmt.Sprint(r) == "" || fmt.Sprint(r.Overlay) != fmt.Sprint(results[0].Overlay) {
			t.Fatalf("%v, want %v", r, results[0])
		}
	}
	if got := len(entries(t, cache)); got != 1 {
		t.Errorf("%d entries in the cache, want 1: %v", got, entries(t, cache))
	}
}

// once gives way to a process that was faster, and fails if fill does.
func TestOnce(t *testing.T) {
	b := &build{cache: t.TempDir()}
	dir, err := b.once("a", func(dir string) error {
		// Another process makes the entry in the meantime.
		return writeFile(filepath.Join(b.cache, "a", "other"), nil)
	})
	if err != nil || !slices.Equal(entries(t, dir), []string{"other"}) {
		t.Errorf("%v, %v", entries(t, dir), err)
	}
	if _, err := b.once("b", func(dir string) error { return os.ErrInvalid }); err == nil {
		t.Error("no error")
	}
	if got := entries(t, b.cache); !slices.Equal(got, []string{"a"}) {
		t.Errorf("the cache has %v", got)
	}
}

// trim removes what was not used for a long time, and then what was used longest ago until
// the rest is small enough. A use makes an entry new, and what is new stays.
func TestTrim(t *testing.T) {
	for most, want := range map[int64][]string{
		1000: {"day", "hour", "new", "used"},
		420:  {"day", "hour", "new", "used"},
		419:  {"hour", "new", "used"},
		210:  {"new", "used"},
		0:    {"new", "used"},
	} {
		b := &build{cache: t.TempDir()}
		fill := func(dir string) error { return os.WriteFile(filepath.Join(dir, "file"), make([]byte, 105), 0o644) }
		now := time.Now()
		for name, used := range map[string]time.Time{
			"old": now.AddDate(0, 0, -31), "used": now.AddDate(0, 0, -31), "new": now,
			"day": now.AddDate(0, 0, -1), "hour": now.Add(-time.Hour),
		} {
			dir, err := b.once(name, fill)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(dir, used, used); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.once("used", fill); err != nil {
			t.Fatal(err)
		}
		b.trim(most)
		if got := entries(t, b.cache); !slices.Equal(got, want) {
			t.Errorf("with at most %d bytes, the cache has %v, want %v", most, got, want)
		}
	}
}

// In a workspace, files of an old module may call generic hooks. Their loop variables stay
// the same in all iterations, and all lines keep their numbers.
func TestWorkspace(t *testing.T) {
	old := "\ufeff//go:build !never\n\n" + strings.Replace(counterText, "\"sync/atomic\"", "(\n\t\"runtime\"\n\t\"sync/atomic\"\n)", 1) + `
func init() {
	var loops []func()
	for k := range map[int]int{1: 1, 2: 2} {
		loops = append(loops, func() { N.Add(int64(k)) })
	}
	loops[0]() // both add the same
	loops[1]()
	_, _, line, _ := runtime.Caller(0)
	N.Store(10*int64(line) + N.Load()%2)
}
`
	dir := newModule(t, "main.go", "package main\n\nimport \"m2/q\"\n\nfunc main() { q.Add(); println(q.N.Load()) }\n")
	for name, text := range map[string]string{
		"m2/go.mod":  "module m2\n\ngo 1.16\n",
		"m2/q/q.go":  old,
		"go.work":    "go 1.26.0\n\nuse (\n\t.\n\t./m2\n)\n",
		"sub/README": "",
	} {
		if err := writeFile(filepath.Join(dir, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Build(t.Context(), Target{Dir: dir, Packages: []string{"m2/q"}, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if r.Overlay[filepath.Join(dir, "m2/q/q.go")] == "" {
		t.Errorf("the overlay is %v", r.Overlay)
	}
	out, err := goBuild(t, dir, r, "run", ".")
	if err != nil || strings.TrimSpace(out) != "211" { // line 21, and 1 for main
		t.Errorf("%v: %s", err, out)
	}
}

// A package of the module cache, in a workspace, and with replacements of the
// user's own.
func TestModuleCache(t *testing.T) {
	t.Parallel()
	const path = "github.com/rogpeppe/go-internal"
	kinds := []string{"module", "workspace", "replace", "replace a version"}
	if !*full {
		kinds = kinds[:1]
	}
	for _, kind := range kinds {
		dir := newModule(t, "main.go", "package main\n\nimport \""+path+"/par\"\n\nfunc main() {\n\tvar c par.Cache\n\tprintln(c.Do(1, func() any { return 7 }).(int))\n}\n")
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		required := regexp.MustCompile(regexp.QuoteMeta(path) + ` v\S+`).FindString(string(mod))
		file, text := "go.mod", string(mod)
		switch kind {
		case "workspace":
			file, text = "go.work", "go 1.26.0\n\nuse .\n"
		case "replace":
			text += "\nreplace " + path + " => " + required + "\n"
		case "replace a version":
			text += "\nreplace " + required + " => " + required + "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Build(t.Context(), Target{Dir: dir, Packages: []string{path + "/par"}, Cache: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		out, err := goBuild(t, dir, r, "list", "-f", "{{.Dir}}", path+"/par")
		if err != nil || strings.Contains(out, "pkg/mod") {
			t.Errorf("%s: %v: %s", kind, err, out)
		}
		if out, err := goBuild(t, dir, r, "run", "."); err != nil || strings.TrimSpace(out) != "7" {
			t.Errorf("%s: %v: %s", kind, err, out)
		}
	}
}

// A vendor directory is not used.
func TestVendor(t *testing.T) {
	dir := newModule(t, "q/q.go", counterText, "vendor/modules.txt", "# nothing\n")
	r, err := Build(t.Context(), Target{Dir: dir, Packages: []string{"./q"}, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := goBuild(t, dir, r, "build", "./q"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// The test files of the named packages are instrumented, those of others are not.
func TestTestFiles(t *testing.T) {
	if !*full {
		t.Skip("builds a program: with -full")
	}
	t.Parallel()
	dir := newModule(t, "q/q.go", counterText,
		"q/in_test.go", "package q\n\nimport \"sync\"\n\nvar mu sync.Mutex\n",
		"q/q_test.go", "package q_test\n\nimport (\n\t\"sync\"\n\t\"testing\"\n\n\t\"m/q\"\n)\n\nfunc Test(t *testing.T) {\n\tvar wg sync.WaitGroup\n\tfor range 10 {\n\t\twg.Add(1)\n\t\tgo func() { defer wg.Done(); q.Add() }()\n\t}\n\twg.Wait()\n\tif q.N.Load() != 10 {\n\t\tt.Error(q.N.Load())\n\t}\n}\n")
	r, err := Build(t.Context(), Target{Dir: dir, Packages: []string{"./q"}, Tests: true, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Overlay) != 3 {
		t.Errorf("the overlay is %v, want three files", r.Overlay)
	}
	if out, err := goBuild(t, dir, r, "test", "./q"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// Only files of the present build are instrumented.
func TestTags(t *testing.T) {
	dir := newModule(t, "q/q.go", counterText, "q/a.go", "//go:build purego\n\npackage q\n\nimport _ \"sync\"\n", "q/b.go", "//go:build !purego\n\npackage q\n\nimport _ \"sync\"\n",
		"q/c_windows.go", "package q\n\nimport _ \"sync\"\n", "q/c_linux.go", "package q\n\nimport _ \"sync\"\n")
	t.Setenv("GOOS", "windows")
	r, err := Build(t.Context(), Target{Dir: dir, Packages: []string{"./q"}, Tags: []string{"purego"}, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for name := range r.Overlay {
		got = append(got, filepath.Base(name))
	}
	slices.Sort(got)
	if want := []string{"a.go", "c_windows.go", "q.go"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if !slices.Contains(r.Flags, "-tags=purego") {
		t.Errorf("the flags are %v", r.Flags)
	}
}

// Errors are about what the user can change.
func TestBuildErrors(t *testing.T) {
	if !*full {
		t.Skip("builds programs: with -full")
	}
	dir := newModule(t, "q/q.go", counterText, "lib/lib.go", "package lib\n\nimport \"sync\"\n\nfunc Lock(mu *sync.Mutex) { mu.Lock() }\n",
		"sub/sub.go", "package sub\n\nimport \"m/none\"\n\nvar _ = none.X\n")
	for _, test := range []struct {
		pattern, env, want string
	}{
		{"sync", "", "sync is a package of the standard library, which the scheduler itself uses. To test it, instrument a copy of it in a module"},
		{schedule, "", "is a part of the scheduler or uses it"},
		{ownModule + "/history/stress", "", "is a part of the scheduler or uses it"},
		{"./none", "", "none"},
		{"./sub", "", "m/none"},
		{"./q", "-overlay=x", "GOFLAGS has -overlay, which instrumentation needs for itself"},
	} {
		t.Run(test.pattern+test.env, func(t *testing.T) {
			if test.env != "" {
				t.Setenv("GOFLAGS", test.env)
			}
			_, err := Build(t.Context(), Target{Dir: dir, Packages: []string{test.pattern}, Cache: t.TempDir()})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
	if _, err := Build(t.Context(), Target{Dir: t.TempDir(), Packages: []string{"."}, Cache: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "needs a module") {
		t.Errorf("outside of a module: %v", err)
	}
	if _, err := Build(t.Context(), Target{Dir: dir, Cache: t.TempDir()}); err == nil {
		t.Error("without packages: no error")
	}
}

// An instrumented package cannot hand a mutex to one that is not. The compiler
// reports that, and Explain adds advice.
func TestExplain(t *testing.T) {
	t.Parallel()
	dir := newModule(t, "main.go", "package main\n\nimport (\n\t\"sync\"\n\n\t\"m/old\"\n)\n\nfunc main() {\n\tvar mu sync.Mutex\n\told.Lock(&mu)\n}\n",
		"old/go.mod", "module m/old\n\ngo 1.16\n", "old/old.go", "package old\n\nimport \"sync\"\n\nfunc Lock(mu *sync.Mutex) { mu.Lock() }\n")
	requireOld(t, dir)
	for _, both := range []bool{false, true} {
		packages := []string{"."}
		if both {
			packages = append(packages, "m/old")
		}
		r, err := Build(t.Context(), Target{Dir: dir, Packages: packages, Alone: true, Cache: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if missed := r.Notes[0].Missed; len(missed) == 1 != !both {
			t.Errorf("both %v: the notes are %v", both, missed)
		}
		out, err := goBuild(t, dir, r, "build", "-o", os.DevNull, ".")
		if advice := Explain(out); (err == nil) != both || (advice == "") != both {
			t.Errorf("both %v: %v, %q: %s", both, err, advice, out)
		}
	}
	if advice := Explain("./main.go:3:4: cannot use x (variable of type int) as string value in assignment"); advice != "" {
		t.Errorf("for another error: %s", advice)
	}
}

// A package with cgo is refused if it is named, and left out otherwise.
func TestCgo(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no C compiler")
	}
	t.Setenv("CGO_ENABLED", "1")
	dir := newModule(t, "c/c.go", "package c\n\n// int one(void) { return 1; }\nimport \"C\"\n\nfunc One() int { return int(C.one()) }\n",
		"q/q.go", "package q\n\nimport \"m/c\"\n\nvar X = c.One()\n")
	if _, err := Build(t.Context(), Target{Dir: dir, Packages: []string{"./c"}, Cache: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "m/c uses cgo, in c.go") {
		t.Errorf("%v", err)
	}
	r, err := Build(t.Context(), Target{Dir: dir, Packages: []string{"./q"}, Cache: t.TempDir()})
	if err != nil || !strings.Contains(r.String(), "m/c: nothing to instrument; not instrumented: the package, since it uses cgo") {
		t.Errorf("%v, %v", r, err)
	}
}

// The packages of the types that an object consists of are instrumented, too,
// not those that its package imports for others.
func TestObject(t *testing.T) {
	dir := newModule(t, "main.go", "package main\n\nimport \"m/old\"\n\ntype box[T any] struct{ list []map[string]*T }\n\ntype object struct{ box[old.Map] }\n\n"+
		"func New() (*object, error) { return nil, nil }\n\nfunc NewOther() any { return nil }\n\nfunc main() {}\n",
		"old/go.mod", "module m/old\n\ngo 1.16\n", "old/old.go", "package old\n\nimport \"sync\"\n\ntype Map struct{ mu sync.Mutex }\n")
	requireOld(t, dir)
	for object, want := range map[string]int{"New": 2, "object": 2, "NewOther": 1, "main": 1, "none": 1, "": 1} {
		r, err := Build(t.Context(), Target{Dir: dir, Packages: []string{"m"}, Object: object, Cache: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(r.Notes); got != want {
			t.Errorf("%s: %d packages are instrumented, want %d:\n%v", object, got, want, r)
		}
	}
}

// TestAdvice: values of two packages sync need advice, and a module without leadline
// has that of the Go tool.
func TestAdvice(t *testing.T) {
	const shim = "github.com/leadline/leadline/history/explore/shim/sync"
	for output, advised := range map[string]bool{
		`q.go:9:5: cannot use &m (value of type *"sync".Mutex) as *"` + shim + `".Mutex value`:                                                 true,
		"q.go:3:8: no required module provides package " + shim + "; to add it:\n\tgo get " + shim:                                             false,
		"q.go:3:8: module github.com/leadline/leadline provides package " + shim + " and is replaced but not required; to add it:\n\tgo get x": false,
	} {
		if got := Explain(output); (got != "") != advised {
			t.Errorf("%s\nadvice is %q", output, got)
		}
	}
}
