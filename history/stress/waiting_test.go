package stress_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/stresstest"
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
// such an execution as one that waits for ever nor the results after it as wrong. It comes
// first: the goroutines that other tests leave slow down each look at all goroutines.
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
		t.Logf("%s: %d executions, %d seem to wait, unsteady %q", program, r.Executions, r.Waited, r.Unsteady)
	}
}

// TestExpectedWaits: an invocation that waits has no transition, and the outcomes
// in which some wait for ever are those in which none of them could go on.
func TestExpectedWaits(t *testing.T) {
	for _, e := range []struct {
		class         *stress.Class
		program, want string
	}{
		{subject.Lookup("blocking-queue").Class, "{ get() } || { put(0) }", "0,()"},
		{subject.Lookup("blocking-channel").Class, "{ get() } || { put(0) }", "0,()"},
		{subject.Lookup("blocking-queue").Class, "{ get() } || { get() }", "W,W"},
		{subject.Lookup("blocking-queue").Class, "{ get() } || { put(1) } || { get() }", "1,(),W W,(),1"},
		{subject.Lookup("blocking-queue").Class, "{ put(0); get() } || { put(1) }", "(),0,() W,-,()"},
		{subject.Lookup("blocking-queue").Class, "[ put(0); put(1) ] { get() } || { get() } [ get() ]", "(),W,-,-,-"},
		{subject.Lookup("blocking-queue").Class, "{ put(0) } || { get() } [ get(); put(1) ]", "(),0,W,-"},
		{locksClass(), "{ lock(0); lock(1); unlock(1); unlock(0) } || { lock(1); lock(0) }",
			"(),(),(),(),(),() (),W,-,-,(),W W,-,-,-,(),()"},
		{locksClass(), "{ both(0) } || { both(1) }", "(),()"},
	} {
		p := parse(t, e.class, e.program)
		expected, err := stress.NewExpected(e.class, p)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range expected.Outcomes() {
			got = append(got, c.Outcome.String())
		}
		want := strings.Fields(e.want)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s of %s: %q, want %q", e.program, e.class.Name, got, want)
		}
	}
}

// TestWaitingRuns: executions that wait for ever are seen to do so, recorded ones
// as well, and the run goes on.
func TestWaitingRuns(t *testing.T) {
	c := subject.Lookup("blocking-queue").Class
	for program, outcomes := range map[string]int{
		"{ get() } || { get() } || { put(1); put(0); put(1) }": 2, // no order waits for ever
		"{ get() } || { put(1) } || { get() }":                 2,
		"{ put(0) } || { put(1) } [ put(1) ]":                  2,
		"{ put(0); get() } || { put(1) }":                      2,
	} {
		p := parse(t, c, program)
		expected, err := stress.NewExpected(c, p)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(expected.Outcomes()); n != outcomes {
			t.Errorf("%s: %d outcomes are expected, want %d: %v", program, n, outcomes, expected.Outcomes())
		}
		run := stress.RunProgram(context.Background(), c, p, stress.RunOptions{Time: patience, Executions: 2000, Waits: 5, Recorded: 64,
			Stop: expected, Blocking: true})
		waited, all := int64(0), int64(0)
		for _, count := range run.Outcomes {
			if all += count.Times; !expected.Contains(count.Outcome) {
				t.Errorf("%s: outcome %v", program, count.Outcome)
			}
			if slices.Contains(count.Outcome, stress.Waiting) {
				waited += count.Times
			}
		}
		if all != run.Executions || waited != run.Waited || run.Executions < 2000 && waited < 5 || run.Unclear > 0 {
			t.Errorf("%s: %+v, %d outcomes, %d wait", program, run, all, waited)
		}
		histories, seen, err := run.Histories(c, p)
		if err != nil || len(histories) == 0 {
			t.Fatalf("%s: %d histories, %v", program, len(histories), err)
		}
		for i, h := range histories {
			if v := ask(t, h); v.Answer != replay.Linearizable {
				t.Errorf("%s: outcome %v: %v", program, seen[i], v.Answer)
			}
		}
	}
}

// TestWaitsUnexpected: the history of an outcome that no order explains is not
// linearizable, whether it waits too much or too little.
func TestWaitsUnexpected(t *testing.T) {
	c := subject.Lookup("blocking-queue").Class
	w, none, one := stress.Waiting, history.NoValue, history.IntValue(1)
	for _, e := range []struct {
		program string
		outcome stress.Outcome
		want    replay.Answer
	}{
		{"{ get() } || { put(1) } || { get() }", stress.Outcome{one, none, w}, replay.Linearizable},
		{"{ get() } || { put(1) } || { get() }", stress.Outcome{w, none, w}, replay.NotLinearizable},
		{"{ get() } || { put(1) } || { get() }", stress.Outcome{one, none, one}, replay.NotLinearizable},
		{"{ get() } || { put(1) } || { get() }", stress.Outcome{one, w, w}, replay.NotLinearizable},
		{"{ get() } || { put(1) } || { get() }", stress.Outcome{w, w, w}, replay.NotLinearizable},
		{"{ get() } || { put(1) }", stress.Outcome{w, none}, replay.NotLinearizable},
	} {
		h, err := stress.Unordered(c, parse(t, c, e.program), e.outcome)
		if err != nil {
			t.Fatal(err)
		}
		if v := ask(t, h); v.Answer != e.want {
			t.Errorf("%s, %v: %v, want %v", e.program, e.outcome, v.Answer, e.want)
		}
	}
}

// TestLostWakeUps: an execution that waits, although some order would let it go
// on, is a violation. The finding has where it waits and what would be possible.
func TestLostWakeUps(t *testing.T) {
	for i, e := range []struct {
		class           *stress.Class
		program         string
		outcome, report string
	}{
		{subject.Lookup("blocking-queue-signal").Class, "{ get() } || { get() } || { put(0); put(0) }", "W", "sync.Cond.Wait at blocking.go:"},
		{subject.Lookup("blocking-queue-silent").Class, "{ put(0); put(1) } || { get(); get() }", "(),W,0,W", "put(1) would be possible after put(0); get(): 0"},
		{locksClass(), "{ both(0) } || { both(1) }", "W,W", "both(0): chan send at waiting_test.go:"},
	} {
		if i > 0 && !*full {
			break
		}
		r, err := search(e.class, stress.Options{Programs: []string{e.program}, Effort: stress.Effort{Time: patience, Program: patience}})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) != 1 {
			t.Fatalf("%s of %s: %+v", e.program, e.class.Name, r)
		}
		f := r.Findings[0]
		if text := strings.Join(f.Waiting, "\n"); !strings.Contains(f.Outcome, e.outcome) || !strings.Contains(text, e.report) || r.Waited == 0 {
			t.Errorf("%s of %s: outcome %s, want %s; it says\n%s\nwant %s", e.program, e.class.Name, f.Outcome, e.outcome, text, e.report)
		}
		if v := check(t, f.History); v.Answer != replay.NotLinearizable {
			t.Errorf("%s of %s: the checker says %v of\n%s", e.program, e.class.Name, v.Answer, f.History)
		}
	}
}

// Tokens are taken, for which Take waits, and given, under control.
type tokens struct{ n cell }

func (t *tokens) Give() { t.n.add(1) }
func (t *tokens) Take() { t.n.await(); t.n.add(-1) }

// TestSoonOver: a search whose time is over when it has drawn programs that wait for
// ever goes on until it can run one.
func TestSoonOver(t *testing.T) {
	classes := []*stress.Class{subject.Lookup("blocking-channel").Class, classOf(t, func() *tokens { return &tokens{} }, stress.ReflectOptions{})}
	for i, c := range classes {
		for seed := range uint64(8) {
			o := stress.Options{Checker: stresstest.Checker(nil), Schedules: i == 1, Seed: seed, Effort: stress.Effort{Time: 1, Program: time.Millisecond}}
			if r, err := stress.Search(t.Context(), c, o); err != nil || r.Executions == 0 {
				t.Errorf("%s, seed %d: %+v, %v", c.Name, seed, r, err)
			}
		}
	}
}

// TestWorn: a search ends when too many goroutines wait for ever.
func TestWorn(t *testing.T) {
	if !*full {
		t.Skip("takes seconds: with -full")
	}
	defer stress.SetMaxAbandoned(stress.SetMaxAbandoned(1))
	c := locksClass()
	c.Methods = c.Methods[2:] // no unlock releases those that wait
	r, err := search(c, stress.Options{Programs: slices.Repeat([]string{"{ both(0) } || { both(1) }"}, 50),
		Effort: stress.Effort{Time: patience, Program: patience}})
	if err != nil || !r.Worn || r.Programs != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A janitor is a queue with a goroutine that sleeps.
type janitor struct {
	mu   sync.Mutex
	cond *sync.Cond
	n    int
}

// TestUnclear: executions are not said to wait for ever while a goroutine of the
// object may wake them. They end nevertheless.
func TestUnclear(t *testing.T) {
	var stop atomic.Bool
	defer stop.Store(true)
	c := &stress.Class{Name: "janitor", New: func() any {
		j := &janitor{}
		j.cond = sync.NewCond(&j.mu)
		go func() {
			for !stop.Load() {
				time.Sleep(20 * time.Millisecond)
			}
		}()
		return j
	}, Methods: []*stress.Method{
		nullary("get", func(j *janitor) history.Value {
			j.mu.Lock()
			defer j.mu.Unlock()
			for j.n == 0 {
				j.cond.Wait()
			}
			j.n--
			return history.NoValue
		}),
		nullary("put", func(j *janitor) history.Value { // without waking anybody
			j.mu.Lock()
			defer j.mu.Unlock()
			j.n++
			return history.NoValue
		}),
	}}
	p := parse(t, c, "{ get() } || { put() }")
	if _, err := stress.NewExpected(c, p); err == nil || !strings.Contains(err.Error(), "goroutines that might wake it") {
		t.Errorf("a program that may wait: %v", err)
	}
	run := stress.RunProgram(context.Background(), c, p, stress.RunOptions{Time: patience, Executions: 1000, Blocking: true})
	if run.Unclear == 0 || run.Waited > 0 {
		t.Errorf("%+v", run)
	}
}
