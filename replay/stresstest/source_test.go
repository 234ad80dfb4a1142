package stresstest

import (
	"context"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/gotest"
	"github.com/leadline/leadline/replay/stresstest/testdata/twins"
)

// TestGoTests: the Go test of a violation fails with the broken object, and passes with its
// correct twin. It compiles whatever is in the signatures.
func TestGoTests(t *testing.T) {
	counter := func() *twins.Counter { return twins.NewCounter(false) }
	store := func() twins.Store[int, twins.User] { return stress.Must(twins.NewStore[int, twins.User]()) }
	runs := 1
	if *full {
		runs = 20
	}
	for _, test := range []struct {
		program, broken, correct string
		must, full               bool
		search                   func(o Options) (*stress.Report, error)
	}{
		{"{ Inc() } || { Inc() }", "p.NewCounter(false)", "p.NewCounter(true)", false, false, searchOf(t, counter)},
		{`[ Remove([]) ] { Put(0,["1",[2]]); Range(once) } || { Put(1,["1",[]]) } [ Range(=true); Remove([0,1]) ]`, "p.NewStore[int, p.User]()", "p.NewStore[int, p.User](p.Correct)", true, true, searchOf(t, store)},
		{"{ Inc() } || { Inc() } || { Inc() } order 0<2", "p.NewCounter(false)", "p.NewCounter(true)", false, true, searchOf(t, counter)},
	} {
		if test.full && !*full {
			continue
		}
		report, err := test.search(Options{Programs: []string{test.program}, Effort: stress.Effort{Time: 5 * time.Minute, Program: time.Minute}, Checker: Checker(nil)})
		if err != nil || len(report.Findings) != 1 {
			t.Fatalf("%s: %+v, %v", test.program, report, err)
		}
		for _, expression := range []string{test.broken, test.correct} {
			at := PlaceOf(report.Findings[0], modulePath+"/replay/stresstest/testdata/twins", "twins", expression, test.must)
			tests := GoTestsOf(report.Findings[0], at)
			dir := t.TempDir()
			program := filepath.Join(dir, "found.test")
			if err := buildFound(t.Context(), dir, program, strings.Replace(tests.Alone, "package stress_test", "package stresstest_test", 1)); err != nil {
				t.Fatalf("%s: %v %s\n%s", expression, err, tests.Remark, tests.Alone)
			}
			failing := 0
			for range runs {
				args := []string{"-test.run=^" + at.Name + "$"}
				if expression == test.correct && !*full {
					args = append(args, "-test.short")
				}
				out, err := worker.Tool(t.Context(), program, args...).CombinedOutput()
				if err != nil && !strings.Contains(string(out), gotest.Unexplained) {
					t.Fatalf("%v: %s\n%s", err, out, tests.Alone)
				}
				if err != nil {
					failing++
				}
				if expression == test.correct {
					break // it takes its whole time
				}
			}
			want := runs
			if expression == test.correct {
				want = 0
			}
			if failing != want {
				t.Errorf("%s %s: %d of %d runs fail, want %d:\n%s", expression, test.program, failing, runs, want, tests.Alone)
			}
		}
	}
}

func searchOf[T any](t *testing.T, newObject func() T) func(Options) (*stress.Report, error) {
	return func(o Options) (*stress.Report, error) {
		r, err := stress.Reflect(newObject, stress.ReflectOptions{})
		if err != nil {
			return nil, err
		}
		return stress.Search(context.WithoutCancel(t.Context()), r.Class, o)
	}
}

// TestImported: the package that a name in a file stands for.
func TestImported(t *testing.T) {
	source := `package p
import (
	"example.com/golang-lru/v2"
	"gopkg.in/yaml.v3"
	named "example.com/other"
	"time"
)`
	dir := t.TempDir()
	file := filepath.Join(dir, "p.go")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"lru": "example.com/golang-lru/v2", "yaml": "gopkg.in/yaml.v3", "named": "example.com/other", "time": "time", "other": "", "t": ""} {
		if got := imported(parsed, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
