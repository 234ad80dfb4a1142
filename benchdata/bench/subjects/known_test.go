package subjects_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cmap "github.com/orcaman/concurrent-map/v2"

	"github.com/leadline/leadline/history/explore/instrument"
	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay/stresstest"
)

// A violation is a line of schedules.jsonl: a program that stress generated and reduced,
// and what its calls return in a schedule that is not linearizable.
type violation struct {
	Kind   string
	Object string
	Method string // "" for the core
	Hunt   struct {
		Program     string
		Outcome     string
		Preemptions int
		Delays      int
	}
}

func (v *violation) String() string {
	return fmt.Sprintf("%s %s: %s", v.Object, v.Method, v.Hunt.Program)
}

// knownViolations returns the violations of schedules.jsonl.
func knownViolations(t testing.TB) []violation {
	t.Helper()
	text, err := os.ReadFile("schedules.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []violation
	for line := range bytes.Lines(text) {
		var v violation
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		if v.Kind == "violation" {
			all = append(all, v)
		}
	}
	return all
}

// workers serve the workers of this test program, by name.
var workers = map[string]func(context.Context, *worker.Conn) error{
	"known": answering(answerKnown), "preemptions": answering(answerPreempted),
}

// TestMain makes the program of the test a worker that explores instrumented copies.
func TestMain(m *testing.M) {
	if serve := workers[worker.Name()]; serve != nil {
		os.Exit(worker.Serve(serve))
	}
	os.Exit(m.Run())
}

// TestKnownViolations explores the programs of the 53 known violations, with instrumented
// copies of the libraries in a test program of its own. Each needs as many preemptions as
// were recorded, and none was found with fewer. The levels that explain them are those of levels.jsonl. Nothing is found in the programs of controls.
// Each program gets at most mostExecutions.
func TestKnownViolations(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented copies of the libraries")
	}
	known := knownViolations(t)
	if len(known) != 53 {
		t.Errorf("%d violations are known", len(known))
	}
	for _, c := range controls {
		v := violation{Object: c.object}
		v.Hunt.Program, v.Hunt.Outcome = c.program, notFound
		known = append(known, v)
	}
	p := startInstrumented(t, "known")
	defer p.Close()
	var levels bytes.Buffer
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range known {
		_ = p.Send(v) // if it is dead, Receive says why
		var found answer
		if err := p.Receive(&found); err != nil {
			t.Fatalf("%v: %v", &v, err)
		}
		t.Logf("%v: %+v", &v, found)
		if found.Outcome != v.Hunt.Outcome {
			t.Errorf("%v: returned %s instead of %s", &v, found.Outcome, v.Hunt.Outcome)
		}
		if v.Hunt.Outcome != notFound {
			line, _ := json.Marshal(levelLine{v.Object, v.Method, v.Hunt.Program, found.Weak})
			levels.Write(append(line, '\n'))
			if row := found.row(&v); !strings.Contains(string(readme), row) {
				t.Errorf("README.md has no line %s", row)
			}
		}
	}
	const file = "levels.jsonl"
	if *update {
		if err := os.WriteFile(file, levels.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != levels.String() {
		t.Errorf("%s differs: run with -update: %v", file, err)
	}
}

// A levelLine is a line of levels.jsonl: the levels that explain all outcomes of a program.
type levelLine struct {
	Object  string   `json:"object"`
	Method  string   `json:"method"` // "" for the core
	Program string   `json:"program"`
	Weak    []string `json:"weak"`
}

// An answer is what the worker finds in a program: the first violation, and the levels that explain
// all that it finds.
type answer struct {
	Outcome string
	Weak    []string
}

// row returns the line of the table of levels.
func (a *answer) row(v *violation) string {
	method, levels := cmp.Or(v.Method, "(core)"), strings.ReplaceAll(strings.Join(a.Weak, ", "), v.Method+"=", "")
	if v.Method == "" {
		levels = strings.Join(a.Weak, ", ")
	}
	return fmt.Sprintf("| %s | %s | %s |\n", v.Object, method, cmp.Or(levels, "none"))
}

// controls are programs of methods that are atomic.
var controls = []struct{ object, program string }{
	{"lockfree-queue", "{ Enqueue(0); Dequeue() } || { Enqueue(1); Dequeue() }"},
	{"lockfree-stack", "{ Push(0); Pop() } || { Push(1); Pop() }"},
	{"goconcurrentqueue-fifo", "{ Enqueue(0); Dequeue() } || { Enqueue(1); Dequeue() }"},
	{"golang-set", "{ Add(0); Remove(1) } || { Add(1); ContainsOne(0) }"},
	{"orcaman-cmap", `{ Set("0",0); Get("0") } || { Remove("0"); Set("0",1) }`},
	{"lru", "{ Add(0,0); Get(1) } || { Add(1,1); Remove(0) }"},
	{"go-cache", `{ Set("0",0); Get("0") } || { Delete("0"); Get("0") }`},
}

// mostExecutions bounds the schedules of a program, and notFound is the answer if none of these
// is a violation.
const (
	mostExecutions = 20_000
	notFound       = "not found"
)

// startInstrumented builds this test program with instrumented copies of the libraries, and
// starts it as the worker with this name.
func startInstrumented(t testing.TB, name string) *worker.Process {
	t.Helper()
	copies, err := instrument.Build(t.Context(), instrument.Target{Packages: libraries(t)})
	if err != nil {
		if strings.Contains(err.Error(), "dial tcp") {
			t.Skip(err) // modules are missing
		}
		t.Fatal(err)
	}
	dir := t.TempDir()
	flags, err := copies.WithOverlay(filepath.Join(dir, "overlay.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "known.test")
	build := exec.CommandContext(t.Context(), "go", slices.Concat([]string{"test", "-c", "-o", program}, flags, []string{"."})...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p, err := worker.Start(t.Context(), worker.Program{Path: program, Name: name}, worker.Guard{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// libraries returns the packages of the constructors and what they import from modules
// of others.
func libraries(t testing.TB) []string {
	t.Helper()
	paths := packagesOf(subjects(t))
	out, err := exec.CommandContext(t.Context(), "go", slices.Concat([]string{"list", "-f", `{{join .Imports "\n"}}`}, paths)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") && !strings.HasPrefix(path, "github.com/leadline/leadline/") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// answering returns a worker that answers each job. An error ends it.
func answering[J, A any](answer func(context.Context, []object, J) (A, error)) func(context.Context, *worker.Conn) error {
	return func(ctx context.Context, c *worker.Conn) error {
		cmap.SHARD_COUNT = 2 // some methods start two goroutines for each
		all, err := readList("subjects.txt")
		for err == nil {
			var job J
			var a A
			if err = c.Receive(&job); err != nil {
				break
			}
			if a, err = answer(ctx, all, job); err == nil {
				c.Send(a)
			}
		}
		return err
	}
}

// answerKnown answers a violation with the outcome that is found, or why there is none.
func answerKnown(ctx context.Context, all []object, v violation) (answer, error) {
	found, err := find(ctx, all, &v)
	if err != nil {
		found = answer{Outcome: err.Error()}
	}
	return found, nil
}

// parse returns the class and the program of a violation.
func (v *violation) parse(all []object) (*stress.Class, *stress.Program, error) {
	i := slices.IndexFunc(all, func(o object) bool { return o.Name == v.Object })
	if i < 0 {
		return nil, nil, errors.New("no such object")
	}
	r, err := derivers[v.Object](all[i].Reflect)
	if err != nil {
		return nil, nil, err
	}
	p, err := stress.Parse(v.Hunt.Program, r.Class)
	return r.Class, p, err
}

func find(ctx context.Context, all []object, v *violation) (a answer, err error) {
	class, p, err := v.parse(all)
	if err != nil {
		return a, err
	}
	e, err := explore.Schedules(ctx, class, p, stresstest.Checker(nil), explore.Plan{Preemptions: 2, Executions: mostExecutions, Strategy: "dfs"})
	switch {
	case err != nil:
		return a, err
	case len(e.Violations) == 0 && e.Undecided+e.Cut+e.Diverged > 0:
		return a, fmt.Errorf("not found, but %d executions are undecided, %d cut, %d diverged", e.Undecided, e.Cut, e.Diverged)
	case len(e.Violations) == 0:
		return a, errors.New(notFound)
	}
	a.Outcome = fmt.Sprint(e.Violations[0].Outcome)
	if e, err = explore.Schedules(ctx, class, p, stresstest.Checker(nil), explore.Plan{Preemptions: 2, Executions: mostExecutions, All: true}); err != nil {
		return a, err
	}
	methods := []string{v.Method}
	if v.Method == "" {
		methods = p.Parallel()
	}
	a.Weak = e.Weak(methods...)
	return a, nil
}
