package stress_test

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/subject"
)

// nullary is a method without parameters.
func nullary[T any](name string, f func(T) history.Value) *stress.Method {
	return &stress.Method{Name: name, Core: true, Prepare: func([]history.Value) stress.Call {
		return func(object any) history.Value { return f(object.(T)) }
	}}
}

// twoLocks are channels of which a value is the right to go on.
type twoLocks [2]chan struct{}

// locksClass has the methods of two locks, and one that takes both, in the order
// of its argument.
func locksClass() *stress.Class {
	method := func(name string, f func(l twoLocks, i int64)) *stress.Method {
		return &stress.Method{Name: name, Core: true, Params: []stress.Param{stress.Int}, Prepare: func(args []history.Value) stress.Call {
			i := args[0].Int()
			return func(object any) history.Value { f(object.(twoLocks), i); return history.NoValue }
		}}
	}
	return &stress.Class{Name: "locks", New: func() any { return twoLocks{make(chan struct{}, 1), make(chan struct{}, 1)} },
		Methods: []*stress.Method{
			method("lock", func(l twoLocks, i int64) { l[i] <- struct{}{} }),
			method("unlock", func(l twoLocks, i int64) { <-l[i] }),
			method("both", func(l twoLocks, i int64) {
				l[i] <- struct{}{}
				time.Sleep(time.Microsecond)
				l[1-i] <- struct{}{}
				<-l[1-i]
				<-l[i]
			}),
		}}
}

func parse(t *testing.T, c *stress.Class, text string) *stress.Program {
	t.Helper()
	p, err := stress.Parse(text, c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestTimers: methods that wait with a timer return after all. A search counts neither
// such an execution as one that waits for ever nor the results after it as wrong.
func TestTimers(t *testing.T) {
	defer stress.SetSteadyTime(stress.SetSteadyTime(time.Second))
	type object struct {
		busy   atomic.Bool
		values chan int
	}
	work := func(o *object) history.Value { // backs off if another is at work
		if !o.busy.CompareAndSwap(false, true) {
			<-time.After(100 * time.Millisecond)
			return history.NoValue
		}
		time.Sleep(time.Millisecond)
		o.busy.Store(false)
		return history.NoValue
	}
	get := func(o *object) history.Value {
		select {
		case v := <-o.values:
			return history.IntValue(int64(v))
		case <-time.After(50 * time.Millisecond):
			return history.NullValue
		}
	}
	put := func(o *object) history.Value {
		time.Sleep(70 * time.Millisecond)
		o.values <- 1
		return history.NoValue
	}
	c := &stress.Class{Name: "timed", New: func() any { return &object{values: make(chan int, 2)} },
		Methods: []*stress.Method{nullary("work", work), nullary("get", get), nullary("put", put)}}
	for _, program := range []string{"{ work() } || { work() }", "{ get() } || { put() }"} {
		r, err := search(c, stress.Options{Programs: []string{program}, Effort: stress.Effort{Time: patience, Program: 100 * time.Millisecond}})
		if err != nil || len(r.Findings) > 0 {
			t.Errorf("%s: %v, %+v", program, err, r)
		}
		t.Logf("%s: %d executions, unsteady %q", program, r.Executions, r.Unsteady)
	}
}

// TestMayWait: threads do not judge programs with calls that do not return. The methods are
// named, and the search ends when no others are left. A deadlock ends a run.
func TestMayWait(t *testing.T) {
	defer stress.SetWaitLimit(stress.SetWaitLimit(300 * time.Millisecond))
	queue := subject.Lookup("blocking-queue").Class
	r, err := search(queue, stress.Options{Effort: stress.Effort{Time: patience, Program: time.Millisecond}})
	if err != nil || len(r.Findings) > 0 || !slices.Equal(slices.Sorted(slices.Values(r.MayWait)), []string{"get", "put"}) {
		t.Fatalf("%+v, %v", r, err)
	}
	if line, nothing := r.Unsteadiness(); r.Left == r.Programs && (!nothing || !strings.Contains(line, "calls may wait for ever")) {
		t.Errorf("%v, %s", nothing, line)
	}
	var waits *stress.WaitsError
	if _, err := stress.NewExpected(queue, parse(t, queue, "{ get() } || { put(0) }")); !errors.As(err, &waits) || waits.Method != "get" {
		t.Errorf("%v", err)
	}
	run := stress.RunProgram(t.Context(), locksClass(), parse(t, locksClass(), "{ both(0) } || { both(1) }"), stress.RunOptions{Time: patience})
	if !slices.Equal(run.Waits, []string{"both"}) || run.Executions > 0 {
		t.Errorf("%+v", run)
	}
}

// TestLeaves: threads do not judge objects that leave goroutines, unless Close ends them.
func TestLeaves(t *testing.T) {
	for _, closes := range []bool{false, true} {
		c := &stress.Class{Name: "janitor", New: func() any {
			end := make(chan struct{})
			go func() { <-end }()
			return end
		}, Methods: []*stress.Method{nullary("get", func(chan struct{}) history.Value { return history.IntValue(1) })}}
		if closes {
			c.Close = func(object any) { close(object.(chan struct{})) }
		}
		r, err := search(c, stress.Options{Effort: stress.Effort{Time: 100 * time.Millisecond, Program: time.Millisecond}})
		if err != nil || closes != (r.OnlySchedules == "") || closes != (r.Programs > 0) {
			t.Errorf("closes %v: %+v, %v", closes, r, err)
		}
		if line, nothing := r.Unsteadiness(); !closes && (!nothing || !strings.Contains(line, "objects leave goroutines")) {
			t.Errorf("%v, %s", nothing, line)
		}
	}
}
