package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// newModule writes a module that does not require leadline, with one file of tests, and returns its directory.
func newModule(t *testing.T, source string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds test programs: without -short")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module ex\n\ngo 1.25\n", "ex_test.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// resultsOf returns the results of the tests of a module.
func resultsOf(t *testing.T, o Options) map[string]*Result {
	t.Helper()
	results := map[string]*Result{}
	o.Patterns = []string{"."}
	if err := Explore(t.Context(), o, func(r *Result) {
		if r.Error != nil {
			t.Fatal(r.Error)
		}
		results[r.Test] = r
	}); err != nil {
		t.Fatal(err)
	}
	return results
}

var wanted = regexp.MustCompile(`(?m)^// want (\w+)(?: (.*))?\nfunc (\w+)`)

// TestExplore: each test of the file has the status, and its line the text, that the comment before it says.
func TestExplore(t *testing.T) {
	source, err := os.ReadFile("testdata/tests.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Dir: newModule(t, string(source)), NoSave: true}
	o.Executions, o.Time = 40, time.Minute // the time is for a busy machine
	results := resultsOf(t, o)
	list := wanted.FindAllStringSubmatch(string(source), -1)
	if len(list) != strings.Count(string(source), "\nfunc Test") || len(results) != len(list) {
		t.Fatalf("%d results, %d comments", len(results), len(list))
	}
	for _, m := range list {
		r := results[m[3]]
		if matches, err := regexp.MatchString(m[2], r.Says()); r.Status() != m[1] || !matches || err != nil {
			t.Errorf("%s: %s: %s", m[3], r.Status(), r.Says())
		}
		if f := r.Fault; f != nil && (f.Replayed != f.Replays || f.Replays < 10 || f.Fresh != news || len(f.Trace) == 0) {
			t.Errorf("%s: %+v", m[3], f)
		}
	}
}

// TestExploreInit: a goroutine of init does not count, and what may wait for it is refused.
func TestExploreInit(t *testing.T) {
	o := Options{Dir: newModule(t, `package ex

import "testing"

var questions, answers = make(chan int), make(chan int)

func init() { go serve() }

func serve() {
	for n := range questions {
		answers <- n
	}
}

func TestAsks(t *testing.T) {
	go func() { questions <- 1 }()
	<-answers
}

func TestOther(t *testing.T) {
	done := make(chan bool)
	go close(done)
	<-done
}
`), NoSave: true}
	results := resultsOf(t, o)
	if r := results["TestAsks"]; r.Status() != Refused || !strings.Contains(r.Refused, "ex_test.go:7") {
		t.Errorf("TestAsks: %s", r.Says())
	}
	if r := results["TestOther"]; r.Status() != Explored {
		t.Errorf("TestOther: %s", r.Says())
	}
}

// TestExploreSaved: a saved schedule is tried first, and a new search follows when it shows nothing.
func TestExploreSaved(t *testing.T) {
	const source = `package ex

import "testing"

func TestLeaks(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
}
`
	dir := newModule(t, source)
	o := Options{Dir: dir}
	first := resultsOf(t, o)["TestLeaks"]
	if first.Fault == nil || first.Known || first.Saved == "" {
		t.Fatalf("first: %+v", first)
	}
	saved, err := ReadSaved(first.Saved)
	if err != nil || saved.Package != "ex" || saved.Test != "TestLeaks" || saved.Schedule != first.Fault.Schedule || saved.Bounds != first.Fault.Bounds || !IsSaved(first.Saved) {
		t.Errorf("saved: %+v, %v", saved, err)
	}
	if again := resultsOf(t, o)["TestLeaks"]; again.Fault == nil || !again.Known || again.Fault.Fingerprint != first.Fault.Fingerprint {
		t.Errorf("again: %+v", again)
	}
	mended := strings.Replace(source, "make(chan int)", "make(chan int, 1)", 1)
	if err := os.WriteFile(filepath.Join(dir, "ex_test.go"), []byte(mended), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := resultsOf(t, o)["TestLeaks"]; r.Status() != Explored {
		t.Errorf("mended: %s", r.Says())
	}
}
