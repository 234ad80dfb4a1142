// Package stresstest tests concurrent objects in Go tests: it joins package
// history/stress, which generates and runs small programs, to leadline's
// checker.
//
// Test runs generated programs of the methods of any Go type:
//
//	func TestQueue(t *testing.T) {
//		stresstest.Test(t, queue.New, stresstest.Options{})
//	}
//
// If a method is not atomic, the test fails with a program, an execution that no
// order of its invocations explains, and how to run the program again:
//
//	process  id
//	0         0  |---|                   Enqueue(1)
//	0         1          |-------|       Dequeue(): 1
//	1         2              |-------|   Dequeue(): 1
//
// Interleavings are not left to chance: while threads run, Test builds an instrumented copy of
// the test's program, and then explores the schedules of programs in it, one thread at a time,
// in the time of the options. Options.Threads asks for threads alone. Where there is no Go tool
// or no source, a line of the log says so, and threads run alone; so they do in benchmarks.
//
// The copy has the package of the test, the packages of its module that it imports, and the
// packages of the types that the object consists of. A line of the log names other packages
// that synchronise. See package instrument for what that covers. A failure shows each step. The
// schedule is saved with the history, and is tried first when the test runs again.
//
// Check checks a history that package history/record has recorded. That a test
// passes means little: interleavings are left to chance. See package
// history/stress for what a violation means.
//
// A failing test saves the history, by default in testdata/leadline below the
// package under test, and prints the command that explains it. The files have the
// names of tests, so that the next run overwrites them. Tell your version control
// to ignore the directory.
//
// It also writes Go tests of the violation there: one that needs nothing but the package under
// test, if it fails, and one that replays the schedule by Replay. The first compares results as
// fmt.Sprint writes them. Copy them beside yours to keep them. They have the constructor as it
// stands in the call of Test, so it must not use local variables.
//
// Your own specification may have faults, too. So Test first tries it on its
// invocations (see replay.Trusted). If it finds a fault, the error is about the specification, and
// the object is not judged.
package stresstest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/report"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/view"
)

// A TB is what Test and Check need of a *testing.T, *testing.B or the like.
type TB interface {
	Helper()
	Name() string
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Options are the options of package stress. The effort is stress.QuickEffort by default: what an
// idle machine does in ten seconds. Failures of Test print options, so the types of their fields are here, too.
type (
	Options        = stress.Options
	ReflectOptions = stress.ReflectOptions
	Effort         = stress.Effort
)

// Test runs generated programs of the methods of the objects that newObject makes, as
// stress.Reflect finds them. It fails the test if an execution shows that a method is not
// atomic. A failure shows the history, saves it, and says how to reproduce
// it. If t is a *testing.T or *testing.B, go test -short shortens the test to stress.ShortEffort:
// what an idle machine does in a second.
//
// The log has an account of what was tried: see stress.Tried. Lines about what was left out, such
// as generic methods, are on standard error, too, unless -v shows the log. (If a package
// passes, go test shows its standard error only when called without a list of packages.)
// With Options.Strict, methods that Reflect leaves out are an error.
//
// A test that has exercised nothing is skipped, or fails with Strict: in no program, another call
// or a goroutine of the object took a step while a call was open, or no program could be judged. It
// fails if that is so for a method that Core, ReadOnly, Weak (with a level) or Programs name.
//
// To test a left-out method, embed the type in a type of the test, and give that type a
// method of the same name, with parameters that package values has arguments for:
//
//	type store struct{ *Store }
//
//	func newStore() store { return store{NewStore()} }
//
//	func (s store) Create(id int) error { return s.Store.Create(User{ID: id}) }
func Test[T any](t TB, newObject func() T, o Options) {
	t.Helper()
	test(t, newObject, o, nil)
}

// Replay is Test for one program. It first replays a schedule of it, as a failure shows it. If
// that is no longer a violation, or if the object takes other steps by now, Replay goes on like
// Test. So it is a regression test of what the schedule has shown.
func Replay[T any](t TB, newObject func() T, o Options, program, schedule string) {
	t.Helper()
	o.Programs = []string{program}
	test(t, newObject, o, &stress.SavedSchedule{Program: program, Schedule: schedule})
}

func test[T any](t TB, newObject func() T, o Options, first *stress.SavedSchedule) {
	t.Helper()
	call := callOf(t, o, func(c stress.Checker) int {
		return stress.ServeDerived(func(d stress.ReflectOptions) (*stress.Reflected, error) {
			d.Spec, d.Close, d.Failure, d.Makers = o.Spec, o.Close, o.Failure, o.Makers // a job has no functions
			r, err := stress.Reflect(newObject, d)
			if err == nil {
				r.Class = specified(r.Class, o)
			}
			return r, err
		}, c, explore.New)
	})
	if call < 0 {
		return
	}
	r, err := stress.Reflect(newObject, o.Designations())
	if err != nil {
		t.Errorf("stress: %v", err)
		return
	}
	testClass(t, r.Class, o, call, first, r.LeftOut...)
	if text := leftOut(r); text != "" && o.Strict {
		t.Errorf("stress: %s; Options.Exclude can name them", text)
	}
}

// leftOut returns a line about the methods that are left out, or "". It does not
// name the methods that the options exclude.
func leftOut(r *stress.Reflected) string {
	var list []string
	for _, l := range r.LeftOut {
		if !l.Excluded() {
			list = append(list, fmt.Sprintf("%s (%s)", l.What, l.Why))
		}
	}
	if list == nil {
		return ""
	}
	return fmt.Sprintf("these methods of %s are not tested: %s", r.Class.Name, strings.Join(list, ", "))
}

// warn logs a line that matters even if the test passes. Without -v, the log of such a
// test is not shown, so warn also writes the line to standard error.
func warn(t TB, format string, args ...any) {
	t.Helper()
	t.Logf(format, args...)
	if f, ok := t.(interface{ Failed() bool }); ok && !f.Failed() && isGoTest(t) && !testing.Verbose() {
		fmt.Fprintf(os.Stderr, "%s: %s\n", t.Name(), fmt.Sprintf(format, args...))
	}
}

// isGoTest reports whether package testing itself runs t, so that its flags apply.
func isGoTest(t TB) bool {
	switch t.(type) {
	case *testing.T, *testing.B, *testing.F:
		return true
	}
	return false
}

// contextOf returns the context of t, if it has one.
func contextOf(t TB) context.Context {
	if c, ok := t.(interface{ Context() context.Context }); ok {
		return c.Context()
	}
	return context.Background()
}

// TestClass is Test for a Class. If the options have a Spec, it takes the place of the
// class's Model, which otherwise names a bundled specification.
func TestClass(t TB, c *stress.Class, o Options) {
	t.Helper()
	call := callOf(t, o, func(checker stress.Checker) int { return stress.Serve(specified(c, o), checker, explore.New) })
	if call < 0 {
		return
	}
	testClass(t, c, o, call, nil)
}

// specified returns the class with the specification of the options.
func specified(c *stress.Class, o Options) *stress.Class {
	specification, _ := o.Spec.(replay.Spec)
	if specification == nil {
		return c
	}
	described := *c
	var ok bool
	if described.Model, described.ModelArgs, ok = bundled(specification); !ok {
		described.Model = specification.Name()
	}
	return &described
}

// testClass is TestClass for the call with this number in the test. It tries the schedule first,
// if there is one. The class does not have the methods that are left out.
func testClass(t TB, c *stress.Class, o Options, call int, first *stress.SavedSchedule, leftOut ...stress.Omission) {
	t.Helper()
	c = specified(c, o)
	o.Effort = effortFor(t, o.Effort)
	specification, _ := o.Spec.(replay.Spec)
	decider := &checker{spec: specification}
	o.Checker = decider
	// Errorf is called after Search, because it cannot find the line of the test before.
	var failures []failure
	found := o.Found
	o.Found = func(f *stress.Finding) {
		text := decider.describe(t, f, o.Dir, call)
		failures = append(failures, failure{f, text, lastSaved(t, o.Dir)})
		if found != nil {
			found(f)
		}
	}
	begin := time.Now()
	reports, err := search(t, c, o, call, first)
	if decider.fault != nil { // it may be the cause of any finding
		t.Errorf("stress: %v", decider.fault)
		return
	}
	for i, f := range failures {
		if i == 0 {
			f.text += f.goTests(t, &o, cmp.Or(o.Effort.Time, time.Hour)-time.Since(begin))
		} else {
			f.text += "Go tests are written of the first violation; a run with its program has one of this.\n"
		}
		t.Errorf("%s", f.text)
	}
	if err != nil {
		t.Errorf("stress: %s: %v", c.Name, err)
		return
	}
	if len(reports) == 0 {
		return // the test has ended
	}
	for _, crash := range reports[len(reports)-1].Crashes {
		t.Errorf("stress: %s: %s: %s\n%s", c.Name, crash.Program, crash.What, crash.Stack)
	}
	for _, l := range leftOut {
		reports[len(reports)-1].Account.Omit(l)
	}
	logReports(t, c.Name, reports, o.Strict)
}

// logReports logs what was tried, and what the user may have to change. If nothing was exercised, it
// skips the test.
func logReports(t TB, class string, reports []*stress.Report, strict bool) {
	t.Helper()
	report := reports[len(reports)-1]
	t.Logf("stress: %s: %s", class, strings.Join(stress.Tried(reports), "\n"))
	for _, o := range report.Account.LeftOut {
		if !o.Excluded() {
			warn(t, "stress: %s: left out: %v", class, o)
		}
	}
	line, nothing := stress.NotExercised(reports)
	skips, canSkip := t.(interface{ Skipf(string, ...any) })
	ending := report.Ending()
	if !nothing {
		ending = cmp.Or(report.Passed(), ending)
	}
	if ending != "" {
		t.Logf("stress: %s: %s", class, ending)
	}
	switch {
	case line == "" || len(report.Findings)+len(report.Crashes) > 0:
	case strict || !nothing:
		t.Errorf("stress: %s: %s", class, line)
	case canSkip:
		skips.Skipf("stress: %s: %s", class, line)
	default:
		warn(t, "stress: %s: %s", class, line)
	}
}

// effortFor returns the effort of a test, given the effort in its options.
func effortFor(t TB, e stress.Effort) stress.Effort {
	if isGoTest(t) && testing.Short() {
		e = e.Or(stress.ShortEffort)
		e.Time = min(cmp.Or(e.Time, stress.ShortEffort.Time), stress.ShortEffort.Time)
	}
	return e.Or(stress.QuickEffort)
}

// A failure is a violation, with the text about it and the file of its history.
type failure struct {
	*stress.Finding
	text, file string
}

// describe saves the history of a violation and returns the text of the failure.
func (c *checker) describe(t TB, f *stress.Finding, dir string, call int) string {
	var b strings.Builder
	name := f.Subject
	if f.Method != "" {
		name += "." + f.Method
	}
	fmt.Fprintf(&b, "%s %s: %s\nreturned %s %s; one after another the results are:\n", name, f.Says(), f.Program, f.Outcome, f.In())
	for _, e := range f.Expected {
		fmt.Fprintf(&b, "  %s\n", e.Outcome)
	}
	for _, w := range f.Waiting {
		if strings.HasPrefix(w, "a goroutine ") { // the timeline has the calls
			fmt.Fprintf(&b, "%s\n", w)
		}
	}
	if line := f.Explained("stresstest.Options{ReflectOptions: stresstest.ReflectOptions{Weak: []string{%q}}}"); line != "" {
		fmt.Fprintln(&b, line)
	}
	if item, err := c.timeline(&b, f); err != nil {
		fmt.Fprintf(&b, "the history cannot be drawn: %v\n", err)
	} else {
		comments := ""
		if s := f.Scheduled; s != nil {
			comments = f.ScheduleComments(nameOf(t, call))
			item.Steps = stress.ReadSchedule(comments).Steps
			fmt.Fprintf(&b, "The schedule is %s:\n%s", s.Schedule, item.Steps)
			if line := s.RealThreads(); line != "" {
				fmt.Fprintln(&b, line)
			}
		}
		for _, line := range []string{f.Variations.String(), f.Unfinished()} {
			if line != "" {
				fmt.Fprintln(&b, line)
			}
		}
		long := ""
		if f.Again() > stress.QuickEffort.Program {
			long = fmt.Sprintf(", Effort: stresstest.Effort{Program: %de6}", f.Again().Milliseconds()) // needs no other import
		}
		fmt.Fprintf(&b, "To reproduce: stresstest.Options{Programs: []string{%q}%s}\n", f.Program, long)
		_, saved := save(t, item, comments, c.spec == nil || item.History.Model == spec.RunsName || isBundled(c.spec), dir)
		if f.Fault != "" { // the history itself may be linearizable
			saved, _, _ = strings.Cut(saved, "To explain it: ")
		}
		b.WriteString(saved)
	}
	return b.String()
}

// WriteTimeline draws the history of a violation, as a failure of Test shows it.
func WriteTimeline(w io.Writer, f *stress.Finding) error {
	_, err := (&checker{}).timeline(w, f)
	return err
}

// timeline draws the history of a violation. It returns the history with its verdict.
func (c *checker) timeline(w io.Writer, f *stress.Finding) (item view.Item, err error) {
	for h, err := range codec.Decode(strings.NewReader(f.History), "history", codec.Options{}) {
		if err != nil {
			return item, err
		}
		item.History = h
	}
	if item.History == nil {
		return item, errors.New("there is none")
	}
	h := item.History
	if item.Spec, err = c.lookup(h.Model, h.ModelArgs); err != nil {
		return item, err
	}
	known := CheckOptions{Context: context.Background()}
	if item.Verdict, err = known.verdict(h, item.Spec); err != nil {
		return item, err
	}
	return item, report.Timeline(w, h, &item.Verdict, report.Options{})
}
