package explore_test

import (
	"strings"
	"testing"

	"github.com/leadline/leadline/history/stress"
)

// idle has a method that never returns.
type idle struct {
	n     cell
	never cell
}

func (i *idle) Run()     { i.never.await() }
func (i *idle) Inc() int { return int(i.n.add(1)) }

// TestWatch: a call is exercised if another thread takes a step while it is open, or if it is a single
// step and others take steps before and after it. Programs without steps inside of calls are not complete.
func TestWatch(t *testing.T) {
	all := stress.ReflectOptions{ReadOnly: []string{}}
	for _, c := range []struct {
		class     *stress.Class
		program   string
		exercised string
		complete  bool
	}{
		{classOf(t, func() *hits { return &hits{} }, all), "{ Locked() } || { Get() }", "Locked Get", true},
		{classOf(t, func() *hits { return &hits{} }, all), "{ Locked() } || { Locked() }", "Locked", true},
		{classOf(t, func() *hits { return &hits{} }, all), "{ Atomic() } || { Atomic() }", "Atomic", true},
		{classOf(t, func() *hits { return &hits{} }, all), "{ Locked(); Atomic() }", "", true},
		{classOf(t, func() *hits { return &hits{} }, all), "{ Locked() } || { Get() } order 0<1", "", true},
		{classOf(t, func() *partly { return &partly{} }, all), "{ Own() } || { Own() }", "", false},
		{classOf(t, func() *partly { return &partly{} }, all), "{ Own() } || { Open() }", "", true},
	} {
		r, err := search(c.class, stress.Options{Programs: []string{c.program}})
		if err != nil {
			t.Fatal(err)
		}
		var exercised []string
		for _, m := range r.Account.Methods {
			if m.Exercised > 0 {
				exercised = append(exercised, m.Name)
			}
			if m.Named != strings.Contains(c.program, m.Name+"(") || m.Named && (m.Programs != 1 || m.Returned != 1) {
				t.Errorf("%s: %+v", c.program, m)
			}
		}
		if got := strings.Join(exercised, " "); len(exercised) != len(strings.Fields(c.exercised)) || !strings.Contains(c.exercised, got) && got != "Get Locked" {
			t.Errorf("%s: exercised are %q", c.program, got)
		}
		size := r.Account.Sizes[0]
		if size.Programs != 1 || (len(size.Complete) > 0) != c.complete {
			t.Errorf("%s: %+v", c.program, size)
		}
		if _, nothing := stress.NotExercised([]*stress.Report{r}); nothing != (c.exercised == "") {
			t.Errorf("%s: nothing exercised: %v", c.program, nothing)
		}
	}
}

// TestNeverReturned: programs of a method that never returns are counted, though they are not run.
func TestNeverReturned(t *testing.T) {
	c := classOf(t, func() *idle { return &idle{} }, stress.ReflectOptions{ReadOnly: []string{}})
	r, err := search(c, stress.Options{Exhaustive: true, Bounds: stress.Bounds{MaxInvocations: 2, MinInvocations: 2}})
	if err != nil {
		t.Fatal(err)
	}
	if run, inc := r.Account.Method("Run"), r.Account.Method("Inc"); run.Programs == 0 || run.Returned > 0 || run.Exercised > 0 || inc.Returned == 0 || inc.Exercised == 0 {
		t.Errorf("%+v, %+v", run, inc)
	}
	text := strings.Join(stress.Tried([]*stress.Report{r}), "\n")
	if !strings.Contains(text, "never returned") {
		t.Error(text)
	}
}
