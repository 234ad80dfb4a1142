package explore_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// scheduled searches with schedules in this process.
func scheduled(t *testing.T, c *stress.Class, program string) *stress.Report {
	t.Helper()
	r, err := search(c, stress.Options{Preemptions: 1, Programs: []string{program},
		Effort: stress.Effort{Time: time.Minute, Program: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// stuck returns a class of which one method ends the process as if all goroutines waited.
func stuck() *stress.Class {
	method := func(name string, f func(*hits) int) *stress.Method {
		return &stress.Method{Name: name, Prepare: func([]history.Value) stress.Call {
			return func(h any) history.Value { return history.IntValue(int64(f(h.(*hits)))) }
		}}
	}
	return &stress.Class{Name: "stuck", New: func() any { return &hits{} }, Methods: []*stress.Method{
		method("count", (*hits).Atomic),
		method("wait", func(*hits) int {
			os.Stderr.WriteString("fatal error: all goroutines are asleep - deadlock!\n")
			os.Exit(2)
			return 0
		}),
	}}
}

// TestStuckScheduled: what a process judged before it waited outside of the scheduler counts.
func TestStuckScheduled(t *testing.T) {
	t.Parallel() // it waits for another process
	for _, c := range []struct {
		programs []string
		nothing  bool
	}{
		{[]string{"{ count() } || { count() }", "{ count() } || { wait() }"}, false},
		{[]string{"{ count() } || { wait() }"}, true},
	} {
		r, err := stress.Supervise(context.Background(), child("stuck"), stress.Options{Programs: c.programs})
		if err != nil {
			t.Fatal(err)
		}
		if line, _ := stress.NotExercised([]*stress.Report{r}); line != "not all of the given programs could be run" || r.Executions == 0 != c.nothing || len(r.Account.LeftOut) != 1 || !r.Account.LeftOut[0].Given || len(r.Crashes)+len(r.Findings) > 0 {
			t.Errorf("%q: nothing was run: %v; %+v", c.programs, r.Executions == 0, r.Account.LeftOut)
		}
		if n := r.Account.Method("count").Exercised; (n == 1) == c.nothing {
			t.Errorf("%q: count was exercised in %d programs", c.programs, n)
		}
	}
}

// TestNothingScheduled: if no execution counts, nothing was judged.
func TestNothingScheduled(t *testing.T) {
	one := &hits{}
	for _, c := range []struct {
		name    string
		class   *stress.Class
		program string
		nothing bool
	}{
		{"shared", classOf(t, func() *hits { return one }, stress.ReflectOptions{}), "{ Atomic() } || { Atomic() }", true},
		{"own", classOf(t, func() *hits { return &hits{} }, stress.ReflectOptions{}), "{ Atomic() } || { Atomic() }", false},
		{"not exercised", classOf(t, func() *hits { return &hits{} }, stress.ReflectOptions{}), "{ Get() } || { Get() }", false},
		{"violation", classOf(t, func() *hits { return &hits{} }, stress.ReflectOptions{}), "{ Inc() } || { Inc() }", false},
	} {
		r := scheduled(t, c.class, c.program)
		line, nothing := r.Unsteadiness()
		if nothing != c.nothing || nothing != strings.Contains(line, "nothing could be judged") || nothing != (r.Explored.Judged == 0 && len(r.Findings) == 0) {
			t.Errorf("%s: %q, %d judged of %d executions, %d violations", c.name, line, r.Explored.Judged, r.Executions, len(r.Findings))
		}
	}
}
