package stresstest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leadline/leadline/history/explore/instrument"
	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay"
)

// callOf returns the number of a call in a test, or -1 if there is nothing to do: the
// specification cannot be used, or this is a worker for another call. In the worker for this
// call, whose name is the number, it serves and does not return.
func callOf(t TB, o Options, serve func(stress.Checker) int) int {
	t.Helper()
	n, child := calls.next(t), worker.Name()
	specification, ok := o.Spec.(replay.Spec)
	err := error(nil)
	switch {
	case ok:
		err = replay.Validate(specification)
	case o.Spec != nil:
		err = fmt.Errorf("the specification is a %T, which is not a replay.Spec", o.Spec)
	}
	switch {
	case err != nil:
		t.Errorf("stress: %v", err)
	case child == "":
		return n
	case child == strconv.Itoa(n):
		os.Exit(serve(Checker(specification)))
	}
	return -1
}

// search searches a class on threads of this process, and in schedules of instrumented builds
// of the test's program. It returns the report of each pass. It first tries a given schedule, or
// those that an earlier run of the test has saved.
func search(t TB, c *stress.Class, o Options, call int, first *stress.SavedSchedule) ([]*stress.Report, error) {
	t.Helper()
	parts, err := partsOf(c)
	if err != nil {
		return nil, err
	}
	ctx := contextOf(t)
	threads := func(ctx context.Context, o Options) (*stress.Report, error) { return onThreads(ctx, c, o) }
	if _, bench := t.(*testing.B); bench || !isGoTest(t) { // a worker would run its tests, not its benchmarks
		none := func(context.Context, bool) (*worker.Program, error) {
			return nil, errors.New("only tests that go test runs can be")
		}
		return stress.Both(ctx, threads, none, o)
	}
	removeStale()
	dir, err := os.MkdirTemp("", programsPrefix)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := func(path string, schedules bool) *worker.Program {
		return &worker.Program{Path: path, Schedules: schedules, Args: []string{"-test.run", testPattern(t), "-test.count=1", "-test.timeout=0"}, Name: strconv.Itoa(call)}
	}
	o.OnThreads = func() *worker.Program { return program(os.Args[0], false) }
	built := map[bool]*instrument.Copies{}
	build := func(ctx context.Context, plain bool) (*worker.Program, error) {
		t.Helper()
		path := filepath.Join(dir, fmt.Sprintf("plain-%v", plain))
		if built[plain] == nil {
			copies, err := buildInstrumented(ctx, dir, path, parts, plain)
			if err != nil {
				return nil, err
			}
			built[plain] = copies
		}
		if plain && !built[plain].HasPlain() {
			return nil, nil
		}
		return program(path, true), nil
	}
	saved := savedSchedules(t, o, call)
	if first != nil {
		saved = []stress.SavedSchedule{*first}
	}
	if len(saved) > 0 && !o.Threads {
		fault := func(err error) { t.Helper(); t.Logf("stress: %s: replaying: %v", c.Name, err) }
		if r, err := replaySaved(ctx, o, saved, build, fault); r != nil || err != nil {
			return []*stress.Report{r}, err
		}
	}
	reports, err := stress.Both(ctx, threads, build, o)
	if copies := built[false]; copies != nil && len(reports) > 0 {
		for _, remark := range copies.Remarks() {
			reports[len(reports)-1].Account.Omit(stress.Omission{What: remark})
		}
	}
	return reports, err
}

// onThreads searches a class on threads. A program that misuses a lock ends a worker, and not the test.
func onThreads(ctx context.Context, c *stress.Class, o Options) (*stress.Report, error) {
	if c.IsLock() && o.OnThreads != nil {
		return stress.Supervise(ctx, *o.OnThreads(), o)
	}
	return stress.Search(ctx, c, o)
}

// programsPrefix begins the names of directories with instrumented programs.
const programsPrefix = "leadline-test-"

// staleAfter is the age at which such a directory is no longer in use: its test was killed.
const staleAfter = 24 * time.Hour

// removeStale removes what killed tests have left.
func removeStale() {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), programsPrefix+"*"))
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > staleAfter {
			_ = os.RemoveAll(dir) // it may be somebody else's
		}
	}
}

// replaySaved replays saved schedules. If one still shows a violation, it explores the
// schedules of its program. The report is nil if none does. fault receives why one cannot be
// replayed.
func replaySaved(ctx context.Context, o Options, list []stress.SavedSchedule, build stress.SchedulesBuild, fault func(error)) (*stress.Report, error) {
	for _, s := range list {
		for _, plain := range []bool{false, true} {
			program, err := build(ctx, plain)
			if err != nil {
				return nil, nil // Both says why
			}
			if program == nil {
				continue
			}
			again := o
			again.Programs = nil
			replayed, err := stress.Replay(ctx, *program, again, s.Program, s.Schedule)
			if err != nil {
				fault(err)
			}
			if err != nil || !replayed.Violates {
				continue
			}
			again.Programs = []string{s.Program}
			r, err := stress.Supervise(ctx, *program, again)
			if err != nil || len(r.Findings)+len(r.Crashes) > 0 || ctx.Err() != nil {
				return r, err
			}
		}
	}
	return nil, nil
}

// nameOf returns the name of a call in the test, under which its schedules are saved.
func nameOf(t TB, call int) string { return fmt.Sprintf("call %d of %s", call, t.Name()) }

// savedSchedules returns the schedules that this call saved in an earlier run of the test.
func savedSchedules(t TB, o Options, call int) []stress.SavedSchedule {
	var list []stress.SavedSchedule
	for n := 1; n <= maxSaved; n++ {
		text, err := os.ReadFile(fileName(t, o.Dir, n))
		if s := stress.ReadSchedule(string(text)); err == nil && s.Object == nameOf(t, call) && (len(o.Programs) == 0 || slices.Contains(o.Programs, s.Program)) {
			list = append(list, s)
		}
	}
	return list
}

// partsOf returns the packages of the types that an object of the class consists of. It
// follows the values in interfaces only if the object has started no goroutines, because
// these might change the values.
func partsOf(c *stress.Class) ([]string, error) {
	before := runtime.NumGoroutine()
	object, err := c.Make()
	if err != nil {
		return nil, err
	}
	if c.Close != nil {
		defer c.Close(object)
	}
	for n := 0; runtime.NumGoroutine() > before && n < 50; n++ { // that of Make is about to end
		time.Sleep(time.Millisecond)
	}
	return packagesOf(object, runtime.NumGoroutine() <= before), nil
}

// packagesOf returns the packages of the types that a value consists of. If values is set,
// it follows the values in interfaces.
func packagesOf(object any, values bool) []string {
	found, seen := map[string]bool{}, map[reflect.Type]bool{}
	const limit = 10_000 // of types
	for todo := []reflect.Value{reflect.ValueOf(object)}; len(todo) > 0 && len(seen) < limit; {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if v.Kind() == reflect.Interface && values {
			v = v.Elem()
		}
		if !v.IsValid() || seen[v.Type()] {
			continue
		}
		t := v.Type()
		seen[t] = true
		if path := t.PkgPath(); path != "" {
			found[path] = true
		}
		switch t.Kind() {
		case reflect.Struct:
			for i := range t.NumField() {
				todo = append(todo, v.Field(i))
			}
		case reflect.Map:
			todo = append(todo, reflect.Zero(t.Key()), reflect.Zero(t.Elem()))
		case reflect.Chan:
			todo = append(todo, reflect.Zero(t.Elem()))
		case reflect.Pointer:
			if values && !v.IsNil() {
				todo = append(todo, v.Elem())
			} else {
				todo = append(todo, reflect.Zero(t.Elem()))
			}
		case reflect.Slice, reflect.Array:
			todo = append(todo, reflect.Zero(t.Elem()))
			for i := 0; values && i < min(v.Len(), 16); i++ {
				todo = append(todo, v.Index(i))
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// programs caches the instrumented programs that this process has built, as values of type
// instrumented. There are two kinds of keys: the options, because the source of a running
// test does not change; and the copies that a program was built from, because objects
// with the same copies share a program.
var programs sync.Map

// An instrumented program comes with the copies that it was built from.
type instrumented struct {
	text   []byte
	copies *instrument.Copies
}

// buildInstrumented builds the program of the test, with instrumented copies of the
// package, of the packages of its module that it imports, of parts, and of what these refer to.
// It returns the copies.
func buildInstrumented(ctx context.Context, dir, program string, parts []string, plain bool) (*instrument.Copies, error) {
	o := instrument.Target{Dir: ".", Packages: []string{"."}, Parts: parts, Tests: true, Plain: plain}
	if tags := buildTags(); tags != "" {
		o.Tags = strings.Split(tags, ",")
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	asked := fmt.Sprintf("%q %q %v", here, parts, plain)
	if p, ok := programs.Load(asked); ok {
		return p.(instrumented).copies, os.WriteFile(program, p.(instrumented).text, 0o755)
	}
	var p instrumented
	var key string
	p.copies, err = instrument.Compile(ctx, o, func(copies *instrument.Copies) error {
		key = fmt.Sprint(here, copies.Flags, copies.Overlay)
		if same, ok := programs.Load(key); ok {
			p.text = same.(instrumented).text
			return os.WriteFile(program, p.text, 0o755)
		}
		flags, err := copies.WithOverlay(filepath.Join(dir, "overlay.json"), nil)
		if err != nil {
			return err
		}
		// The user's go test vets the package, unless vet is off there.
		cmd := worker.Tool(ctx, "go", slices.Concat([]string{"test", "-c", "-vet=off", "-o", program}, flags, []string{"."})...)
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s%s", strings.Join(cmd.Args, " "), err, text, instrument.Explain(string(text)))
		}
		p.text, err = os.ReadFile(program)
		return err
	})
	if err != nil {
		return nil, err
	}
	programs.Store(key, p)
	programs.Store(asked, p)
	return p.copies, nil
}
