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
//	0  |--|          Enqueue(1)
//	0       |---|    Dequeue(): 1
//	1         |---|  Dequeue(): 1
//
// Check checks a history that package history/record has recorded. That a test
// passes means little: interleavings are left to chance. See package
// history/stress for what a violation means.
package stresstest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
)

// A TB is what Test and Check need of a *testing.T, *testing.B or the like.
type TB interface {
	Helper()
	Name() string
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Options are those of package stress. The effort is "quick" by default: ten
// seconds.
type Options = stress.Options

// Test fails the test if the type of the objects that newObject makes has a
// method that is seen not to be atomic. It runs generated programs of the type's
// methods, as stress.Reflect finds them, in this process. A failure shows the
// history, saves it, and says how to reproduce it.
func Test[T any](t TB, newObject func() T, o Options) {
	t.Helper()
	r, err := stress.Reflect(newObject, o.ReflectOptions)
	if err != nil {
		t.Errorf("stress: %v", err)
		return
	}
	for _, l := range r.LeftOut {
		t.Logf("stress: %s.%s is left out: %s", r.Class.Name, l.Method, l.Reason)
	}
	TestClass(t, r.Class, o)
}

// TestClass is Test for a Class. The Spec of the options, if there is one, takes
// the place of the class's Model, which otherwise names a bundled specification.
func TestClass(t TB, c *stress.Class, o Options) {
	t.Helper()
	if o.Effort == (stress.Effort{}) {
		o.Effort, _ = stress.EffortCalled("quick")
	}
	specification, ok := o.Spec.(replay.Spec)
	if o.Spec != nil && !ok {
		t.Errorf("stress: the specification %s of %s is not a replay.Spec", o.Spec.Name(), c.Name)
		return
	}
	if ok {
		described := *c
		c, described.Model = &described, specification.Name()
	}
	o.Reduce, o.Checker = true, Checker(specification)
	found := o.Found
	o.Found = func(f *stress.Finding) {
		t.Helper()
		t.Errorf("%s", describe(t, f, o.Dir))
		if found != nil {
			found(f)
		}
	}
	report, err := stress.Search(context.Background(), c, o)
	if err != nil {
		t.Errorf("stress: %s: %v", c.Name, err)
		return
	}
	t.Logf("stress: %s: %d programs, %d executions, %.0f %% of those recorded overlapped", c.Name, report.Programs, report.Executions, 100*report.Overlap)
}

// Check fails the test if the history is not linearizable, or if that could not
// be decided. A failure shows the history and saves it.
func Check(t TB, h *history.History, spec replay.Spec) {
	t.Helper()
	v, err := decide.Check(context.Background(), h, spec, replay.Options{Explain: true})
	if err != nil {
		t.Errorf("stress: checking the history: %v", err)
		return
	}
	if v.Answer == replay.Linearizable {
		return
	}
	what := "is not linearizable"
	if v.Answer == replay.Undecided {
		what = fmt.Sprintf("may be linearizable or not (%v)", v.Cause)
	}
	text := fmt.Sprintf("the history of %d operations %s\n%s", len(h.Ops), what, picture(h))
	if e := v.Explanation; e != nil && e.Unexplained != replay.NoOperation {
		text += fmt.Sprintf("No order explains the response of %v.\n", &h.Ops[e.Unexplained])
	}
	var file strings.Builder
	native, _ := codec.Lookup("native")
	if err := native.Encode(&file, h); err != nil {
		fmt.Fprintf(&file, "# %v\n", err)
	}
	t.Errorf("%s%s", text, save(t, file.String(), h.Model, ""))
}

// describe returns all that is known of a violation.
func describe(t TB, f *stress.Finding, dir string) string {
	var b strings.Builder
	name := f.Subject
	if f.Method != "" {
		name += "." + f.Method
	}
	fmt.Fprintf(&b, "%s is not atomic: %s\nanswered %s in %d of %d executions; one after another the answers are:\n",
		name, f.Program, f.Outcome, f.Times, f.Executions)
	for _, e := range f.Expected {
		fmt.Fprintf(&b, "  %s\n", e.Outcome)
	}
	model := ""
	for h, err := range codec.Decode(strings.NewReader(f.History), "history", codec.Options{}) {
		if err != nil {
			fmt.Fprintf(&b, "the history cannot be drawn: %v\n", err)
			continue
		}
		model = h.Model
		b.WriteString(picture(h))
	}
	fmt.Fprintf(&b, "To reproduce: Options{Programs: []string{%q}}\n", f.Program)
	b.WriteString(save(t, f.History, model, dir))
	return b.String()
}

// save writes a history of a failed test to a file, and returns a message with
// the file's name.
func save(t TB, text, model, dir string) string {
	if a, ok := t.(interface{ ArtifactDir() string }); ok && dir == "" {
		dir = a.ArtifactDir()
	}
	if dir == "" {
		dir = os.TempDir()
	}
	pattern := strings.Map(func(c rune) rune {
		if strings.ContainsRune("/\\ :*?\"<>|", c) {
			return '_'
		}
		return c
	}, t.Name()) + "-*.jsonl"
	w, err := os.CreateTemp(dir, pattern)
	if err == nil {
		_, err = w.WriteString(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return fmt.Sprintf("The history could not be saved: %v\n", err)
	}
	file := w.Name()
	if absolute, err := filepath.Abs(file); err == nil {
		file = absolute
	}
	if model == "" {
		return fmt.Sprintf("The history is in %s\n", file)
	}
	return fmt.Sprintf("To check again: leadline check --witness %s\n", file)
}

// picture draws a history: an operation a line, with its interval from the
// invocation to the response. Time goes to the right, an event a column. An
// operation without a response has an open end. Edges are listed below. Histories
// of more than maxDrawn operations are cut off.
//
//	0  |--|      put(0): null
//	1    |---|   put(1): null
//	0       |-|  size(): 1
func picture(h *history.History) string {
	drawn := min(len(h.Ops), maxDrawn)
	ops := h.Ops[:drawn]
	last := int32(0)
	for i := range ops {
		last = max(last, ops[i].Call+1)
		if !ops[i].Pending() {
			last = max(last, ops[i].Return)
		}
	}
	names, width := make([]string, len(h.Processes)), 1
	for i, p := range h.Processes {
		names[i] = p.String()
		width = max(width, len(names[i]))
	}
	var b strings.Builder
	for i := range ops {
		op := &ops[i]
		end, mark := op.Return, "|"
		if op.Pending() {
			end, mark = last+1, ">"
		}
		bar := strings.Repeat(" ", int(op.Call)) + "|" + strings.Repeat("-", int(end-op.Call-1)) + mark
		fmt.Fprintf(&b, "%*s  %-*s  %v\n", width, names[op.Process], int(last)+2, bar, op)
	}
	for _, e := range h.Edges {
		if int(e.From) < drawn && int(e.To) < drawn {
			fmt.Fprintf(&b, "%v before %v\n", &ops[e.From], &ops[e.To])
		}
	}
	if more := len(h.Ops) - drawn; more > 0 {
		fmt.Fprintf(&b, "and %d more operations\n", more)
	}
	return b.String()
}

// maxDrawn is how many operations picture draws.
const maxDrawn = 60
