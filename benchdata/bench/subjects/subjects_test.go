package subjects_test

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

var update = flag.Bool("update", false, "write constructors_test.go and levels.jsonl")

func subjects(t testing.TB) []object {
	t.Helper()
	all, err := readList("subjects.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if len(o.Reflect.Core) == 0 {
			t.Errorf("%s: --core is missing", o.Name)
		}
	}
	return all
}

//go:embed README.md
var readme string

// derivers are those of constructors_test.go, by name. If that file does not compile,
// remove it before -update.
var derivers map[string]deriver

// TestConstructors fails if constructors_test.go does not match the
// constructors of subjects.txt.
func TestConstructors(t *testing.T) {
	want, err := source(subjects(t))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("constructors_test.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("constructors_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("constructors_test.go does not match subjects.txt: go test -run TestConstructors -update")
	}
}

// TestSubjects checks the designations of each object and that its methods return the
// same results in every sequential run. No goroutines may be left.
func TestSubjects(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, s := range subjects(t) {
		t.Run(s.Name, func(t *testing.T) { checkSubject(t, &s) })
	}
	// Goroutines that are ending have to run first, which a busy machine may delay.
	for waits := 0; runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if waits++; waits > 12_000 {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines are left of the objects:\n%s", runtime.NumGoroutine()-before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func checkSubject(t *testing.T, s *object) {
	t.Helper()
	derive, ok := derivers[s.Name]
	if !ok {
		t.Fatal("no such constructor; see TestConstructors")
	}
	r, err := derive(s.Reflect)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(s.Reflect.Core, s.Reflect.ReadOnly, s.Reflect.Weak) {
		if r.Class.Method(name) == nil {
			t.Errorf("%s is designated and left out", name)
		}
	}
	checkReadme(t, s, r)
	// Results of weak methods are not compared, but they must be deterministic too.
	options := s.Reflect
	options.Weak = nil
	r, err = derive(options)
	if err != nil {
		t.Fatal(err)
	}
	checkDeterministic(t, r.Class)
}

// checkReadme fails the test if the section of the subject does not name all
// methods that are core, weak or left out.
func checkReadme(t *testing.T, s *object, r *stress.Reflected) {
	t.Helper()
	_, section, ok := strings.Cut(readme, "\n### "+s.Name+"\n")
	if !ok {
		t.Errorf("README.md has no section on %s", s.Name)
		return
	}
	section, _, _ = strings.Cut(section, "\n### ")
	names := slices.Concat(s.Reflect.Core, s.Reflect.Weak)
	for _, l := range r.LeftOut {
		names = append(names, l.What)
	}
	for _, name := range names {
		if !strings.Contains(section, "`"+name+"`") {
			t.Errorf("README.md: %s: %s is missing", s.Name, name)
		}
	}
}

// checkDeterministic fails the test if a method cannot be called, or if
// programs return different results in two sequential runs.
func checkDeterministic(t *testing.T, c *stress.Class) {
	t.Helper()
	const programs = 12
	repetitions := 20
	if size(c) > 1<<18 { // each run clears so much memory
		repetitions = 5
	}
	targets := []*stress.Method{nil}
	for _, m := range c.Methods {
		if !m.Core {
			targets = append(targets, m)
		}
	}
	for _, m := range targets {
		all, err := stress.Generate(c, stress.GeneratorOptions{Target: m, CoreOnly: m == nil, Seed: 1, Bounds: stress.Bounds{MaxInvocations: 5}})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for p := range all {
			if n++; n > programs {
				break
			}
			first := expected(t, c, p)
			for range repetitions - 1 {
				if again := expected(t, c, p); again != first {
					t.Fatalf("%v returns\n%s, and then\n%s", p, first, again)
				}
			}
		}
	}
}

// size returns how many bytes an object allocates when it is made.
func size(c *stress.Class) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	object := c.New()
	runtime.ReadMemStats(&after)
	if c.Close != nil {
		c.Close(object)
	}
	return after.TotalAlloc - before.TotalAlloc
}

func expected(t *testing.T, c *stress.Class, p *stress.Program) string {
	t.Helper()
	e, err := stress.NewExpected(c, p)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, count := range e.Outcomes() {
		fmt.Fprintf(&b, "%v %d\n", count.Outcome, count.Times)
		for _, v := range count.Outcome {
			if v.Kind() == history.Exception && strings.HasPrefix(v.Text(), "panic: runtime error") {
				t.Fatalf("%v: %v", p, v)
			}
		}
	}
	return b.String()
}
