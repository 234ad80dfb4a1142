package subjects_test

import (
	"bytes"
	"embed"
	"flag"
	"fmt"
	"go/format"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

var update = flag.Bool("update", false, "write constructors_test.go")

// The lists of subjects, each with the file that describes them.
//
//go:embed subjects.txt further.txt README.md further/README.md
var files embed.FS

var lists = [][2]string{{"subjects.txt", "README.md"}, {"further.txt", "further/README.md"}}

// A subject is a line of a list: the flags of a leadline stress call.
type subject struct {
	name, constructor, readme     string
	core, readOnly, weak, exclude []string
}

func parseSubject(line string) (*subject, error) {
	s := &subject{}
	words := strings.Fields(line)
	for i := 0; i < len(words); i += 2 {
		if i+1 == len(words) {
			return nil, fmt.Errorf("%s has no value", words[i])
		}
		value := words[i+1]
		if strings.ContainsAny(value, `'"\`) {
			return nil, fmt.Errorf("%s is quoted", value)
		}
		switch words[i] {
		case "--name":
			s.name = value
		case "--new":
			s.constructor = value
		case "--core":
			s.core = strings.Split(value, ",")
		case "--read-only":
			s.readOnly = strings.Split(value, ",")
		case "--weak":
			s.weak = strings.Split(value, ",")
		case "--exclude":
			s.exclude = strings.Split(value, ",")
		case "--values":
		default:
			return nil, fmt.Errorf("flag %s", words[i])
		}
	}
	if s.name == "" || s.constructor == "" || len(s.core) == 0 {
		return nil, fmt.Errorf("--name, --new or --core is missing")
	}
	return s, nil
}

func subjects(t *testing.T) []*subject {
	t.Helper()
	var all []*subject
	for _, list := range lists {
		n := 0
		for line := range strings.Lines(read(t, list[0])) {
			n++
			s, err := parseSubject(line)
			if err != nil {
				t.Fatalf("%s:%d: %v", list[0], n, err)
			}
			s.readme = list[1]
			all = append(all, s)
		}
	}
	return all
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A deriver derives a class like the program that leadline stress --new writes.
type deriver func(stress.ReflectOptions) (*stress.Reflected, error)

func like[T any](sample T, newObject func() any) deriver {
	return func(o stress.ReflectOptions) (*stress.Reflected, error) {
		return stress.Reflect(func() T { return newObject().(T) }, o)
	}
}

// must takes all results of a constructor.
func must[T any](v T, err ...error) T {
	for _, e := range err {
		return stress.Must(v, e)
	}
	return v
}

// constructors are those of constructors_test.go, by name. If that file does
// not compile, remove it before -update.
var constructors map[string]deriver

// TestConstructors fails if constructors_test.go does not match the
// constructors of the lists.
func TestConstructors(t *testing.T) {
	paths := map[string]bool{}
	var table bytes.Buffer
	names := map[string]string{}
	all := subjects(t)
	for _, s := range all {
		path, _ := splitConstructor(s.constructor)
		paths[path] = true
	}
	var source bytes.Buffer
	source.WriteString("// Code generated from subjects.txt and further.txt by go test -run TestConstructors -update; DO NOT EDIT.\n\npackage subjects_test\n\nimport (\n")
	for i, path := range slices.Sorted(maps.Keys(paths)) {
		names[path] = fmt.Sprintf("p%d", i)
		fmt.Fprintf(&source, "\t%s %q\n", names[path], path)
	}
	for _, s := range all {
		path, call := splitConstructor(s.constructor)
		call = "must(" + names[path] + call + ")"
		fmt.Fprintf(&table, "\t%q: like(%s, func() any { return %s }),\n", s.name, call, call)
	}
	fmt.Fprintf(&source, ")\n\nfunc init() {\n\tconstructors = map[string]deriver{\n%s}\n}\n", &table)
	want, err := format.Source(source.Bytes())
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
		t.Error("constructors_test.go does not match the lists: go test -run TestConstructors -update")
	}
}

// splitConstructor splits example.com/a/b.New[int](8) into example.com/a/b and
// .New[int](8).
func splitConstructor(text string) (path, call string) {
	end := strings.IndexAny(text, "([")
	if end < 0 {
		end = len(text)
	}
	dot := strings.LastIndexByte(text[:end], '.')
	path, call = text[:dot], text[dot:]
	if !strings.HasSuffix(call, ")") {
		call += "()"
	}
	return path, call
}

// TestSubjects tests the objects whose methods wait last, since calls that wait for
// ever leave goroutines.
func TestSubjects(t *testing.T) {
	waiting := []string{"go4-sem", "go-zero-limit", "pion-packetio", "x-semaphore"}
	before := runtime.NumGoroutine()
	for _, s := range subjects(t) {
		if !slices.Contains(waiting, s.name) {
			t.Run(s.name, func(t *testing.T) { checkSubject(t, s) })
		}
	}
	// Goroutines that are ending have to run first, which a busy machine may delay.
	for waits := 0; runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if waits++; waits > 12_000 {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines are left of the objects:\n%s", runtime.NumGoroutine()-before, stacks[:runtime.Stack(stacks, true)])
		}
	}
	for _, s := range subjects(t) {
		if slices.Contains(waiting, s.name) {
			t.Run(s.name, func(t *testing.T) { checkSubject(t, s) })
		}
	}
}

func checkSubject(t *testing.T, s *subject) {
	t.Helper()
	derive, ok := constructors[s.name]
	if !ok {
		t.Fatal("no such constructor; see TestConstructors")
	}
	r, err := derive(stress.ReflectOptions{Name: s.name, Core: s.core, ReadOnly: s.readOnly, Weak: s.weak, Exclude: s.exclude})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(s.core, s.readOnly, s.weak) {
		if r.Class.Method(name) == nil {
			t.Errorf("%s is designated and left out", name)
		}
	}
	checkReadme(t, s, r)
	// Results of weak methods are not compared, but they must be deterministic too.
	r, err = derive(stress.ReflectOptions{Name: s.name, Core: s.core, ReadOnly: s.readOnly, Exclude: s.exclude})
	if err != nil {
		t.Fatal(err)
	}
	checkDeterministic(t, r.Class)
}

// checkReadme fails the test if the section of the subject does not name all
// methods that are core, weak or left out.
func checkReadme(t *testing.T, s *subject, r *stress.Reflected) {
	t.Helper()
	_, section, ok := strings.Cut(read(t, s.readme), "\n### "+s.name+"\n")
	if !ok {
		t.Errorf("%s has no section on %s", s.readme, s.name)
		return
	}
	section, _, _ = strings.Cut(section, "\n### ")
	names := slices.Concat(s.core, s.weak)
	for _, l := range r.LeftOut {
		names = append(names, l.Method)
	}
	for _, name := range names {
		if !strings.Contains(section, "`"+name+"`") {
			t.Errorf("%s: %s: %s is missing", s.readme, s.name, name)
		}
	}
}

// checkDeterministic fails the test if a method cannot be called, or if
// programs return different results in two sequential runs.
func checkDeterministic(t *testing.T, c *stress.Class) {
	t.Helper()
	const programs, repetitions = 12, 20
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
