package subjects_test

import (
	"bytes"
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

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore/instrument"
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
func knownViolations(t *testing.T) []violation {
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

// instrumented says to a process that it runs instrumented copies of the libraries.
const instrumented = "LEADLINE_INSTRUMENTED"

// TestKnownViolations explores the programs of the 53 known violations, with instrumented
// copies of the libraries in a test program of its own.
func TestKnownViolations(t *testing.T) {
	if os.Getenv(instrumented) != "" {
		findKnown(t)
		return
	}
	if testing.Short() {
		t.Skip("builds instrumented copies of the libraries")
	}
	if n := len(knownViolations(t)); n != 53 {
		t.Errorf("%d violations are known", n)
	}
	copies, err := instrument.Build(t.Context(), instrument.Options{Packages: libraries(t)})
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
	build.Env = append(os.Environ(), copies.Env...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	find := exec.CommandContext(t.Context(), program, "-test.run", "^TestKnownViolations$", "-test.v")
	find.Env = append(os.Environ(), instrumented+"=1")
	out, err := find.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

// libraries returns the packages of the constructors and what they import from modules
// of others.
func libraries(t *testing.T) []string {
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

// findKnown finds the violations. Each needs as many preemptions as were recorded, and
// none was found with fewer.
func findKnown(t *testing.T) {
	cmap.SHARD_COUNT = 2 // some methods start two goroutines for each
	all := subjects(t)
	for _, v := range knownViolations(t) {
		i := slices.IndexFunc(all, func(o object) bool { return o.Name == v.Object })
		if i < 0 {
			t.Errorf("%v: no such object", &v)
			continue
		}
		if err := find(t, &all[i], &v); err != nil {
			t.Errorf("%v: %v", &v, err)
		}
	}
}

func find(t *testing.T, o *object, v *violation) error {
	r, err := derivers[o.Name](o.Reflect)
	if err != nil {
		return err
	}
	p, err := stress.Parse(v.Hunt.Program, r.Class)
	if err != nil {
		return err
	}
	e, err := stress.Explore(t.Context(), r.Class, p, stress.ExploreOptions{Preemptions: 2, Executions: 20_000, Strategy: "dfs", Checker: stresstest.Checker(nil)})
	switch {
	case err != nil:
		return err
	case len(e.Violations) == 0:
		return errors.New("not found")
	}
	found := e.Violations[0]
	t.Logf("%v: execution %d: %v", v, found.Execution, found.Outcome)
	if got := fmt.Sprint(found.Outcome); got != v.Hunt.Outcome {
		return fmt.Errorf("returned %s instead of %s", got, v.Hunt.Outcome)
	}
	return nil
}
