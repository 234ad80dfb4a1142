package stress

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/leadline/leadline/history"
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

// Options are those of Test.
type Options struct {
	ReflectOptions
	// Effort is the quick one by default: ten seconds.
	Effort Effort
	Bounds Bounds
	Seed   uint64
	// Programs are run instead of generated ones; see Parse.
	Programs []string
	// Dir is where violating histories are saved: by default the test's
	// directory for artifacts, or the temporary one.
	Dir string
}

// Test fails the test if the type of the objects that newObject makes has a
// method that is seen not to be atomic: it runs generated programs of the
// type's methods, as Reflect finds them, in this process. A failure shows the
// history, which is saved, and what reproduces it.
func Test[T any](t TB, newObject func() T, o Options) {
	t.Helper()
	r, err := Reflect(newObject, o.ReflectOptions)
	if err != nil {
		t.Errorf("stress: %v", err)
		return
	}
	for _, l := range r.LeftOut {
		t.Logf("stress: %s.%s is left out: %s", r.Class.Name, l.Method, l.Reason)
	}
	TestClass(t, r.Class, o)
}

// TestClass is Test for a Class.
func TestClass(t TB, c *Class, o Options) {
	t.Helper()
	if o.Effort == (Effort{}) {
		o.Effort, _ = EffortCalled("quick")
	}
	hunt := HuntOptions{Effort: o.Effort, Bounds: o.Bounds, Seed: o.Seed, Reduce: true}
	for _, text := range o.Programs {
		p, err := Parse(text, c)
		if err != nil {
			t.Errorf("stress: program %s: %v", text, err)
			return
		}
		hunt.Programs = append(hunt.Programs, p)
	}
	hunt.Found = func(f *Finding) {
		t.Helper()
		t.Errorf("%s", describe(t, c, f, o.Dir))
	}
	report, err := Hunt(context.Background(), c, hunt)
	if err != nil {
		t.Errorf("stress: %s: %v", c.Name, err)
		return
	}
	t.Logf("stress: %s: %d programs, %d executions, %.0f %% of those recorded overlapped", c.Name, report.Programs, report.Executions, 100*report.Overlap)
}

// describe tells all that is known of a violation.
func describe(t TB, c *Class, f *Finding, dir string) string {
	var b strings.Builder
	name := c.Name
	if f.Method != "" {
		name += "." + f.Method
	}
	fmt.Fprintf(&b, "%s is not atomic: %v\nanswered %v in %d of %d executions; one after another the answers are:\n", name, f.Program, f.Outcome, f.Times, f.Executions)
	for _, e := range f.Expected {
		fmt.Fprintf(&b, "  %v\n", e.Outcome)
	}
	b.WriteString(Picture(f.History))
	fmt.Fprintf(&b, "To reproduce: Options{Programs: []string{%q}}\n", f.Program.String())
	b.WriteString(save(t, f.History, dir))
	return b.String()
}

// save writes a history of a failed test to a file and says so.
func save(t TB, h *history.History, dir string) string {
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
		_, err = w.WriteString(encode(h))
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
	if h.Model == "" {
		return fmt.Sprintf("The history is in %s\n", file)
	}
	return fmt.Sprintf("To check again: leadline check --witness %s\n", file)
}

// Check fails the test if the history, as a recorder has made it, is not
// linearizable, or if that could not be found out. A failure shows the history
// and saves it.
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
	text := fmt.Sprintf("the history of %d operations %s\n%s", len(h.Ops), what, Picture(h))
	if e := v.Explanation; e != nil {
		text += fmt.Sprintf("No order explains the response of %v.\n", &h.Ops[e.Unexplained])
	}
	t.Errorf("%s%s", text, save(t, h, ""))
}
